// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes dealt to the ports of a set in turn, by load.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/routing/engine.h"

namespace ember {

/// More than any port carries.
inline constexpr std::uint32_t kNoLoad = std::numeric_limits<std::uint32_t>::max();

/// Deals routes to the ports of a set: each route to the port with the least load, the lowest of
/// equals.
///
/// Finding the least load of a set is the expensive part, done once for all ports that share that
/// load: they get one route each in ascending order, and then they share the next load. Their own
/// loads are written back only when another set is selected, because mostly the same set comes
/// again.
template <std::size_t kWords>
class RoundRobin {
public:
    /// `load`: routes by port, port 0 first; valid for all ports after Settle() only.
    explicit RoundRobin(std::span<std::uint32_t> load) : load_(load) {}

    /// The port of the set whose turn it is; kNoHops (255) when the set is empty. Counts nothing.
    /// `mask`: kWords words, bit p - 1 for port p.
    [[nodiscard]] std::uint8_t Peek(const std::uint64_t* mask) {
        if (std::equal(mask_.begin(), mask_.end(), mask)) return LowestOf(least_);
        Settle();
        std::uint32_t low = kNoLoad;
        std::uint8_t best = kNoHops;
        for (std::size_t word = 0; word < kWords; ++word) {
            for (std::uint64_t rest = mask[word]; rest != 0; rest &= rest - 1) {
                const std::uint8_t port = PortOf(word, rest);
                if (load_[port] >= low) continue;
                low = load_[port];
                best = port;
            }
        }
        return best;
    }

    /// Gives each of `count` routes its port of the set by `put(i, port)`, and counts it; does
    /// nothing if the set is empty. `mask` as for Peek().
    template <typename Put>
    void Give(const std::uint64_t* mask, std::size_t count, Put put) {
        if (IsApart(mask)) {
            const std::uint8_t port = Peek(mask);
            load_[port] += static_cast<std::uint32_t>(count);
            for (std::size_t i = 0; i < count; ++i) {
                put(i, port);
            }
            return;
        }
        Select(mask);
        if (IsEmpty(mask_)) return;
        settled_ = false;
        std::size_t given = 0;
        while (given < count) {  // Each turn gives at least one.
            for (std::size_t word = 0; word < kWords; ++word) {
                least_[word] = GiveWord(word, given, count, put);
            }
            if (IsEmpty(least_)) Rise();
        }
    }

    /// Writes back the loads of the selected set.
    void Settle() {
        if (settled_) return;
        settled_ = true;
        for (std::size_t word = 0; word < kWords; ++word) {
            for (std::uint64_t rest = level_[word]; rest != 0; rest &= rest - 1) {
                const bool waits = (least_[word] & rest & (~rest + 1)) != 0;
                load_[PortOf(word, rest)] = waits ? low_ : low_ + 1;
            }
        }
    }

private:
    using Mask = std::array<std::uint64_t, kWords>;

    /// The lowest port of a word that is not 0.
    [[nodiscard]] static std::uint8_t PortOf(std::size_t word, std::uint64_t bits) {
        return static_cast<std::uint8_t>(word * 64 +
                                         static_cast<std::size_t>(std::countr_zero(bits)) + 1);
    }
    [[nodiscard]] static bool IsEmpty(const Mask& mask) {
        return std::all_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word == 0; });
    }

    [[nodiscard]] static std::uint8_t LowestOf(const Mask& mask) {
        for (std::size_t word = 0; word < kWords; ++word) {
            if (mask[word] != 0) return PortOf(word, mask[word]);
        }
        return kNoHops;
    }

    /// A set of one port that is not of the selected set, which can therefore stay selected.
    [[nodiscard]] bool IsApart(const std::uint64_t* mask) const {
        int ports = 0;
        std::uint64_t shared = 0;
        for (std::size_t word = 0; word < kWords; ++word) {
            ports += std::popcount(mask[word]);
            shared |= mask[word] & mask_[word];
        }
        return ports == 1 && shared == 0;
    }

    void Select(const std::uint64_t* mask) {
        if (std::equal(mask_.begin(), mask_.end(), mask)) return;
        Settle();
        std::copy_n(mask, kWords, mask_.begin());
        Refresh();
    }

    /// Deals routes to the ports of one word, as long as there are routes. Returns the ports that
    /// got none.
    template <typename Put>
    [[nodiscard]] std::uint64_t GiveWord(std::size_t word, std::size_t& given, std::size_t count,
                                         Put put) const {
        std::uint64_t rest = least_[word];
        std::size_t next = given;
        for (; rest != 0 && next < count; rest &= rest - 1) {
            put(next++, PortOf(word, rest));
        }
        given = next;
        return rest;
    }

    /// All ports that shared the least load carry one route more now. Ports that carried as many
    /// before join them.
    void Rise() {
        ++low_;
        for (std::size_t word = 0; word < kWords; ++word) {
            level_[word] |= PortsAt(low_, word, mask_[word] & ~level_[word]);
            least_[word] = level_[word];
        }
    }

    /// Finds the ports of the set with the least load.
    void Refresh() {
        low_ = kNoLoad;
        for (std::size_t word = 0; word < kWords; ++word) {
            for (std::uint64_t rest = mask_[word]; rest != 0; rest &= rest - 1) {
                low_ = std::min(low_, load_[PortOf(word, rest)]);
            }
        }
        for (std::size_t word = 0; word < kWords; ++word) {
            level_[word] = PortsAt(low_, word, mask_[word]);
            least_[word] = level_[word];
        }
    }

    /// The ports of `ports`, a word of a set, that carry `load`.
    [[nodiscard]] std::uint64_t PortsAt(std::uint32_t load, std::size_t word,
                                        std::uint64_t ports) const {
        std::uint64_t found = 0;
        for (; ports != 0; ports &= ports - 1) {
            const std::uint64_t lowest = ports & (~ports + 1);
            found |= load_[PortOf(word, ports)] == load ? lowest : 0;
        }
        return found;
    }

    std::span<std::uint32_t> load_;  ///< By port; stale for the ports in level_.
    Mask mask_{};                    ///< The set.
    Mask level_{};                   ///< Ports of the set that had the least load.
    Mask least_{};                   ///< Ports of level_ that have it still; the others: one more.
    std::uint32_t low_ = 0;          ///< The least load.
    bool settled_ = true;            ///< load_ is valid for all ports.
};

}  // namespace ember
