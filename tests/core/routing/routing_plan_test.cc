// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of routing plans: steps, parts of the subnet, and what a refusal leads to.
//
// Method: min-hop on a full tree of three levels, then a second step for the hosts of one leaf
//         switch, which does without one spine.

#include "core/routing/routing_plan.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/router.h"
#include "engines/min_hop.h"
#include "tests/support/chosen_part.h"
#include "tests/support/routing_run.h"
#include "tests/support/tampering_engine.h"

namespace ember {
namespace {

using testing::ChosenPart;
using testing::RoutingRun;
using testing::SlowTables;
using testing::TamperingEngine;

testing::BuiltFabric::Options TwoSteps() {
    testing::BuiltFabric::Options options;
    options.max_steps = 2;
    return options;
}

class RoutingPlans : public ::testing::Test {
protected:
    RoutingPlans() : run_(net::FatTree3(4), TwoSteps()) {
        settings_.order = other_.order = Order::kOpensm;
        static_cast<void>(run_.Route(min_hop_, settings_));
        alone_ = run_.planned();
        for (const testing::SlowDestination& row : run_.reference().destinations()) {
            if (!row.is_switch && leaf_ == kNone) leaf_ = row.at;
            if (row.is_switch && IsSpine(row.node)) spine_ = row.node;
        }
        part_.Remove(run_.built().switch_index(spine_));
        for (const testing::SlowDestination& row : run_.reference().destinations()) {
            if (row.is_switch || row.at != leaf_) part_.Remove(static_cast<Lid>(row.lid));
        }
    }

    /// No neighbor of it has a host.
    [[nodiscard]] bool IsSpine(std::uint32_t node) const {
        const net::NetNode& here = netlist_.nodes[node];
        for (std::size_t port = 1; port < here.ports.size(); ++port) {
            const net::NetNode& peer = netlist_.nodes[here.ports[port].peer];
            if (!peer.is_switch()) return false;
            for (std::size_t on = 1; on < peer.ports.size(); ++on) {
                if (!netlist_.nodes[peer.ports[on].peer].is_switch()) return false;
            }
        }
        return true;
    }
    [[nodiscard]] bool IsOfLeaf(std::uint32_t lid) const {
        for (const testing::SlowDestination& row : run_.reference().destinations()) {
            if (row.lid == lid) return !row.is_switch && row.at == leaf_;
        }
        return false;
    }
    /// Loses the hosts of the leaf switch.
    void DropHosts(const RoutingTask& task) {
        for (const Destination& row : task.topology->destinations()) {
            const Guid at_guid = task.topology->switch_row(row.at).guid;
            if (row.is_switch() || at_guid != netlist_.nodes[leaf_].guid) continue;
            for (const SwitchIndex at : task.topology->switches_by_guid()) {
                task.tables.lfts[at][Raw(row.lid)] = 255;
            }
        }
    }
    const Verdict& Route(std::span<const Alternative> first, std::span<const Alternative> second) {
        return Route(first, second, part_.part());
    }
    const Verdict& Route(std::span<const Alternative> first, std::span<const Alternative> second,
                         const SubnetPart& part) {
        steps_[0] = {.options = &settings_, .alternatives = first};
        steps_[1] = {.part = &part, .options = &other_, .alternatives = second};
        return run_.Route({.steps = steps_, .options = &settings_});
    }

    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    net::Netlist netlist_ = net::FatTree3(4);
    RoutingRun run_;
    Settings settings_;
    Settings other_;  ///< Of the second step.
    MinHop min_hop_;
    SlowTables alone_;  ///< Min-hop's for the whole subnet.
    std::uint32_t leaf_ = kNone;
    std::uint32_t spine_ = kNone;
    ChosenPart part_{run_.built().limits()};
    std::array<RoutingStep, 2> steps_;
};

TEST_F(RoutingPlans, AStepWritesTheEntriesOfItsDestinationsOnItsSwitches) {
    const EngineOptions* seen = nullptr;
    std::size_t switches = 0;
    std::size_t destinations = 0;
    TamperingEngine second(min_hop_, [&](const RoutingTask& task) {
        seen = task.options;
        switches = task.topology->switch_count();
        destinations = task.topology->destinations().size();
    });
    second.is_always_tampered_with = true;
    const std::array first = {Alternative{.engine = &min_hop_}};
    const std::array then = {Alternative{.engine = &second}};

    const Verdict& verdict = Route(first, then);

    ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(seen, &other_) << "each step has options of its own";
    EXPECT_EQ(switches, run_.reference().switches().size() - 1);
    EXPECT_EQ(destinations, 2U);
    const SlowTables tables = run_.planned();
    std::size_t through_spine_before = 0;
    for (const std::uint32_t node : run_.reference().switches()) {
        for (std::uint32_t lid = 1; lid <= run_.reference().top_lid(); ++lid) {
            const std::uint8_t before = alone_.at(node)[lid];
            const std::uint8_t now = tables.at(node)[lid];
            if (node == spine_ || !IsOfLeaf(lid)) {
                EXPECT_EQ(now, before) << node << ' ' << lid;
                continue;
            }
            const auto leads_to_spine = [&](std::uint8_t port) {
                return port != 0 && netlist_.nodes[node].ports[port].peer == spine_;
            };
            through_spine_before += leads_to_spine(before) ? 1U : 0U;
            EXPECT_FALSE(leads_to_spine(now)) << node << ' ' << lid;
        }
    }
    EXPECT_GT(through_spine_before, 0U);
    ASSERT_EQ(verdict.attempts.size(), 2U);
    EXPECT_EQ(verdict.attempts[0].step, 0U);
    EXPECT_EQ(verdict.attempts[1].step, 1U);
}

TEST_F(RoutingPlans, TheWholeIsProvedWithDistancesInTheWhole) {
    const std::array first = {Alternative{.engine = &min_hop_}};
    const Verdict one = Route(first, first);
    const Findings alone = run_.Route(min_hop_, settings_).findings;
    EXPECT_EQ(one.findings.routes, alone.routes);
    EXPECT_EQ(one.findings.longer_routes, 0U) << "spines are equal";
    EXPECT_EQ(one.findings.end_port_hops, alone.end_port_hops);
}

TEST_F(RoutingPlans, AnEngineThatFailsIsFollowedByTheNextOfItsStep) {
    TamperingEngine fails(min_hop_);
    fails.end = Status::kUnreachable;
    const std::array first = {Alternative{.engine = &min_hop_}};
    const std::array then = {Alternative{.kind = EngineKind::kLash}, Alternative{.engine = &fails},
                             Alternative{.engine = &min_hop_}};
    const Verdict& verdict = Route(first, then);
    ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    ASSERT_EQ(verdict.attempts.size(), 4U);
    EXPECT_EQ(verdict.attempts[0].reason, RoutingReason::kEngineAbsent);
    EXPECT_EQ(verdict.attempts[0].engine, "lash");
    EXPECT_EQ(verdict.attempts[1].reason, RoutingReason::kEngineFailed);
    for (const std::size_t refused : {std::size_t{0}, std::size_t{1}}) {
        EXPECT_EQ(verdict.attempts[refused].step, 1U);
        EXPECT_EQ(verdict.attempts[refused].outcome, RoutingOutcome::kRefused);
    }
    EXPECT_EQ(verdict.attempts[2].outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(verdict.attempts[3].outcome, RoutingOutcome::kVerified);
}

/// A whole that is refused is made again, with the next alternative of the last step that has one.
TEST_F(RoutingPlans, AWholeThatIsRefusedTakesTheLastStepsNextEngine) {
    unsigned made_first = 0;
    TamperingEngine counts(min_hop_, [&](const RoutingTask&) { ++made_first; });
    counts.is_always_tampered_with = true;
    TamperingEngine drops(min_hop_, [this](const RoutingTask& task) { DropHosts(task); });
    drops.is_always_tampered_with = true;
    const std::array first = {Alternative{.engine = &counts}};
    const std::array then = {Alternative{.engine = &drops}, Alternative{.engine = &min_hop_}};
    const Verdict& verdict = Route(first, then);
    ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(made_first, 2U) << "all steps are run again";
    ASSERT_EQ(verdict.attempts.size(), 3U);
    EXPECT_EQ(verdict.attempts[0].reason, RoutingReason::kLostPair);
    EXPECT_EQ(verdict.attempts[0].step, 1U);

    const Verdict& none_left = Route(first, std::span(then).first(1));
    EXPECT_EQ(none_left.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(none_left.reason, RoutingReason::kLostPair);
    ASSERT_EQ(none_left.attempts.size(), 1U);

    const SlowTables alone = alone_;
    std::vector<std::uint8_t> tables(run_.lfts().values().size());
    testing::WriteTables(run_.built(), alone, {tables, run_.lfts().shape()});
    run_.router().BeginKeeping({tables, run_.lfts().shape()});
    while (run_.router().Advance() == Progress::kMore) {
    }
    EXPECT_EQ(run_.router().verdict().outcome, RoutingOutcome::kKept);
}

TEST_F(RoutingPlans, ChangesWhatAnEarlierStepHasIfOnlyThatHasAnother) {
    ChosenPart nothing(run_.built().limits());
    for (std::uint32_t lid = 1; lid <= run_.reference().top_lid(); ++lid) {
        nothing.Remove(static_cast<Lid>(lid));
    }
    TamperingEngine drops(min_hop_, [this](const RoutingTask& task) { DropHosts(task); });
    drops.is_always_tampered_with = true;
    const std::array first = {Alternative{.engine = &drops}, Alternative{.engine = &min_hop_}};
    const std::array then = {Alternative{.engine = &min_hop_}};
    const Verdict& verdict = Route(first, then, nothing.part());
    ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    ASSERT_EQ(verdict.attempts.size(), 3U);
    EXPECT_EQ(verdict.attempts[0].step, 0U);
    EXPECT_EQ(verdict.attempts[0].reason, RoutingReason::kLostPair);
}

TEST_F(RoutingPlans, OfSeveralStepsAreNotMended) {
    Settings balanced;
    balanced.order = Order::kBalanced;
    const std::array first = {Alternative{.engine = &min_hop_}};
    steps_[0] = {.options = &balanced, .alternatives = first};
    steps_[1] = {.part = &part_.part(), .options = &balanced, .alternatives = first};
    const RoutingPlan plan{.steps = steps_, .options = &balanced};
    ASSERT_EQ(run_.Route(plan).reason, RoutingReason::kNone);
    run_.router().BeginMending(run_.built().fabric(), plan, run_.lfts(), run_.scratch());
    run_.router().ProveChangesOnly();
    while (run_.router().Advance() == Progress::kMore) {
    }
    EXPECT_EQ(run_.router().verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_FALSE(run_.router().verdict().was_mended);
    EXPECT_FALSE(run_.router().verdict().proved_changes_only);
}

/// A fallback has a part and options of its own.
TEST_F(RoutingPlans, AnAlternativeMayHaveAPartAndOptionsOfItsOwn) {
    TamperingEngine fails(min_hop_);
    fails.end = Status::kUnreachable;
    std::size_t destinations = 0;
    const EngineOptions* seen = nullptr;
    TamperingEngine works(min_hop_, [&](const RoutingTask& task) {
        seen = task.options;
        destinations = task.topology->destinations().size();
    });
    works.is_always_tampered_with = true;
    const std::array first = {Alternative{.engine = &min_hop_, .options = &settings_, .id = 10}};
    const std::array then = {
        Alternative{.engine = &fails, .options = &settings_, .part = &part_.part(), .id = 20},
        Alternative{.engine = &works, .options = &other_, .id = 30}};
    const Verdict& verdict = Route(first, then);
    ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(seen, &other_);
    EXPECT_EQ(destinations, run_.reference().destinations().size()) << "the whole, not the part";
    EXPECT_EQ(verdict.engine, kChainWord);
    EXPECT_TRUE(verdict.has_refusals());
    ASSERT_EQ(verdict.attempts.size(), 3U);
    EXPECT_EQ(verdict.attempts[0].step_id, 20U);
    EXPECT_EQ(verdict.attempts[1].step_id, 10U);
    EXPECT_EQ(verdict.attempts[2].step_id, 30U);
}

/// Whose part leads nowhere: the leaf switch alone, without a cable to any other.
TEST_F(RoutingPlans, WhereThePartDoesNotLeadTheStepsBeforeCount) {
    ChosenPart alone(run_.built().limits());
    for (const std::uint32_t node : run_.reference().switches()) {
        if (node != leaf_ && node != spine_) alone.Remove(run_.built().switch_index(node));
    }
    const std::array first = {Alternative{.engine = &min_hop_}};
    const Verdict& verdict = Route(first, first, alone.part());
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run_.planned(), alone_);
}

/// A host that has lost its cable is behind no switch, and every table drops what goes to it.
TEST(RoutingPlansOfTheWhole, MayHaveAHostBehindNoSwitch) {
    RoutingRun run(net::FatTree3(4), TwoSteps());
    Fabric& fabric = run.built().fabric();
    Lid lost = kNoLid;
    ForEachEndPort(fabric, [&](PortIndex at, const Port& port) {
        if (fabric.node(port.node).type == NodeType::kSwitch || at == fabric.own_port()) return;
        if (lost == kNoLid && port.peer != kNoPortIndex) {
            lost = port.lid;
            fabric.Disconnect(at);
        }
    });
    ASSERT_NE(lost, kNoLid);
    const Settings settings = testing::OpensmSettings();
    MinHop min_hop;
    const std::array engines = {Alternative{.engine = &min_hop}};
    const std::array steps = {RoutingStep{.options = &settings, .alternatives = engines},
                              RoutingStep{.options = &settings, .alternatives = engines}};
    EXPECT_EQ(run.Route({.steps = steps, .options = &settings}).outcome, RoutingOutcome::kVerified);
    for (const std::uint32_t node : run.reference().switches()) {
        EXPECT_EQ(run.planned().at(node)[Raw(lost)], 255U);
    }
}

/// Two LIDs a port: a step writes the one that it is for.
TEST(RoutingPlansOfPathBits, WriteOneLidOfEachPort) {
    testing::BuiltFabric::Options options = TwoSteps();
    options.lmc = 1;
    RoutingRun run(net::FatTree3(4), options);
    const Settings settings = testing::OpensmSettings();
    MinHop min_hop;
    TamperingEngine drops(min_hop, [](const RoutingTask& task) {
        for (const Destination& row : task.topology->destinations()) {
            for (const SwitchIndex at : task.topology->switches_by_guid()) {
                for (std::uint32_t i = 0; i < row.lid_count(); ++i) {
                    task.tables.lfts[at][Raw(row.lid) + i] = 255;
                }
            }
        }
    });
    drops.is_always_tampered_with = true;
    for (const std::uint8_t bit : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
        const std::array first = {Alternative{.engine = &min_hop, .options = &settings, .id = 1}};
        const std::array then = {
            Alternative{.engine = &drops, .options = &settings, .id = 2, .path_bit = bit}};
        const std::array steps = {RoutingStep{.options = &settings, .alternatives = first},
                                  RoutingStep{.options = &settings, .alternatives = then}};
        const Verdict& verdict = run.Route({.steps = steps, .options = &settings});
        const SlowTables tables = run.planned();
        std::array<std::size_t, 2> dropped{};
        for (const testing::SlowDestination& row : run.reference().destinations()) {
            if (row.is_switch) continue;
            for (const std::uint32_t node : run.reference().switches()) {
                for (std::uint32_t i = 0; i < 2; ++i) {
                    dropped.at(i) += tables.at(node)[row.lid + i] == 255 ? 1U : 0U;
                }
            }
        }
        EXPECT_EQ(dropped[0] > 0, bit == 0) << int{bit};
        EXPECT_EQ(dropped[1] > 0, bit == 1) << int{bit};
        EXPECT_EQ(verdict.outcome == RoutingOutcome::kVerified, bit == 2) << "no port has three";
    }
}

TEST(ListPlan, WithoutAListIsMinhopOnABoardThatHasNoAuto) {
    MinHop min_hop;
    const std::array<RoutingEngine*, 1> on_board = {&min_hop};
    Settings settings;
    settings.order = Order::kBalanced;
    ListPlan plan;
    plan.Make(settings, on_board);
    ASSERT_EQ(plan.alternatives().size(), 1U);
    EXPECT_EQ(plan.alternatives()[0].engine, &min_hop);
    EXPECT_EQ(plan.alternatives()[0].kind, EngineKind::kMinHop);
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kAuto), Status::kOk);
    plan.Make(settings, on_board);
    EXPECT_EQ(plan.alternatives()[0].engine, nullptr) << "an engine that is listed is missed";
}

}  // namespace
}  // namespace ember
