// SPDX-License-Identifier: Apache-2.0
// EmberSM: levels of service of the operator on a routing that needs several lanes.
//
// Goal:   each level that the policy asks for has the lanes of the routing to itself, in the
//         switches and in what clients are told; where links have not VLs enough that is said.
// Method: a ring, whose routes need two lanes; packets are followed through the tables of the
//         hardware, on the service level of their path at each level.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::array kLevels{QosLevel{.sl = 0}, QosLevel{.sl = 1}, QosLevel{.sl = 3}};

class LevelLanes : public ::testing::Test {
protected:
    void Start(const net::Netlist& netlist = net::Ring(8, 1), VlCap vls = VlCap::kVl0To7,
               std::span<const QosLevel> levels = kLevels) {
        SimWorld::Options options;
        options.hardware.vl_cap = vls;
        world_.emplace(netlist, options);
        settings_ = BriskSettings();
        settings_.qos = true;
        settings_.manager_tables.qos_levels = levels;
        EXPECT_EQ(settings_.routing_engine.TryPush(EngineKind::kAuto), Status::kOk);
        world_->AddManager(settings_);
        world_->Restart();
        ASSERT_TRUE(world_->RunUntilUp(60 * kSecond)) << world_->Notes();
        ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    }
    [[nodiscard]] const RoutingLanes& lanes() { return world_->sm().router().programmed_lanes(); }
    [[nodiscard]] unsigned VlAt(std::uint32_t row, std::uint32_t in, std::uint32_t out,
                                unsigned sl) {
        const std::span<const std::uint8_t> octets = world_->world().SlToVl(row, in, out);
        return sl % 2 == 0 ? octets[sl / 2] >> 4U : octets[sl / 2] & 15U;
    }
    [[nodiscard]] std::uint32_t RowOf(Guid port) {
        const auto ports = world_->world().ports();
        const auto at = std::find_if(ports.begin(), ports.end(),
                                     [port](const auto& one) { return one.guid == port; });
        return static_cast<std::uint32_t>(at - ports.begin());
    }
    [[nodiscard]] SwitchIndex PlaceOf(const Port& host) {
        const Fabric& fabric = world_->sm().fabric();
        return fabric.node(fabric.port(host.peer).node).switch_index;
    }
    /// The VLs that a packet takes between switches, a bit each.
    unsigned Follow(const Port& from, const Port& to, unsigned sl) {
        sim::World& world = world_->world();
        unsigned vls = 0;
        std::uint32_t row = world.Beyond(RowOf(from.guid));
        const std::uint32_t end = RowOf(to.guid);
        for (int steps = 0; row != end; ++steps) {
            if (steps > 16) {
                ADD_FAILURE() << "it does not arrive";
                return 0;
            }
            const sim::SimNode& here = world.node_of(row);
            const auto node = static_cast<std::uint32_t>(&here - world.nodes().data());
            const std::uint32_t out = world.LftEntry(node, Raw(to.lid));
            const std::uint32_t in = row - here.first_row;
            row = world.Beyond(here.first_row + out);
            if (row != end) vls |= 1U << VlAt(here.first_row, in, out, sl);
        }
        return vls;
    }
    /// Each pair of hosts, at each level.
    void ExpectLevelsApart() {
        const LaneLevels& levels = lanes().levels;
        std::vector<PortIndex> hosts;
        const Fabric& fabric = world_->sm().fabric();
        for (std::uint32_t lid = 1; lid <= Raw(fabric.top_lid()); ++lid) {
            const PortIndex at = fabric.PortByLid(static_cast<Lid>(lid));
            if (at == kNoPortIndex) continue;
            if (fabric.node(fabric.port(at).node).type != NodeType::kSwitch) hosts.push_back(at);
        }
        unsigned used = 0;
        for (const PortIndex one : hosts) {
            for (const PortIndex other : hosts) {
                if (one != other) used |= ExpectLevels(fabric.port(one), fabric.port(other));
            }
        }
        EXPECT_EQ(std::popcount(used), levels.count * lanes().count);
    }

    std::optional<SimWorld> world_;
    Settings settings_;

private:
    unsigned ExpectLevels(const Port& from, const Port& to) {
        const LaneLevels& levels = lanes().levels;
        unsigned used = 0;
        for (const QosLevel& level : kLevels) {
            const SlPath path{.from = PlaceOf(from), .to = PlaceOf(to), .lid = to.lid};
            const std::uint8_t sl = lanes().SlOf(path, level.sl);
            EXPECT_LT(sl, kServiceLevels);
            const unsigned vls = Follow(from, to, sl);
            const unsigned of_level = ((1U << lanes().count) - 1U)
                                      << levels.level_of.Of(level.sl) * levels.stride;
            EXPECT_EQ(vls & ~of_level, 0U) << unsigned{level.sl};
            used |= vls;
        }
        return used;
    }
};

TEST_F(LevelLanes, AreThoseOfTheRoutingForEachLevel) {
    Start();
    EXPECT_EQ(lanes().count, 2);
    EXPECT_EQ(lanes().levels.count, 3) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kLevelsInForce), 1U) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kLevelsOutOfForce), 0U);
    ExpectLevelsApart();
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(LevelLanes, FollowThePolicyWhenItIsReadAnew) {
    Start();
    settings_.manager_tables.qos_levels = {};
    world_->sm().Configure(settings_);
    world_->Wake();
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    EXPECT_FALSE(lanes().levels.in_force());
    EXPECT_EQ(lanes().count, 2);
    settings_.manager_tables.qos_levels = kLevels;
    world_->sm().Configure(settings_);
    world_->Wake();
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kLevelsInForce), 2U) << world_->Notes();
    ExpectLevelsApart();
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(LevelLanes, AreToldToBeTooFew) {
    Start(net::Ring(8, 1), VlCap::kVl0To3);
    EXPECT_EQ(lanes().count, 2);
    EXPECT_FALSE(lanes().levels.in_force());
    EXPECT_EQ(world_->Heard(Note::kLevelsLackVls), 1U) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kLevelsInForce), 0U);
    EXPECT_EQ(world_->Judge(), "");
}

/// Four service levels tell the paths of a torus of two dimensions apart, at each of five levels.
TEST_F(LevelLanes, AreToldToHaveTooFewServiceLevels) {
    static constexpr std::array kFive{QosLevel{.sl = 0}, QosLevel{.sl = 1}, QosLevel{.sl = 2},
                                      QosLevel{.sl = 3}, QosLevel{.sl = 4}};
    Start(net::Torus(std::array{5U, 5U}, 1), VlCap::kVl0To14, kFive);
    EXPECT_EQ(lanes().count, 2);
    EXPECT_FALSE(lanes().levels.in_force());
    EXPECT_EQ(world_->Heard(Note::kLevelsLackSls), 1U) << world_->Notes();
    EXPECT_EQ(world_->Judge(), "");
}

}  // namespace
}  // namespace ember::testing
