// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the SL to VL maps of switches.

#include "core/graph/lane_map.h"

#include <gtest/gtest.h>
#include <vector>

namespace ember {
namespace {

using Form = LaneMap::Form;

constexpr SwitchIndex kHere{2};

LaneTurn Turn(unsigned in, unsigned out, SwitchIndex at = kHere) {
    return {.at = at, .in = static_cast<PortNumber>(in), .out = static_cast<PortNumber>(out)};
}

/// Words for four switches, of which two of 4 ports are added.
std::vector<std::uint64_t> Room() {
    return std::vector<std::uint64_t>(LaneMap::FixedWords(4) + 2 * LaneMap::WordsOf(4), 0xA5);
}

TEST(LaneMap, WithoutAMapTheLaneIsTheServiceLevel) {
    const LaneMap none;
    EXPECT_EQ(none.form(), Form::kIdentity);
    for (std::uint8_t sl = 0; sl < 16; ++sl) {
        EXPECT_EQ(none.Of(Turn(1, 2), sl), sl);
    }
    EXPECT_EQ(none.Of(Turn(1, 2), 15), kNoLane);
}

TEST(LaneMap, EveryTurnAndServiceLevelHasALaneOfItsOwn) {
    auto words = Room();
    LaneMap map(words);
    ASSERT_EQ(map.BeginByPorts(4), Status::kOk);
    EXPECT_EQ(map.form(), Form::kByPorts);
    ASSERT_EQ(map.Add(SwitchIndex{0}, 4), Status::kOk);
    ASSERT_EQ(map.Add(kHere, 4), Status::kOk);
    const auto lane = [](unsigned in, unsigned out, unsigned sl, unsigned at) {
        return static_cast<std::uint8_t>((in * 7 + out * 3 + sl + at) % 15);
    };
    for (const unsigned at : {0U, 2U}) {
        for (unsigned in = 0; in <= 4; ++in) {
            for (unsigned out = 0; out <= 4; ++out) {
                for (std::uint8_t sl = 0; sl < 16; ++sl) {
                    const LaneTurn turn = Turn(in, out, static_cast<SwitchIndex>(at));
                    ASSERT_EQ(map.Of(turn, sl), kNoLane) << "before it is set";
                    map.Set(turn, sl, 14);
                    map.Set(turn, sl, lane(in, out, sl, at));
                }
            }
        }
    }
    for (const unsigned at : {0U, 2U}) {
        for (unsigned in = 0; in <= 4; ++in) {
            for (unsigned out = 0; out <= 4; ++out) {
                for (std::uint8_t sl = 0; sl < 16; ++sl) {
                    const LaneTurn turn = Turn(in, out, static_cast<SwitchIndex>(at));
                    ASSERT_EQ(map.Of(turn, sl), lane(in, out, sl, at));
                }
            }
        }
    }
    EXPECT_EQ(map.Of(Turn(1, 2, SwitchIndex{1}), 5), 5) << "a switch that was not added";
    EXPECT_EQ(map.Of(Turn(1, 2, SwitchIndex{9}), 5), 5) << "a switch beyond the last";
}

/// Goal: the form holds what frees shortest paths of credit loops. Method: packets go round a ring
/// of four switches, 0 to 1 to 2 and so on, three links from each. Link 3-0 closes the ring: the
/// lane rises where a path comes to it, and may not fall behind it. No map that looks at one port
/// does that: the lane of link 0-1 depends on where a packet comes from.
TEST(LaneMap, HoldsALaneThatRisesInsideAPath) {
    constexpr unsigned kRing = 4;
    constexpr unsigned kIn = 1;
    constexpr unsigned kOut = 2;
    constexpr unsigned kHost = 3;
    std::vector<std::uint64_t> words(LaneMap::FixedWords(kRing) + kRing * LaneMap::WordsOf(3));
    LaneMap map(words);
    ASSERT_EQ(map.BeginByPorts(kRing), Status::kOk);
    for (unsigned at = 0; at < kRing; ++at) {
        const auto here = static_cast<SwitchIndex>(at);
        ASSERT_EQ(map.Add(here, 3), Status::kOk);
        for (std::uint8_t sl = 0; sl < 2; ++sl) {
            const bool has_risen = at == 3 || at == 0 || (at == 1 && sl == 1);
            map.Set(Turn(kHost, kOut, here), sl, 0);
            map.Set(Turn(kIn, kOut, here), sl, has_risen ? 1 : 0);
        }
    }
    using Lanes = std::vector<unsigned>;
    const auto lanes_from = [&](unsigned source, std::uint8_t sl) {
        Lanes lanes;
        for (unsigned hop = 0; hop < 3; ++hop) {
            const auto at = static_cast<SwitchIndex>((source + hop) % kRing);
            lanes.push_back(map.Of(Turn(hop == 0 ? kHost : kIn, kOut, at), sl));
        }
        return lanes;
    };
    EXPECT_EQ(lanes_from(0, 0), (Lanes{0, 0, 0}));
    EXPECT_EQ(lanes_from(1, 0), (Lanes{0, 0, 1}));
    EXPECT_EQ(lanes_from(2, 0), (Lanes{0, 1, 1}));
    EXPECT_EQ(lanes_from(3, 0), (Lanes{0, 1, 0})) << "service level 0 does not serve this path";
    EXPECT_EQ(lanes_from(3, 1), (Lanes{0, 1, 1}));
}

TEST(LaneMap, WhatDoesNotFitIsRefused) {
    auto words = Room();
    LaneMap map(words);
    EXPECT_EQ(map.BeginByPorts(words.size() + 1), Status::kFull);
    EXPECT_EQ(map.form(), Form::kIdentity);
    ASSERT_EQ(map.BeginByPorts(4), Status::kOk);
    ASSERT_EQ(map.Add(kHere, 4), Status::kOk);
    map.Set(Turn(4, 4), 15, 3);
    EXPECT_EQ(map.Add(SwitchIndex{0}, 5), Status::kFull);
    EXPECT_EQ(map.Of(Turn(1, 2, SwitchIndex{0}), 6), 6) << "it was not added";
    EXPECT_EQ(map.Of(Turn(4, 4), 15), 3);
    EXPECT_EQ(map.Add(SwitchIndex{0}, 4), Status::kOk);
    LaneMap none;
    EXPECT_EQ(none.BeginByPorts(1), Status::kFull);
}

TEST(LaneMap, ACopyHasWordsOfItsOwn) {
    auto one = Room();
    auto other = Room();
    LaneMap planned(one);
    LaneMap programmed(other);
    ASSERT_EQ(planned.BeginByPorts(4), Status::kOk);
    ASSERT_EQ(planned.Add(kHere, 4), Status::kOk);
    planned.Set(Turn(3, 4), 2, 1);
    programmed.Copy(planned);
    planned.Set(Turn(3, 4), 2, 0);
    EXPECT_EQ(programmed.Of(Turn(3, 4), 2), 1);
    planned.Clear();
    EXPECT_EQ(planned.Of(Turn(3, 4), 2), 2);
    programmed.Copy(planned);
    EXPECT_EQ(programmed.form(), Form::kIdentity);
}

}  // namespace
}  // namespace ember
