// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the engine auto on routings that it made before.
//
// Goal:   a lost link changes few routes, and what is mended has no circle of waits on any lane;
//         lanes that depend on all routes are made anew with them.
// Method: one link after the other is lost; the verifier looks at all that is planned each time, or
// a
//         second run does so beside the first one.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

#include "engines/auto/auto.h"
#include "tests/engines/balance/balance_nets.h"
#include "tests/support/lane_run.h"
#include "tests/support/tampering_engine.h"

namespace ember {
namespace {

using testing::Net;
using testing::RoutingRun;
using testing::TamperingEngine;
using testing::WithLanes;
using testing::WithQos;

/// The links between switches, each by one of its ends.
std::vector<PortIndex> Trunks(const Fabric& fabric) {
    std::vector<PortIndex> trunks;
    ForEachPort(fabric, [&](PortIndex at, const Port& port) {
        if (port.peer == kNoPortIndex || port.peer < at) return;
        const auto is_switch = [&fabric](PortIndex end) {
            return fabric.node(fabric.port(end).node).type == NodeType::kSwitch;
        };
        if (is_switch(at) && is_switch(port.peer)) trunks.push_back(at);
    });
    return trunks;
}

/// A fabric that has been routed and loses links.
class Losing {
public:
    explicit Losing(const char* shape)
        : netlist_(Net{.shape = shape}.Build()),
          run_(netlist_, WithLanes(8, 0), &EngineScratchBytes, 64U << 10U),
          trunks_(Trunks(run_.built().fabric())) {
        EXPECT_EQ(run_.Route(engine_, WithQos(Order::kBalanced)).outcome,
                  RoutingOutcome::kVerified);
    }

    /// The i-th link that it had at first is lost.
    const Verdict& Lose(std::size_t i) {
        run_.built().fabric().Disconnect(trunks_[i]);
        return run_.Mend(engine_, WithQos(Order::kBalanced), ProofScope::kChanges);
    }
    [[nodiscard]] std::size_t links() const { return trunks_.size(); }
    /// Routes of all switches to all LIDs.
    [[nodiscard]] std::uint64_t routes() { return run_.router().verdict().findings.routes; }

private:
    net::Netlist netlist_;
    RoutingRun run_;
    std::vector<PortIndex> trunks_;
    Auto engine_;
};

TEST(AutoMending, ChangesFewRoutesForALostLink) {
    for (const char* const shape : {"ft3:8", "ft2:16", "torus:8x8:1", "torus:5x6x7:1"}) {
        SCOPED_TRACE(shape);
        Losing fabric(shape);
        const Verdict& verdict = fabric.Lose(fabric.links() / 2);
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
        EXPECT_TRUE(verdict.was_mended);
        EXPECT_GT(verdict.mended.entries, 0U);
        EXPECT_LT(verdict.mended.entries * 10, fabric.routes());
        EXPECT_FALSE(verdict.findings.end_ports_may_deadlock);
        EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U);
    }
}

TEST(AutoMending, StaysFreeOfCreditLoopsWhileLinksAreLost) {
    for (const char* const shape : {"ft3:4", "ft2:8", "torus:6x6:1", "mesh:4x4:1", "ring:8:2",
                                    "hypercube:5:1", "dragonfly:4,2:2"}) {
        SCOPED_TRACE(shape);
        Losing fabric(shape);
        for (std::size_t i = 0; i < fabric.links(); i += 1 + fabric.links() / 9) {
            const Verdict& verdict = fabric.Lose(i);
            if (verdict.findings.islands > 1) break;
            ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified) << i;
            EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U);
        }
    }
}

/// Two runs whose fabrics change alike: one goes on from what was proved, the other looks at
/// everything. The first one's lanes are programmed each time.
class Twofold {
public:
    /// At a time: where more links are lost the fabric may be routed by another scheme.
    static constexpr std::size_t kMostLost = 1;

    Twofold(const char* shape, std::uint32_t seed)
        : netlist_(Net{.shape = shape}.Build()),
          seed_(seed),
          run_(netlist_, WithLanes(8, 0), &EngineScratchBytes, 64U << 10U),
          other_(netlist_, WithLanes(8, 0), &EngineScratchBytes, 64U << 10U),
          trunks_(Trunks(run_.built().fabric())) {
        EXPECT_EQ(run_.Route(spoiler_, WithQos(Order::kBalanced)).outcome,
                  RoutingOutcome::kVerified);
        run_.router().Commit();
    }

    /// A link is lost or comes back, and `spoilt` entries lead elsewhere. True: the routes that the
    /// first run ends with may be programmed.
    [[nodiscard]] bool Change(std::mt19937& dice, std::size_t spoilt) {
        spoilt_ = spoilt;
        const std::size_t which = dice() % trunks_.size();
        const PortIndex peer = run_.built().fabric().port(trunks_[which]).peer;
        for (RoutingRun* const run : {&run_, &other_}) {
            Fabric& fabric = run->built().fabric();
            if (peer != kNoPortIndex && lost_.size() < kMostLost) {
                fabric.Disconnect(trunks_[which]);
            } else if (!lost_.empty()) {
                fabric.Connect(lost_.back().first, lost_.back().second);
            }
        }
        if (peer != kNoPortIndex && lost_.size() < kMostLost) {
            lost_.emplace_back(trunks_[which], peer);
        } else if (!lost_.empty()) {
            lost_.pop_back();
        }
        return Judge(static_cast<std::uint32_t>(dice()));
    }
    [[nodiscard]] std::size_t by_changes() const { return by_changes_; }
    [[nodiscard]] std::size_t refused() const { return refused_; }

private:
    [[nodiscard]] bool Judge(std::uint32_t seed) {
        std::copy(run_.lfts().values().begin(), run_.lfts().values().end(),
                  other_.lfts().values().begin());
        const Settings settings = WithQos(Order::kBalanced);
        seed_ = seed;
        const Verdict& mended = run_.Mend(spoiler_, settings, ProofScope::kChanges);
        const Verdict& whole = other_.Mend(other_spoiler_, settings, ProofScope::kWhole);
        EXPECT_EQ(mended.outcome, whole.outcome);
        EXPECT_EQ(mended.mending_failed, whole.mending_failed);
        EXPECT_EQ(mended.mended.entries, whole.mended.entries);
        EXPECT_EQ(run_.planned(), other_.planned());
        EXPECT_FALSE(whole.proved_changes_only);
        by_changes_ += mended.proved_changes_only ? 1U : 0U;
        refused_ += mended.mending_failed ? 1U : 0U;
        if (mended.may_program()) run_.router().Commit();
        return mended.may_program();
    }
    /// The same in both runs.
    void Spoil(const RoutingTask& task) {
        std::mt19937 dice(seed_);
        const auto switches = task.topology->switches_by_guid();
        const auto destinations = task.topology->destinations();
        for (std::size_t i = 0; i < spoilt_; ++i) {
            const SwitchIndex at = switches[dice() % switches.size()];
            const Destination& to = destinations[dice() % destinations.size()];
            const auto trunks = task.topology->trunks(at);
            if (trunks.empty()) continue;
            task.tables.lfts[at][Raw(to.lid)] = Raw(trunks[dice() % trunks.size()].port);
            if (task.log != nullptr) task.log->Note(at, to.lid);
        }
    }

    net::Netlist netlist_;
    std::uint32_t seed_;
    std::size_t spoilt_ = 0;
    RoutingRun run_;
    RoutingRun other_;
    std::vector<PortIndex> trunks_;
    std::vector<std::pair<PortIndex, PortIndex>> lost_;
    Auto engine_;
    Auto other_engine_;
    TamperingEngine spoiler_{engine_, [this](const RoutingTask& task) { Spoil(task); }};
    TamperingEngine other_spoiler_{other_engine_, [this](const RoutingTask& task) { Spoil(task); }};
    std::size_t by_changes_ = 0;
    std::size_t refused_ = 0;
};

/// Goal: on several lanes too the LIDs of changed entries alone are proved, with the verdict of a
/// proof of everything. Method: links go and come back; in every third change some entries are
/// spoilt after mending.
TEST(AutoMending, IsProvedByTheLidsThatChanged) {
    std::size_t by_changes = 0;
    std::size_t refused = 0;
    for (const char* const shape : {"torus:5x5:2", "torus:4x6x5:1", "ring:9:2", "torus:7x3:1"}) {
        SCOPED_TRACE(shape);
        std::mt19937 dice(7);
        Twofold fabrics(shape, 7);
        for (std::size_t i = 0; i < 24; ++i) {
            SCOPED_TRACE(i);
            if (!fabrics.Change(dice, i % 3 == 2 ? 1 + i % 4 : 0) || HasFailure()) break;
        }
        by_changes += fabrics.by_changes();
        refused += fabrics.refused();
    }
    EXPECT_GE(by_changes, 30U);
    EXPECT_GE(refused, 5U);
}

TEST(AutoMending, MakesAllAnewWhereLanesDependOnAllRoutes) {
    Losing fabric("random:2,32,6:2");
    const Verdict& verdict = fabric.Lose(3);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_FALSE(verdict.was_mended);
    EXPECT_TRUE(verdict.mending_failed);
    EXPECT_EQ(verdict.choice.scheme, RoutingScheme::kRisingLanes);
    EXPECT_EQ(verdict.attempts.size(), 1U);
}

}  // namespace
}  // namespace ember
