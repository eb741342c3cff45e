// SPDX-License-Identifier: Apache-2.0
// EmberSM: the list of engines is obeyed to the letter.
//
// Goal:   the engines that Settings::routing_engine names are tried in its order and no others; a
//         new list takes effect without a restart; a fallback does not trade safety away; and when
//         no engine can route the fabric, tables that still work stay, or the safe routing comes.
// Method: a board that also has engines which are min-hop in disguise and fail when told to.
#include <gtest/gtest.h>

#include "config/netlist/fabric_builder.h"
#include "tests/support/acting_engine.h"
#include "tests/support/checkers.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr Promise kFree = {.shortest = true, .deadlock_free = true};
constexpr Promise kShortest = {.shortest = true};

Settings Listing(std::initializer_list<EngineKind> kinds) {
    Settings settings = BriskSettings();
    for (const EngineKind kind : kinds) {
        EXPECT_EQ(settings.routing_engine.TryPush(kind), Status::kOk);
    }
    return settings;
}

/// A manager whose board has two more engines: one that promises no credit loop, one that does not.
class ListedEngines : public ::testing::Test {
protected:
    void Seat(const net::Netlist& netlist, const Settings& settings) {
        world_ = std::make_unique<SimWorld>(netlist);
        world_->AddManager(settings);
        world_->AddEngine(careful_);
        world_->AddEngine(plain_);
        world_->Restart();
    }
    void Reconfigure(const Settings& settings) {
        world_->sm().Configure(settings);
        world_->Wake();
        ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    }
    [[nodiscard]] const Verdict& verdict() { return world_->sm().router().verdict(); }

    std::unique_ptr<SimWorld> world_;
    ActingEngine careful_{EngineKind::kNue, "nue", kFree};
    ActingEngine plain_{EngineKind::kLash, "lash", kShortest};
};

TEST_F(ListedEngines, AnEmptyListMeansMinHopUnderOrdersOfOpenSm) {
    Settings settings = BriskSettings();
    settings.order = Order::kOpensm;
    Seat(net::FatTree2(4), settings);
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().engine, "minhop");
    EXPECT_EQ(careful_.runs + plain_.runs, 0);
}

TEST_F(ListedEngines, ANewListTakesEffectWithoutARestart) {
    Seat(net::FatTree2(4), Listing({EngineKind::kMinHop}));
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    Reconfigure(Listing({EngineKind::kLash}));
    EXPECT_EQ(verdict().engine, "lash");
    Reconfigure(Listing({EngineKind::kNue, EngineKind::kLash}));
    EXPECT_EQ(verdict().engine, "nue");
    EXPECT_EQ(plain_.runs, 1);
}

TEST_F(ListedEngines, WhatTheBoardHasNotIsRefusedByName) {
    Settings settings = Listing({EngineKind::kNue});
    settings.no_fallback = true;
    world_ = std::make_unique<SimWorld>(net::FatTree2(4));
    world_->AddManager(settings);
    world_->LeaveOut(EngineKind::kNue);
    world_->Restart();
    world_->RunFor(10 * kSecond);
    EXPECT_FALSE(world_->sm().is_up());
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(verdict().reason, RoutingReason::kEngineAbsent);
    ASSERT_EQ(verdict().attempts.size(), 1U);
    EXPECT_EQ(verdict().attempts[0].engine, "nue");
    EXPECT_GE(world_->Heard(Note::kEngineAbsent), 1U);
    EXPECT_NE(world_->Notes().find("routing_engine names nue"), std::string::npos);
    EXPECT_EQ(world_->sim().counters().Sets(AttributeId::kLinearForwardingTable), 0U);
}

TEST_F(ListedEngines, TheNextOfTheListFollowsOneThatFailsAndTheReasonIsTold) {
    careful_.status = Status::kUnreachable;
    careful_.grudge = {EngineFault::kRanking, Guid{0x200003}, PortNumber{7}};
    Seat(net::FatTree2(4), Listing({EngineKind::kNue, EngineKind::kLash}));
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().engine, "lash");
    ASSERT_EQ(verdict().attempts.size(), 2U);
    EXPECT_EQ(verdict().attempts[0].complaint, careful_.grudge);
    EXPECT_GE(world_->Heard(Note::kEngineFault), 1U);
    EXPECT_GE(world_->Heard(Note::kEngineFaultPort), 1U);
    EXPECT_EQ(world_->Heard(Note::kEngineFaultNode), 0U);
    careful_.grudge = {EngineFault::kRanking, Guid{0x200003}, kNoPort};
    Reconfigure(Listing({EngineKind::kNue, EngineKind::kLash}));
    EXPECT_GE(world_->Heard(Note::kEngineFaultNode), 1U);
    EXPECT_GE(world_->Heard(Note::kFallbackTaken), 1U);
}

TEST_F(ListedEngines, AFallbackDoesNotTradeSafetyAway) {
    careful_.status = Status::kUnreachable;
    Seat(net::Ring(6, 1), Listing({EngineKind::kNue, EngineKind::kLash}));
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(verdict().attempts.size(), 3U);
    EXPECT_EQ(verdict().attempts[1].reason, RoutingReason::kUnsafeFallback);
    EXPECT_GE(world_->Heard(Note::kUnsafeFallback), 1U);
    EXPECT_GE(world_->Heard(Note::kEngineFailed), 1U);
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kSafe);
    EXPECT_FALSE(verdict().findings.end_ports_may_deadlock);
}

TEST_F(ListedEngines, NorDoesAnyUnderNoFallback) {
    careful_.status = Status::kUnreachable;
    Settings settings = Listing({EngineKind::kNue, EngineKind::kLash});
    settings.no_fallback = true;
    Seat(net::Ring(6, 1), settings);
    world_->RunFor(10 * kSecond);
    EXPECT_FALSE(world_->sm().is_up());
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(world_->sim().counters().Sets(AttributeId::kLinearForwardingTable), 0U);
}

TEST_F(ListedEngines, NorDoesOneAfterAnEngineThatIsNotHere) {
    Seat(net::Ring(6, 1), Listing({EngineKind::kTorus2Qos, EngineKind::kLash}));
    world_->LeaveOut(EngineKind::kTorus2Qos);
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(verdict().attempts.size(), 3U);
    EXPECT_EQ(verdict().attempts[0].reason, RoutingReason::kEngineAbsent);
    EXPECT_EQ(verdict().attempts[1].reason, RoutingReason::kUnsafeFallback);
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kSafe);
}

TEST_F(ListedEngines, AFirstEngineThatPromisesNothingLetsItsFallbackWarn) {
    plain_.status = Status::kUnreachable;
    Seat(net::Ring(6, 1), Listing({EngineKind::kLash, EngineKind::kMinHop}));
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kWarned);
    EXPECT_EQ(verdict().engine, "minhop");
}

TEST_F(ListedEngines, TablesThatStillWorkAreKeptWhenNoEngineCan) {
    Seat(net::FatTree2(4), Listing({EngineKind::kNue}));
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(verdict().engine, "nue");
    careful_.status = Status::kUnreachable;
    const std::uint64_t before = world_->sets_received();
    world_->sm().RequestSweep(SweepCue::kHeavyRequest);
    world_->Wake();
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kKept);
    EXPECT_EQ(verdict().reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(world_->Heard(Note::kRoutingKept), 1U);
    EXPECT_EQ(world_->sets_received(), before);
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(ListedEngines, KeptTablesCountForTheListThatMadeThemAndForNoOther) {
    Settings settings = Listing({EngineKind::kNue});
    Seat(net::FatTree2(4), settings);
    EXPECT_FALSE(world_->sm().progress().routed_as_configured);
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    EXPECT_TRUE(world_->sm().progress().routed_as_configured);
    careful_.status = plain_.status = Status::kUnreachable;
    settings.sweep_interval = 7;
    Reconfigure(settings);
    ASSERT_EQ(verdict().outcome, RoutingOutcome::kKept);
    EXPECT_TRUE(world_->sm().progress().routed_as_configured) << "nothing of its routes is new";
    Reconfigure(Listing({EngineKind::kLash}));
    ASSERT_EQ(verdict().outcome, RoutingOutcome::kKept);
    EXPECT_FALSE(world_->sm().progress().routed_as_configured);
    careful_.status = Status::kOk;
    Reconfigure(settings);
    EXPECT_TRUE(world_->sm().progress().routed_as_configured);
    careful_.status = Status::kUnreachable;
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(verdict().outcome, RoutingOutcome::kKept);
    EXPECT_FALSE(world_->sm().progress().routed_as_configured) << "whose they are is not known";
}

/// Cuts the first cable between two switches.
void CutATrunk(SimWorld& world) {
    for (std::uint32_t row = 0; row < world.world().row_count(); ++row) {
        const std::uint32_t other = world.world().Beyond(row);
        if (other == sim::kNoRow || !world.world().node_of(row).is_switch() ||
            !world.world().node_of(other).is_switch()) {
            continue;
        }
        world.sim().Do(sim::FabricSim::Action::kCut, row);
        return;
    }
    ADD_FAILURE() << "no cable between switches";
}

TEST_F(ListedEngines, TablesThatNoLongerWorkGiveWayToTheSafeRouting) {
    Seat(net::FatTree2(4), Listing({EngineKind::kNue}));
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    careful_.status = Status::kUnreachable;
    CutATrunk(*world_);  // Some destinations lay behind it.
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    EXPECT_GE(world_->Heard(Note::kSafeRoutingTaken), 1U) << world_->Notes();
    EXPECT_EQ(world_->Heard(Note::kRoutingRefused), 0U);
    EXPECT_FALSE(world_->sm().progress().routed_as_configured);
    EXPECT_TRUE(world_->sm().progress().up_summary.safe_routing);
    EXPECT_EQ(world_->Judge(), "");

    careful_.status = Status::kOk;
    world_->sm().RequestSweep(SweepCue::kHeavyRequest);
    world_->Wake();
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().engine, "nue");
    EXPECT_EQ(world_->Heard(Note::kSafeRoutingEnded), 1U) << world_->Notes();
    EXPECT_TRUE(world_->sm().progress().routed_as_configured);
    EXPECT_FALSE(world_->sm().progress().up_summary.safe_routing);
    EXPECT_EQ(EveryPairShortest(world_->world(), world_->node_of_seat()), "");
}

/// A spine loses its power and comes back with the table that it had. All that the hosts send
/// arrives without it.
TEST_F(ListedEngines, TablesByWhichASwitchIsNotReachedAreNotKept) {
    Seat(net::FatTree2(4), Listing({EngineKind::kNue}));
    careful_.status = Status::kUnreachable;
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    const auto spine = static_cast<std::uint32_t>(world_->world().node_count() - 1);
    ASSERT_TRUE(world_->world().node(spine).is_switch());
    world_->sim().Do(sim::FabricSim::Action::kPowerOff, spine);
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    ASSERT_EQ(world_->sm().status().switches, 5U);
    world_->sim().Do(sim::FabricSim::Action::kPowerOn, spine);
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(world_->sm().status().switches, 6U);
    EXPECT_EQ(world_->Judge(), "") << world_->Notes();
}

TEST_F(ListedEngines, ABoardWithoutALastResortDropsRoutesIntoDeadLinks) {
    Settings settings = Listing({EngineKind::kNue});
    Seat(net::FatTree2(4), settings);
    world_->TakeEngines({&careful_});
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    careful_.status = Status::kUnreachable;
    CutATrunk(*world_);
    EXPECT_NE(RoutesIntoDeadLinks(world_->world(), world_->node_of_seat()), 0U);
    world_->RunFor(5 * kSecond);
    EXPECT_FALSE(world_->sm().is_up());
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kRefused);
    EXPECT_GE(world_->Heard(Note::kRoutingRefused), 1U);
    EXPECT_EQ(world_->Heard(Note::kDeadRoutesDropped), 1U) << world_->Notes();
    EXPECT_EQ(RoutesIntoDeadLinks(world_->world(), world_->node_of_seat()), 0U);
    EXPECT_EQ(world_->sm().scratch().used_bytes(), 0U);
}

TEST_F(ListedEngines, NothingIsKeptUnderNoFallback) {
    Settings settings = Listing({EngineKind::kNue});
    settings.no_fallback = true;
    Seat(net::FatTree2(4), settings);
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    careful_.status = Status::kUnreachable;
    world_->sm().RequestSweep(SweepCue::kHeavyRequest);
    world_->Wake();
    world_->RunFor(5 * kSecond);
    EXPECT_FALSE(world_->sm().is_up());
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kRefused);
}

TEST_F(ListedEngines, ARestartThatCannotRouteKeepsWhatItFinds) {
    Seat(net::FatTree2(4), Listing({EngineKind::kNue}));
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    careful_.status = Status::kUnreachable;
    const std::uint64_t before = world_->sim().counters().Sets(AttributeId::kLinearForwardingTable);
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kKept);
    EXPECT_EQ(world_->sim().counters().Sets(AttributeId::kLinearForwardingTable), before);
    EXPECT_EQ(world_->Judge(), "");
}

TEST(OptionFiles, WhatTheyNameThatIsNotThereIsToldOncePerChange) {
    static constexpr Guid kRoots[] = {Guid{0x200000}, Guid{0xDEAD}, Guid{0xBEEF}};
    static constexpr SwitchPort kIgnored[] = {{Guid{0x200000}, PortNumber{200}}};
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.tables.roots = kRoots;
    settings.tables.has_roots = true;
    settings.tables.ignored = kIgnored;
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    for (int i = 0; i < 3; ++i) {
        world.sm().RequestSweep(SweepCue::kHeavyRequest);
        world.Wake();
        ASSERT_TRUE(world.RunUntilUp(30 * kSecond));
    }
    EXPECT_EQ(world.Heard(Note::kOptionGuidsUnknown), 1U);
    EXPECT_EQ(world.Heard(Note::kOptionPortsUnknown), 1U);
    EXPECT_NE(world.Notes().find("root_guid_file: 2 GUIDs are not in the subnet, the first is "
                                 "0x000000000000dead; they are passed over"),
              std::string::npos)
        << world.Notes();
    EXPECT_NE(world.Notes().find("port_prof_ignore_file: 1 ports do not exist"), std::string::npos);

    settings.tables.roots = std::span(kRoots).first(2);
    world.sm().Configure(settings);
    world.Wake();
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond));
    EXPECT_EQ(world.Heard(Note::kOptionGuidsUnknown), 2U);
}

/// Without lines that count updn would find the roots by itself, and take both spines.
TEST(OptionFiles, AHostInTheListOfRootsNamesItsSwitch) {
    for (const bool by_node : {false, true}) {
        for (const EngineKind engine : {EngineKind::kUpDn, EngineKind::kFtree}) {
            SimWorld world(net::FatTree2(4));
            const net::Netlist netlist = net::FatTree2(4);
            std::uint32_t host = 0;
            while (netlist.nodes[host].is_switch()) {
                ++host;
            }
            const std::array roots{by_node ? netlist.nodes[host].guid
                                           : net::PortGuid(netlist.nodes[host], 1)};
            Settings settings = BriskSettings();
            settings.tables.roots = roots;
            settings.tables.has_roots = true;
            ASSERT_EQ(settings.routing_engine.TryPush(engine), Status::kOk);
            world.AddManager(settings);
            ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
            EXPECT_EQ(world.Heard(Note::kOptionHostRoots), 1U) << world.Notes();
            EXPECT_EQ(world.Heard(Note::kOptionGuidsUnknown), 0U);
            const Verdict& verdict = world.sm().router().verdict();
            EXPECT_EQ(verdict.engine, engine == EngineKind::kUpDn ? "updn" : "ftree");
            EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << "it has a root";
            EXPECT_NE(world.Notes().find("root_guid_file: 1 GUIDs are of hosts or routers, the "
                                         "first is 0x"),
                      std::string::npos)
                << world.Notes();

            settings.order = Order::kOpensm;
            SimWorld other(net::FatTree2(4));
            other.AddManager(settings);
            ASSERT_TRUE(other.RunUntilQuiet(30 * kSecond)) << other.Notes();
            EXPECT_EQ(other.Heard(Note::kOptionHostRoots), 0U);
            EXPECT_EQ(other.Heard(Note::kOptionGuidsUnknown), 1U) << "as OpenSM passes over it";
        }
    }
}

}  // namespace
}  // namespace ember::testing
