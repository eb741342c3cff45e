// SPDX-License-Identifier: Apache-2.0
// EmberSM: no engine takes more scratch than a board must feed it.
//
// Goal:   what the engines say of their appetite is enough, whatever is asked of them, and what a
//         router holds beside an engine is counted.
// Method: every engine makes and mends routes in an arena of exactly that size, which panics when
//         more is taken.

#include <array>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "engines/catalogue.h"
#include "tests/support/routing_run.h"
#include "tests/support/tampering_engine.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::TamperingEngine;

/// Leaves a destination without a way, so that the same engine makes all anew.
void LoseAWay(const RoutingTask& task) {
    const Destination& to = task.topology->destinations().back();
    task.tables.lfts[to.at][Raw(to.lid)] = kNoHops;
    if (task.log != nullptr) task.log->Note(to.at, to.lid);
}

PortIndex SomeTrunk(const Fabric& fabric) {
    PortIndex found = kNoPortIndex;
    ForEachPort(fabric, [&](PortIndex at, const Port& port) {
        if (port.peer == kNoPortIndex) return;
        const bool joins = fabric.node(port.node).type == NodeType::kSwitch &&
                           fabric.node(fabric.port(port.peer).node).type == NodeType::kSwitch;
        if (joins) found = at;
    });
    return found;
}

void MakeAndMend(const net::Netlist& netlist, std::size_t which, Order order) {
    RoutingRun run(netlist, {}, &LeastEngineScratchBytes);
    Engines engines;
    RoutingEngine& engine = *engines.All()[which];
    Settings settings;
    settings.order = order;
    if (!run.Route(engine, settings).may_program()) return;  // No tree, or no file.
    Fabric& fabric = run.built().fabric();
    const PortIndex cable = SomeTrunk(fabric);
    const PortIndex far = fabric.port(cable).peer;
    fabric.Disconnect(cable);
    const bool may_break = order == Order::kBalanced || engine.kind() != EngineKind::kFtree;
    EXPECT_EQ(run.Mend(engine, settings, ProofScope::kChanges).may_program(), may_break);
    fabric.Connect(cable, far);
    TamperingEngine spoiler(engine, &LoseAWay);
    ASSERT_TRUE(run.Route(spoiler, settings).may_program());
    fabric.Disconnect(cable);
    const Verdict& verdict = run.Mend(spoiler, settings, ProofScope::kChanges);
    EXPECT_EQ(verdict.may_program(), may_break) << engine.name();
    EXPECT_EQ(verdict.mending_failed, engine.can_mend(settings)) << engine.name();
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
}

TEST(Appetite, OfEachEngineIsMetByWhatABoardMustFeed) {
    for (const net::Netlist& netlist :
         {net::FatTree3(8), net::FatTree2(8), net::Torus(std::array{4U, 4U, 2U}, 2)}) {
        for (std::size_t which = 0; which < kEngineCatalogue.size(); ++which) {
            MakeAndMend(netlist, which, Order::kOpensm);
            MakeAndMend(netlist, which, Order::kBalanced);
        }
    }
}

TEST(Appetite, OfWhoMakesAllAnewIsNotAddedToThatOfWhoTriedToMend) {
    RoutingRun run(net::FatTree3(8));
    UpDn up_dn;
    TamperingEngine spoiler(up_dn, &LoseAWay);
    const Settings settings;
    ASSERT_TRUE(run.Route(spoiler, settings).may_program());
    const std::size_t peak = run.scratch().peak_bytes();
    run.built().fabric().Disconnect(SomeTrunk(run.built().fabric()));
    const Verdict& verdict = run.Mend(spoiler, settings, ProofScope::kChanges);
    EXPECT_TRUE(verdict.may_program());
    EXPECT_TRUE(verdict.mending_failed);
    EXPECT_EQ(run.scratch().peak_bytes(), peak);
}

}  // namespace
}  // namespace ember
