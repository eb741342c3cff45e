// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the proof of what changed, and of what it must not let pass.

#include "core/routing/mend_proof.h"

#include <array>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/support/routing_run.h"
#include "tests/support/tampering_engine.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::SlowTables;
using testing::TamperingEngine;

Settings Balanced() {
    Settings settings;
    settings.order = Order::kBalanced;
    return settings;
}

/// A port of the fabric with a cable between two switches that have no host, counted by `skip`.
PortIndex HighCable(const Fabric& fabric, std::size_t skip = 0) {
    const auto is_leaf = [&](NodeIndex node) {
        for (const Port& port : fabric.PortsOf(node)) {
            if (port.peer == kNoPortIndex) continue;
            if (fabric.node(fabric.port(port.peer).node).type != NodeType::kSwitch) return true;
        }
        return false;
    };
    PortIndex found = kNoPortIndex;
    ForEachPort(fabric, [&](PortIndex at, const Port& port) {
        if (found != kNoPortIndex || port.peer == kNoPortIndex) return;
        const NodeIndex far = fabric.port(port.peer).node;
        if (fabric.node(port.node).type != NodeType::kSwitch) return;
        if (fabric.node(far).type != NodeType::kSwitch) return;
        if (is_leaf(port.node) || is_leaf(far)) return;
        if (skip-- == 0) found = at;
    });
    return found;
}

class MendProofTest : public ::testing::Test {
protected:
    explicit MendProofTest() : run_(net::FatTree3(6)) {}
    void Make(RoutingEngine& engine, const Settings& settings = Balanced()) {
        ASSERT_EQ(run_.Route(engine, settings).outcome, RoutingOutcome::kVerified);
    }
    [[nodiscard]] Fabric& fabric() { return run_.built().fabric(); }
    /// Of a whole proof of what is planned.
    void ExpectSound() {
        const Findings findings = run_.Verify(Order::kBalanced);
        EXPECT_EQ(findings.fault, Findings::Fault::kNone);
        EXPECT_FALSE(findings.end_ports_may_deadlock);
    }

    RoutingRun run_;
    MinHop min_hop_;
    UpDn up_dn_;
};

TEST_F(MendProofTest, ALostAndReturnedCableIsProvedByWhatChanged) {
    for (RoutingEngine* const engine :
         {static_cast<RoutingEngine*>(&min_hop_), static_cast<RoutingEngine*>(&up_dn_)}) {
        Make(*engine);
        const PortIndex cable = HighCable(fabric());
        const PortIndex far = fabric().port(cable).peer;
        for (int i = 0; i < 3; ++i) {
            fabric().Disconnect(cable);
            const Verdict& lost = run_.Mend(*engine, Balanced(), ProofScope::kChanges);
            EXPECT_EQ(lost.outcome, RoutingOutcome::kVerified);
            EXPECT_TRUE(lost.proved_changes_only) << engine->name();
            EXPECT_TRUE(lost.was_mended);
            EXPECT_GT(lost.mended.entries, 0U);
            ExpectSound();
            fabric().Connect(cable, far);
            EXPECT_TRUE(run_.Mend(*engine, Balanced(), ProofScope::kChanges).proved_changes_only);
            ExpectSound();
        }
    }
}

TEST_F(MendProofTest, WhoWantsAWholeProofGetsIt) {
    Make(min_hop_);
    fabric().Disconnect(HighCable(fabric()));
    EXPECT_FALSE(run_.Mend(min_hop_, Balanced(), ProofScope::kWhole).proved_changes_only);
    EXPECT_TRUE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
}

TEST_F(MendProofTest, WhatWasNotProvedIsNoPremise) {
    // No run before, one that was given up, one by another engine, one that was refused.
    EXPECT_FALSE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
    Make(min_hop_);
    RoutingEngine* const engines[] = {&min_hop_};
    const Settings settings = Balanced();
    const testing::EnginePlan plan(engines, settings);
    run_.router().BeginMending(fabric(), plan.plan(), run_.lfts(), run_.scratch());
    run_.router().ProveChangesOnly();
    ASSERT_EQ(run_.router().Advance(), Progress::kMore);
    run_.router().Stop();
    EXPECT_FALSE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
    EXPECT_TRUE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
    EXPECT_FALSE(run_.Mend(up_dn_, Balanced(), ProofScope::kChanges).proved_changes_only);
    testing::ReplayEngine nothing("nothing", run_, {}, Promise{});
    for (std::uint8_t& octet : run_.lfts().values()) {
        octet = kNoHops;
    }
    ASSERT_EQ(run_.Route(nothing, Balanced()).outcome, RoutingOutcome::kRefused);
    EXPECT_FALSE(run_.Mend(up_dn_, Balanced(), ProofScope::kChanges).proved_changes_only);
    ExpectSound();
}

TEST_F(MendProofTest, MoreThanCablesIsProvedAsAWhole) {
    Make(min_hop_);
    // A host's cable, and so a LID.
    PortIndex host = kNoPortIndex;
    ForEachEndPort(fabric(), [&](PortIndex at, const Port& port) {
        const bool is_host = fabric().node(port.node).type != NodeType::kSwitch;
        if (is_host && at != fabric().own_port()) host = at;
    });
    const PortIndex door = fabric().port(host).peer;
    fabric().Disconnect(host);
    EXPECT_FALSE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
    fabric().Connect(host, door);
    EXPECT_FALSE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
    // A switch.
    fabric().RemoveNode(fabric().port(HighCable(fabric())).node);
    EXPECT_FALSE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
    ExpectSound();
    // Two cables that changed places.
    const PortIndex one = HighCable(fabric(), 0);
    const PortIndex other = HighCable(fabric(), 7);
    ASSERT_NE(one, kNoPortIndex);
    ASSERT_NE(other, kNoPortIndex);
    const PortIndex far_one = fabric().port(one).peer;
    const PortIndex far_other = fabric().port(other).peer;
    ASSERT_NE(fabric().port(far_one).node, fabric().port(far_other).node);
    fabric().Connect(one, far_other);
    fabric().Connect(other, far_one);
    EXPECT_FALSE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
    ExpectSound();
}

TEST_F(MendProofTest, AnIslandIsProvedAsAWhole) {
    Make(min_hop_);
    const NodeIndex top = fabric().port(HighCable(fabric())).node;
    for (const Port& port : fabric().PortsOf(top)) {
        if (port.peer != kNoPortIndex) fabric().Disconnect(fabric().IndexOf(port));
    }
    const Verdict& verdict = run_.Mend(min_hop_, Balanced(), ProofScope::kChanges);
    EXPECT_TRUE(verdict.may_program());
    EXPECT_FALSE(verdict.proved_changes_only);
    EXPECT_EQ(verdict.findings.islands, 2U);
    EXPECT_FALSE(run_.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
}

TEST_F(MendProofTest, ARingThatMayDeadlockIsProvedAsAWhole) {
    RoutingRun ring(net::Ring(6, 1));
    ASSERT_EQ(ring.Route(min_hop_, Balanced()).outcome, RoutingOutcome::kWarned);
    EXPECT_FALSE(ring.Mend(min_hop_, Balanced(), ProofScope::kChanges).proved_changes_only);
}

void Write(const RoutingTask& task, SwitchIndex at, Lid lid, std::uint8_t port) {
    task.tables.lfts[at][Raw(lid)] = port;
    task.log->Note(at, lid);
}

/// A switch, and a destination that is `hops` away from it and is an end port's.
std::pair<SwitchIndex, Destination> FarPair(const RoutingTask& task, std::uint8_t hops) {
    for (const SwitchIndex at : task.topology->switches_by_guid()) {
        for (const Destination& to : task.topology->destinations()) {
            if (!to.is_switch() && task.hops[at][Raw(to.at)] == hops) return {at, to};
        }
    }
    ADD_FAILURE() << "no such pair";
    return {};
}

/// A change of mended tables that must not pass, and the promise that it may break.
struct Mutation {
    const char* name;
    Promise promised;
    TamperingEngine::Deed deed;
};

TEST_F(MendProofTest, WhatIsMendedWronglyIsNotLetPass) {
    const std::vector<Mutation> mutations = {
        {"drops an end port",
         {},
         [](const RoutingTask& task) {
             const auto [at, to] = FarPair(task, 3);
             Write(task, at, to.lid, kNoHops);
         }},
        {"leads to a port with nothing behind it",
         {},
         [](const RoutingTask& task) {
             const auto [at, to] = FarPair(task, 3);
             Write(task, at, to.lid, 250);
         }},
        {"leads to port 0",
         {},
         [](const RoutingTask& task) {
             const auto [at, to] = FarPair(task, 3);
             Write(task, at, to.lid, 0);
         }},
        {"leads to the wrong host",
         {},
         [](const RoutingTask& task) {
             const auto [at, to] = FarPair(task, 0);
             for (const Destination& other : task.topology->destinations()) {
                 if (other.at != to.at || other.is_switch() || other.port == to.port) continue;
                 Write(task, at, to.lid, Raw(other.port));
                 return;
             }
         }},
        {"runs in a circle of two changed entries",
         {},
         [](const RoutingTask& task) {
             const auto [at, to] = FarPair(task, 3);
             const Trunk trunk = task.topology->trunks(at).front();
             Write(task, at, to.lid, Raw(trunk.port));
             Write(task, trunk.peer, to.lid, Raw(trunk.peer_port));
         }},
        {"runs in a circle of a changed entry and old ones",
         {},
         [](const RoutingTask& task) {
             const auto [at, to] = FarPair(task, 3);
             const std::uint8_t port = task.tables.lfts[at][Raw(to.lid)];
             const Exit& exit = task.topology->exit(at, static_cast<PortNumber>(port));
             Write(task, exit.peer, to.lid, Raw(exit.peer_port));
         }},
        {"is longer than the shortest",
         {.shortest = true},
         [](const RoutingTask& task) {
             // By way of a neighbor that is one further away and does not come back.
             for (const SwitchIndex at : task.topology->switches_by_guid()) {
                 for (const Destination& to : task.topology->destinations()) {
                     if (to.is_switch() || task.hops[at][Raw(to.at)] != 1) continue;
                     for (const Trunk& trunk : task.topology->trunks(at)) {
                         const std::uint8_t onward = task.tables.lfts[trunk.peer][Raw(to.lid)];
                         if (task.hops[trunk.peer][Raw(to.at)] != 2) continue;
                         const PortNumber back{onward};
                         if (task.topology->exit(trunk.peer, back).peer == at) continue;
                         Write(task, at, to.lid, Raw(trunk.port));
                         return;
                     }
                 }
             }
         }},
    };
    for (const Mutation& mutation : mutations) {
        TamperingEngine tamperer(min_hop_);
        tamperer.promised = mutation.promised;
        Make(tamperer);
        const PortIndex cable = HighCable(fabric());
        const PortIndex far = fabric().port(cable).peer;
        fabric().Disconnect(cable);
        tamperer.deed = [&](const RoutingTask& task) {
            ASSERT_NE(task.log, nullptr);
            const std::size_t before = task.log->entries().size();
            mutation.deed(task);
            EXPECT_GT(task.log->entries().size(), before) << mutation.name;
        };
        const Verdict& verdict = run_.Mend(tamperer, Balanced(), ProofScope::kChanges);
        EXPECT_FALSE(verdict.proved_changes_only) << mutation.name;
        EXPECT_TRUE(verdict.mending_failed) << mutation.name;
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << "made anew";
        ExpectSound();
        fabric().Connect(cable, far);
    }
}

TEST_F(MendProofTest, ACableThatIsGoneMustNotBeUsedStill) {
    // An engine that mends nothing leaves entries that lead into the cable.
    class Lazy final : public RoutingEngine {
    public:
        [[nodiscard]] EngineKind kind() const override { return EngineKind::kMinHop; }
        [[nodiscard]] std::string_view name() const override { return "lazy"; }
        [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
            return {};
        }
        [[nodiscard]] bool can_mend(const EngineOptions& /*options*/) const override {
            return true;
        }
        Status Begin(const RoutingTask& task) override {
            mends_ = task.mended != nullptr;
            if (task.log != nullptr) task.log->Open();
            return mends_ ? Status::kOk : min_hop_.Begin(task);
        }
        Result<Progress> Advance() override {
            return mends_ ? Result<Progress>(Progress::kDone) : min_hop_.Advance();
        }

    private:
        MinHop min_hop_;
        bool mends_ = false;
    };
    Lazy lazy;
    Make(lazy);
    EXPECT_TRUE(run_.Mend(lazy, Balanced(), ProofScope::kChanges).proved_changes_only);
    fabric().Disconnect(HighCable(fabric()));
    const Verdict& verdict = run_.Mend(lazy, Balanced(), ProofScope::kChanges);
    EXPECT_FALSE(verdict.proved_changes_only);
    EXPECT_TRUE(verdict.mending_failed);
    ExpectSound();
}

TEST_F(MendProofTest, ACreditLoopMadeByMendingIsRefused) {
    // A ring of five with one host each, cut and so a line: no loop. When the cable returns, an
    // engine that goes round one way for everybody closes the loop.
    RoutingRun ring(net::Ring(5, 1));
    TamperingEngine tamperer(min_hop_);
    tamperer.promised = Promise{.deadlock_free = true};
    Fabric& fabric = ring.built().fabric();
    PortIndex cable = kNoPortIndex;
    ForEachPort(fabric, [&](PortIndex at, const Port& port) {
        const bool is_trunk = port.peer != kNoPortIndex &&
                              fabric.node(port.node).type == NodeType::kSwitch &&
                              fabric.node(fabric.port(port.peer).node).type == NodeType::kSwitch;
        if (is_trunk) cable = at;
    });
    const PortIndex far = fabric.port(cable).peer;
    fabric.Disconnect(cable);
    ASSERT_EQ(ring.Route(tamperer, Balanced()).outcome, RoutingOutcome::kVerified);
    fabric.Connect(cable, far);
    tamperer.deed = [](const RoutingTask& task) {
        // Everybody goes on to the neighbor that he did not come from, beginning anywhere.
        const Topology& topology = *task.topology;
        const SwitchIndex start = topology.switches_by_guid().front();
        SwitchIndex at = start;
        SwitchIndex came_from = kNoSwitch;
        do {
            const auto trunks = topology.trunks(at);
            ASSERT_EQ(trunks.size(), 2U);
            const Trunk& trunk = trunks[trunks[0].peer == came_from ? 1 : 0];
            for (const Destination& to : topology.destinations()) {
                if (to.at != at) Write(task, at, to.lid, Raw(trunk.port));
            }
            came_from = at;
            at = trunk.peer;
        } while (at != start);
    };
    const Verdict& verdict = ring.Mend(tamperer, Balanced(), ProofScope::kChanges);
    EXPECT_FALSE(verdict.proved_changes_only);
    EXPECT_TRUE(verdict.mending_failed);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused) << "so may min-hop's own on a ring";
    EXPECT_EQ(verdict.reason, RoutingReason::kCreditLoop);
}

TEST_F(MendProofTest, ALogThatIsNotOpenOrOverflowsIsNoPremise) {
    std::array<ChangeLog::Entry, 2> room;
    ChangeLog log(room);
    EXPECT_FALSE(log.is_whole());
    log.Open();
    log.Note(SwitchIndex{1}, Lid{7});
    log.Note(SwitchIndex{2}, Lid{7});
    EXPECT_TRUE(log.is_whole());
    EXPECT_EQ(log.entries().size(), 2U);
    log.Note(SwitchIndex{3}, Lid{7});
    EXPECT_FALSE(log.is_whole());

    TamperingEngine tamperer(min_hop_);
    Make(tamperer);
    fabric().Disconnect(HighCable(fabric()));
    tamperer.deed = [](const RoutingTask& task) {
        for (std::size_t i = 0; i < 100'000; ++i) {
            task.log->Note(SwitchIndex{0}, Lid{1});
        }
    };
    const Verdict& verdict = run_.Mend(tamperer, Balanced(), ProofScope::kChanges);
    EXPECT_TRUE(verdict.was_mended);
    EXPECT_FALSE(verdict.proved_changes_only);
}

}  // namespace
}  // namespace ember
