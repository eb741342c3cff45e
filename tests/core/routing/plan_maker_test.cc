// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how chains become plans.
//
// Method: a tree of two levels whose port groups are ranges of GUIDs and predefined ones, and
//         chains of rows as a configuration has them.

#include "core/routing/plan_maker.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/settings/qos_tables.h"
#include "engines/catalogue.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::BuiltFabric;

constexpr std::uint16_t kAllSwitches = kGroupOfTypes | qos_node_type::kSwitch;
constexpr std::uint16_t kAllHosts = kGroupOfTypes | qos_node_type::kCa;

BuiltFabric::Options Steps(std::uint32_t count) {
    BuiltFabric::Options options;
    options.max_steps = count;
    return options;
}

class PlanMakers : public ::testing::Test {
protected:
    explicit PlanMakers(std::uint32_t steps = 8) : built_(netlist_, Steps(steps)) {}

    void Make(std::vector<ChainStep> steps) {
        steps_ = std::move(steps);
        settings_.manager_tables.topologies = topologies_;
        settings_.manager_tables.chain_steps = steps_;
        settings_.manager_tables.port_groups = groups_;
        settings_.manager_tables.port_group_rules = rules_;
        maker_.Begin(built_.fabric(), settings_, engines_.All());
        while (maker_.Advance() == Progress::kMore) {
        }
    }
    [[nodiscard]] static std::size_t CountOf(std::span<const std::uint64_t> words) {
        std::size_t count = 0;
        for (const std::uint64_t word : words) {
            count += static_cast<std::size_t>(std::popcount(word));
        }
        return count;
    }
    /// The first node of the netlist that is a switch, or is none.
    [[nodiscard]] std::uint32_t First(bool is_switch) const {
        std::uint32_t i = 0;
        while (netlist_.nodes[i].is_switch() != is_switch) {
            ++i;
        }
        return i;
    }

    net::Netlist netlist_ = net::FatTree2(4);
    BuiltFabric built_;
    Settings settings_;
    Engines engines_;
    std::vector<std::uint64_t> parts_ =
        std::vector<std::uint64_t>(PlanMaker::PartWords(built_.limits()));
    std::vector<EngineOptions> options_ =
        std::vector<EngineOptions>(PlanMaker::OptionRows(built_.limits()));
    PlanMaker maker_{{.parts = parts_, .options = options_}, built_.limits()};
    std::vector<PortTopology> topologies_;
    std::vector<ChainStep> steps_;
    std::vector<PortGroup> groups_;
    std::vector<PortGroupRule> rules_;
};

TEST_F(PlanMakers, WithoutAChainTheListRoutes) {
    ASSERT_EQ(settings_.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
    Make({});
    EXPECT_TRUE(maker_.plan().is_plain());
    ASSERT_EQ(maker_.alternatives().size(), 1U);
    EXPECT_EQ(maker_.alternatives()[0].kind, EngineKind::kUpDn);
    EXPECT_FALSE(maker_.is_too_long());
}

TEST_F(PlanMakers, StepsHaveTheirTopologiesAndFallbacksTheirs) {
    topologies_ = {{.id = 4, .switches = kAllSwitches, .end_ports = kAllHosts}};
    Make({{.id = 1, .engine = EngineKind::kMinHop},
          {.id = 2, .topology = 1, .path_bit = 1, .engine = EngineKind::kFtree},
          {.id = 3, .fallback_of = 2, .engine = EngineKind::kUpDn},
          {.id = 5, .fallback_of = 1, .engine = EngineKind::kDnUp}});
    const RoutingPlan& plan = maker_.plan();
    EXPECT_TRUE(plan.is_chain());
    EXPECT_FALSE(plan.is_plain());
    ASSERT_EQ(plan.steps.size(), 2U);
    ASSERT_EQ(plan.steps[0].alternatives.size(), 2U);
    EXPECT_EQ(plan.steps[0].alternatives[0].id, 1U);
    EXPECT_EQ(plan.steps[0].alternatives[1].id, 5U);
    ASSERT_EQ(plan.steps[1].alternatives.size(), 2U);
    const Alternative& tree = plan.steps[1].alternatives[0];
    EXPECT_EQ(tree.kind, EngineKind::kFtree);
    ASSERT_NE(tree.engine, nullptr);
    EXPECT_EQ(tree.engine->kind(), EngineKind::kFtree);
    EXPECT_EQ(tree.path_bit, 1U);
    ASSERT_NE(tree.part, nullptr);
    const Alternative& instead = plan.steps[1].alternatives[1];
    EXPECT_EQ(instead.id, 3U);
    EXPECT_EQ(instead.part, nullptr) << "its own topology is the whole";
    EXPECT_EQ(CountOf(tree.part->switches), built_.fabric().switch_count());
    EXPECT_FALSE(maker_.IsEmpty(1));
}

TEST_F(PlanMakers, TopologiesHaveThePortsOfTheirGroups) {
    const net::NetNode& leaf = netlist_.nodes[First(true)];
    const net::NetNode& host = netlist_.nodes[First(false)];
    groups_ = {{.first = 0, .guids = 1}, {.first = 1, .guids = 1}};
    rules_ = {{Raw(leaf.guid), Raw(leaf.guid), 1, 2},
              {Raw(net::PortGuid(host, 1)), Raw(net::PortGuid(host, 1)), 0, 255}};
    topologies_ = {{.id = 1, .switches = 0, .end_ports = 1},
                   {.id = 2, .switches = 1, .end_ports = 0}};
    Make({{.id = 1}, {.id = 2, .topology = 1}, {.id = 3, .topology = 2}});
    const SubnetPart& part = *maker_.alternatives()[1].part;
    const SwitchIndex at = built_.switch_index(First(true));
    EXPECT_TRUE(part.Has(at));
    EXPECT_TRUE(part.Has(at, PortNumber{1}));
    EXPECT_TRUE(part.Has(at, PortNumber{2}));
    EXPECT_FALSE(part.Has(at, PortNumber{3}));
    EXPECT_EQ(CountOf(part.switches), 1U);
    EXPECT_EQ(CountOf(part.switch_ports), 2U);
    EXPECT_EQ(CountOf(part.lids), 2U) << "the host and the switch itself";
    const NodeIndex node = built_.node(First(false));
    EXPECT_TRUE(part.Has(built_.fabric().port(built_.fabric().PortOf(node, PortNumber{1})).lid));
    EXPECT_FALSE(maker_.IsEmpty(1));
    EXPECT_TRUE(maker_.IsEmpty(2)) << "a host is no switch, and a switch no host";
    EXPECT_EQ(CountOf(maker_.alternatives()[2].part->lids), 0U);
}

TEST_F(PlanMakers, ATopologyOfSeveralStepsIsOnePart) {
    topologies_ = {{.id = 1, .switches = kAllSwitches, .end_ports = kAllHosts}};
    Make({{.id = 1}, {.id = 2, .topology = 1}, {.id = 3, .topology = 1}});
    EXPECT_EQ(maker_.alternatives()[1].part, maker_.alternatives()[2].part);
}

TEST_F(PlanMakers, AStepHasTheOptionsOfItsFileAndElseTheMainOnes) {
    settings_.connect_roots = true;
    settings_.port_shifting = true;
    settings_.max_reverse_hops = 1;
    Make({{.id = 1},
          {.id = 2,
           .scatter_ports = 9,
           .max_reverse_hops = 3,
           .own = step_option::kConnectRoots | step_option::kQuasiFtreeIndexing |
                  step_option::kMaxReverseHops | step_option::kScatterPorts,
           .values = step_option::kQuasiFtreeIndexing}});
    EXPECT_EQ(maker_.alternatives()[0].options, static_cast<EngineOptions*>(&settings_));
    const EngineOptions& own = *maker_.alternatives()[1].options;
    EXPECT_FALSE(own.connect_roots);
    EXPECT_TRUE(own.quasi_ftree_indexing);
    EXPECT_TRUE(own.port_shifting) << "the file does not say";
    EXPECT_EQ(own.max_reverse_hops, 3U);
    EXPECT_EQ(own.scatter_ports, 9U);
}

TEST_F(PlanMakers, AStepHasTheOptionFilesOfItsOwnAndElseTheMainOnes) {
    const std::array mains = {Guid{1}};
    const std::array owns = {Guid{2}};
    const std::array weights = {HopWeight{.guid = Guid{3}, .port = PortNumber{1}, .hops = 4}};
    const std::array shape = {TorusShape{.radix = {3, 3, 1}}};
    settings_.tables.roots = mains;
    settings_.tables.has_roots = true;
    settings_.tables.io_nodes = mains;
    settings_.tables.has_io_nodes = true;
    settings_.tables.routing_order = mains;
    settings_.tables.ids = {};
    std::array<EngineTables, 1> tables{};
    tables[0].roots = owns;
    tables[0].hop_weights = weights;
    tables[0].torus = shape;
    tables[0].has_roots = true;
    settings_.manager_tables.step_tables = tables;
    Make({{.id = 1},
          {.id = 2,
           .own_files =
               step_file::kRoots | step_file::kIoNodes | step_file::kHopWeights | step_file::kTorus,
           .tables = 1},
          {.id = 3, .own_files = step_file::kRoots}});
    EXPECT_EQ(maker_.alternatives()[0].options->tables.roots[0], Guid{1});
    const EngineTables& own = maker_.alternatives()[1].options->tables;
    ASSERT_EQ(own.roots.size(), 1U);
    EXPECT_EQ(own.roots[0], Guid{2});
    EXPECT_TRUE(own.has_roots);
    EXPECT_TRUE(own.io_nodes.empty()) << "the step's file says that there is none";
    EXPECT_FALSE(own.has_io_nodes);
    EXPECT_EQ(own.routing_order.size(), 1U) << "the step's file does not say";
    EXPECT_EQ(own.hop_weights.size(), 1U);
    EXPECT_EQ(own.torus.size(), 1U);
    EXPECT_FALSE(maker_.alternatives()[2].options->tables.has_roots);
}

class SmallBoards : public PlanMakers {
protected:
    SmallBoards() : PlanMakers(2) {}
};

TEST_F(SmallBoards, RunTheFirstStepAloneOfAChainThatIsTooLong) {
    topologies_ = {{.id = 1, .switches = kAllSwitches, .end_ports = kAllHosts}};
    Make({{.id = 1, .engine = EngineKind::kUpDn},
          {.id = 2, .topology = 1},
          {.id = 3, .fallback_of = 1, .engine = EngineKind::kMinHop}});
    EXPECT_TRUE(maker_.is_too_long());
    ASSERT_EQ(maker_.plan().steps.size(), 1U);
    ASSERT_EQ(maker_.alternatives().size(), 2U);
    EXPECT_EQ(maker_.alternatives()[0].kind, EngineKind::kUpDn);
    EXPECT_EQ(maker_.alternatives()[1].kind, EngineKind::kMinHop);
    Make({{.id = 1}, {.id = 2, .topology = 1}});
    EXPECT_FALSE(maker_.is_too_long());
    EXPECT_EQ(maker_.plan().steps.size(), 2U);
}

}  // namespace
}  // namespace ember
