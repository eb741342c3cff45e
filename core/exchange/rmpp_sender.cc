// SPDX-License-Identifier: Apache-2.0
// EmberSM: the sending side of RMPP.
#include "core/exchange/rmpp_sender.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
void RmppSender::OnSent(bool is_last, std::uint64_t now_us) {
    EMBER_ASSERT(wants_segment());
    // The last segment cannot change: the owner makes the same segments when it repeats them.
    EMBER_ASSERT(last_ == 0 || is_last == (next_ == last_));
    if (is_last) last_ = next_;
    sent_ = std::max(sent_, next_);
    ++next_;
    // The receiver acknowledges a window, not a segment: its time counts from the last segment.
    Arm(now_us);
}

void RmppSender::Arm(std::uint64_t now_us) {
    deadline_us_ = now_us + (std::uint64_t{timeout_us_} << std::min(tries_, 3U));
}

RmppEvent RmppSender::Fail(RmppStatus status) {
    EMBER_ASSERT(status != RmppStatus{});
    end_status_ = status;
    deadline_us_ = kNever;
    return RmppEvent::kFailed;
}

void RmppSender::GoBack(std::uint64_t now_us) {
    EMBER_ASSERT(acknowledged_ < next_);
    next_ = acknowledged_ + 1;
    Arm(now_us);
}

RmppEvent RmppSender::OnHeard(const RmppHeader& header, std::uint64_t now_us) {
    if (header.version != kRmppVersion) return Fail(RmppStatus::kUnsupportedVersion);
    switch (RmppTypeOf(header)) {
        case RmppType::kAck:
            return OnAck(header, now_us);
        case RmppType::kStop:
        case RmppType::kAbort:
            return RmppEvent::kEnded;
        case RmppType::kNone:
        case RmppType::kData:
            break;
    }
    return Fail(RmppStatus::kBadType);
}

RmppEvent RmppSender::OnAck(const RmppHeader& header, std::uint64_t now_us) {
    EMBER_ASSERT(acknowledged_ <= sent_);
    const std::uint32_t segment = header.segment;
    const std::uint32_t window_last = header.length;
    if (segment > sent_) return Fail(RmppStatus::kSegmentTooBig);
    if (window_last < segment) return Fail(RmppStatus::kWindowTooSmall);
    // A later ACK has overtaken this one.
    if (segment < acknowledged_ || window_last < window_last_) return RmppEvent::kNothing;
    const bool opens = window_last > window_last_;
    window_last_ = window_last;
    if (RespTimeOf(header) != kNoRespTime) {
        const std::uint64_t reported_us = (std::uint64_t{4096} << RespTimeOf(header)) / 1000 * 2;
        const std::uint64_t most_us = std::min<std::uint64_t>(reported_us, kLongestPatienceUs);
        timeout_us_ = std::max(timeout_us_, static_cast<std::uint32_t>(most_us));
    }
    if (segment > acknowledged_) {
        acknowledged_ = segment;
        next_ = std::max(next_, segment + 1);
        EMBER_ASSERT(next_ <= sent_ + 1);
        tries_ = 0;
        hurried_ = false;
        if (last_ != 0 && segment == last_) {
            deadline_us_ = kNever;
            return RmppEvent::kDone;
        }
        Arm(now_us);
        return RmppEvent::kMoved;
    }
    if (opens) return RmppEvent::kMoved;
    // The receiver repeats its ACK: a segment was lost, or was received twice.
    if (hurried_ || in_flight() == 0) return RmppEvent::kNothing;
    hurried_ = true;
    GoBack(now_us);
    return RmppEvent::kMoved;
}

RmppEvent RmppSender::OnTime(std::uint64_t now_us) {
    if (now_us < deadline_us_) return RmppEvent::kNothing;
    if (wants_segment()) {  // We are slow, not the receiver.
        Arm(now_us);
        return RmppEvent::kNothing;
    }
    EMBER_ASSERT(tries_ < kTries);
    ++tries_;
    if (tries_ >= kTries) return Fail(RmppStatus::kTooManyRetries);
    hurried_ = true;
    GoBack(now_us);
    return RmppEvent::kMoved;
}

}  // namespace ember
