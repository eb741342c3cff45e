// SPDX-License-Identifier: Apache-2.0
// EmberSM: switches that do not give packets the lanes that they are told to.
//
// Goal:   a switch that says that it takes no SL to VL maps, and one that refuses its tables, does
//         not answer or does not keep them, has one lane: no link that is ACTIVE is ever part of a
//         credit loop that the hardware could close, whatever was proved; it is told by name, and
//         the verdict is a warning; when it takes its tables again its lanes are used again.
// Method: a simulated ring, whose shortest paths close a cycle on one lane. Packets are followed
//         through the tables that the hardware has, lane by lane, without a line of core/routing.
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/wire/smp.h"
#include "platform/sim/liar.h"
#include "tests/support/lane_walker.h"
#include "tests/support/min_hop_settings.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint32_t kRing = 8;

enum class Fault : std::uint8_t {
    kNone,
    kNoMaps,   ///< IsSLMappingSupported is 0.
    kSham,     ///< Acknowledges Sets of maps, and keeps what it has.
    kDeaf,     ///< Does not answer about maps.
    kRefuses,  ///< Maps,
    kRefusesArbitration,
};

/// The agents of some switches.
class LaneLiar final : public sim::Liar {
public:
    Fault fault = Fault::kNone;
    std::set<std::uint32_t> nodes;

    Deed Meet(std::uint32_t node, const Mad& asked) override {
        if (!nodes.contains(node) || asked.header.attribute_id != AboutOf()) return Deed::kAct;
        if (fault == Fault::kDeaf) return Deed::kDeaf;
        const bool is_read = fault == Fault::kSham && asked.header.method != Method::kSet;
        return is_read ? Deed::kAct : Deed::kSham;
    }
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override {
        if (!nodes.contains(node)) return true;
        const bool refuses = fault == Fault::kRefuses || fault == Fault::kRefusesArbitration;
        if (refuses && asked.header.attribute_id == AboutOf()) answer.header.status = 0x0C;
        if (fault != Fault::kNoMaps || asked.header.attribute_id != AttributeId::kPortInfo) {
            return true;
        }
        auto smp = std::bit_cast<LidSmp>(answer);
        auto info = std::bit_cast<PortInfo>(smp.data);
        info.Set(PortInfo::kCapabilityMask,
                 info.Get(PortInfo::kCapabilityMask) & ~capability_mask::kIsSlMappingSupported);
        smp.data = info.octets();
        answer = std::bit_cast<Mad>(smp);
        return true;
    }

private:
    [[nodiscard]] AttributeId AboutOf() const {
        if (fault == Fault::kNone || fault == Fault::kNoMaps) return AttributeId{0xFFFF};
        return fault == Fault::kRefusesArbitration ? AttributeId::kVlArbitrationTable
                                                   : AttributeId::kSlToVlMappingTable;
    }
};

class LaneFaultScenario : public ::testing::Test {
protected:
    LaneFaultScenario() { world_.sim().SetLiar(&liar_); }
    ~LaneFaultScenario() override { world_.sim().SetLiar(nullptr); }
    LaneFaultScenario(const LaneFaultScenario&) = delete;
    LaneFaultScenario& operator=(const LaneFaultScenario&) = delete;

    [[nodiscard]] static Settings SettingsFor(EngineKind kind) {
        Settings settings = BriskSettings();
        settings.qos = true;
        settings.require_deadlock_free = true;
        EXPECT_EQ(settings.routing_engine.TryPush(kind), Status::kOk);
        return settings;
    }
    /// `switches`: how many have the fault.
    void Break(Fault fault, std::uint32_t switches) {
        liar_.fault = fault;
        liar_.nodes.clear();
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            const bool is_one = world_.world().node(node).is_switch();
            if (is_one && liar_.nodes.size() < switches) liar_.nodes.insert(node);
        }
        ASSERT_EQ(liar_.nodes.size(), switches);
    }
    [[nodiscard]] SubnetManager& sm(std::size_t seat = 0) { return world_.sm(seat); }
    [[nodiscard]] const Verdict& verdict() { return sm().router().verdict(); }
    [[nodiscard]] const RoutingLanes& programmed() { return sm().router().programmed_lanes(); }
    [[nodiscard]] const LaneFaults& faults() { return sm().progress().up_summary.lanes; }

    /// Steps of 20 ms for six seconds, then of half a second: after each packets are followed.
    void RunWatched(std::uint64_t time_us, std::size_t seat = 0) {
        for (std::uint64_t passed = 0; passed < time_us;) {
            const std::uint64_t step = passed < 6 * kSecond ? 20 * kMs : kSecond / 2;
            passed += step;
            world_.RunFor(step);
            if (HasLoop(seat)) ++loops_;
        }
    }
    /// A credit loop could close now among links that carry data.
    [[nodiscard]] bool HasLoop(std::size_t seat = 0) {
        Waits waits;
        for (std::uint32_t from = 0; from < world_.world().row_count(); ++from) {
            for (std::uint32_t to = 0; to < world_.world().row_count(); ++to) {
                if (from != to && IsHost(from) && IsHost(to)) Follow(from, to, seat, waits);
            }
        }
        return HasCycle(waits);
    }
    [[nodiscard]] std::uint32_t ActiveLinks() {
        std::uint32_t count = 0;
        for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
            if (world_.world().port(row).number != 0 && IsActive(row)) ++count;
        }
        return count;
    }
    void ExpectUp() {
        EXPECT_TRUE(sm().is_up()) << world_.Notes();
        EXPECT_EQ(world_.Judge(), "");
        EXPECT_EQ(ActiveLinks(), 2U * 2U * kRing);
    }

    SimWorld world_{net::Ring(kRing, 1)};
    LaneLiar liar_;
    std::uint32_t loops_ = 0;

private:
    [[nodiscard]] bool IsHost(std::uint32_t row) {
        return !world_.world().node_of(row).is_switch() && world_.world().port(row).number == 1;
    }
    [[nodiscard]] bool IsActive(std::uint32_t row) {
        return world_.world().port(row).info.Get(PortInfo::kPortState) == PortState::kActive;
    }
    /// The switch in front of a host, as the manager numbers it.
    [[nodiscard]] SwitchIndex PlaceOf(std::uint32_t row, std::size_t seat) {
        const Fabric& fabric = sm(seat).fabric();
        const PortIndex at = fabric.FindPort(world_.world().port(row).guid);
        if (at == kNoPortIndex || fabric.port(at).peer == kNoPortIndex) return kNoSwitch;
        return fabric.node(fabric.port(fabric.port(at).peer).node).switch_index;
    }
    /// As far as links are ACTIVE. Lanes beyond those of a link are what its VLs number.
    void Follow(std::uint32_t from, std::uint32_t to, std::size_t seat, Waits& waits) {
        const SlPath path{PlaceOf(from, seat), PlaceOf(to, seat),
                          world_.world().port(to).info.Get(PortInfo::kLid)};
        if (path.from == kNoSwitch || path.to == kNoSwitch || path.lid == kNoLid) return;
        const unsigned sl = sm(seat).router().programmed_lanes().path_sl.Of(path);
        if (sl >= kServiceLevels) return;
        std::uint32_t row = world_.world().Beyond(from);
        LanePort held;
        for (std::uint32_t hop = 0; hop < 4 * kRing && row != sim::kNoRow; ++hop) {
            const std::uint32_t at = world_.world().port(row).node;
            const sim::SimNode& node = world_.world().node(at);
            if (!node.is_switch()) return;
            const std::uint8_t out = world_.world().LftEntry(at, Raw(path.lid));
            if (out == 0 || out > node.port_count || !IsActive(node.first_row + out)) return;
            const auto octets = world_.world().SlToVl(node.first_row, row - node.first_row, out);
            const unsigned lane = sl % 2 == 0 ? octets[sl / 2] >> 4U : octets[sl / 2] & 15U;
            const LanePort next{at, out, lane};
            row = world_.world().Beyond(node.first_row + out);
            if (row == sim::kNoRow || !world_.world().node_of(row).is_switch()) return;
            if (hop > 0) waits[held].insert(next);
            held = next;
        }
    }
};

TEST_F(LaneFaultScenario, WithoutAFaultTheLanesOfTheRoutingAreUsed) {
    world_.AddManager(SettingsFor(EngineKind::kDfsssp));
    RunWatched(20 * kSecond);
    ExpectUp();
    EXPECT_EQ(programmed().count, 2);
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(faults(), LaneFaults{});
    EXPECT_EQ(loops_, 0U);
    // The walk complains if one switch forgets its maps.
    for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
        const sim::SimNode& node = world_.world().node_of(row);
        if (!node.is_switch() || world_.world().port(row).number == 0) continue;
        for (std::uint32_t in = 0; in <= node.port_count; ++in) {
            for (std::uint8_t& octet :
                 world_.world().SlToVl(node.first_row, in, world_.world().port(row).number)) {
                octet = 0;
            }
        }
    }
    EXPECT_TRUE(HasLoop());
}

struct Case {
    std::string_view name;
    Fault fault;
    std::uint32_t switches;
    EngineKind engine;
};

class BrokenSwitches : public LaneFaultScenario, public ::testing::WithParamInterface<Case> {
protected:
    void ExpectSafe() {
        ExpectUp();
        EXPECT_EQ(loops_, 0U) << world_.Notes();
        EXPECT_TRUE(programmed().is_one_lane()) << "every path of a ring meets such a switch";
        const Case& what = GetParam();
        const bool says_so = what.fault == Fault::kNoMaps;
        EXPECT_EQ(faults().without_maps, says_so ? what.switches : 0U);
        EXPECT_EQ(faults().lacking, says_so ? 0U : what.switches);
        EXPECT_EQ(sm().log().CountOf(Note::kSwitchWithoutMaps), says_so ? what.switches : 0U)
            << world_.Notes();
        EXPECT_EQ(sm().log().CountOf(Note::kSwitchLanesSuspect), says_so ? 0U : what.switches)
            << world_.Notes();
        if (!says_so) {
            EXPECT_NE(verdict().outcome, RoutingOutcome::kVerified);
            EXPECT_GE(world_.Heard(Note::kLaneTablesLacking), 1U);
        }
        const bool is_auto = what.engine == EngineKind::kAuto;
        const EngineComplaint complaint =
            is_auto ? verdict().choice.shortage : verdict().attempts[0].complaint;
        if (what.engine == EngineKind::kNue)
            return;  // It has other paths, and complains of nothing.
        EXPECT_EQ(complaint.what, EngineFault::kSwitchLanes);
        bool is_named = false;
        for (const std::uint32_t node : liar_.nodes) {
            is_named = is_named || world_.world().node(node).guid == complaint.guid;
        }
        EXPECT_TRUE(is_named) << std::hex << Raw(complaint.guid);
    }
};

TEST_P(BrokenSwitches, HaveOneLaneFromTheBeginOn) {
    Break(GetParam().fault, GetParam().switches);
    world_.AddManager(SettingsFor(GetParam().engine));
    RunWatched(60 * kSecond);
    ExpectSafe();
}

TEST_P(BrokenSwitches, HaveOneLaneAfterARestartAndAChangeOfKeys) {
    Break(GetParam().fault, GetParam().switches);
    Settings settings = SettingsFor(GetParam().engine);
    world_.AddManager(settings);
    RunWatched(30 * kSecond);
    ASSERT_EQ(settings.lanes[Raw(LanePorts::kAny)].low.TryPush({.vl = 0, .weight = 64}),
              Status::kOk);
    world_.sm().Configure(settings);
    world_.Wake();
    RunWatched(30 * kSecond);
    ExpectSafe();
    EXPECT_LE(sm().log().CountOf(Note::kSwitchLanesSuspect), GetParam().switches)
        << "a change of keys does not make routes rely on it again";
    world_.Reconfigure(settings);
    world_.Restart();
    world_.RunFor(30 * kSecond);  // What was proved of the routes in force is not known yet.
    EXPECT_FALSE(HasLoop()) << world_.Notes();
    ExpectSafe();
}

TEST_P(BrokenSwitches, HaveOneLaneUnderTheNextMasterToo) {
    Break(GetParam().fault, GetParam().switches);
    Settings settings = SettingsFor(GetParam().engine);
    settings.sm_priority = 3;
    const std::size_t first = world_.AddManager(settings);
    RunWatched(30 * kSecond);
    std::uint32_t other = world_.node_of_seat(first) + 1;
    while (world_.world().node(other).is_switch()) {
        ++other;
    }
    settings.sm_priority = 9;
    const std::size_t second = world_.AddManager(other, 1, settings);
    world_.RunFor(60 * kSecond);
    ASSERT_TRUE(sm(second).role().is_master()) << world_.Notes(second);
    EXPECT_TRUE(sm(second).is_up());
    EXPECT_TRUE(sm(second).router().programmed_lanes().is_one_lane());
    EXPECT_FALSE(HasLoop(second)) << world_.Notes(second);
}

INSTANTIATE_TEST_SUITE_P(
    Every,
    BrokenSwitches,
    ::testing::Values(Case{"AllWithoutMaps", Fault::kNoMaps, kRing, EngineKind::kDfsssp},
                      Case{"AllSham", Fault::kSham, kRing, EngineKind::kDfsssp},
                      Case{"AllDeaf", Fault::kDeaf, kRing, EngineKind::kDfsssp},
                      Case{"AllRefuse", Fault::kRefuses, kRing, EngineKind::kDfsssp},
                      Case{"OneWithoutMaps", Fault::kNoMaps, 1, EngineKind::kDfsssp},
                      Case{"OneSham", Fault::kSham, 1, EngineKind::kDfsssp},
                      Case{"OneDeaf", Fault::kDeaf, 1, EngineKind::kDfsssp},
                      Case{"OneRefuses", Fault::kRefuses, 1, EngineKind::kDfsssp},
                      Case{"OneWithoutArbitration", Fault::kRefusesArbitration, 1,
                           EngineKind::kDfsssp},
                      Case{"AutoWithoutMaps", Fault::kNoMaps, kRing, EngineKind::kAuto},
                      Case{"AutoSham", Fault::kSham, kRing, EngineKind::kAuto},
                      Case{"AutoRefused", Fault::kRefuses, 1, EngineKind::kAuto},
                      Case{"LashWithoutMaps", Fault::kNoMaps, 1, EngineKind::kLash}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(LaneFaultScenario, WithoutAFallbackNoLinkCarriesData) {
    Break(Fault::kRefuses, 1);
    Settings settings = SettingsFor(EngineKind::kDfsssp);
    settings.no_fallback = true;
    world_.AddManager(settings);
    RunWatched(30 * kSecond);
    EXPECT_FALSE(sm().is_up());
    EXPECT_EQ(ActiveLinks(), 0U);
    EXPECT_GE(world_.Heard(Note::kRoutingRefused), 1U) << world_.Notes();
}

TEST_F(LaneFaultScenario, ASwitchThatTakesItsTablesAgainHasItsLanesAgain) {
    Break(Fault::kRefuses, 1);
    world_.AddManager(SettingsFor(EngineKind::kDfsssp));
    RunWatched(20 * kSecond);
    ASSERT_TRUE(programmed().is_one_lane()) << world_.Notes();
    liar_.fault = Fault::kNone;
    // Three trials, one a minute.
    world_.RunFor(280 * kSecond);
    ExpectUp();
    EXPECT_EQ(programmed().count, 2) << world_.Notes();
    EXPECT_EQ(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(faults(), LaneFaults{});
    EXPECT_EQ(world_.Heard(Note::kSwitchLanesTaken), 1U) << world_.Notes();
    EXPECT_FALSE(HasLoop());
}

TEST_F(LaneFaultScenario, AfterThreeTimesASwitchIsNotTriedAgainBeforeAnOperatorAsks) {
    Break(Fault::kRefuses, 1);
    world_.AddManager(SettingsFor(EngineKind::kDfsssp));
    const auto run = [&](Fault fault) {
        liar_.fault = fault;
        world_.sm().RequestSweep(SweepCue::kHeavyRequest);
        world_.Wake();
        world_.RunFor(280 * kSecond);
    };
    world_.RunFor(20 * kSecond);
    run(Fault::kNone);
    ASSERT_EQ(programmed().count, 2) << world_.Notes();
    // Its maps are no more what they were, and it takes none.
    for (int time = 0; time < 2; ++time) {
        run(Fault::kRefuses);
        ASSERT_TRUE(programmed().is_one_lane()) << time << world_.Notes();
        if (time == 1) break;
        run(Fault::kNone);
        ASSERT_EQ(programmed().count, 2) << world_.Notes();
    }
    liar_.fault = Fault::kNone;
    world_.RunFor(600 * kSecond);
    EXPECT_TRUE(programmed().is_one_lane()) << world_.Notes();
    EXPECT_EQ(faults().lacking, 1U);
    run(Fault::kNone);
    EXPECT_EQ(programmed().count, 2) << world_.Notes();
}

/// Its tables are taken away by hand, again and again.
TEST_F(LaneFaultScenario, ASwitchThatForgetsItsMapsAgainAndAgainHasOneLane) {
    Settings settings = SettingsFor(EngineKind::kDfsssp);
    settings.scrub_interval = 1;
    world_.AddManager(settings);
    RunWatched(20 * kSecond);
    ASSERT_EQ(programmed().count, 2);
    std::uint32_t at = 0;
    while (!world_.world().node(at).is_switch()) {
        ++at;
    }
    const sim::SimNode& node = world_.world().node(at);
    const auto forget = [&] {
        for (std::uint32_t turn = 0; turn < (node.port_count + 1U) * (node.port_count + 1U);
             ++turn) {
            const std::uint32_t ports = node.port_count + 1U;
            for (std::uint8_t& octet :
                 world_.world().SlToVl(node.first_row, turn / ports, turn % ports)) {
                octet = 0;
            }
        }
    };
    forget();
    world_.RunFor(30 * kSecond);
    EXPECT_EQ(programmed().count, 2) << "once is told, and put right: " << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kScrubLanes), 1U) << "its other ports had their turn at once";
    EXPECT_FALSE(HasLoop());
    for (int time = 0; time < 120; ++time) {
        forget();
        world_.RunFor(kSecond / 2);
    }
    EXPECT_TRUE(programmed().is_one_lane()) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kSwitchLanesSuspect), 1U) << world_.Notes();
    EXPECT_NE(verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(faults().lacking, 1U);
    EXPECT_FALSE(HasLoop());
    ExpectUp();
}

/// What was just written and is not there will not be there the next time either.
TEST_F(LaneFaultScenario, ASwitchThatCeasesToKeepMapsHasOneLaneAtTheFirstDifference) {
    Settings settings = SettingsFor(EngineKind::kDfsssp);
    settings.scrub_interval = 1;
    world_.AddManager(settings);
    RunWatched(20 * kSecond);
    ASSERT_EQ(programmed().count, 2);
    Break(Fault::kSham, 1);
    const sim::SimNode& node = world_.world().node(*liar_.nodes.begin());
    for (std::uint32_t out = 1; out <= node.port_count; ++out) {
        for (std::uint8_t& octet : world_.world().SlToVl(node.first_row, 0, out)) {
            octet = 0;
        }
    }
    world_.RunFor(40 * kSecond);
    EXPECT_TRUE(programmed().is_one_lane()) << world_.Notes();
    EXPECT_FALSE(HasLoop());
    ExpectUp();
}

/// Routes of one lane rely on no map: data flows, with a warning.
TEST(LaneFaultsOnOneLane, AreToldAndLowerTheVerdictAndChangeNoRoute) {
    SimWorld world(net::FatTree2(4));
    LaneLiar liar;
    liar.fault = Fault::kRefuses;
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (world.world().node(node).is_switch() && liar.nodes.empty()) liar.nodes.insert(node);
    }
    world.sim().SetLiar(&liar);
    Settings settings = MinHopSettings();
    settings.qos = true;
    world.AddManager(settings);
    world.RunFor(30 * kSecond);
    ASSERT_TRUE(world.sm().is_up()) << world.Notes();
    const Verdict& verdict = world.sm().router().verdict();
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kWarned);
    EXPECT_FALSE(verdict.findings.end_ports_may_deadlock);
    EXPECT_EQ(world.sm().progress().up_summary.lanes.lacking, 1U);
    EXPECT_GE(world.Heard(Note::kLaneTablesLacking), 1U) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kSwitchLanesSuspect), 0U) << world.Notes();
    EXPECT_EQ(world.Judge(), "");
    liar.fault = Fault::kNone;
    world.RunFor(90 * kSecond);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << world.Notes();
    EXPECT_EQ(world.sm().progress().up_summary.lanes, LaneFaults{});
    world.sim().SetLiar(nullptr);
}

TEST(LaneFaultsOnOneLane, WithoutQosNothingIsSaidOfMaps) {
    SimWorld world(net::FatTree2(4));
    LaneLiar liar;
    liar.fault = Fault::kNoMaps;
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (world.world().node(node).is_switch()) liar.nodes.insert(node);
    }
    world.sim().SetLiar(&liar);
    world.AddManager(MinHopSettings());
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    EXPECT_EQ(world.sm().router().verdict().outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(world.Heard(Note::kSwitchWithoutMaps), 0U);
    EXPECT_EQ(world.sm().progress().up_summary.lanes, LaneFaults{});
    world.sim().SetLiar(nullptr);
}

}  // namespace
}  // namespace ember::testing
