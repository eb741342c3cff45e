// SPDX-License-Identifier: Apache-2.0
// EmberSM: the receiving side of RMPP.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/exchange/rmpp_sender.h"
#include "core/wire/rmpp.h"

namespace ember {

/// The receiving side of RMPP. Segments are taken in order; any other is answered by an ACK of the
/// last one taken. Only numbers are handled: the owner keeps the octets. IBA vol. 1, 13.6.5.
class RmppReceiver {
public:
    /// The result of OnData().
    struct Verdict {
        RmppEvent event = RmppEvent::kNothing;  ///< kMoved, kDone: take `octets` of the segment.
        std::size_t octets = 0;                 ///< Of its data, 0..kSaDataOctets.
        bool acknowledge = false;               ///< Send MakeRmppAck(received(), window_last()).
    };

    RmppReceiver() = default;
    /// Takes at most `most_segments`; a further one is kFailed with kResourcesExhausted.
    explicit RmppReceiver(std::uint32_t most_segments) : most_segments_(most_segments) {}

    /// Hears a DATA segment. kFailed: send end_status() and forget the transaction.
    Verdict OnData(const RmppHeader& header);

    /// The number of segments taken.
    [[nodiscard]] std::uint32_t received() const { return received_; }
    /// The highest segment that may be sent without an ACK in between: all that have room.
    [[nodiscard]] std::uint32_t window_last() const { return most_segments_; }
    /// The last segment was taken.
    [[nodiscard]] bool is_done() const { return is_done_; }
    /// After kFailed: the status for the peer.
    [[nodiscard]] RmppStatus end_status() const { return end_status_; }

private:
    Verdict Fail(RmppStatus status);
    [[nodiscard]] bool LengthFits(const RmppHeader& header, bool is_last) const;

    std::uint32_t most_segments_ = 0;
    std::uint32_t received_ = 0;
    std::uint32_t promised_ = 0;  ///< PayloadLength of the first segment; 0: not given.
    bool is_done_ = false;
    RmppStatus end_status_ = RmppStatus::kNormal;
};

}  // namespace ember
