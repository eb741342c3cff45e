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

/// Words for four switches of 4 ports, and for so many rows.
std::vector<std::uint64_t> Room(std::size_t rows = 200) {
    return std::vector<std::uint64_t>(LaneMap::Words(4, 4, rows), 0xA5);
}

LaneRow RowWith(std::uint8_t sl, std::uint8_t lane) {
    LaneRow row;
    row.Set(sl, lane);
    return row;
}

TEST(LaneMap, WithoutAMapTheLaneIsTheServiceLevel) {
    const LaneMap none;
    EXPECT_EQ(none.form(), Form::kIdentity);
    for (std::uint8_t sl = 0; sl < 16; ++sl) {
        EXPECT_EQ(none.Of(Turn(1, 2), sl), sl);
    }
    EXPECT_EQ(none.Of(Turn(1, 2), 15), kNoLane);
}

TEST(LaneMap, ByClassesARowBelongsToTwoClassesOfPorts) {
    EXPECT_EQ(LaneMap::ClassWords(4, 4, 3), 12U);  // 20 ports in 3 words, and 9 rows.
    std::vector<std::uint64_t> words(12, 0xA5);
    LaneMap map(words);
    ASSERT_EQ(map.BeginClasses(4, 4, 3), Status::kOk);
    EXPECT_EQ(map.form(), Form::kByClasses);
    EXPECT_EQ(map.RowOf(Turn(1, 2)), LaneRow()) << "before it is set, all is dropped";
    for (std::uint8_t in = 0; in < 3; ++in) {
        for (std::uint8_t out = 0; out < 3; ++out) {
            map.SetRow(in, out, RowWith(in, out));
        }
    }
    for (unsigned port = 0; port < 20; ++port) {
        map.SetClass(static_cast<SwitchIndex>(port / 5), static_cast<PortNumber>(port % 5),
                     static_cast<std::uint8_t>(port % 3));
    }
    std::vector<std::uint64_t> others(12, 0x5A);
    LaneMap copy(others);
    copy.Copy(map);
    for (const LaneMap& one : {map, copy}) {
        for (unsigned at = 0; at < 4; ++at) {
            for (unsigned turn = 0; turn < 25; ++turn) {
                const unsigned in = turn / 5;
                const unsigned out = turn % 5;
                const auto lane = static_cast<std::uint8_t>((at * 5 + out) % 3);
                EXPECT_EQ(one.RowOf(Turn(in, out, static_cast<SwitchIndex>(at))),
                          RowWith(static_cast<std::uint8_t>((at * 5 + in) % 3), lane));
            }
        }
        EXPECT_EQ(one.RowOf(Turn(5, 0)), LaneRow()) << "no such port";
        EXPECT_EQ(one.RowOf(Turn(0, 0, SwitchIndex{4})), LaneRow()) << "no such switch";
    }
    ASSERT_EQ(map.Begin(1, 4), Status::kOk) << "another form in the same words";
    EXPECT_EQ(map.form(), Form::kByPorts);
    EXPECT_EQ(map.BeginClasses(4, 4, 4), Status::kFull);
    EXPECT_EQ(map.form(), Form::kByPorts);
}

TEST(LaneMap, DiffersWhereTurnsDo) {
    std::vector<std::uint64_t> words(12);
    std::vector<std::uint64_t> others(12);
    LaneMap one(words);
    LaneMap other(others);
    EXPECT_TRUE(one.IsLike(other)) << "both say nothing";
    EXPECT_TRUE(one.IsSameAt(other, kHere));
    ASSERT_EQ(one.BeginClasses(4, 4, 3), Status::kOk);
    EXPECT_FALSE(one.IsLike(other)) << "another form";
    ASSERT_EQ(other.BeginClasses(4, 4, 3), Status::kOk);
    EXPECT_TRUE(one.IsLike(other));
    other.SetClass(kHere, PortNumber{3}, 1);
    EXPECT_TRUE(one.IsLike(other)) << "the rows are the same";
    for (unsigned at = 0; at < 6; ++at) {
        const auto here = static_cast<SwitchIndex>(at);
        EXPECT_EQ(one.IsSameAt(other, here), here != kHere) << at;
    }
    other.SetRow(1, 2, RowWith(4, 1));
    EXPECT_FALSE(one.IsLike(other)) << "another row";

    auto turns = Room();
    auto more_turns = Room();
    LaneMap by_turns(turns);
    LaneMap by_more(more_turns);
    ASSERT_EQ(by_turns.Begin(4, 4), Status::kOk);
    ASSERT_EQ(by_more.Begin(4, 4), Status::kOk);
    for (LaneMap* const map : {&by_turns, &by_more}) {
        ASSERT_EQ(map->Set(Turn(1, 2), RowWith(0, 1)), Status::kOk);
    }
    EXPECT_TRUE(by_turns.IsLike(by_more) && by_turns.IsSameAt(by_more, kHere));
    ASSERT_EQ(by_more.Set(Turn(4, 4), RowWith(0, 1)), Status::kOk);
    EXPECT_TRUE(by_turns.IsLike(by_more));
    EXPECT_FALSE(by_turns.IsSameAt(by_more, kHere));
    EXPECT_TRUE(by_turns.IsSameAt(by_more, SwitchIndex{3}));
    for (std::uint8_t out = 0; out <= 4; ++out) {
        EXPECT_EQ(by_turns.IsSameTo(by_more, kHere, PortNumber{out}), out != 4) << unsigned{out};
    }
}

TEST(LaneMap, EveryTurnAndServiceLevelHasALaneOfItsOwn) {
    auto words = Room();
    LaneMap map(words);
    ASSERT_EQ(map.Begin(4, 4), Status::kOk);
    EXPECT_EQ(map.form(), Form::kByPorts);
    const auto row_of = [](unsigned in, unsigned out, unsigned at) {
        LaneRow row;
        for (unsigned sl = 0; sl < 16; ++sl) {
            row.Set(static_cast<std::uint8_t>(sl),
                    static_cast<std::uint8_t>((in * 7 + out * 3 + sl * (1 + in % 3) + at) % 16));
        }
        return row;
    };
    for (unsigned turn = 0; turn < 4 * 25; ++turn) {
        const LaneTurn at = Turn(turn / 4 % 5, turn / 20, static_cast<SwitchIndex>(turn % 4));
        ASSERT_EQ(map.RowOf(at), LaneRow()) << "before it is set, all is dropped";
        ASSERT_EQ(map.Set(at, RowWith(3, 14)), Status::kOk);
        ASSERT_EQ(map.Set(at, row_of(turn / 4 % 5, turn / 20, turn % 4)), Status::kOk);
    }
    for (unsigned turn = 0; turn < 4 * 25; ++turn) {
        const LaneTurn at = Turn(turn / 4 % 5, turn / 20, static_cast<SwitchIndex>(turn % 4));
        const LaneRow row = row_of(turn / 4 % 5, turn / 20, turn % 4);
        ASSERT_EQ(map.RowOf(at), row);
        for (std::uint8_t sl = 0; sl < 16; ++sl) {
            ASSERT_EQ(map.Of(at, sl), row.Of(sl));
        }
    }
    EXPECT_EQ(map.Of(Turn(1, 2, SwitchIndex{9}), 5), kNoLane) << "a switch beyond the last";
    EXPECT_EQ(map.Of(Turn(5, 2), 5), kNoLane) << "a port beyond the last";
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
    std::vector<std::uint64_t> words(LaneMap::Words(kRing, 3, 4));
    LaneMap map(words);
    ASSERT_EQ(map.Begin(kRing, 3), Status::kOk);
    for (unsigned at = 0; at < kRing; ++at) {
        const auto here = static_cast<SwitchIndex>(at);
        LaneRow from_link;
        LaneRow from_host;
        for (std::uint8_t sl = 0; sl < 2; ++sl) {
            const bool has_risen = at == 3 || at == 0 || (at == 1 && sl == 1);
            from_host.Set(sl, 0);
            from_link.Set(sl, has_risen ? 1 : 0);
        }
        ASSERT_EQ(map.Set(Turn(kHost, kOut, here), from_host), Status::kOk);
        ASSERT_EQ(map.Set(Turn(kIn, kOut, here), from_link), Status::kOk);
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
    auto words = Room(3);
    LaneMap map(words);
    EXPECT_EQ(map.Begin(5, 4), Status::kFull);
    EXPECT_EQ(map.form(), Form::kIdentity);
    ASSERT_EQ(map.Begin(4, 4), Status::kOk);
    ASSERT_EQ(map.Set(Turn(4, 4), RowWith(15, 3)), Status::kOk);
    ASSERT_EQ(map.Set(Turn(4, 3), RowWith(15, 4)), Status::kOk);
    EXPECT_EQ(map.Set(Turn(4, 4), RowWith(15, 5)), Status::kFull);
    EXPECT_EQ(map.Of(Turn(4, 4), 15), 3);
    EXPECT_EQ(map.Set(Turn(0, 1), RowWith(15, 4)), Status::kOk) << "it is there already";
    LaneMap none;
    EXPECT_EQ(none.Begin(1, 1), Status::kFull);
}

TEST(LaneMap, RowsAreAsManyAsAnOctetTells) {
    std::vector<std::uint64_t> words(LaneMap::Words(1, 20, 2 * LaneMap::kMostRows));
    LaneMap map(words);
    ASSERT_EQ(map.Begin(1, 20), Status::kOk);
    for (unsigned i = 1; i < LaneMap::kMostRows; ++i) {
        LaneRow row;
        row.Set(0, static_cast<std::uint8_t>(i % 16));
        row.Set(1, static_cast<std::uint8_t>(i / 16));
        const auto place = row == LaneRow() ? 0U : i;
        ASSERT_EQ(map.Set(Turn(place % 20, place / 20, SwitchIndex{0}), row), Status::kOk);
    }
    EXPECT_EQ(map.Set(Turn(20, 20, SwitchIndex{0}), RowWith(7, 1)), Status::kOk);
    EXPECT_EQ(map.Set(Turn(20, 20, SwitchIndex{0}), RowWith(7, 2)), Status::kFull);
    EXPECT_EQ(map.RowOf(Turn(20, 20, SwitchIndex{0})), RowWith(7, 1));
}

TEST(LaneMap, ACopyHasWordsOfItsOwn) {
    auto one = Room();
    auto other = Room();
    LaneMap planned(one);
    LaneMap programmed(other);
    ASSERT_EQ(planned.Begin(4, 4), Status::kOk);
    ASSERT_EQ(planned.Set(Turn(3, 4), RowWith(2, 1)), Status::kOk);
    programmed.Copy(planned);
    ASSERT_EQ(planned.Set(Turn(3, 4), RowWith(2, 0)), Status::kOk);
    EXPECT_EQ(programmed.Of(Turn(3, 4), 2), 1);
    planned.Clear();
    EXPECT_EQ(planned.Of(Turn(3, 4), 2), 2);
    programmed.Copy(planned);
    EXPECT_EQ(programmed.form(), Form::kIdentity);
}

}  // namespace
}  // namespace ember
