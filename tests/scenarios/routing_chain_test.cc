// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric of several parts is routed by a chain of engines.
//
// Goal:   each step routes its topology, the whole is proved before it is programmed, fallbacks
// take
//         the place of steps that fail, and a chain that cannot be proved is never programmed.
// Method: a manager on a simulated fabric with the rows of a chain, and engines that are min-hop in
//         disguise and fail when told to.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/netlist/fabric_builder.h"
#include "config/netlist/topologies.h"
#include "core/settings/qos_tables.h"
#include "tests/support/acting_engine.h"
#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint16_t kAllSwitches = kGroupOfTypes | qos_node_type::kSwitch;
constexpr std::uint16_t kAllHosts = kGroupOfTypes | qos_node_type::kCa;
constexpr std::uint16_t kAllRouters = kGroupOfTypes | qos_node_type::kRouter;

class RoutingChains : public ::testing::Test {
protected:
    void Seat(const net::Netlist& netlist, std::vector<ChainStep> steps) {
        steps_ = std::move(steps);
        settings_.manager_tables.topologies = topologies_;
        settings_.manager_tables.chain_steps = steps_;
        world_ = std::make_unique<SimWorld>(netlist);
        world_->AddManager(settings_);
        world_->AddEngine(acting_);
        world_->Restart();
    }
    void Configure(std::vector<ChainStep> steps) {
        next_ = std::move(steps);
        Settings settings = settings_;
        settings.manager_tables.chain_steps = next_;
        world_->sm().Configure(settings);
        world_->Wake();
        ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    }
    [[nodiscard]] const Verdict& verdict() { return world_->sm().router().verdict(); }
    [[nodiscard]] std::vector<std::uint64_t> StepsInForce() {
        std::vector<std::uint64_t> ids;
        for (const RoutingAttempt& attempt : verdict().attempts) {
            if (attempt.outcome != RoutingOutcome::kRefused) ids.push_back(attempt.step_id);
        }
        return ids;
    }

    Settings settings_ = BriskSettings();
    std::vector<PortTopology> topologies_ = {
        {.id = 1, .switches = kAllSwitches, .end_ports = kAllHosts},
        {.id = 2, .switches = kAllSwitches, .end_ports = kAllRouters}};
    std::vector<ChainStep> steps_;
    std::vector<ChainStep> next_;
    std::unique_ptr<SimWorld> world_;
    /// In the place of ftree.
    ActingEngine acting_{EngineKind::kFtree, "ftree", {.shortest = true, .deadlock_free = true}};
};

TEST_F(RoutingChains, EachStepRoutesAndTheWholeIsProved) {
    Seat(net::FatTree2(4), {{.id = 1, .engine = EngineKind::kMinHop},
                            {.id = 4, .topology = 1, .engine = EngineKind::kFtree},
                            {.id = 9, .topology = 2, .engine = EngineKind::kUpDn}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().engine, kChainWord);
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(StepsInForce(), (std::vector<std::uint64_t>{1, 4, 9}));
    EXPECT_FALSE(verdict().has_refusals());
    EXPECT_EQ(acting_.runs, 1);
    EXPECT_EQ(world_->Judge(), "");
    EXPECT_GE(world_->Heard(Note::kChainFinished), 1U);
    EXPECT_GE(world_->Heard(Note::kChainStepRouted), 3U);
    EXPECT_EQ(world_->Heard(Note::kChainStepEmpty), 1U) << "there is no router";
}

TEST_F(RoutingChains, AFallbackTakesThePlaceOfAStepThatFailsAndTheReasonIsTold) {
    acting_.status = Status::kUnreachable;
    Seat(net::FatTree2(4),
         {{.id = 1, .engine = EngineKind::kMinHop},
          {.id = 2, .topology = 1, .engine = EngineKind::kFtree},
          {.id = 3, .topology = 1, .fallback_of = 2, .engine = EngineKind::kMinHop}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(StepsInForce(), (std::vector<std::uint64_t>{1, 3}));
    EXPECT_TRUE(verdict().has_refusals());
    EXPECT_GE(world_->Heard(Note::kEngineFailed), 1U);
    EXPECT_GE(world_->Heard(Note::kChainStepRefused), 1U);
    EXPECT_GE(world_->Heard(Note::kChainFallback), 1U);
    EXPECT_EQ(world_->Heard(Note::kFallbackTaken), 0U);
    EXPECT_NE(world_->Notes().find("unicast-step 3 by minhop takes the place of unicast-step 2"),
              std::string::npos)
        << world_->Notes();
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(RoutingChains, WhatNoFallbackMendsIsRoutedSafely) {
    acting_.status = Status::kUnreachable;
    Seat(net::FatTree2(4), {{.id = 1, .engine = EngineKind::kMinHop},
                            {.id = 2, .topology = 1, .engine = EngineKind::kFtree}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kSafe);
    EXPECT_GE(world_->Heard(Note::kSafeRoutingTaken), 1U);
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(RoutingChains, WhatLosesAPairIsNeverProgrammed) {
    acting_.loses = true;
    Seat(net::FatTree2(4), {{.id = 1, .engine = EngineKind::kMinHop},
                            {.id = 2, .topology = 1, .engine = EngineKind::kFtree}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().attempts[0].reason, RoutingReason::kLostPair);
    EXPECT_NE(verdict().attempts[0].port_guid, kNoGuid) << "the pair is named";
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kSafe) << "the safest routing there is";
    EXPECT_GE(world_->Heard(Note::kPairLost), 1U);
    EXPECT_GE(world_->Heard(Note::kSafeRoutingTaken), 1U);
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(RoutingChains, TheLastGoodRoutingStaysWhereAllItsLinksLive) {
    Seat(net::FatTree2(4), {{.id = 1, .engine = EngineKind::kMinHop},
                            {.id = 2, .topology = 1, .engine = EngineKind::kFtree}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    acting_.loses = true;
    Configure({{.id = 1, .engine = EngineKind::kMinHop},
               {.id = 3, .topology = 1, .engine = EngineKind::kFtree}});
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kKept);
    EXPECT_GE(world_->Heard(Note::kPairLost), 1U);
    EXPECT_GE(world_->Heard(Note::kRoutingKept), 1U);
    EXPECT_EQ(world_->Judge(), "");
}

/// Lanes of their own, written into the switches.
TEST_F(RoutingChains, StepsThatCloseACycleTogetherHaveLanesOfTheirOwnWithChainLanes) {
    const net::Netlist ring = net::Ring(6, 1);
    settings_.qos = true;
    settings_.chain_lanes = true;
    Seat(ring, {{.id = 1, .engine = EngineKind::kMinHop},
                {.id = 2, .topology = 1, .engine = EngineKind::kDfsssp}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_FALSE(verdict().findings.end_ports_may_deadlock);
    EXPECT_GE(world_->sm().router().programmed_lanes().count, 2U);
    EXPECT_EQ(StepsInForce(), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(world_->Judge(), "");
    settings_.routing_lanes = false;
    Configure({{.id = 1, .engine = EngineKind::kMinHop},
               {.id = 4, .topology = 1, .engine = EngineKind::kMinHop}});
    EXPECT_GE(world_->Heard(Note::kStepLanesRefused), 1U) << world_->Notes();
    EXPECT_EQ(world_->Judge(), "");
}

/// On a ring up/down closes no cycle, nor does down/up. If each routes to some of the hosts, every
/// turn is taken by one of the two.
TEST_F(RoutingChains, StepsThatCloseACycleTogetherAreRefusedWithTheCycle) {
    const net::Netlist ring = net::Ring(6, 1);
    std::vector<std::uint64_t> guids;
    for (const net::NetNode& node : ring.nodes) {
        if (!node.is_switch()) guids.push_back(Raw(net::PortGuid(node, 1)));
    }
    std::sort(guids.begin(), guids.end());
    const std::vector<PortGroup> half = {{.guids = 1}};
    const std::vector<PortGroupRule> rules = {{guids[0], guids[2], 0, kLastPortOfAll}};
    settings_.manager_tables.port_groups = half;
    settings_.manager_tables.port_group_rules = rules;
    topologies_.push_back({.id = 3, .switches = kAllSwitches, .end_ports = 0});
    settings_.require_deadlock_free = true;
    settings_.routing_lanes = false;
    const auto root = std::find_if(ring.nodes.begin(), ring.nodes.end(),
                                   [](const net::NetNode& node) { return node.is_switch(); });
    const std::array roots = {root->guid};  // Or each part would have one of its own.
    settings_.tables.roots = roots;
    settings_.tables.has_roots = true;
    Seat(ring, {{.id = 1, .engine = EngineKind::kUpDn},
                {.id = 2, .topology = 3, .engine = EngineKind::kDnUp},
                {.id = 3, .topology = 3, .fallback_of = 2, .engine = EngineKind::kUpDn}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(verdict().attempts.size(), 3U);
    EXPECT_EQ(verdict().attempts[0].reason, RoutingReason::kCreditLoop);
    EXPECT_EQ(verdict().attempts[0].step_id, 2U);
    EXPECT_GE(world_->Heard(Note::kCreditLoopRefused), 1U);
    EXPECT_EQ(StepsInForce(), (std::vector<std::uint64_t>{1, 3}));
    EXPECT_FALSE(verdict().findings.end_ports_may_deadlock);
    Configure({{.id = 1, .engine = EngineKind::kUpDn},
               {.id = 2, .topology = 3, .engine = EngineKind::kDnUp}});
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kKept) << "the tables of before still are proved";
    EXPECT_EQ(world_->Judge(), "");
    settings_.routing_lanes = true;  // Lanes open the cycle, though chain_lanes is off.
    Configure(steps_);
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(StepsInForce(), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(world_->Heard(Note::kStepLanesLaid), 1U);
    EXPECT_GE(world_->sm().router().programmed_lanes().count, 2U);
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(RoutingChains, AStepWithoutASwitchIsToldOnce) {
    topologies_[1].switches = 0;  // A group that no port is in.
    const std::vector<PortGroup> none(1);
    settings_.manager_tables.port_groups = none;
    Seat(net::FatTree2(4), {{.id = 1}, {.id = 5, .topology = 2, .engine = EngineKind::kMinHop}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    world_->RunFor(5 * kSecond);
    EXPECT_EQ(world_->Heard(Note::kChainStepEmpty), 1U);
}

TEST_F(RoutingChains, ABoardWithoutRoomForTheStepsRoutesByTheFirst) {
    steps_ = {{.id = 1}};
    for (std::uint64_t id = 2; id <= 4; ++id) {
        steps_.push_back({.id = id, .topology = 1});
    }
    settings_.manager_tables.topologies = topologies_;
    settings_.manager_tables.chain_steps = steps_;
    static constexpr Limits kFew = [] {
        Limits limits = kSimSmall;
        limits.max_routing_steps = 2;
        return limits;
    }();
    world_ = std::make_unique<SimWorld>(net::FatTree2(4));
    world_->AddManager<kFew>(settings_);
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(StepsInForce(), (std::vector<std::uint64_t>{1}));
    EXPECT_EQ(world_->Heard(Note::kChainTooLong), 1U);
}

TEST_F(RoutingChains, AnotherChainTakesEffectWithoutARestart) {
    Seat(net::FatTree2(4), {{.id = 1}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    Configure({{.id = 1}, {.id = 2, .topology = 1, .engine = EngineKind::kUpDn}});
    EXPECT_EQ(StepsInForce(), (std::vector<std::uint64_t>{1, 2}));
}

/// Path bits: the second LID of each host is routed by another engine.
TEST_F(RoutingChains, PathBitsAreRoutedSideBySide) {
    settings_.lmc = 1;
    Seat(net::FatTree2(4), {{.id = 1, .engine = EngineKind::kMinHop},
                            {.id = 2, .topology = 1, .path_bit = 1, .engine = EngineKind::kUpDn}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(RoutingChains, OutliveALostLink) {
    Seat(net::FatTree2(4), {{.id = 1, .engine = EngineKind::kMinHop},
                            {.id = 2, .topology = 1, .engine = EngineKind::kUpDn}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    const net::Netlist tree = net::FatTree2(4);
    std::uint32_t leaf = 0;
    std::uint32_t port = 1;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        for (std::uint32_t p = 1; tree.nodes[i].is_switch() && p < tree.nodes[i].ports.size();
             ++p) {
            const std::uint32_t peer = tree.nodes[i].ports[p].peer;
            if (peer == net::kNoPeer || !tree.nodes[peer].is_switch()) continue;
            leaf = i;
            port = p;
        }
    }
    world_->Cut(leaf, port);
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().engine, kChainWord);
    EXPECT_EQ(world_->Judge(), "");
}

/// Two rings of five switches, a host each, and two cables between them.
net::Netlist TwoRings() {
    constexpr std::uint32_t kSize = 5;
    net::Netlist netlist;
    for (std::uint32_t i = 0; i < 2 * kSize; ++i) {
        netlist.Add(NodeType::kSwitch, 4, "s" + std::to_string(i), "");
    }
    for (std::uint32_t i = 0; i < 2 * kSize; ++i) {
        const std::uint32_t ring = i / kSize * kSize;
        const std::uint32_t host =
            netlist.Add(NodeType::kChannelAdapter, 1, "h" + std::to_string(i), "");
        netlist.Connect(i, 1, host, 1);
        netlist.Connect(i, 2, ring + (i - ring + 1) % kSize, 3);
    }
    netlist.Connect(0, 4, kSize, 4);
    netlist.Connect(2, 4, kSize + 2, 4);
    netlist.AssignGuids();
    return netlist;
}

/// A ring each is the part of a step. A cable of the first is lost: the step of the second stays,
/// and stays too when the window for balance is over.
TEST_F(RoutingChains, AreMendedAndBalancedOnlyInThePartThatAChangeConcerns) {
    const net::Netlist rings = TwoRings();
    std::vector<PortGroup> groups;
    std::vector<PortGroupRule> rules;
    for (std::uint32_t ring = 0; ring < 2; ++ring) {
        std::vector<std::uint64_t> guids;
        for (std::uint32_t i = 0; i < rings.nodes.size(); ++i) {
            const net::NetNode& node = rings.nodes[i];
            if (i % 10 / 5 == ring)
                guids.push_back(Raw(net::PortGuid(node, node.is_switch() ? 0 : 1)));
        }
        std::sort(guids.begin(), guids.end());
        groups.push_back({.first = static_cast<std::uint32_t>(rules.size()),
                          .guids = static_cast<std::uint32_t>(guids.size())});
        for (const std::uint64_t guid : guids) {
            rules.push_back({guid, guid, 0, kLastPortOfAll});
        }
        topologies_[ring] = {.id = ring + 1,
                             .switches = static_cast<std::uint16_t>(ring),
                             .end_ports = static_cast<std::uint16_t>(ring)};
    }
    settings_.manager_tables.port_groups = groups;
    settings_.manager_tables.port_group_rules = rules;
    settings_.offsweep_balancing_enabled = true;
    settings_.offsweep_balancing_window = 20;
    Seat(rings, {{.id = 1},
                 {.id = 2, .topology = 1, .engine = EngineKind::kUpDn},
                 {.id = 3, .topology = 2, .engine = EngineKind::kFtree}});
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(StepsInForce(), (std::vector<std::uint64_t>{1, 2, 3})) << world_->Notes();
    EXPECT_EQ(acting_.runs, 1);
    world_->Cut(1, 2);
    ASSERT_TRUE(world_->RunUntilUp(15 * kSecond)) << world_->Notes();
    EXPECT_TRUE(verdict().was_mended);
    EXPECT_EQ(acting_.runs, 1) << world_->Notes();
    EXPECT_GE(world_->Heard(Note::kChainStepStayed), 1U);
    EXPECT_EQ(world_->Judge(), "");
    // The sweep that confirms it is whole: no cable has changed since, and no step is asked.
    ASSERT_TRUE(world_->RunUntilQuiet(15 * kSecond)) << world_->Notes();
    EXPECT_TRUE(verdict().was_mended);
    EXPECT_EQ(verdict().mended.entries, 0U);
    EXPECT_EQ(acting_.runs, 1);
    world_->RunFor(40 * kSecond);
    EXPECT_EQ(world_->Heard(Note::kRoutesBalanced), 1U) << world_->Notes();
    EXPECT_FALSE(verdict().was_mended);
    EXPECT_EQ(acting_.runs, 1) << "nothing has happened to its part";
    EXPECT_EQ(world_->Judge(), "");
}

}  // namespace
}  // namespace ember::testing
