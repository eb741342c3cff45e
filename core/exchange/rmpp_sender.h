// SPDX-License-Identifier: Apache-2.0
// EmberSM: which segment of an answer is to be sent, and when again.
#pragma once

#include <cstdint>

#include "core/wire/rmpp.h"

namespace ember {

/// What a datagram or the clock did to a conversation.
enum class RmppEvent : std::uint8_t {
    kNothing,  ///< It goes on as before.
    kMoved,    ///< It goes on, and may have more to send.
    kDone,     ///< All is acknowledged.
    kEnded,    ///< The peer sent STOP or ABORT.
    kFailed,   ///< It is over; the peer is to be told end_status().
};

/// The sending side of RMPP: numbers and times, no octets. Whoever owns it makes the segments.
///
///   while (sender.wants_segment()) { send segment sender.next(); sender.OnSent(is_last, now); }
///
/// A segment that is lost takes all behind it back (go-back-N): next() then names an earlier one.
/// It goes back after a time-out, and at once, but only once until there is progress, when the
/// receiver repeats itself. The first wait is `timeout_us`, each further one in a row twice the
/// one before, up to eight times the first; what the receiver says of its own response time
/// (RRespTime) lengthens the first wait up to kLongestPatienceUs. IBA vol. 1, 13.6.6.
class RmppSender {
public:
    static constexpr std::uint32_t kTries = 6;
    static constexpr std::uint32_t kLongestPatienceUs = 4'000'000;

    RmppSender() = default;
    explicit RmppSender(std::uint32_t timeout_us) : timeout_us_(timeout_us) {}

    /// The segment to be sent next, 1...
    [[nodiscard]] std::uint32_t next() const { return next_; }
    /// All segments up to this one are acknowledged; 0: none.
    [[nodiscard]] std::uint32_t acknowledged() const { return acknowledged_; }
    /// The highest segment ever sent.
    [[nodiscard]] std::uint32_t sent() const { return sent_; }
    /// Sent and not acknowledged.
    [[nodiscard]] std::uint32_t in_flight() const { return next_ - 1 - acknowledged_; }
    /// The window is open, and next() is not behind the last segment.
    [[nodiscard]] bool wants_segment() const {
        return next_ <= window_last_ && (last_ == 0 || next_ <= last_);
    }

    /// Segment next() has gone out. Asserts wants_segment().
    void OnSent(bool is_last, std::uint64_t now_us);

    /// An ACK, STOP or ABORT of the receiver. Anything else is kFailed.
    RmppEvent OnHeard(const RmppHeader& header, std::uint64_t now_us);

    /// kMoved: time to go back; kFailed: the receiver has been silent for too long.
    RmppEvent OnTime(std::uint64_t now_us);

    /// When OnTime() has something to do; ~0: never (nothing was sent, or it is over).
    [[nodiscard]] std::uint64_t deadline_us() const { return deadline_us_; }
    /// After kFailed: what to tell the peer.
    [[nodiscard]] RmppStatus end_status() const { return end_status_; }

private:
    RmppEvent OnAck(const RmppHeader& header, std::uint64_t now_us);
    RmppEvent Fail(RmppStatus status);
    void GoBack(std::uint64_t now_us);
    void Arm(std::uint64_t now_us);

    std::uint32_t timeout_us_ = 0;
    std::uint32_t next_ = 1;
    std::uint32_t acknowledged_ = 0;
    std::uint32_t sent_ = 0;
    std::uint32_t window_last_ = 1;  ///< Until the receiver says more. IBA vol. 1, 13.6.6.1.
    std::uint32_t last_ = 0;         ///< Number of the last segment; 0: not known yet.
    std::uint32_t tries_ = 0;        ///< Time-outs since the last progress.
    bool hurried_ = false;           ///< Went back without a time-out since the last progress.
    RmppStatus end_status_ = RmppStatus::kNormal;
    std::uint64_t deadline_us_ = ~std::uint64_t{0};
};

}  // namespace ember
