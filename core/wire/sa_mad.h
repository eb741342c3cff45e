// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams of subnet administration.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/mad.h"

namespace ember {

// clang-format off
/// Attributes of subnet administration. IBA vol. 1, 15.2.5.
enum class SaAttribute : std::uint16_t {
    kClassPortInfo                    = 0x0001,
    kNotice                           = 0x0002,
    kInformInfo                       = 0x0003,
    kNodeRecord                       = 0x0011,
    kPortInfoRecord                   = 0x0012,
    kSlToVlMappingTableRecord         = 0x0013,
    kSwitchInfoRecord                 = 0x0014,
    kLinearForwardingTableRecord      = 0x0015,
    kRandomForwardingTableRecord      = 0x0016,
    kMulticastForwardingTableRecord   = 0x0017,
    kSmInfoRecord                     = 0x0018,
    kLinkRecord                       = 0x0020,
    kGuidInfoRecord                   = 0x0030,
    kServiceRecord                    = 0x0031,
    kPKeyTableRecord                  = 0x0033,
    kPathRecord                       = 0x0035,
    kVlArbitrationTableRecord         = 0x0036,
    kMcMemberRecord                   = 0x0038,
    kTraceRecord                      = 0x0039,
    kMultiPathRecord                  = 0x003A,
    kInformInfoRecord                 = 0x00F3,
};

/// The MAD status of a response of subnet administration; the high octet is class-specific.
/// IBA vol. 1, 15.2.2.
enum class SaStatus : std::uint16_t {
    kOk                     = 0x0000,
    kBusy                   = 0x0001,  ///< Of all classes: ask again later.
    kBadVersion             = 0x0004,  ///< Of all classes: no such base or class version.
    kUnsupportedMethod      = 0x000C,  ///< Of all classes: this attribute has no such method.
    kNoResources            = 0x0100,
    kRequestInvalid         = 0x0200,
    kNoRecords              = 0x0300,
    kTooManyRecords         = 0x0400,
    kRequestInvalidGid      = 0x0500,
    kInsufficientComponents = 0x0600,
    kRequestDenied          = 0x0700,
    kPriorityChangeNeeded   = 0x0800,
};
// clang-format on

/// The RMPP header, between MAD header and class header of every SA datagram. IBA vol. 1, 13.6.2.
struct RmppHeader {
    std::uint8_t version;          // 24: 1, or 0 in a datagram without RMPP
    std::uint8_t type;             // 25: RmppType
    std::uint8_t resp_time_flags;  // 26: RRespTime (5 bits), flags (3 bits)
    std::uint8_t status;           // 27
    Be<std::uint32_t> segment;     // 28: DATA: segment number from 1; ACK: last one received
    Be<std::uint32_t> length;      // 32: DATA: PayloadLength; ACK: NewWindowLast
};
static_assert(WireStruct<RmppHeader>);
static_assert(sizeof(RmppHeader) == 12);

inline constexpr std::size_t kSaDataOctets = 200;

/// A datagram of subnet administration. IBA vol. 1, 15.2.1.
struct SaMad {
    MadHeader header;                              //  0
    RmppHeader rmpp;                               // 24
    Be<std::uint64_t> sm_key;                      // 36
    Be<std::uint16_t> attribute_offset;            // 44: record length in units of 8 octets
    Be<std::uint16_t> reserved;                    // 46
    Be<std::uint64_t> component_mask;              // 48
    std::array<std::uint8_t, kSaDataOctets> data;  // 56
};
static_assert(WireStruct<SaMad>);
static_assert(sizeof(SaMad) == kMadOctets);
static_assert(offsetof(SaMad, rmpp) == 24);
static_assert(offsetof(SaMad, sm_key) == 36);
static_assert(offsetof(SaMad, attribute_offset) == 44);
static_assert(offsetof(SaMad, component_mask) == 48);
static_assert(offsetof(SaMad, data) == 56);

[[nodiscard]] constexpr SaMad ToSaMad(const Mad& mad) {
    return std::bit_cast<SaMad>(mad);
}
[[nodiscard]] constexpr Mad ToMad(const SaMad& mad) {
    return std::bit_cast<Mad>(mad);
}
[[nodiscard]] constexpr SaAttribute SaAttributeOf(const MadHeader& header) {
    return static_cast<SaAttribute>(Raw(AttributeId{header.attribute_id}));
}

}  // namespace ember
