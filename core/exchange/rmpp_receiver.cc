// SPDX-License-Identifier: Apache-2.0
// EmberSM: which segment of a question is taken, and what is answered to it.
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

RmppReceiver::Verdict RmppReceiver::OnData(const RmppHeader& header) {
    const std::uint32_t segment = header.segment;
    const std::uint32_t length = header.length;
    const bool is_first = (RmppFlagsOf(header) & rmpp_flag::kFirst) != 0;
    const bool is_last = (RmppFlagsOf(header) & rmpp_flag::kLast) != 0;
    if (header.version != kRmppVersion) return Fail(RmppStatus::kUnsupportedVersion);
    if (header.status != 0) return Fail(RmppStatus::kIllegalStatus);
    if (is_first != (segment == 1)) return Fail(RmppStatus::kBadFirst);
    if (is_done_ || segment != received_ + 1) return {.acknowledge = true};
    if (segment > most_segments_) return Fail(RmppStatus::kResourcesExhausted);
    if (is_last && (length < kSaClassHeaderOctets || length > kFullSegment)) {
        return Fail(RmppStatus::kBadLength);
    }
    if (is_first && !is_last) promised_ = length;
    const std::uint32_t told = (segment - 1) * kFullSegment + (is_last ? length : kFullSegment);
    if (promised_ != 0 && (is_last ? promised_ != told : promised_ <= told)) {
        return Fail(RmppStatus::kBadLength);
    }
    received_ = segment;
    is_done_ = is_last;
    // Whoever sends waits for an ACK at the end of the window, and at the end of all.
    return {.event = is_last ? RmppEvent::kDone : RmppEvent::kMoved,
            .octets = is_last ? length - kSaClassHeaderOctets : kSaDataOctets,
            .acknowledge = is_last || segment == 1 || segment == most_segments_};
}

}  // namespace ember
