// SPDX-License-Identifier: Apache-2.0
// EmberSM: the keys of quality of service and of congestion control.
#pragma once

#include <array>

#include "config/keys/key.h"

namespace ember::emberc::rows {

using enum FieldKind;
using enum Class;
using enum Use;
using enum Update;

// clang-format off
/// VL arbitration and SL to VL, for each kind of port.
inline constexpr std::array kQosKeys = {
    Key{{"qos", kBool}, kQos, kRefused, kReread, "FALSE",
        "Set up VL arbitration and SL-to-VL tables."},
    Key{{"qos_policy_file", kText}, kQos, kRefused, kAtStart, "/etc/opensm/qos-policy.conf",
        "File of the QoS policy."},
    Key{{"suppress_sl2vl_mad_status_errors", kBool}, kQos, kNoted, kReread, "FALSE",
        "Do not log refused Set(SLtoVLMappingTable).", "qos"},
    Key{{"use_optimized_slvl", kBool}, kQos, kNoted, kReread, "FALSE",
        "Set the SL-to-VL tables of many ports at once where a switch can.", "qos"},
    Key{{"qos_max_vls", kU32, {0, 15}}, kQos, kNoted, kReread, "0",
        "VLs assumed on any port; 0 is unset.", "qos"},
    Key{{"qos_high_limit", kI32, {-1, 255}}, kQos, kRefused, kReread, "-1",
        "PortInfo:VLHighLimit of any port; -1 is unset.", "qos"},
    Key{{"qos_vlarb_high", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "High-priority VL arbitration of any port, as in `0:4,1:0`.", "qos"},
    Key{{"qos_vlarb_low", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "Low-priority VL arbitration of any port.", "qos"},
    Key{{"qos_sl2vl", kSlToVl, {0, 15}}, kQos, kRefused, kReread, "(null)",
        "SL to VL on any port: sixteen VLs.", "qos"},
    Key{{"qos_ca_max_vls", kU32, {0, 15}}, kQos, kNoted, kReread, "0",
        "VLs assumed on host ports; 0 is unset.", "qos"},
    Key{{"qos_ca_high_limit", kI32, {-1, 255}}, kQos, kRefused, kReread, "-1",
        "PortInfo:VLHighLimit of host ports; -1 is unset.", "qos"},
    Key{{"qos_ca_vlarb_high", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "High-priority VL arbitration of host ports, as in `0:4,1:0`.", "qos"},
    Key{{"qos_ca_vlarb_low", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "Low-priority VL arbitration of host ports.", "qos"},
    Key{{"qos_ca_sl2vl", kSlToVl, {0, 15}}, kQos, kRefused, kReread, "(null)",
        "SL to VL on host ports: sixteen VLs.", "qos"},
    Key{{"qos_sw0_max_vls", kU32, {0, 15}}, kQos, kNoted, kReread, "0",
        "VLs assumed on switch port 0; 0 is unset.", "qos"},
    Key{{"qos_sw0_high_limit", kI32, {-1, 255}}, kQos, kRefused, kReread, "-1",
        "PortInfo:VLHighLimit of switch port 0; -1 is unset.", "qos"},
    Key{{"qos_sw0_vlarb_high", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "High-priority VL arbitration of switch port 0, as in `0:4,1:0`.", "qos"},
    Key{{"qos_sw0_vlarb_low", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "Low-priority VL arbitration of switch port 0.", "qos"},
    Key{{"qos_sw0_sl2vl", kSlToVl, {0, 15}}, kQos, kRefused, kReread, "(null)",
        "SL to VL on switch port 0: sixteen VLs.", "qos"},
    Key{{"qos_swe_max_vls", kU32, {0, 15}}, kQos, kNoted, kReread, "0",
        "VLs assumed on external switch ports; 0 is unset.", "qos"},
    Key{{"qos_swe_high_limit", kI32, {-1, 255}}, kQos, kRefused, kReread, "-1",
        "PortInfo:VLHighLimit of external switch ports; -1 is unset.", "qos"},
    Key{{"qos_swe_vlarb_high", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "High-priority VL arbitration of external switch ports, as in `0:4,1:0`.", "qos"},
    Key{{"qos_swe_vlarb_low", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "Low-priority VL arbitration of external switch ports.", "qos"},
    Key{{"qos_swe_sl2vl", kSlToVl, {0, 15}}, kQos, kRefused, kReread, "(null)",
        "SL to VL on external switch ports: sixteen VLs.", "qos"},
    Key{{"qos_rtr_max_vls", kU32, {0, 15}}, kQos, kNoted, kReread, "0",
        "VLs assumed on router ports; 0 is unset.", "qos"},
    Key{{"qos_rtr_high_limit", kI32, {-1, 255}}, kQos, kRefused, kReread, "-1",
        "PortInfo:VLHighLimit of router ports; -1 is unset.", "qos"},
    Key{{"qos_rtr_vlarb_high", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "High-priority VL arbitration of router ports, as in `0:4,1:0`.", "qos"},
    Key{{"qos_rtr_vlarb_low", kVlWeights, {0, 14}}, kQos, kRefused, kReread, "(null)",
        "Low-priority VL arbitration of router ports.", "qos"},
    Key{{"qos_rtr_sl2vl", kSlToVl, {0, 15}}, kQos, kRefused, kReread, "(null)",
        "SL to VL on router ports: sixteen VLs.", "qos"},
};

/// Congestion control: IBA vol. 1, annex A10.
inline constexpr std::array kCongestionKeys = {
    Key{{"congestion_control", kBool}, kQos, kRefused, kReread, "FALSE",
        "Set up congestion control."},
    Key{{"cc_key", kU64}, kSecurity, kRefused, kAtStart, "0x0000000000000000",
        "CC_Key in congestion-control datagrams.", "congestion_control"},
    Key{{"cc_max_outstanding_mads", kU32}, kQos, kNoted, kAtStart, "500",
        "Congestion-control datagrams in flight.", "congestion_control"},
    Key{{"cc_sw_cong_setting_control_map", kU32}, kQos, kRefused, kReread, "0x0",
        "Which of the switch values below are valid.", "congestion_control"},
    Key{{"cc_sw_cong_setting_victim_mask", kMask256, {0, 0xFF}}, kQos, kRefused, kReread, "0x0",
        "Ports that mark packets even as victims; bit 0 is port 0.", "congestion_control"},
    Key{{"cc_sw_cong_setting_credit_mask", kMask256, {0, 0xFF}}, kQos, kRefused, kReread, "0x0",
        "Ports that use the credit-starvation threshold; bit 0 is port 0.", "congestion_control"},
    Key{{"cc_sw_cong_setting_threshold", kU8, {0, 15}}, kQos, kRefused, kReread, "0x00",
        "0 marks nothing, 15 marks most eagerly.", "congestion_control"},
    Key{{"cc_sw_cong_setting_packet_size", kU8}, kQos, kRefused, kReread, "0",
        "Smallest packet to mark, in units of 64 octets.", "congestion_control"},
    Key{{"cc_sw_cong_setting_credit_starvation_threshold", kU8, {0, 15}},
        kQos, kRefused, kReread, "0x00",
        "The threshold of ports in the credit mask.", "congestion_control"},
    Key{{"cc_sw_cong_setting_credit_starvation_return_delay", kShiftMultiplier, {0, 0xFFFF}},
        kQos, kRefused, kReread, "0:0",
        "Delay of credit return, as shift:multiplier.", "congestion_control"},
    Key{{"cc_sw_cong_setting_marking_rate", kU16}, kQos, kRefused, kReread, "0",
        "Mean number of packets between two marks.", "congestion_control"},
    Key{{"cc_ca_cong_setting_port_control", kU16}, kQos, kRefused, kReread, "0x0000",
        "Bit 0: 0 is control by queue pair, 1 by service level.", "congestion_control"},
    Key{{"cc_ca_cong_setting_control_map", kU16}, kQos, kRefused, kReread, "0x0000",
        "A bit for each service level with valid values below.", "congestion_control"},
    Key{{"cc_ca_cong_setting_ccti_timer", kPerSl, {0, 65535}}, kQos, kRefused, kReread, "0 0",
        "`SL value`, a line for each SL: period in which the CCTI falls, in 1.024 us.",
        "congestion_control"},
    Key{{"cc_ca_cong_setting_ccti_increase", kPerSl, {0, 255}}, kQos, kRefused, kReread, "0 0",
        "`SL value`: step by which a BECN raises the CCTI.", "congestion_control"},
    Key{{"cc_ca_cong_setting_trigger_threshold", kPerSl, {0, 255}}, kQos, kRefused, kReread, "0 0",
        "`SL value`: CCTI at which an event is written.", "congestion_control"},
    Key{{"cc_ca_cong_setting_ccti_min", kPerSl, {0, 255}}, kQos, kRefused, kReread, "0 0",
        "`SL value`: lowest CCTI.", "congestion_control"},
    Key{{"cc_cct", kShiftMultipliers, {0, 0xFFFF}}, kQos, kRefused, kReread, "(null)",
        "Congestion control table, as shift:multiplier,shift:multiplier,...", "congestion_control"},
};
// clang-format on

}  // namespace ember::emberc::rows
