// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the hop matrix and of whose it is.
//
// Method: a ring of six switches; distances on a ring are known without measuring.

#include "core/routing/measured_hops.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/chosen_part.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

constexpr std::uint32_t kSwitches = 6;

class MeasuredHopsTest : public ::testing::Test {
protected:
    MeasuredHopsTest()
        : built_(net::Ring(kSwitches, 1)),
          arena_(Topology::ScratchBytes(built_.limits()) * 4 +
                 HopMeter::ScratchBytes(built_.limits()) * 2 +
                 HopPatch::ScratchBytes(built_.limits()) +
                 SwitchPairs::ScratchBytes(built_.limits())),
          memory_(HopBytes(built_.limits())),
          hops_(memory_) {
        topology_.Build(built_.fabric(), Order::kBalanced, arena_.arena());
    }
    void Finish() {
        while (hops_.Advance() == Progress::kMore) {
        }
    }
    void Measure() {
        hops_.Begin({.topology = &topology_}, arena_.arena());
        Finish();
    }
    /// Of `hops_`, by places on the ring.
    [[nodiscard]] std::uint8_t Between(std::uint32_t from, std::uint32_t to) const {
        return hops_.hops()[static_cast<SwitchIndex>(from)][to];
    }
    void ExpectRing() const {
        for (std::uint32_t from = 0; from < kSwitches; ++from) {
            for (std::uint32_t to = 0; to < kSwitches; ++to) {
                const std::uint32_t around = (to + kSwitches - from) % kSwitches;
                EXPECT_EQ(Between(from, to), std::min(around, kSwitches - around));
            }
        }
    }

    BuiltFabric built_;
    ArenaStorage arena_;
    std::vector<std::uint8_t> memory_;
    Topology topology_;
    MeasuredHops hops_;
};

TEST_F(MeasuredHopsTest, AreThoseOfTheirTopologyAndKnowIt) {
    EXPECT_FALSE(hops_.AreOf({.topology = &topology_}));
    Measure();
    ExpectRing();
    EXPECT_TRUE(hops_.AreOf({.topology = &topology_}));
    const SubnetPart part;
    EXPECT_FALSE(hops_.AreOf({.topology = &topology_, .part = &part}));
    const std::array<HopWeight, 1> weights{};
    EXPECT_FALSE(hops_.AreOf({.topology = &topology_, .weights = weights}));
    hops_.Forget();
    EXPECT_FALSE(hops_.AreOf({.topology = &topology_}));
}

TEST_F(MeasuredHopsTest, OfAPartAreOfItsRowsToo) {
    testing::ChosenPart chosen(built_.limits());
    chosen.Remove(SwitchIndex{1});
    Topology holes;
    Topology dense;
    BuildPart(topology_, chosen.part(), arena_.arena(), holes);
    ASSERT_EQ(BuildDensePart(topology_, chosen.part(), arena_.arena(), dense).size(), 5U);
    hops_.Begin({.topology = &holes, .part = &chosen.part()}, arena_.arena());
    Finish();
    EXPECT_TRUE(hops_.AreOf({.topology = &holes, .part = &chosen.part()}));
    EXPECT_FALSE(hops_.AreOf({.topology = &dense, .part = &chosen.part()}));
}

TEST_F(MeasuredHopsTest, AnEngineThatSpendsThemLeavesThemToBeMeasuredAgain) {
    Measure();
    HopRoom* const room = hops_.Lend();
    EXPECT_FALSE(hops_.is_spent());
    const auto octets = room->Spend().values();
    std::fill(octets.begin(), octets.end(), std::uint8_t{0x5A});
    EXPECT_TRUE(hops_.is_spent());
    hops_.BeginAgain(arena_.arena());
    Finish();
    ExpectRing();
    EXPECT_FALSE(hops_.Lend()->is_spent());
}

TEST_F(MeasuredHopsTest, AreBroughtUpToDateWhereALinkIsLost) {
    Measure();
    const std::vector<std::uint8_t> before = memory_;
    // The ring becomes a line from 0 to 5: the ends lose their link to each other.
    Fabric& fabric = built_.fabric();
    const SwitchIndex one{0};
    const SwitchIndex other{kSwitches - 1};
    PortIndex lost = kNoPortIndex;
    for (std::uint8_t port = 1; port <= 3; ++port) {
        const PortIndex at = fabric.PortOf(fabric.switch_row(one).node, PortNumber{port});
        const PortIndex peer = fabric.port(at).peer;
        if (peer == kNoPortIndex) continue;
        if (fabric.port(peer).node == fabric.switch_row(other).node) lost = at;
    }
    ASSERT_NE(lost, kNoPortIndex);
    const std::array<LinkChange, 2> changes = {
        LinkChange{.at = one, .port = fabric.port(lost).number, .was = other},
        LinkChange{.at = other, .port = fabric.port(fabric.port(lost).peer).number, .was = one}};
    fabric.Disconnect(lost);
    Topology after;
    after.Build(fabric, Order::kBalanced, arena_.arena());
    SwitchPairs suspects;
    suspects.Begin(after.switch_bound(), arena_.arena());
    hops_.BeginPatch({.topology = &after}, changes, suspects, arena_.arena());
    Finish();
    EXPECT_TRUE(hops_.AreOf({.topology = &after}));
    EXPECT_NE(memory_, before);
    for (std::uint32_t from = 0; from < kSwitches; ++from) {
        for (std::uint32_t to = 0; to < kSwitches; ++to) {
            EXPECT_EQ(Between(from, to), from < to ? to - from : from - to);
        }
    }
    EXPECT_TRUE(suspects.Has(one, other));
}

}  // namespace
}  // namespace ember
