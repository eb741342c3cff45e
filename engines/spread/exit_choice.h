// SPDX-License-Identifier: Apache-2.0
// EmberSM: one exit out of several, as OpenSM chooses it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engines/spread/round_robin.h"

namespace ember {

/// A set of places 1..254 (bit p - 1 for place p) as a list, in the order of a scan. A place is a
/// port's position in the search order of its switch.
class ScanList {
public:
    /// Lists the places of `mask` (kWords words) from `start` upwards, then those before it. A
    /// `start` of 0 or beyond the last place means 1.
    template <std::size_t kWords>
    void Collect(const std::uint64_t* mask, std::size_t start) {
        count_ = 0;
        const std::size_t first = start == 0 ? 0 : start - 1;
        for (std::size_t word = 0; word < kWords; ++word) {
            Append(word, mask[word] & ~Below(first, word));
        }
        for (std::size_t word = 0; word < kWords; ++word) {
            Append(word, mask[word] & Below(first, word));
        }
    }

    /// In the order of the scan; valid until the next Collect().
    [[nodiscard]] std::span<const std::uint8_t> places() const {
        return std::span(places_).first(count_);
    }

private:
    /// The bits of a word that are below bit `first` of the whole set.
    [[nodiscard]] static constexpr std::uint64_t Below(std::size_t first, std::size_t word) {
        if (first <= word * 64) return 0;
        if (first >= word * 64 + 64) return ~std::uint64_t{0};
        return (std::uint64_t{1} << (first - word * 64)) - 1;
    }

    void Append(std::size_t word, std::uint64_t bits) {
        for (; bits != 0; bits &= bits - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
            places_[count_++] = static_cast<std::uint8_t>(word * 64 + bit + 1);
        }
    }

    std::array<std::uint8_t, 256> places_{};
    std::size_t count_ = 0;
};

/// The exit for one LID, found by looking at the candidates one after the other: the least loaded
/// to a system that no earlier LID of the port passes, else to such a switch, else of all.
class ExitChoice {
public:
    struct Candidate {
        std::size_t place = kNoHops;
        std::uint32_t load = kNoLoad;
        std::uint32_t visits = 0;    ///< Earlier LIDs of the port that pass what is behind it.
        bool is_new_system = false;  ///< None of them passes the system behind it.
        bool is_new_switch = false;  ///< None of them passes the switch behind it.
    };

    /// Looks at the next candidate of the scan.
    void Offer(const Candidate& candidate) {
        if (candidate.is_new_system) {
            if (candidate.load < new_system_.load) new_system_ = candidate;
        } else if (candidate.is_new_switch) {
            if (candidate.load < new_switch_.load) new_switch_ = candidate;
        }
        const bool is_fresher = candidate.load == any_.load && candidate.visits < fewest_visits_;
        if (candidate.load >= any_.load && !is_fresher) return;
        any_ = candidate;
        fewest_visits_ = std::min(fewest_visits_, candidate.visits);
    }

    /// The place of the exit; kNoHops when no candidate was offered.
    [[nodiscard]] std::size_t place() const {
        if (new_system_.place != kNoHops) return new_system_.place;
        if (new_switch_.place != kNoHops) return new_switch_.place;
        return any_.place;
    }

private:
    Candidate new_system_;
    Candidate new_switch_;
    Candidate any_;
    std::uint32_t fewest_visits_ = kNoLoad;  ///< Of all that were best so far, as OpenSM keeps it.
};

}  // namespace ember
