// SPDX-License-Identifier: Apache-2.0
// EmberSM: the candidates of all switches for 64 destination switches.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"

namespace ember {

/// The ports of a mask as a list. The same mask often comes again: the list is kept until another
/// one comes.
class ExitList {
public:
    /// Ascending. Valid until the next call. `mask`: 1 or kMostWords words, always as many.
    [[nodiscard]] std::span<const std::uint8_t> Read(std::span<const std::uint64_t> mask) {
        std::uint64_t changes = 0;
        for (std::size_t word = 0; word < mask.size(); ++word) {
            changes |= mask[word] ^ mask_[word];
        }
        if (changes != 0) List(mask);
        return ports();
    }
    /// The ports that the last Read() returned.
    [[nodiscard]] std::span<const std::uint8_t> ports() const {
        return std::span<const std::uint8_t>(ports_).first(count_);
    }

private:
    void List(std::span<const std::uint64_t> mask) {
        count_ = 0;
        for (std::size_t word = 0; word < mask.size(); ++word) {
            mask_[word] = mask[word];
            for (std::uint64_t rest = mask[word]; rest != 0; rest &= rest - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
                ports_[count_++] = static_cast<std::uint8_t>(word * 64 + bit + 1);
            }
        }
    }

    std::array<std::uint64_t, kMostWords> mask_{};
    std::array<std::uint8_t, kMostWords * 64> ports_{};
    std::size_t count_ = 0;
};

/// A window on an ExitFinder: the candidates of all switches for the 64 destinations of one block.
class ExitBlock {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(limits.max_switches * kColumns * WordsOf(limits)) +
               Arena::BytesFor<std::uint8_t>(limits.max_switches * kColumns) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    /// `finder` is prepared, and stays so while the block is used.
    void Begin(const RoutingTask& task, const ExitFinder& finder);

    /// Loads the block of `to` a part at a time; kDone at once when it is loaded.
    [[nodiscard]] Progress Load(SwitchIndex to);

    /// Words of a mask in a subnet of these limits, at most.
    [[nodiscard]] static constexpr std::size_t WordsOf(const Limits& limits) {
        return limits.max_switch_ports <= 64 ? 1 : kMostWords;
    }
    /// Words of every mask.
    [[nodiscard]] std::size_t words() const { return words_; }

    // For what follows the block of `to` is loaded.
    /// The candidates at `from`, words() words; no bit is set where there is no path.
    [[nodiscard]] std::span<const std::uint64_t> mask(SwitchIndex from, SwitchIndex to) const {
        const std::size_t row = Raw(from) * kColumns + Raw(to) % kColumns;
        return masks_.subspan(row * words_, words_);
    }
    /// Least hops from every switch, by SwitchIndex; undefined for holes.
    [[nodiscard]] std::span<const std::uint8_t> hops(SwitchIndex to) const {
        return hops_.subspan(Raw(to) % kColumns * bound_, bound_);
    }
    /// In the blocks loaded since Begin() some switch has two candidates or more for a destination.
    [[nodiscard]] bool has_choice() const { return has_choice_; }
    /// All switches with a path to `to`, without `to`: the nearest first, those as near in the
    /// order of Topology::switches_by_guid(). Valid until the next call.
    [[nodiscard]] std::span<const SwitchIndex> SortByDistance(SwitchIndex to);

private:
    static constexpr std::size_t kSwitchesPerSlice = 512;
    static constexpr std::size_t kNoBlock = ~std::size_t{0};

    void LoadRow(SwitchIndex here);
    void NoteChoices(std::span<const std::uint64_t> masks);

    RoutingTask task_;
    const ExitFinder* finder_ = nullptr;
    std::span<std::uint64_t> masks_;  ///< By switch, then by column, words_ each.
    std::span<std::uint8_t> hops_;    ///< By column, then by switch.
    std::span<SwitchIndex> sorted_;
    std::array<std::uint32_t, std::size_t{kNoHops} + 2> starts_{};  ///< By distance, of sorting.
    std::size_t bound_ = 0;
    std::size_t words_ = 1;
    std::size_t block_ = kNoBlock;  ///< The one that is loaded, or being loaded.
    std::size_t next_ = 0;          ///< The next switch to load.
    bool has_choice_ = false;
};

}  // namespace ember
