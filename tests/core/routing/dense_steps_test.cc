// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of chains on boards that have no LFT arena for later steps.
//
// Method: parts that a seed has chosen, routed on a board with the arena and on one without. Both
//         are the same routing, however large the rest of the subnet is.

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/router.h"
#include "engines/catalogue.h"
#include "tests/support/chain_engines.h"
#include "tests/support/chosen_part.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::ChosenPart;
using testing::RoutingRun;

BuiltFabric::Options TwoSteps(std::uint32_t switches) {
    BuiltFabric::Options options;
    options.max_steps = 2;
    options.max_step_switches = switches;
    return options;
}

/// Min-hop for the whole, then one engine or two for parts.
class Chain {
public:
    const Verdict& Route(RoutingRun& run) {
        steps_ = {RoutingStep{.options = &settings, .alternatives = first_},
                  RoutingStep{.options = &settings, .alternatives = then}};
        return run.Route({.steps = steps_, .options = &settings});
    }
    [[nodiscard]] Alternative For(EngineKind kind, const SubnetPart* part, std::uint64_t id) {
        return {.kind = kind,
                .engine = FindEngine(engines_.All(), kind),
                .options = &of_steps,
                .part = part,
                .id = id};
    }

    Settings settings;
    Settings of_steps;
    std::vector<Alternative> then;

private:
    Engines engines_;
    std::array<Alternative, 1> first_ = {Alternative{
        .engine = FindEngine(engines_.All(), EngineKind::kMinHop), .options = &settings, .id = 1}};
    std::array<RoutingStep, 2> steps_;
};

class DenseSteps : public ::testing::TestWithParam<EngineKind> {};

TEST_P(DenseSteps, AreRoutedAsOnABoardWithAnArena) {
    std::size_t passed = 0;
    std::mt19937 random(7);
    for (const net::Netlist& netlist :
         {net::FatTree2(4), net::FatTree3(4), net::Torus(std::array{3U, 3U}, 1)}) {
        for (const unsigned percent : {10U, 30U, 50U}) {
            RoutingRun large(netlist, TwoSteps(0));
            const Limits& limits = large.built().limits();
            ChosenPart part(limits);
            std::uint32_t left = limits.max_switches;
            for (std::uint32_t i = 0; i < limits.max_switches; ++i) {
                if (random() % 100 >= percent) continue;
                part.Remove(static_cast<SwitchIndex>(i));
                --left;
            }
            RoutingRun small(netlist, TwoSteps(std::max(1U, left)));
            Chain chain;
            chain.then = {chain.For(GetParam(), &part.part(), 2)};
            const RoutingOutcome outcome = chain.Route(large).outcome;
            const Verdict& verdict = chain.Route(small);
            EXPECT_EQ(verdict.outcome, outcome) << netlist.nodes.size() << ' ' << percent;
            if (!verdict.may_program()) continue;
            ++passed;
            EXPECT_EQ(small.planned(), large.planned()) << netlist.nodes.size() << ' ' << percent;
        }
    }
    EXPECT_GE(passed, 2U);
}

INSTANTIATE_TEST_SUITE_P(Engines, DenseSteps, ::testing::ValuesIn(testing::ForChains()),
                         testing::NameOfEngine);

TEST(StepsInScratch, ArePutAsideWhereTheirPartIsTooLarge) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist, TwoSteps(2));
    ChosenPart all(run.built().limits());
    ChosenPart few(run.built().limits());
    for (std::uint32_t i = 2; i < run.built().limits().max_switches; ++i) {
        few.Remove(static_cast<SwitchIndex>(i));
    }
    Chain chain;
    chain.then = {chain.For(EngineKind::kUpDn, &all.part(), 2)};
    const Verdict& refused = chain.Route(run);
    EXPECT_EQ(refused.outcome, RoutingOutcome::kRefused);
    ASSERT_EQ(refused.attempts.size(), 1U);
    EXPECT_EQ(refused.attempts[0].reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(refused.attempts[0].complaint.what, EngineFault::kStepSwitches);
    EXPECT_EQ(refused.attempts[0].step_id, 2U);

    chain.then = {chain.For(EngineKind::kUpDn, &all.part(), 2),
                  chain.For(EngineKind::kFtree, nullptr, 3),
                  chain.For(EngineKind::kMinHop, &few.part(), 4)};
    const Verdict& taken = chain.Route(run);
    EXPECT_EQ(taken.outcome, RoutingOutcome::kVerified);
    ASSERT_EQ(taken.attempts.size(), 4U) << "two refusals, then both steps";
    EXPECT_EQ(taken.attempts[1].complaint.what, EngineFault::kStepSwitches);
    EXPECT_EQ(taken.attempts[3].step_id, 4U);
}

TEST(StepsInScratch, AreMadeAnewInsteadOfMended) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist, TwoSteps(6));
    ChosenPart part(run.built().limits());
    Chain chain;
    chain.then = {chain.For(EngineKind::kMinHop, &part.part(), 2)};
    ASSERT_TRUE(chain.Route(run).may_program());
    const auto before = run.planned();
    Engines engines;
    const std::array first = {Alternative{.engine = FindEngine(engines.All(), EngineKind::kMinHop),
                                          .options = &chain.settings,
                                          .id = 1}};
    const std::array steps = {RoutingStep{.options = &chain.settings, .alternatives = first},
                              RoutingStep{.options = &chain.settings, .alternatives = chain.then}};
    const Verdict& verdict =
        run.Mend({.steps = steps, .options = &chain.settings}, ProofScope::kChanges);
    EXPECT_TRUE(verdict.may_program());
    EXPECT_FALSE(verdict.was_mended);
    EXPECT_EQ(run.planned(), before);
}

/// The whole as a later step needs no more than a part of all switches.
TEST(StepsInScratch, MayBeOfTheWholeSubnet) {
    const net::Netlist netlist = net::FatTree2(4);
    for (const EngineKind kind : {EngineKind::kMinHop, EngineKind::kUpDn}) {
        RoutingRun large(netlist, TwoSteps(0));
        RoutingRun small(netlist, TwoSteps(large.built().limits().max_switches));
        Chain chain;
        chain.then = {chain.For(kind, nullptr, 2)};
        ASSERT_TRUE(chain.Route(large).may_program());
        EXPECT_TRUE(chain.Route(small).may_program());
        EXPECT_EQ(small.planned(), large.planned());
    }
}

/// A step by weights of its own goes round the link that weighs much; the whole does not.
TEST(StepOptions, HopsAreMeasuredByTheWeightsOfTheStep) {
    const net::Netlist netlist = net::Ring(4, 1);
    for (const std::uint32_t switches : {0U, 4U}) {
        RoutingRun run(netlist, TwoSteps(switches));
        ChosenPart part(run.built().limits());
        Chain chain;
        chain.then = {chain.For(EngineKind::kMinHop, &part.part(), 2)};
        ASSERT_TRUE(chain.Route(run).may_program());
        const auto plain = run.planned();
        std::uint32_t first = 0;
        while (!netlist.nodes[first].is_switch()) {
            ++first;
        }
        const net::NetNode& node = netlist.nodes[first];
        std::vector<HopWeight> weights;
        for (std::uint32_t port = 1; port < node.ports.size(); ++port) {
            const net::NetPort& cable = node.ports[port];
            if (cable.peer == net::kNoPeer || !netlist.nodes[cable.peer].is_switch()) continue;
            weights = {{.guid = node.guid,
                        .port = PortNumber{static_cast<std::uint8_t>(port)},
                        .hops = 9}};
            break;
        }
        ASSERT_EQ(weights.size(), 1U);
        chain.of_steps.tables.hop_weights = weights;
        ASSERT_TRUE(chain.Route(run).may_program());
        EXPECT_NE(run.planned(), plain);
        const SwitchIndex at = run.built().switch_index(first);
        for (const std::uint8_t exit : run.lfts()[at]) {
            EXPECT_NE(exit, Raw(weights[0].port)) << "all the others are as near by the other way";
        }
    }
}

}  // namespace
}  // namespace ember
