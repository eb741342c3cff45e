// SPDX-License-Identifier: Apache-2.0
// EmberSM: how many SMPs may be on the wire.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ember {

/// The window of SMPs on the wire: at most what the operator allows, less when datagrams are lost.
///
/// It starts fully open. A loss halves it: an answer to a question that had to be repeated. Silence
/// alone does not, as it may be the peer's, and a smaller window would make everybody wait for
/// whoever is dead. What was lost together is one event: all that were sent before the last halving
/// halve no more. Answers open it again: by one each up to half of what is allowed, then by one for
/// a whole window of answers, as TCP does (RFC 5681). It is never smaller than kLeast, which any
/// buffer holds. During silence OpenSM's extra allowance is added: one SMP for each
/// max_smps_timeout without any answer, up to max_wire_smps2; an answer takes it back.
class Window {
public:
    /// No loss makes it smaller, if the operator allows as many.
    static constexpr std::size_t kLeast = 4;

    /// All in SMPs and microseconds; `capacity` is Limits::max_smps and bounds everything.
    void Configure(std::size_t capacity,
                   std::uint32_t usual,
                   std::uint32_t ceiling,
                   std::uint32_t silence_us);

    [[nodiscard]] std::size_t size() const;

    void HearAnswer(std::uint64_t now_us);
    /// A try sent at `sent_us` was lost, as a later one was answered. True when that made the
    /// window smaller.
    bool HearLoss(std::uint64_t sent_us, std::uint64_t now_us);
    /// When an answer came last, or silence began.
    [[nodiscard]] std::uint64_t heard_us() const { return heard_us_; }
    /// The first datagram after a pause leaves: silence is counted from here.
    void BeginSilence(std::uint64_t now_us) { heard_us_ = now_us; }
    /// Lets one more out when it is due.
    void ObserveSilence(std::uint64_t now_us);
    /// When ObserveSilence() has an effect, if datagrams stay on the wire; ~0: never.
    [[nodiscard]] std::uint64_t NextAllowanceUs() const;

private:
    std::size_t capacity_ = 1;
    std::size_t usual_ = 1;    ///< max_wire_smps.
    std::size_t ceiling_ = 1;  ///< max_wire_smps2.
    std::uint64_t silence_us_ = 600000;
    std::size_t open_ = 1;       ///< 1..usual_.
    std::size_t threshold_ = 1;  ///< Below it the window grows by one an answer.
    std::size_t progress_ = 0;   ///< Answers since it last grew, above the threshold.
    std::size_t extra_ = 0;
    std::uint64_t heard_us_ = 0;
    std::uint64_t halved_us_ = 0;
    bool ever_halved_ = false;
};

}  // namespace ember
