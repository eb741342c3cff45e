// SPDX-License-Identifier: Apache-2.0
// EmberSM: the window of SMPs on the wire.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ember {

/// The most SMPs that may be on the wire: max_wire_smps, and less when datagrams are lost.
///
/// The window starts fully open. A loss halves it; an answer to a repeated question shows a loss.
/// Silence alone does not halve it: a silent peer may be dead, and a smaller window would delay the
/// questions to all others. Losses together are one event: a datagram sent before the last halving
/// causes no further one. Answers open the window again: each by one SMP up to half of
/// max_wire_smps, then a whole window of answers by one, as TCP does (RFC 5681). The window is
/// never smaller than kLeast, which any buffer holds. During silence OpenSM's extra allowance is
/// added: one SMP for each max_smps_timeout without any answer, up to max_wire_smps2; an answer
/// takes it back.
class Window {
public:
    /// Losses make the window no smaller, if max_wire_smps is as large.
    static constexpr std::size_t kLeast = 4;

    /// Sets all bounds, in SMPs, and the time without answers for an extra SMP, in microseconds.
    /// `capacity` is Limits::max_smps and bounds everything.
    void Configure(std::size_t capacity, std::uint32_t usual, std::uint32_t ceiling,
                   std::uint32_t silence_us);

    /// SMPs that may be on the wire now.
    [[nodiscard]] std::size_t size() const;

    /// An answer was received.
    void HearAnswer(std::uint64_t now_us);
    /// A try sent at `sent_us` was lost, as a later one was answered. True when the window is
    /// smaller now.
    bool HearLoss(std::uint64_t sent_us, std::uint64_t now_us);
    /// When the last answer was received, or silence began.
    [[nodiscard]] std::uint64_t heard_us() const { return heard_us_; }
    /// The first datagram after a pause is sent: silence counts from now.
    void BeginSilence(std::uint64_t now_us) { heard_us_ = now_us; }
    /// Adds the extra SMPs that are due.
    void ObserveSilence(std::uint64_t now_us);
    /// When ObserveSilence() has an effect, if datagrams stay on the wire; kNever: it has none.
    [[nodiscard]] std::uint64_t NextAllowanceUs() const;

private:
    std::size_t capacity_ = 1;
    std::size_t usual_ = 1;    ///< max_wire_smps.
    std::size_t ceiling_ = 1;  ///< max_wire_smps2.
    std::uint64_t silence_us_ = 600000;
    std::size_t open_ = 1;       ///< 1..usual_.
    std::size_t threshold_ = 1;  ///< Below it the window grows by one SMP an answer.
    std::size_t progress_ = 0;   ///< Answers since the window last grew, above the threshold.
    std::size_t extra_ = 0;
    std::uint64_t heard_us_ = 0;
    std::uint64_t halved_us_ = 0;
    bool ever_halved_ = false;
};

}  // namespace ember
