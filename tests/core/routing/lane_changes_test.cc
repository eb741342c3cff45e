// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what keeps the lanes of paths whose entries stay.

#include "core/routing/lane_changes.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/router.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

constexpr SwitchIndex kHere{0};
constexpr std::uint8_t kMostPorts = 8;

/// The lanes of a ring of five switches: SLs by pairs, and a row for each turn.
class Lanes {
public:
    explicit Lanes(std::size_t switches)
        : sls_(PathSl::Bytes(PathSl::Form::kBySwitchPair, switches, Lid{40})),
          words_(LaneMap::Words(switches, kMostPorts, 8)) {
        lanes.path_sl = PathSl(sls_);
        lanes.lane_map = LaneMap(words_);
        lanes.count = 2;
        EXPECT_EQ(lanes.path_sl.Begin(PathSl::Form::kBySwitchPair, switches, Lid{40}), Status::kOk);
        EXPECT_EQ(lanes.lane_map.Begin(switches, kMostPorts), Status::kOk);
    }
    void Give(std::uint8_t in, std::uint8_t out, std::uint8_t lane) {
        LaneRow row;
        row.Set(0, lane);
        EXPECT_EQ(
            lanes.lane_map.Set({.at = kHere, .in = PortNumber{in}, .out = PortNumber{out}}, row),
            Status::kOk);
    }

    RoutingLanes lanes;

private:
    std::vector<std::uint8_t> sls_;
    std::vector<std::uint64_t> words_;
};

class LaneChanges : public ::testing::Test {
protected:
    LaneChanges()
        : built_(net::Ring(5, 1), {}),
          arena_(Topology::ScratchBytes(built_.limits())),
          now_(built_.limits().max_switches),
          before_(built_.limits().max_switches) {
        topology_.Build(built_.fabric(), Order::kBalanced, arena_.arena());
        for (Lanes* const one : {&now_, &before_}) {
            one->Give(1, 2, 0);
            one->Give(2, 1, 1);
            one->Give(3, 1, 1);
        }
    }
    [[nodiscard]] bool Keeps(std::span<const LinkChange> changes = {}) const {
        return KeepsLanes(topology_, changes, now_.lanes, before_.lanes);
    }

    BuiltFabric built_;
    ArenaStorage arena_;
    Topology topology_;
    Lanes now_;
    Lanes before_;
};

TEST_F(LaneChanges, AreNoneWhereAllIsAsItWas) {
    EXPECT_TRUE(Keeps());
}

TEST_F(LaneChanges, AreAnotherServiceLevelOrAnotherLevelOfService) {
    now_.lanes.path_sl.Set({.from = kHere, .to = SwitchIndex{1}}, 1);
    EXPECT_FALSE(Keeps());
    now_.lanes.path_sl.Set({.from = kHere, .to = SwitchIndex{1}}, 0);
    EXPECT_TRUE(Keeps());
    now_.lanes.level_bit = 8;
    EXPECT_FALSE(Keeps());
    now_.lanes.level_bit = 0;
    now_.lanes.count = 3;
    EXPECT_FALSE(Keeps());
}

TEST_F(LaneChanges, MayBeAtPortsWhoseLinkHasChangedAndNowhereElse) {
    now_.Give(3, 2, 0);  // The row is known: only the turn has another one.
    EXPECT_FALSE(Keeps());
    for (const std::uint8_t port : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}}) {
        const std::array changes = {
            LinkChange{.at = kHere, .port = PortNumber{port}, .was = SwitchIndex{1}}};
        EXPECT_EQ(Keeps(changes), port != 1) << unsigned{port};
        const std::array elsewhere = {
            LinkChange{.at = SwitchIndex{1}, .port = PortNumber{port}, .was = kHere}};
        EXPECT_FALSE(Keeps(elsewhere)) << unsigned{port};
    }
}

/// Goal: a link that has fewer lanes than are in use serves if no turn to it gives another one.
TEST_F(LaneChanges, AreLanesThatALinkHasNot) {
    const std::uint8_t of_link = topology_.exit(kHere, PortNumber{1}).lanes();
    ASSERT_GT(of_link, 1);
    ASSERT_LT(of_link, 15);
    for (Lanes* const one : {&now_, &before_}) {
        one->lanes.count = static_cast<std::uint8_t>(of_link + 1);
    }
    EXPECT_TRUE(Keeps());
    for (Lanes* const one : {&now_, &before_}) {
        one->Give(2, 1, of_link);
    }
    EXPECT_FALSE(Keeps());
    for (Lanes* const one : {&now_, &before_}) {
        one->lanes.sls = 0xFFFE;
    }
    EXPECT_TRUE(Keeps()) << "no path has that service level";
}

}  // namespace
}  // namespace ember
