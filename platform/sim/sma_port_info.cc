// SPDX-License-Identifier: Apache-2.0
// EmberSM: the simulated subnet management agent: PortInfo and the port state machine.
#include <bit>
#include <utility>

#include "platform/sim/sma.h"

namespace ember::sim {
namespace {

constexpr bool IsUnicast(Lid lid) {
    return lid != kNoLid && lid <= kTopUnicastLid;
}

/// "Enabled" fields: 0 leaves the value, `all` takes everything that is supported.
void WriteEnabled(PortInfo& now, std::uint8_t wanted, std::uint8_t all,
                  std::pair<Field<std::uint8_t>, Field<std::uint8_t>> enabled_supported) {
    const auto& [enabled, supported] = enabled_supported;
    if (wanted == 0) return;
    now.Set(enabled, wanted == all ? now.Get(supported) : wanted);
}

template <typename Value>
void CopyField(PortInfo& now, const PortInfo& wanted, Field<Value> field) {
    now.Set(field, wanted.Get(field));
}

}  // namespace

/// Modifier: the port; bit 31 asks for the extended speeds, which are always shown. IBA vol. 1,
/// 14.2.5.6.
std::uint16_t Sma::DoPortInfo(const Request& request, SmpData& data) {
    const std::uint32_t number = request.modifier & 0x7FFFFFFFU;
    const std::uint32_t row = number > 0xFF ? kNoRow : RowNamed(request, number);
    if (row == kNoRow) return kMadStatusInvalidField;
    std::uint16_t status = 0;
    if (request.set) {
        status = SetPortInfo(row, std::bit_cast<PortInfo>(data));
    }
    PortInfo shown = world_.port(row).info;
    shown.Set(PortInfo::kLocalPortNum, PortNumber{world_.port(request.row).number});
    if (!request.key_fits && shown.Get(PortInfo::kMKeyProtectBits) == 1) {
        shown.Set(PortInfo::kMKey, std::uint64_t{0});
    }
    data = shown.octets();
    return status;
}

/// A Set is taken as a whole or refused as a whole.
std::uint16_t Sma::SetPortInfo(std::uint32_t row, const PortInfo& wanted) {
    SimPort& port = world_.port(row);
    const SimNode& node = world_.node_of(row);
    const bool is_external = port.number != 0;
    const bool owns_lid = !node.is_switch() || !is_external;
    const bool enhanced = node.switch_info.Get(SwitchInfo::kEnhancedPort0) != 0;
    const bool has_state = is_external || enhanced;
    if (owns_lid) {
        if (const std::uint16_t status = CheckEndPort(port.info, wanted)) return status;
    }
    if (has_state) {
        if (const std::uint16_t status = CheckLink(port.info, wanted)) return status;
    }
    if (owns_lid) {
        const Lid before = port.info.Get(PortInfo::kLid);
        const std::uint8_t lmc_before = port.info.Get(PortInfo::kLmc);
        WriteEndPort(port.info, wanted);
        if (before != port.info.Get(PortInfo::kLid) ||
            lmc_before != port.info.Get(PortInfo::kLmc)) {
            world_.NoteRouteChange();
        }
    }
    if (has_state) {
        WriteLink(port.info, wanted);
        ChangeState(row, wanted);
    }
    return 0;
}

std::uint16_t Sma::CheckEndPort(const PortInfo& now, const PortInfo& wanted) {
    const Lid lid = wanted.Get(PortInfo::kLid);
    const bool lid_stays_none = lid == kNoLid && now.Get(PortInfo::kLid) == kNoLid;
    if (!IsUnicast(lid) && !lid_stays_none) return kMadStatusInvalidField;
    const unsigned lmc_mask = (1U << wanted.Get(PortInfo::kLmc)) - 1U;
    if ((Raw(lid) & lmc_mask) != 0) return kMadStatusInvalidField;
    const Lid sm_lid = wanted.Get(PortInfo::kMasterSmLid);
    return sm_lid == kNoLid || IsUnicast(sm_lid) ? std::uint16_t{0} : kMadStatusInvalidField;
}

std::uint16_t Sma::CheckLink(const PortInfo& now, const PortInfo& wanted) {
    const PortState state = now.Get(PortInfo::kPortState);
    switch (wanted.Get(PortInfo::kPortState)) {
        case PortState::kNoChange:
        case PortState::kDown:
            break;
        case PortState::kArmed:  // Only from INITIALIZE or again. IBA vol. 1, 7.2.7.
            if (state != PortState::kInitialize && state != PortState::kArmed) {
                return kMadStatusInvalidField;
            }
            break;
        case PortState::kActive:
            if (state != PortState::kArmed && state != PortState::kActive) {
                return kMadStatusInvalidField;
            }
            break;
        case PortState::kInitialize:
        default:
            return kMadStatusInvalidField;
    }
    const Mtu mtu = wanted.Get(PortInfo::kNeighborMtu);
    if (mtu < Mtu::k256 || mtu > now.Get(PortInfo::kMtuCap)) return kMadStatusInvalidField;
    if (wanted.Get(PortInfo::kOperationalVls) > now.Get(PortInfo::kVlCap)) {
        return kMadStatusInvalidField;
    }
    const std::uint8_t width = wanted.Get(PortInfo::kLinkWidthEnabled);
    const std::uint8_t width_can = now.Get(PortInfo::kLinkWidthSupported);
    if (width != link_width::kSupported && (width & ~width_can & 0xFF) != 0) {
        return kMadStatusInvalidField;
    }
    const std::uint8_t speed = wanted.Get(PortInfo::kLinkSpeedEnabled);
    const std::uint8_t speed_can = now.Get(PortInfo::kLinkSpeedSupported);
    if (speed != link_speed::kSupported && (speed & ~speed_can & 0xF) != 0) {
        return kMadStatusInvalidField;
    }
    return 0;
}

void Sma::WriteEndPort(PortInfo& now, const PortInfo& wanted) {
    CopyField(now, wanted, PortInfo::kMKey);
    CopyField(now, wanted, PortInfo::kGidPrefix);
    CopyField(now, wanted, PortInfo::kLid);
    CopyField(now, wanted, PortInfo::kMasterSmLid);
    CopyField(now, wanted, PortInfo::kMKeyLeasePeriod);
    CopyField(now, wanted, PortInfo::kMKeyProtectBits);
    CopyField(now, wanted, PortInfo::kLmc);
    CopyField(now, wanted, PortInfo::kMasterSmSl);
    CopyField(now, wanted, PortInfo::kSubnetTimeOut);
    CopyField(now, wanted, PortInfo::kMulticastPKeyTrapSuppressionEnabled);
    CopyField(now, wanted, PortInfo::kMKeyViolations);
    CopyField(now, wanted, PortInfo::kPKeyViolations);
    CopyField(now, wanted, PortInfo::kQKeyViolations);
    // ClientReregister is an event for the clients above the port: it never reads back as 1.
}

void Sma::WriteLink(PortInfo& now, const PortInfo& wanted) {
    WriteEnabled(now, wanted.Get(PortInfo::kLinkWidthEnabled), link_width::kSupported,
                 {PortInfo::kLinkWidthEnabled, PortInfo::kLinkWidthSupported});
    WriteEnabled(now, wanted.Get(PortInfo::kLinkSpeedEnabled), link_speed::kSupported,
                 {PortInfo::kLinkSpeedEnabled, PortInfo::kLinkSpeedSupported});
    if (now.Get(PortInfo::kLinkSpeedExtSupported) != 0) {
        WriteEnabled(now, wanted.Get(PortInfo::kLinkSpeedExtEnabled), link_speed_ext::kSupported,
                     {PortInfo::kLinkSpeedExtEnabled, PortInfo::kLinkSpeedExtSupported});
    }
    if (wanted.Get(PortInfo::kLinkDownDefaultState) != LinkDownDefaultState::kNoChange) {
        CopyField(now, wanted, PortInfo::kLinkDownDefaultState);
    }
    CopyField(now, wanted, PortInfo::kNeighborMtu);
    CopyField(now, wanted, PortInfo::kVlHighLimit);
    CopyField(now, wanted, PortInfo::kVlStallCount);
    CopyField(now, wanted, PortInfo::kHoqLife);
    if (wanted.Get(PortInfo::kOperationalVls) != VlCap::kNoChange) {
        CopyField(now, wanted, PortInfo::kOperationalVls);
    }
    CopyField(now, wanted, PortInfo::kPartitionEnforcementInbound);
    CopyField(now, wanted, PortInfo::kPartitionEnforcementOutbound);
    CopyField(now, wanted, PortInfo::kFilterRawInbound);
    CopyField(now, wanted, PortInfo::kFilterRawOutbound);
    CopyField(now, wanted, PortInfo::kLocalPhyErrors);
    CopyField(now, wanted, PortInfo::kOverrunErrors);
}

void Sma::ChangeState(std::uint32_t row, const PortInfo& wanted) {
    PortInfo& now = world_.port(row).info;
    const bool has_link = world_.port(row).number != 0;
    const PortState state = wanted.Get(PortInfo::kPortState);
    if (state == PortState::kArmed || state == PortState::kActive) {
        now.Set(PortInfo::kPortState, state);
    }
    if (!has_link) return;  // An enhanced port 0 has no link that could go down.
    const PortPhysicalState physical = wanted.Get(PortInfo::kPortPhysicalState);
    if (physical == PortPhysicalState::kDisabled) {
        world_.SetDisabled(row, true);
    } else if (physical == PortPhysicalState::kPolling) {
        if (world_.port(row).disabled) world_.SetDisabled(row, false);
    }
    if (state == PortState::kDown) world_.Retrain(row);
}

}  // namespace ember::sim
