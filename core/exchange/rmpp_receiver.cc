// SPDX-License-Identifier: Apache-2.0
// EmberSM: the receiving side of RMPP.
#include "core/exchange/rmpp_receiver.h"

#include "core/base/assert.h"

namespace ember {
namespace {

inline constexpr std::uint32_t kFullSegment = kSaDataOctets + kSaClassHeaderOctets;

}  // namespace

RmppReceiver::Verdict RmppReceiver::Fail(RmppStatus status) {
    end_status_ = status;
    return {.event = RmppEvent::kFailed};
}

/// True when the length of a segment fits the PayloadLength of the first one.
bool RmppReceiver::LengthFits(const RmppHeader& header, bool is_last) const {
    EMBER_ASSERT(received_ < most_segments_);
    const std::uint32_t length = header.length;
    if (is_last && (length < kSaClassHeaderOctets || length > kFullSegment)) return false;
    const std::uint32_t promised = received_ == 0 && !is_last ? length : promised_;
    const std::uint32_t carried = received_ * kFullSegment + (is_last ? length : kFullSegment);
    return promised == 0 || (is_last ? promised == carried : promised > carried);
}

RmppReceiver::Verdict RmppReceiver::OnData(const RmppHeader& header) {
    EMBER_ASSERT(received_ <= most_segments_);
    const std::uint32_t segment = header.segment;
    const bool is_first = (RmppFlagsOf(header) & rmpp_flag::kFirst) != 0;
    const bool is_last = (RmppFlagsOf(header) & rmpp_flag::kLast) != 0;
    if (header.version != kRmppVersion) return Fail(RmppStatus::kUnsupportedVersion);
    if (header.status != 0) return Fail(RmppStatus::kIllegalStatus);
    if (is_first != (segment == 1)) return Fail(RmppStatus::kBadFirst);
    if (is_done_ || segment != received_ + 1) return {.acknowledge = true};
    if (segment > most_segments_) return Fail(RmppStatus::kResourcesExhausted);
    if (!LengthFits(header, is_last)) return Fail(RmppStatus::kBadLength);
    if (is_first && !is_last) promised_ = header.length;
    received_ = segment;
    is_done_ = is_last;
    const std::uint32_t length = header.length;
    EMBER_ASSERT(!is_last || length - kSaClassHeaderOctets <= kSaDataOctets);
    // The sender waits for an ACK at the end of the window and after the last segment.
    return {.event = is_last ? RmppEvent::kDone : RmppEvent::kMoved,
            .octets = is_last ? length - kSaClassHeaderOctets : kSaDataOctets,
            .acknowledge = is_last || segment == 1 || segment == most_segments_};
}

}  // namespace ember
