// SPDX-License-Identifier: Apache-2.0
// EmberSM: management datagrams and their common header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/be.h"

namespace ember {

// clang-format off
/// Management classes. IBA vol. 1, 13.4.4.
enum class MgmtClass : std::uint8_t {
    kSubnLid      = 0x01,  ///< Subnet management, LID routed.
    kSubnAdm      = 0x03,  ///< Subnet administration.
    kPerf         = 0x04,
    kBm           = 0x05,
    kDevMgt       = 0x06,
    kComMgt       = 0x07,
    kSubnDirected = 0x81,  ///< Subnet management, directed route.
};

/// Methods; bit 7 marks a response. IBA vol. 1, 13.4.5.
enum class Method : std::uint8_t {
    kGet          = 0x01,
    kSet          = 0x02,
    kSend         = 0x03,
    kTrap         = 0x05,
    kReport       = 0x06,
    kTrapRepress  = 0x07,
    kGetTable     = 0x12,
    kGetTraceTable = 0x13,
    kGetMulti     = 0x14,
    kDelete       = 0x15,
    kGetResp      = 0x81,
    kReportResp   = 0x86,
    kGetTableResp = 0x92,
    kGetMultiResp = 0x94,
    kDeleteResp   = 0x95,
};

/// Attributes of subnet management. IBA vol. 1, 14.2.5.
enum class AttributeId : std::uint16_t {
    kClassPortInfo            = 0x0001,
    kNotice                   = 0x0002,
    kInformInfo               = 0x0003,
    kNodeDescription          = 0x0010,
    kNodeInfo                 = 0x0011,
    kSwitchInfo               = 0x0012,
    kGuidInfo                 = 0x0014,
    kPortInfo                 = 0x0015,
    kPKeyTable                = 0x0016,
    kSlToVlMappingTable       = 0x0017,
    kVlArbitrationTable       = 0x0018,
    kLinearForwardingTable    = 0x0019,
    kRandomForwardingTable    = 0x001A,
    kMulticastForwardingTable = 0x001B,
    kSmInfo                   = 0x0020,
    kVendorDiag               = 0x0030,
    kLedInfo                  = 0x0031,
};
// clang-format on

/// The TransactionID of a request, which its response repeats. On Linux the kernel owns the upper
/// 32 bits, so only the lower 32 distinguish our transactions.
enum class TransactionId : std::uint64_t {};

// Values of the MAD status, without the direction bit. IBA vol. 1, 13.4.7. 0 is success.
inline constexpr std::uint16_t kMadStatusBusy = 0x0001;
inline constexpr std::uint16_t kMadStatusBadVersion = 0x0004;
inline constexpr std::uint16_t kMadStatusBadMethod = 0x0008;
inline constexpr std::uint16_t kMadStatusBadMethodAttribute = 0x000C;
inline constexpr std::uint16_t kMadStatusInvalidField = 0x001C;
/// Bit 15 of the status of a directed-route SMP: set in a response.
inline constexpr std::uint16_t kDirectionBit = 0x8000;

inline constexpr std::uint8_t kBaseVersion = 1;
inline constexpr std::uint8_t kSubnClassVersion = 1;
inline constexpr std::uint8_t kSubnAdmClassVersion = 2;

/// The common header of management datagrams. IBA vol. 1, 13.4.2.
struct MadHeader {
    std::uint8_t base_version;             //  0
    MgmtClass mgmt_class;                  //  1
    std::uint8_t class_version;            //  2
    Method method;                         //  3
    Be<std::uint16_t> status;              //  4: bit 15 is the direction of a directed-route SMP
    std::uint8_t hop_pointer;              //  6
    std::uint8_t hop_count;                //  7
    Be<TransactionId> transaction_id;      //  8
    Be<AttributeId> attribute_id;          // 16
    Be<std::uint16_t> reserved;            // 18
    Be<std::uint32_t> attribute_modifier;  // 20
};
static_assert(WireStruct<MadHeader>);
static_assert(sizeof(MadHeader) == 24);
static_assert(offsetof(MadHeader, status) == 4);
static_assert(offsetof(MadHeader, hop_pointer) == 6);
static_assert(offsetof(MadHeader, transaction_id) == 8);
static_assert(offsetof(MadHeader, attribute_id) == 16);
static_assert(offsetof(MadHeader, attribute_modifier) == 20);

inline constexpr std::size_t kMadOctets = 256;

/// A management datagram of any class: the common header, and a body that the class defines.
struct Mad {
    MadHeader header;                                               //  0
    std::array<std::uint8_t, kMadOctets - sizeof(MadHeader)> body;  // 24
};
static_assert(WireStruct<Mad>);
static_assert(sizeof(Mad) == kMadOctets);

/// True for a response: it has the response bit, or is TrapRepress, which answers a Trap without
/// that bit.
[[nodiscard]] constexpr bool IsResponse(Method method) {
    return (static_cast<std::uint8_t>(method) & 0x80U) != 0 || method == Method::kTrapRepress;
}

/// The method of the response to a request. IBA vol. 1, 13.4.5.
[[nodiscard]] constexpr Method ResponseOf(Method request) {
    if (request == Method::kSet) return Method::kGetResp;
    if (request == Method::kTrap) return Method::kTrapRepress;
    return static_cast<Method>(static_cast<std::uint8_t>(request) | std::uint8_t{0x80});
}

}  // namespace ember
