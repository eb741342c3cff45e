// SPDX-License-Identifier: Apache-2.0
// EmberSM: the path round a ring, and the lane on which a packet takes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"

namespace ember {

/// A ring of switches 0..radix-1 that two lanes keep free of credit loops, both directions of a
/// path on one of the two.
///
/// Packets take the shorter path. On each lane no packet that goes up passes straight through
/// `plus[lane]`, and none that goes down through `minus[lane]`: there the cycle of channel
/// dependencies is open. Of the two lanes a path has the first on which that holds there and back.
struct RingRule {
    std::uint8_t radix = 1;  ///< 1..255.
    /// Of two paths that are equally long, packets from places with an even number take the one up,
    /// others the one down: that loads links evenly. Else they take the one that does not pass from
    /// the last place to the first.
    bool splits_ties = false;
    std::array<std::uint8_t, 2> plus{};
    std::array<std::uint8_t, 2> minus{};

    [[nodiscard]] constexpr bool operator==(const RingRule&) const = default;
};

/// A path round a ring.
struct RingWay {
    bool is_up = true;  ///< From a place to the one with the next higher number.
    std::uint8_t steps = 0;
};

/// Links from one place up to another. Both are below the radix. No division: the proof of a torus
/// asks millions of times.
[[nodiscard]] constexpr unsigned StepsUp(const RingRule& rule, unsigned from, unsigned to) {
    return to >= from ? to - from : to + rule.radix - from;
}

/// The path that packets take where no link is missing. Both places are below the radix.
[[nodiscard]] constexpr RingWay WayRound(const RingRule& rule, unsigned from, unsigned to) {
    const unsigned up = StepsUp(rule, from, to);
    const unsigned down = StepsUp(rule, to, from);
    const bool is_tie = up == down;
    const bool ties_up = rule.splits_ties ? from % 2 == 0 : to > from;
    const bool is_up = is_tie ? ties_up : up < down;
    return {is_up, static_cast<std::uint8_t>(is_up ? up : down)};
}

/// The path from one place to the other goes straight through a third.
[[nodiscard]] constexpr bool PassesThrough(const RingRule& rule, unsigned from, const RingWay& way,
                                           unsigned place) {
    const unsigned steps = way.is_up ? StepsUp(rule, from, place) : StepsUp(rule, place, from);
    return steps > 0 && steps < way.steps;
}

/// The path from one place to the other may have this lane.
[[nodiscard]] constexpr bool MayTake(const RingRule& rule, unsigned from, unsigned to,
                                     std::size_t lane) {
    const RingWay way = WayRound(rule, from, to);
    return !PassesThrough(rule, from, way, way.is_up ? rule.plus[lane] : rule.minus[lane]);
}

/// In place of a lane: neither is possible in both directions. With a rule of MakeRingRule() one
/// is.
inline constexpr std::uint8_t kNoRingLane = 0xFF;

/// The lane of a path and of the path back.
[[nodiscard]] constexpr std::uint8_t LaneRound(const RingRule& rule, unsigned from, unsigned to) {
    for (std::uint8_t lane = 0; lane < 2; ++lane) {
        if (MayTake(rule, from, to, lane) && MayTake(rule, to, from, lane)) return lane;
    }
    return kNoRingLane;
}

/// Every pair of places has a lane.
[[nodiscard]] constexpr bool ServesAll(const RingRule& rule) {
    for (unsigned from = 0; from < rule.radix; ++from) {
        for (unsigned to = 0; to < from; ++to) {
            if (LaneRound(rule, from, to) == kNoRingLane) return false;
        }
    }
    return true;
}

/// A rule for a ring of `radix` places, 1..255, that serves all pairs; ties are split where two
/// lanes allow it.
///
/// In a ring of four times a number, two places that are farthest from each other have the whole
/// ring between them, there and back, and only the two themselves can be open: so split ties suit
/// eight places, which have two such pairs a direction, and no more than eight.
[[nodiscard]] constexpr RingRule MakeRingRule(std::uint8_t radix) {
    EMBER_ASSERT(radix != 0);
    RingRule rule{.radix = radix, .splits_ties = radix % 4 != 0 || radix == 8};
    if (radix == 8) {
        rule.plus = {0, 6};
        rule.minus = {1, 3};
        return rule;
    }
    const unsigned half = radix / 2U;
    const unsigned before = rule.splits_ties ? (radix % 2 == 0 ? 2U : 1U) : 0U;
    rule.plus = rule.minus = {0, static_cast<std::uint8_t>(half < before ? 0 : half - before)};
    return rule;
}

}  // namespace ember
