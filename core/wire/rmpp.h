// SPDX-License-Identifier: Apache-2.0
// EmberSM: the headers of RMPP, the reliable multi-packet transaction protocol.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/wire/sa_mad.h"

namespace ember {

// clang-format off
/// RMPPType. IBA vol. 1, 13.6.2.1.
enum class RmppType : std::uint8_t { kNone, kData, kAck, kStop, kAbort };

/// RMPPStatus of STOP (kResourcesExhausted) and ABORT. IBA vol. 1, 13.6.2.1.
enum class RmppStatus : std::uint8_t {
    kNormal              = 0,
    kResourcesExhausted  = 1,
    kTotalTimeTooLong    = 118,
    kBadLength           = 119,  ///< The last segment and PayloadLength contradict each other.
    kBadFirst            = 120,  ///< The first flag and the segment number contradict each other.
    kBadType             = 121,
    kWindowTooSmall      = 122,  ///< NewWindowLast is below the segment acknowledged.
    kSegmentTooBig       = 123,  ///< An ACK of a segment that was never sent.
    kIllegalStatus       = 124,
    kUnsupportedVersion  = 125,
    kTooManyRetries      = 126,
    kUnspecified         = 127,
};
// clang-format on

/// RMPPFlags: the low three bits of resp_time_flags.
namespace rmpp_flag {
inline constexpr std::uint8_t kActive = 1;
inline constexpr std::uint8_t kFirst = 2;
inline constexpr std::uint8_t kLast = 4;
}  // namespace rmpp_flag

inline constexpr std::uint8_t kRmppVersion = 1;
/// RRespTime "not given". The scale is that of ClassPortInfo: 4.096 us x 2^n.
inline constexpr std::uint8_t kNoRespTime = 31;
/// Octets of class header that PayloadLength counts in each segment, beside the data.
inline constexpr std::uint32_t kSaClassHeaderOctets = 20;

[[nodiscard]] constexpr std::uint8_t RmppFlagsOf(const RmppHeader& header) {
    return header.resp_time_flags & std::uint8_t{7};
}
[[nodiscard]] constexpr std::uint8_t RespTimeOf(const RmppHeader& header) {
    return static_cast<std::uint8_t>(header.resp_time_flags >> 3U);
}
[[nodiscard]] constexpr RmppType RmppTypeOf(const RmppHeader& header) {
    return static_cast<RmppType>(header.type);
}
/// True for a datagram of an RMPP transaction.
[[nodiscard]] constexpr bool IsRmpp(const RmppHeader& header) {
    return (header.resp_time_flags & rmpp_flag::kActive) != 0;
}

/// Octets of data in a last segment. RmppReceiver has checked its length on arrival.
[[nodiscard]] constexpr std::size_t LastOctetsOf(const RmppHeader& header) {
    EMBER_ASSERT(header.length >= kSaClassHeaderOctets);
    EMBER_ASSERT(header.length <= kSaClassHeaderOctets + kSaDataOctets);
    return std::size_t{header.length} - kSaClassHeaderOctets;
}

/// The header of DATA segment `segment`. `octets`: the data in the last segment. PayloadLength of a
/// first segment that is not the last is 0, "not known": records are found while the answer is
/// sent.
[[nodiscard]] constexpr RmppHeader MakeRmppData(std::uint32_t segment, bool is_last,
                                                std::size_t octets) {
    EMBER_ASSERT(segment != 0);
    EMBER_ASSERT(octets <= kSaDataOctets);
    RmppHeader header{};
    std::uint8_t flags = rmpp_flag::kActive;
    if (segment == 1) flags |= rmpp_flag::kFirst;
    if (is_last) flags |= rmpp_flag::kLast;
    header.version = kRmppVersion;
    header.type = static_cast<std::uint8_t>(RmppType::kData);
    header.resp_time_flags = static_cast<std::uint8_t>(kNoRespTime << 3U | flags);
    header.segment = segment;
    if (is_last) header.length = static_cast<std::uint32_t>(octets) + kSaClassHeaderOctets;
    return header;
}

/// The header of an ACK: all segments up to `segment` were received, and those up to `window_last`
/// may be sent.
[[nodiscard]] constexpr RmppHeader MakeRmppAck(std::uint32_t segment, std::uint32_t window_last) {
    RmppHeader header{};
    header.version = kRmppVersion;
    header.type = static_cast<std::uint8_t>(RmppType::kAck);
    header.resp_time_flags = static_cast<std::uint8_t>(kNoRespTime << 3U | rmpp_flag::kActive);
    header.segment = segment;
    header.length = window_last;
    return header;
}

/// The header that ends a transaction: STOP for kResourcesExhausted, ABORT for any other status.
[[nodiscard]] constexpr RmppHeader MakeRmppEnd(RmppStatus status) {
    EMBER_ASSERT(status != RmppStatus::kNormal);
    RmppHeader header = MakeRmppAck(0, 0);
    const bool is_stop = status == RmppStatus::kResourcesExhausted;
    header.type = static_cast<std::uint8_t>(is_stop ? RmppType::kStop : RmppType::kAbort);
    header.status = static_cast<std::uint8_t>(status);
    return header;
}

}  // namespace ember
