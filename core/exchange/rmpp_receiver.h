// SPDX-License-Identifier: Apache-2.0
// EmberSM: which segment of a question is taken, and what is answered to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/exchange/rmpp_sender.h"
#include "core/wire/rmpp.h"

namespace ember {

/// The receiving side of RMPP: segments are taken in order, everything else is answered by the ACK
/// that says where we stand. Numbers only; the owner keeps the octets. IBA vol. 1, 13.6.5.
class RmppReceiver {
public:
    /// What OnData() came to.
    struct Verdict {
        RmppEvent event = RmppEvent::kNothing;  ///< kMoved, kDone: take `octets` of the segment.
        std::size_t octets = 0;                 ///< Of its data, 0..kSaDataOctets.
        bool acknowledge = false;               ///< Send MakeRmppAck(received(), window_last()).
    };

    RmppReceiver() = default;
    /// At most `most_segments` are taken; more is kFailed with kResourcesExhausted.
    explicit RmppReceiver(std::uint32_t most_segments) : most_segments_(most_segments) {}

    /// A DATA segment. kFailed: send end_status() and forget the conversation.
    Verdict OnData(const RmppHeader& header);

    /// Segments taken.
    [[nodiscard]] std::uint32_t received() const { return received_; }
    /// The highest one that may come without an ACK in between: all there is room for.
    [[nodiscard]] std::uint32_t window_last() const { return most_segments_; }
    [[nodiscard]] bool is_done() const { return is_done_; }
    [[nodiscard]] RmppStatus end_status() const { return end_status_; }

private:
    Verdict Fail(RmppStatus status);
    [[nodiscard]] bool LengthFits(const RmppHeader& header, bool is_last) const;

    std::uint32_t most_segments_ = 0;
    std::uint32_t received_ = 0;
    std::uint32_t promised_ = 0;  ///< PayloadLength of the first segment; 0: not told.
    bool is_done_ = false;
    RmppStatus end_status_ = RmppStatus::kNormal;
};

}  // namespace ember
