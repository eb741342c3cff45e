// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the service levels of paths.

#include "core/graph/path_sl.h"

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <span>
#include <tuple>
#include <vector>

namespace ember {
namespace {

using Form = PathSl::Form;

constexpr std::size_t kSwitches = 5;
constexpr Lid kTop{18};
constexpr std::array kForms = {Form::kByDestination, Form::kBySwitchPair, Form::kBySwitchAndLid};

SlPath Path(unsigned from, unsigned to, unsigned lid) {
    return {.from = static_cast<SwitchIndex>(from),
            .to = static_cast<SwitchIndex>(to),
            .lid = static_cast<Lid>(lid)};
}

/// The values of `path` that the form looks at.
auto KeyOf(Form form, const SlPath& path) {
    const unsigned from = form == Form::kByDestination ? 0 : Raw(path.from);
    const unsigned to = form == Form::kBySwitchPair ? Raw(path.to) : 0;
    const unsigned lid = form == Form::kBySwitchPair ? 0 : Raw(path.lid);
    return std::tuple(from, to, lid);
}

TEST(PathSl, WithoutAFormEveryPathHasServiceLevelZeroAndNoOctet) {
    const PathSl none;
    EXPECT_EQ(none.form(), Form::kNone);
    EXPECT_EQ(none.Of({}), 0);
    EXPECT_EQ(none.Of(Path(3, 4, 9)), 0);
    EXPECT_EQ(PathSl::Bytes(Form::kNone, 1000, Lid{0xBFFF}), 0U);
}

TEST(PathSl, TakesHalfAnOctetAnEntry) {
    EXPECT_EQ(PathSl::Bytes(Form::kByDestination, kSwitches, kTop), 10U);  // LIDs 0..18.
    EXPECT_EQ(PathSl::Bytes(Form::kBySwitchPair, kSwitches, kTop), 15U);   // 5 rows of 3 octets.
    EXPECT_EQ(PathSl::Bytes(Form::kBySwitchAndLid, kSwitches, kTop), 50U);
}

TEST(PathSl, ByPlacesItFollowsFromTheShorterWayRoundEachRing) {
    EXPECT_EQ(PathSl::Bytes(Form::kByPlaces, kSwitches, kTop), 18U);  // And one row: the radix.
    std::vector<std::uint8_t> octets(18, 0xA5);
    PathSl path_sl(octets);
    ASSERT_EQ(path_sl.Begin(Form::kByPlaces, kSwitches, kTop), Status::kOk);
    EXPECT_EQ(path_sl.Of(Path(0, 4, 0)), 0) << "nothing is placed yet";
    path_sl.SetRadix({6, 5, 2});
    path_sl.SetPlace(SwitchIndex{0}, {0, 0, 0});
    path_sl.SetPlace(SwitchIndex{1}, {3, 2, 1});  // As far as it goes: no ring is closed.
    path_sl.SetPlace(SwitchIndex{2}, {4, 0, 0});  // Round the ring of x.
    path_sl.SetPlace(SwitchIndex{3}, {0, 3, 1});  // Round that of y.
    path_sl.SetPlace(SwitchIndex{4}, {5, 4, 1});
    struct Row {
        unsigned from, to;
        std::uint8_t sl;
    };
    for (const auto& [from, to, sl] : {Row{0, 1, 0}, Row{0, 2, 1}, Row{0, 3, 2}, Row{0, 4, 3},
                                       Row{1, 2, 0}, Row{2, 3, 3}, Row{3, 4, 1}, Row{0, 0, 0}}) {
        EXPECT_EQ(path_sl.Of(Path(from, to, 7)), sl) << from << " to " << to;
        EXPECT_EQ(path_sl.Of(Path(to, from, 7)), sl) << "and back";
    }
    EXPECT_EQ(path_sl.Of(Path(0, kSwitches, 7)), kNoSl);
    EXPECT_EQ(path_sl.Of(Path(kSwitches, 0, 7)), kNoSl);

    std::vector<std::uint8_t> others(18, 0x5A);
    PathSl copy(others);
    copy.Copy(path_sl);
    EXPECT_EQ(copy.form(), Form::kByPlaces);
    EXPECT_EQ(copy.Of(Path(0, 4, 7)), 3);
    PathSl narrow{std::span(octets).first(17)};
    EXPECT_EQ(narrow.Begin(Form::kByPlaces, kSwitches, kTop), Status::kFull);
}

TEST(PathSl, ByRingsItIsTheLanesOfThreeRings) {
    EXPECT_EQ(PathSl::Bytes(Form::kByRings, kSwitches, kTop), 33U);  // And six rows: the rules.
    std::vector<std::uint8_t> octets(33, 0xA5);
    PathSl path_sl(octets);
    ASSERT_EQ(path_sl.Begin(Form::kByRings, kSwitches, kTop), Status::kOk);
    EXPECT_EQ(path_sl.Of(Path(0, 4, 0)), 0) << "nothing is placed yet";
    const std::array<RingRule, 3> rings = {MakeRingRule(8), MakeRingRule(12), MakeRingRule(5)};
    path_sl.SetRings(rings);
    const std::array<GridPlace, kSwitches> places = {
        {{0, 0, 0}, {4, 0, 0}, {2, 8, 1}, {7, 2, 4}, {6, 11, 3}}};
    for (unsigned i = 0; i < kSwitches; ++i) {
        path_sl.SetPlace(static_cast<SwitchIndex>(i), places[i]);
    }
    std::size_t with_bits = 0;
    for (unsigned from = 0; from < kSwitches; ++from) {
        for (unsigned to = 0; to < kSwitches; ++to) {
            unsigned sl = 0;
            for (std::size_t d = 0; d < rings.size(); ++d) {
                sl |= unsigned{LaneRound(rings[d], places[from][d], places[to][d])} << d;
            }
            EXPECT_EQ(path_sl.Of(Path(from, to, 7)), sl) << from << " to " << to;
            EXPECT_EQ(path_sl.Of(Path(to, from, 7)), sl) << "and back";
            with_bits += sl != 0 ? 1U : 0U;
        }
    }
    EXPECT_GT(with_bits, 4U);
    EXPECT_EQ(path_sl.Of(Path(0, kSwitches, 7)), kNoSl);
    EXPECT_EQ(path_sl.Of(Path(kSwitches, 0, 7)), kNoSl);

    std::vector<std::uint8_t> others(33, 0x5A);
    PathSl copy(others);
    copy.Copy(path_sl);
    EXPECT_EQ(copy.Of(Path(2, 3, 7)), path_sl.Of(Path(2, 3, 7)));
    PathSl narrow{std::span(octets).first(32)};
    EXPECT_EQ(narrow.Begin(Form::kByRings, kSwitches, kTop), Status::kFull);
}

TEST(PathSl, EveryFormKeepsWhatItLooksAtApart) {
    for (const Form form : kForms) {
        std::vector<std::uint8_t> octets(PathSl::Bytes(form, kSwitches, kTop), 0xA5);
        PathSl path_sl(octets);
        ASSERT_EQ(path_sl.Begin(form, kSwitches, kTop), Status::kOk);
        std::map<decltype(KeyOf(form, {})), std::uint8_t> expected;
        std::minstd_rand chance(1);
        for (int i = 0; i < 400; ++i) {
            const auto draw = [&](std::size_t bound) {
                return static_cast<unsigned>(chance() % bound);
            };
            const unsigned from = draw(kSwitches);
            const unsigned to = draw(kSwitches);
            const SlPath path = Path(from, to, draw(Raw(kTop) + 1U));
            const auto sl = static_cast<std::uint8_t>(chance() % 16);
            path_sl.Set(path, sl);
            expected[KeyOf(form, path)] = sl;
        }
        std::size_t compared = 0;
        for (unsigned from = 0; from < kSwitches; ++from) {
            for (unsigned to = 0; to < kSwitches; ++to) {
                for (unsigned lid = 0; lid <= Raw(kTop); ++lid) {
                    const SlPath path = Path(from, to, lid);
                    const auto found = expected.find(KeyOf(form, path));
                    const unsigned sl = found == expected.end() ? 0U : found->second;
                    ASSERT_EQ(path_sl.Of(path), sl) << static_cast<int>(form);
                    ++compared;
                }
            }
        }
        EXPECT_EQ(compared, kSwitches * kSwitches * (Raw(kTop) + 1U));
    }
}

TEST(PathSl, KnowsNoPathOfAnotherFabric) {
    std::array<std::uint8_t, 50> octets{};
    PathSl path_sl(octets);
    ASSERT_EQ(path_sl.Begin(Form::kByDestination, kSwitches, kTop), Status::kOk);
    EXPECT_EQ(path_sl.Of({.lid = kTop}), 0) << "it looks at no switch";
    EXPECT_EQ(path_sl.Of({.lid = Lid{19}}), kNoSl);
    ASSERT_EQ(path_sl.Begin(Form::kBySwitchPair, kSwitches, kTop), Status::kOk);
    EXPECT_EQ(path_sl.Of(Path(4, 4, 19)), 0) << "it looks at no LID";
    EXPECT_EQ(path_sl.Of(Path(5, 0, 1)), kNoSl);
    EXPECT_EQ(path_sl.Of(Path(0, 5, 1)), kNoSl);
    EXPECT_EQ(path_sl.Of({}), kNoSl);
    ASSERT_EQ(path_sl.Begin(Form::kBySwitchAndLid, kSwitches, kTop), Status::kOk);
    EXPECT_EQ(path_sl.Of(Path(4, 9, 18)), 0);
    EXPECT_EQ(path_sl.Of(Path(5, 0, 18)), kNoSl);
    EXPECT_EQ(path_sl.Of(Path(4, 0, 19)), kNoSl);
}

TEST(PathSl, WhatDoesNotFitIsRefusedAndChangesNothing) {
    for (const Form form : kForms) {
        std::vector<std::uint8_t> octets(PathSl::Bytes(form, kSwitches, kTop));
        PathSl path_sl(octets);
        ASSERT_EQ(path_sl.Begin(form, kSwitches, kTop), Status::kOk);
        path_sl.Set(Path(1, 2, 3), 7);
        EXPECT_EQ(path_sl.Begin(Form::kBySwitchAndLid, kSwitches + 1, kTop), Status::kFull);
        EXPECT_EQ(path_sl.form(), form);
        EXPECT_EQ(path_sl.Of(Path(1, 2, 3)), 7);
        PathSl small(std::span<std::uint8_t>(octets).first(octets.size() - 1));
        EXPECT_EQ(small.Begin(form, kSwitches, kTop), Status::kFull);
        EXPECT_EQ(small.form(), Form::kNone);
    }
}

TEST(PathSl, ACopyHasOctetsOfItsOwn) {
    std::array<std::uint8_t, 64> one{};
    std::array<std::uint8_t, 64> other{};
    PathSl planned(one);
    PathSl programmed(other);
    ASSERT_EQ(planned.Begin(Form::kBySwitchPair, kSwitches, kTop), Status::kOk);
    planned.Set(Path(3, 4, 0), 9);
    programmed.Copy(planned);
    planned.Set(Path(3, 4, 0), 2);
    EXPECT_EQ(programmed.form(), Form::kBySwitchPair);
    EXPECT_EQ(programmed.Of(Path(3, 4, 0)), 9);
    planned.Clear();
    EXPECT_EQ(planned.Of(Path(3, 4, 0)), 0);
    programmed.Copy(planned);
    EXPECT_EQ(programmed.form(), Form::kNone);
}

}  // namespace
}  // namespace ember
