// SPDX-License-Identifier: Apache-2.0
// EmberSM: the sending side of RMPP.
#pragma once

#include <cstdint>

#include "core/base/time.h"
#include "core/wire/rmpp.h"

namespace ember {

/// The effect of a datagram or of the clock on an RMPP transaction.
enum class RmppEvent : std::uint8_t {
    kNothing,  ///< None.
    kMoved,   ///< There is progress: the sender may have more to send, the receiver took a segment.
    kDone,    ///< All segments are acknowledged, or were received.
    kEnded,   ///< The peer sent STOP or ABORT.
    kFailed,  ///< The transaction is over; the owner sends end_status() to the peer.
};

/// The sending side of RMPP. The sender handles numbers and times: the owner makes the segments.
///
///   while (sender.wants_segment()) { send segment sender.next(); sender.OnSent(is_last, now); }
///
/// After the loss of a segment all segments from it on are sent again (go-back-N): next() then is
/// an earlier one. The sender goes back after a timeout. When the receiver repeats an ACK, it goes
/// back at once, but only once until there is progress. The first timeout is `timeout_us`, each
/// further one in a row twice the one before, up to eight times the first. The RRespTime of the
/// receiver lengthens the first timeout, up to kLongestPatienceUs. IBA vol. 1, 13.6.6.
class RmppSender {
public:
    static constexpr std::uint32_t kTries = 6;  ///< Timeouts in a row that end the transaction.
    static constexpr std::uint32_t kLongestPatienceUs = 4'000'000;

    RmppSender() = default;
    explicit RmppSender(std::uint32_t timeout_us) : timeout_us_(timeout_us) {}

    /// The segment to be sent next, from 1.
    [[nodiscard]] std::uint32_t next() const { return next_; }
    /// All segments up to this one are acknowledged; 0: none.
    [[nodiscard]] std::uint32_t acknowledged() const { return acknowledged_; }
    /// The highest segment ever sent.
    [[nodiscard]] std::uint32_t sent() const { return sent_; }
    /// Segments sent and not acknowledged.
    [[nodiscard]] std::uint32_t in_flight() const { return next_ - 1 - acknowledged_; }
    /// True when the window is open and next() is not behind the last segment.
    [[nodiscard]] bool wants_segment() const {
        return next_ <= window_last_ && (last_ == 0 || next_ <= last_);
    }

    /// Segment next() was sent. Asserts wants_segment().
    void OnSent(bool is_last, std::uint64_t now_us);

    /// Hears an ACK, STOP or ABORT of the receiver. Any other type is kFailed.
    RmppEvent OnHeard(const RmppHeader& header, std::uint64_t now_us);

    /// kMoved: the sender went back after a timeout; kFailed: after kTries timeouts in a row.
    RmppEvent OnTime(std::uint64_t now_us);

    /// When OnTime() has something to do; kNever: nothing was sent, or the transaction is over.
    [[nodiscard]] std::uint64_t deadline_us() const { return deadline_us_; }
    /// After kFailed: the status for the peer.
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
    std::uint32_t window_last_ = 1;  ///< 1 until the first ACK. IBA vol. 1, 13.6.6.1.
    std::uint32_t last_ = 0;         ///< Number of the last segment; 0: not known yet.
    std::uint32_t tries_ = 0;        ///< Timeouts since the last progress.
    bool hurried_ = false;           ///< Went back without a timeout since the last progress.
    RmppStatus end_status_ = RmppStatus::kNormal;
    std::uint64_t deadline_us_ = kNever;
};

}  // namespace ember
