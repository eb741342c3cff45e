// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of lanes that the steps of a plan have for themselves.
//
// Method: a ring, on which up/down closes no cycle, nor does down/up. Each routes to half of the
//         hosts, so that every turn is taken by one of the two. Then every engine for random parts
//         of random fabrics.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/router.h"
#include "core/settings/chain_rows.h"
#include "engines/catalogue.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::RoutingRun;

BuiltFabric::Options Lanes(std::uint32_t lanes) {
    BuiltFabric::Options options;
    options.max_steps = 3;
    options.max_lanes = lanes;
    return options;
}

/// A plan of two steps, and what it shows.
struct TwoSteps {
    TwoSteps(RoutingRun& run, EngineKind first, EngineKind second)
        : switches(SubnetPart::Words(run.built().limits().max_switches), ~std::uint64_t{0}),
          lids(SubnetPart::Words(run.built().limits().max_lid)) {
        settings.qos = true;
        const auto one = [this](EngineKind kind, std::uint64_t id) {
            return Alternative{.kind = kind,
                               .engine = FindEngine(engines.All(), kind),
                               .options = &settings,
                               .part = id == 1 ? nullptr : &part,
                               .id = id,
                               .path_bit = 0};
        };
        alternatives = {one(first, 1), one(second, 2)};
        steps[0] = {.options = &settings, .alternatives = {&alternatives[0], 1}};
        steps[1] = {.options = &settings, .alternatives = {&alternatives[1], 1}};
        plan = {.steps = steps,
                .options = &settings,
                .writes_lanes = true,
                .has_step_lanes = true,
                .lane_engine = FindLaneEngine(engines.All(), settings)};
    }
    TwoSteps(const TwoSteps&) = delete;
    TwoSteps& operator=(const TwoSteps&) = delete;

    Engines engines;
    Settings settings;
    std::vector<std::uint64_t> switches;
    std::vector<std::uint64_t> lids;  ///< Of the second step's part: none, at first.
    SubnetPart part{.switches = switches, .lids = lids};
    std::array<Alternative, 2> alternatives;
    std::array<RoutingStep, 2> steps;
    RoutingPlan plan;
};

/// Up/down for a ring of six, down/up for half of its hosts.
class StepLanesTest : public ::testing::Test {
protected:
    explicit StepLanesTest(std::uint32_t lanes = 8) : run_(ring_, Lanes(lanes)) {
        two_.settings.order = Order::kOpensm;
        const auto root = std::find_if(ring_.nodes.begin(), ring_.nodes.end(),
                                       [](const net::NetNode& node) { return node.is_switch(); });
        roots_ = {root->guid};
        two_.settings.tables.roots = roots_;
        two_.settings.tables.has_roots = true;
        std::size_t hosts = 0;
        for (std::uint32_t i = 0; i < ring_.nodes.size(); ++i) {
            if (ring_.nodes[i].is_switch() || ++hosts > 3) continue;
            const auto lid = Raw(PortOf(i).lid);
            two_.lids[lid / 64] |= std::uint64_t{1} << lid % 64;
        }
    }
    [[nodiscard]] const Port& PortOf(std::uint32_t host) {
        const Fabric& fabric = run_.built().fabric();
        return fabric.port(fabric.PortOf(run_.built().node(host), PortNumber{1}));
    }
    /// The SLs of pairs of hosts both of which are in the second step's part, or are not.
    [[nodiscard]] std::vector<std::uint8_t> LevelsOf(bool is_part) {
        std::vector<std::uint8_t> levels;
        for (std::uint32_t i = 0; i < ring_.nodes.size(); ++i) {
            for (std::uint32_t k = 0; k < ring_.nodes.size(); ++k) {
                if (i == k || ring_.nodes[i].is_switch() || ring_.nodes[k].is_switch()) continue;
                const Lid from = PortOf(i).lid;
                const Lid to = PortOf(k).lid;
                if ((two_.part.Has(from) && two_.part.Has(to)) != is_part) continue;
                levels.push_back(run_.router().planned_lanes().path_sl.Of(
                    {.from = run_.built().switch_index(ring_.nodes[i].ports[1].peer),
                     .to = run_.built().switch_index(ring_.nodes[k].ports[1].peer),
                     .lid = to}));
            }
        }
        std::sort(levels.begin(), levels.end());
        levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
        return levels;
    }

    net::Netlist ring_ = net::Ring(6, 1);
    RoutingRun run_;
    TwoSteps two_{run_, EngineKind::kUpDn, EngineKind::kDnUp};
    std::array<Guid, 1> roots_{};
};

TEST_F(StepLanesTest, OpenACycleThatStepsCloseTogether) {
    two_.plan.has_step_lanes = false;
    two_.plan.require_deadlock_free = true;
    const Verdict& shared = run_.Route(two_.plan);
    EXPECT_EQ(shared.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(shared.reason, RoutingReason::kCreditLoop);
    EXPECT_GE(shared.findings.cycle.channels.size(), 3U) << "the verdict names the cycle";
    two_.plan.has_step_lanes = true;
    const Verdict& apart = run_.Route(two_.plan);
    EXPECT_EQ(apart.outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(apart.engine, kChainWord);
    EXPECT_FALSE(apart.findings.end_ports_may_deadlock);
    EXPECT_GE(run_.router().planned_lanes().count, 2U);
}

TEST_F(StepLanesTest, AreSharedByNoTwoSteps) {
    ASSERT_EQ(run_.Route(two_.plan).outcome, RoutingOutcome::kVerified);
    const auto part = LevelsOf(true);
    const auto others = LevelsOf(false);
    EXPECT_EQ(part.size(), 1U) << "one lane is enough for down/up";
    for (const std::uint8_t level : part) {
        EXPECT_EQ(std::count(others.begin(), others.end(), level), 0) << unsigned{level};
    }
}

TEST_F(StepLanesTest, AreAsManyAsAnEngineNeedsThatPromisesNothing) {
    two_.alternatives[0].engine = FindEngine(two_.engines.All(), EngineKind::kMinHop);
    two_.alternatives[1].engine = FindEngine(two_.engines.All(), EngineKind::kMinHop);
    const Verdict& verdict = run_.Route(two_.plan);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_GE(run_.router().planned_lanes().count, 3U) << "min-hop closes a ring on one lane";
}

TEST_F(StepLanesTest, AreRefusedByTheirReason) {
    two_.plan.writes_lanes = false;
    EXPECT_EQ(run_.Route(two_.plan).reason, RoutingReason::kStepLanes);
    EXPECT_EQ(run_.router().verdict().attempts[0].complaint.what, EngineFault::kLanesNotOffered);
    two_.plan.writes_lanes = true;
    two_.plan.most_vls = VlCap::kVl0;
    EXPECT_EQ(run_.Route(two_.plan).reason, RoutingReason::kStepLanes);
    const EngineComplaint link = run_.router().verdict().attempts[0].complaint;
    EXPECT_EQ(link.what, EngineFault::kLinkLanes);
    EXPECT_NE(link.guid, kNoGuid);
    EXPECT_NE(link.port, kNoPort);
    two_.plan.most_vls = VlCap::kVl0To14;
    two_.plan.lane_engine = nullptr;
    EXPECT_EQ(run_.Route(two_.plan).reason, RoutingReason::kStepLanes);
    EXPECT_EQ(run_.router().verdict().status, Status::kAbsent);
}

/// By themselves, where the plan only permits it: on one lane the two close a cycle.
TEST_F(StepLanesTest, AreGivenToStepsThatCloseACycleOnOne) {
    two_.plan.has_step_lanes = false;
    two_.plan.may_lay_lanes = true;
    two_.plan.require_deadlock_free = true;
    const Verdict& verdict = run_.Route(two_.plan);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_TRUE(verdict.laid_lanes);
    EXPECT_FALSE(verdict.has_refusals());
    EXPECT_FALSE(verdict.findings.end_ports_may_deadlock);
    EXPECT_GE(run_.router().planned_lanes().count, 2U);
}

TEST_F(StepLanesTest, AreNotGivenToStepsThatAreFreeOnOne) {
    two_.plan.has_step_lanes = false;
    two_.plan.may_lay_lanes = true;
    two_.alternatives[1].engine = FindEngine(two_.engines.All(), EngineKind::kUpDn);
    const Verdict& verdict = run_.Route(two_.plan);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_FALSE(verdict.laid_lanes);
    EXPECT_TRUE(run_.router().planned_lanes().is_one_lane());
}

/// Where links lack lanes the chain is judged as it would be without the permission.
TEST_F(StepLanesTest, ThatAreLackingAreTakenBack) {
    two_.plan.has_step_lanes = false;
    two_.plan.may_lay_lanes = true;
    two_.plan.require_deadlock_free = true;
    two_.plan.most_vls = VlCap::kVl0;
    const Verdict& refused = run_.Route(two_.plan);
    EXPECT_EQ(refused.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(refused.reason, RoutingReason::kCreditLoop);
    EXPECT_GE(refused.findings.cycle.channels.size(), 3U) << "the verdict names the cycle";
    two_.plan.require_deadlock_free = false;
    two_.alternatives[0].engine = FindEngine(two_.engines.All(), EngineKind::kMinHop);
    two_.alternatives[1].engine = FindEngine(two_.engines.All(), EngineKind::kMinHop);
    const Verdict& warned = run_.Route(two_.plan);
    EXPECT_EQ(warned.outcome, RoutingOutcome::kWarned) << "min-hop promises nothing";
    EXPECT_FALSE(warned.laid_lanes);
    EXPECT_TRUE(run_.router().planned_lanes().is_one_lane());
}

class OneLane : public StepLanesTest {
protected:
    OneLane() : StepLanesTest(1) {}
};

TEST_F(OneLane, IsNotSoughtForStepsThatCloseACycle) {
    two_.plan.has_step_lanes = false;
    two_.plan.may_lay_lanes = true;
    two_.plan.require_deadlock_free = true;
    const Verdict& verdict = run_.Route(two_.plan);
    EXPECT_EQ(verdict.reason, RoutingReason::kCreditLoop);
    EXPECT_EQ(verdict.attempts.size(), 1U);
}

TEST_F(OneLane, IsTooFewForTwoSteps) {
    EXPECT_EQ(run_.Route(two_.plan).reason, RoutingReason::kStepLanes);
    EXPECT_EQ(run_.router().verdict().attempts[0].complaint.what, EngineFault::kBoardLanes);
    EXPECT_EQ(run_.router().verdict().outcome, RoutingOutcome::kRefused);
}

/// Tables that lose a pair, or run in a loop, get no lanes that hide it.
TEST_F(StepLanesTest, HideNoPairThatIsLost) {
    const auto lossy = [this](std::uint8_t port) {
        testing::SlowTables tables = run_.planned();
        for (auto& [node, row] : tables) {
            for (auto& exit : row) {
                exit = port;
            }
        }
        return tables;
    };
    ASSERT_EQ(run_.Route(two_.plan).outcome, RoutingOutcome::kVerified);
    for (const std::uint8_t port : {std::uint8_t{255}, std::uint8_t{200}, std::uint8_t{1}}) {
        testing::ReplayEngine replay("lossy", run_, lossy(port), {});
        two_.alternatives[1].engine = &replay;
        const Verdict& verdict = run_.Route(two_.plan);
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused) << unsigned{port};
        EXPECT_TRUE(verdict.reason == RoutingReason::kLostPair ||
                    verdict.reason == RoutingReason::kLoop)
            << unsigned{port};
    }
}

std::vector<net::Netlist> Fabrics() {
    std::vector<net::Netlist> fabrics = {net::FatTree2(4), net::Ring(5, 1),
                                         net::Torus(std::array{3U, 3U}, 1)};
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        fabrics.push_back(testing::WildNetlist(
            {.seed = seed, .switches = 7, .extra_cables = 6, .hosts = 9, .islands = seed == 3}));
    }
    return fabrics;
}

class StepLanesOf : public ::testing::TestWithParam<EngineKind> {};

TEST_P(StepLanesOf, LeaveNoCreditLoopWhateverIsMixed) {
    std::size_t passed = 0;
    std::uint32_t seed = 0;
    for (const net::Netlist& netlist : Fabrics()) {
        RoutingRun run(netlist, Lanes(15));
        for (const unsigned percent : {0U, 40U, 70U, 100U}) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            std::mt19937 random(seed++);
            TwoSteps two(run, EngineKind::kMinHop, GetParam());
            for (std::size_t lid = 0; lid < two.lids.size() * 64; ++lid) {
                if (random() % 100 < percent) two.lids[lid / 64] |= std::uint64_t{1} << lid % 64;
            }
            const Verdict& verdict = run.Route(two.plan);
            EXPECT_NE(verdict.reason, RoutingReason::kCreditLoop);
            EXPECT_NE(verdict.reason, RoutingReason::kLoop);
            if (!verdict.may_program()) continue;
            ++passed;
            EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
        }
    }
    EXPECT_GE(passed, GetParam() == EngineKind::kTorus2Qos ? 4U : 12U) << "of " << seed;
}

std::vector<EngineKind> ForChains() {
    std::vector<EngineKind> kinds;
    for (const NamedEngine& named : kNamedEngines) {
        if (IsForChains(named.kind, true)) kinds.push_back(named.kind);
    }
    return kinds;
}

INSTANTIATE_TEST_SUITE_P(Engines, StepLanesOf, ::testing::ValuesIn(ForChains()),
                         [](const auto& test) {
                             std::string name(EngineName(test.param));
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace ember
