// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the run from a subnet to proved tables.

#include "core/routing/router.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/min_hop.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"
#include "tests/support/tampering_engine.h"

namespace ember {
namespace {

using testing::ReplayEngine;
using testing::RoutingRun;
using testing::SlowTables;
using testing::TamperingEngine;

constexpr Promise kNothing{};
constexpr Promise kDeadlockFree{.shortest = false, .deadlock_free = true};

TEST(Router, VerifiesMinHopOnAFatTree) {
    const net::Netlist netlist = net::FatTree3(4);
    RoutingRun run(netlist);
    MinHop min_hop;
    const Verdict& verdict = run.Route(min_hop);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_TRUE(verdict.may_program());
    EXPECT_EQ(verdict.engine, "minhop");
    ASSERT_EQ(verdict.attempts.size(), 1U);
    EXPECT_EQ(run.planned(), run.reference().MinHop({}));
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
}

TEST(Router, WarnsOfMinHopOnATorusAndKeepsTheCycle) {
    const net::Netlist netlist = net::Torus(std::array{4U, 4U, 4U}, 1);
    RoutingRun run(netlist);
    MinHop min_hop;
    const Verdict& verdict = run.Route(min_hop);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kWarned);
    EXPECT_TRUE(verdict.may_program());
    EXPECT_GE(verdict.findings.cycle.length, 4U);
    EXPECT_FALSE(verdict.findings.cycle.channels.empty());
}

TEST(Router, RefusesACreditLoopWhenTheOperatorForbidsIt) {
    const net::Netlist netlist = net::Torus(std::array{4U, 4U}, 1);
    RoutingRun run(netlist);
    MinHop min_hop;
    Settings settings;
    settings.require_deadlock_free = true;
    const Verdict& verdict = run.Route(min_hop, settings);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(verdict.reason, RoutingReason::kCreditLoop);
    EXPECT_FALSE(verdict.may_program());
    EXPECT_FALSE(verdict.findings.cycle.channels.empty());
}

TEST(Router, RefusesACreditLoopOfAnEngineThatPromisesNone) {
    const net::Netlist netlist = net::Ring(6, 1);
    RoutingRun run(netlist);
    ReplayEngine liar("liar", run, run.reference().MinHop({}), kDeadlockFree);
    EXPECT_EQ(run.Route(liar).reason, RoutingReason::kCreditLoop);
    ReplayEngine modest("modest", run, run.reference().MinHop({}), kNothing);
    EXPECT_EQ(run.Route(modest).outcome, RoutingOutcome::kWarned);
}

TEST(Router, NeverPassesALostPairOrALoop) {
    const net::Netlist netlist = net::Ring(4, 1);
    RoutingRun run(netlist);
    SlowTables lost = run.reference().MinHop({});
    lost.begin()->second.back() = 255;
    ReplayEngine loser("loser", run, lost, kNothing);
    EXPECT_EQ(run.Route(loser).reason, RoutingReason::kLostPair);
    EXPECT_NE(run.router().verdict().findings.lid, kNoLid);

    // All switches turn right for ever.
    SlowTables loops = run.reference().MinHop({});
    for (auto& [node, row] : loops) {
        for (std::uint8_t& port : row) {
            const auto& ports = netlist.nodes[node].ports;
            const bool is_trunk =
                port != 0 && port != 255 && netlist.nodes[ports[port].peer].is_switch();
            if (is_trunk) port = static_cast<std::uint8_t>(ports.size() - 1);
        }
    }
    ReplayEngine looper("looper", run, loops, kNothing);
    const Verdict& verdict = run.Route(looper);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    EXPECT_TRUE(run.reference().FindBroken(loops).has_value());
}

TEST(Router, HoldsAnEngineToShortestPaths) {
    const net::Netlist netlist = net::Ring(5, 1);
    RoutingRun run(netlist);
    // To the right only: all are reached, some the long way round.
    SlowTables right = run.reference().MinHop({});
    std::size_t changed = 0;
    for (auto& [node, row] : right) {
        const auto& ports = netlist.nodes[node].ports;
        const std::uint32_t next = node + 1 < netlist.nodes.size() ? node + 1 : node - 4;
        std::uint8_t to_next = 255;
        for (std::size_t port = 1; port < ports.size(); ++port) {
            if (ports[port].peer == next) to_next = static_cast<std::uint8_t>(port);
        }
        ASSERT_NE(to_next, 255);
        for (std::uint8_t& port : row) {
            if (port == 0 || port == 255) continue;
            if (!netlist.nodes[ports[port].peer].is_switch() || port == to_next) continue;
            port = to_next;
            ++changed;
        }
    }
    ASSERT_GT(changed, 0U);
    ReplayEngine boaster("boaster", run, right, Promise{.shortest = true});
    EXPECT_EQ(run.Route(boaster).reason, RoutingReason::kNotShortest);
    ReplayEngine modest("modest", run, right, kNothing);
    EXPECT_TRUE(run.Route(modest).may_program());
    EXPECT_EQ(run.router().verdict().findings.longer_routes, changed);
}

TEST(Router, TakesTheNextConfiguredEngineAndTellsOfBoth) {
    const net::Netlist netlist = net::Torus(std::array{3U, 3U}, 1);
    RoutingRun run(netlist);
    SlowTables broken = run.reference().MinHop({});
    broken.rbegin()->second.back() = 255;
    ReplayEngine first("first", run, broken, kNothing);
    MinHop min_hop;
    const std::array<RoutingEngine*, 2> engines = {&first, &min_hop};
    const Verdict& verdict = run.Route(engines, testing::OpensmSettings());
    EXPECT_TRUE(verdict.may_program());
    EXPECT_EQ(verdict.engine, "minhop");
    ASSERT_EQ(verdict.attempts.size(), 2U);
    EXPECT_EQ(verdict.attempts[0].engine, "first");
    EXPECT_EQ(verdict.attempts[0].reason, RoutingReason::kLostPair);
    EXPECT_EQ(verdict.findings.fault, Findings::Fault::kNone);
    EXPECT_EQ(run.planned(), run.reference().MinHop({}));
}

TEST(Router, TakesTheNextEngineWhenOneCannotRouteTheFabric) {
    const net::Netlist netlist = net::Ring(3, 1);
    RoutingRun run(netlist);
    const SlowTables tables = run.reference().MinHop({});
    ReplayEngine early("early", run, tables, kNothing);
    early.begin_status = Status::kAbsent;
    ReplayEngine late("late", run, tables, kNothing);
    late.advance_status = Status::kUnreachable;
    const std::array<RoutingEngine*, 2> engines = {&early, &late};
    const Verdict& verdict = run.Route(engines, {});
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(verdict.engine, "late");
    EXPECT_EQ(verdict.status, Status::kUnreachable);
    ASSERT_EQ(verdict.attempts.size(), 2U);
    EXPECT_EQ(verdict.attempts[0].status, Status::kAbsent);
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
}

TEST(Router, RefusesWithoutAnyEngine) {
    const net::Netlist netlist = net::Ring(3, 1);
    RoutingRun run(netlist);
    const Verdict& verdict = run.Route({}, {});
    EXPECT_EQ(verdict.reason, RoutingReason::kNoEngine);
    EXPECT_TRUE(verdict.engine.empty());
}

TEST(Router, HasNothingToRouteWithoutASwitch) {
    net::Netlist netlist;
    const auto one = netlist.Add(NodeType::kChannelAdapter, 1, "one", "");
    const auto other = netlist.Add(NodeType::kChannelAdapter, 1, "other", "");
    netlist.Connect(one, 1, other, 1);
    netlist.AssignGuids();
    RoutingRun run(netlist);
    MinHop min_hop;
    const Verdict& verdict = run.Route(min_hop);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kNothingToRoute);
    EXPECT_FALSE(verdict.may_program());
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
}

TEST(Router, RoutesASwitchThatIsAllAlone) {
    net::Netlist netlist;
    netlist.Add(NodeType::kSwitch, 4, "alone", "");
    netlist.AssignGuids();
    RoutingRun run(netlist);
    MinHop min_hop;
    EXPECT_EQ(run.Route(min_hop).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.planned().at(0), (std::vector<std::uint8_t>{255, 0}));
}

TEST(Router, PassesThroughItsPhasesInOrder) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    Router& router = run.router();
    MinHop min_hop;
    RoutingEngine* const engines[] = {&min_hop};
    const Settings settings;
    EXPECT_EQ(router.phase(), Router::Phase::kIdle);
    EXPECT_EQ(router.Advance(), Progress::kDone);
    const testing::EnginePlan plan(engines, settings);
    router.Begin(run.built().fabric(), plan.plan(), run.lfts(), run.scratch());
    Router::Phase before = router.phase();
    EXPECT_EQ(before, Router::Phase::kTopology);
    while (router.Advance() == Progress::kMore) {
        EXPECT_GE(router.phase(), before);
        before = router.phase();
    }
    EXPECT_EQ(before, Router::Phase::kVerifier);
    EXPECT_EQ(router.phase(), Router::Phase::kDone);
    EXPECT_EQ(router.Advance(), Progress::kDone);
}

TEST(Router, StartsAfreshInTheMiddleOfARun) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    MinHop min_hop;
    RoutingEngine* const engines[] = {&min_hop};
    const Settings settings;
    const testing::EnginePlan plan(engines, settings);
    for (std::size_t cut = 0; cut < 12; ++cut) {
        run.router().Begin(run.built().fabric(), plan.plan(), run.lfts(), run.scratch());
        for (std::size_t i = 0; i < cut; ++i) {
            ASSERT_EQ(run.router().Advance(), Progress::kMore);
        }
        EXPECT_TRUE(run.Route(min_hop).may_program());
        EXPECT_EQ(run.scratch().used_bytes(), 0U);
    }
    run.router().Begin(run.built().fabric(), plan.plan(), run.lfts(), run.scratch());
    ASSERT_EQ(run.router().Advance(), Progress::kMore);
    run.router().Stop();
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
    EXPECT_EQ(run.router().Advance(), Progress::kDone);
}

TEST(Router, WipesWhatAnEarlierRoutingLeftInTheTables) {
    const net::Netlist netlist = net::Ring(4, 1);
    RoutingRun run(netlist);
    for (std::uint8_t& octet : run.lfts().values()) {
        octet = 7;
    }
    MinHop min_hop;
    EXPECT_TRUE(run.Route(min_hop).may_program());
    EXPECT_EQ(run.planned(), run.reference().MinHop({}));  // LID 0 included: 255.
}

TEST(Router, GivesTheSameResultTwice) {
    const net::Netlist netlist = testing::WildNetlist(
        {.seed = 8, .switches = 20, .extra_cables = 40, .hosts = 40, .ports = 36});
    RoutingRun run(netlist);
    MinHop min_hop;
    ASSERT_TRUE(run.Route(min_hop).may_program());
    const SlowTables first = run.planned();
    ASSERT_TRUE(run.Route(min_hop).may_program());
    EXPECT_EQ(run.planned(), first);
}

/// Uses the memory of the hops for something else.
void SpendHops(const RoutingTask& task) {
    const auto octets = task.hop_room->Spend().values();
    std::fill(octets.begin(), octets.end(), std::uint8_t{1});
}

std::vector<std::uint8_t> HopsOf(const Router& router) {
    const auto octets = router.hops().values();
    return {octets.begin(), octets.end()};
}

TEST(Router, MeasuresTheHopsAgainThatAnEngineHasSpent) {
    const net::Netlist netlist = net::FatTree3(4);
    RoutingRun run(netlist);
    MinHop min_hop;
    ASSERT_TRUE(run.Route(min_hop).may_program());
    const std::vector<std::uint8_t> hops = HopsOf(run.router());
    TamperingEngine spender(min_hop, &SpendHops);
    spender.promised = Promise{.shortest = true};
    spender.is_always_tampered_with = true;
    // Were they not, each way of more than a step would be longer than the shortest.
    EXPECT_EQ(run.Route(spender).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(HopsOf(run.router()), hops);
    spender.mends = true;
    EXPECT_EQ(run.Mend(spender, testing::OpensmSettings(), ProofScope::kWhole).outcome,
              RoutingOutcome::kVerified);
    EXPECT_EQ(HopsOf(run.router()), hops);
}

TEST(Router, GivesTheNextEngineHopsAgainThatTheOneBeforeHasSpent) {
    const net::Netlist netlist = net::FatTree3(4);
    RoutingRun run(netlist);
    MinHop min_hop;
    MinHop other;
    TamperingEngine spender(other, &SpendHops);
    spender.is_always_tampered_with = true;
    spender.end = Status::kAbsent;
    const std::array<RoutingEngine*, 2> engines{&spender, &min_hop};
    const Verdict& verdict = run.Route(engines, testing::OpensmSettings());
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    ASSERT_EQ(verdict.attempts.size(), 2U);
    EXPECT_EQ(verdict.attempts[0].reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(run.planned(), run.reference().MinHop({}));
}

}  // namespace
}  // namespace ember
