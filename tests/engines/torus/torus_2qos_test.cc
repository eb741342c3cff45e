// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of torus-2QoS: what it promises, and what it refuses.

#include "engines/torus/torus_2qos.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "core/routing/router.h"
#include "tests/engines/torus/torus_run.h"

namespace ember {
namespace {

using testing::FileFor;
using testing::MakeTorus;
using testing::TorusFile;
using testing::TorusId;
using testing::TorusPlan;
using testing::TorusRun;
using Fault = Findings::Fault;

using Place = std::array<std::uint32_t, 3>;

/// Dimensions whose dateline the packets from a switch to a LID cross, a bit each, by following the
/// tables and the places in the ids.
unsigned DatelinesOnTheWay(TorusRun& run, const TorusPlan& plan, Place from, Lid lid) {
    SwitchIndex at = run.SwitchOf(TorusId(from));
    unsigned crossed = 0;
    for (std::size_t hops = 0; hops < 64; ++hops) {
        const Exit& exit = run.topology().exit(at, static_cast<PortNumber>(run.Entry(at, lid)));
        if (exit.peer == kNoSwitch || run.Entry(at, lid) == 0) return crossed;
        Place next = from;
        for (std::size_t d = 0; d < 3; ++d) {
            for (const std::uint32_t steps : {1U, plan.sizes.at(d) - 1}) {
                Place other = from;
                other.at(d) = (other.at(d) + steps) % plan.sizes.at(d);
                if (run.SwitchOf(TorusId(other)) != exit.peer || other == from) continue;
                next = other;
                const auto [low, high] = std::minmax(from.at(d), other.at(d));
                if (high - low > 1) crossed |= 1U << d;
            }
        }
        EXPECT_NE(next, from);
        from = next;
        at = exit.peer;
    }
    ADD_FAILURE() << "a loop";
    return crossed;
}

TEST(Torus2Qos, TheServiceLevelSaysWhichDatelinesAPathCrosses) {
    const TorusPlan plan{.sizes = {5, 4, 3}, .hosts = 1};
    const net::Netlist netlist = MakeTorus(plan);
    TorusRun run(netlist);
    ASSERT_EQ(run.Route(FileFor(plan, netlist)), Status::kOk);
    EXPECT_EQ(run.lanes().path_sl.form(), PathSl::Form::kByPlaces);
    std::array<std::size_t, 8> seen{};
    for (const Destination& to : run.topology().destinations()) {
        for (std::uint32_t i = 0; i < 60; ++i) {
            const Place from{i / 12, i / 3 % 4, i % 3};
            const SwitchIndex at = run.SwitchOf(TorusId(from));
            const std::uint8_t sl =
                run.lanes().path_sl.Of({.from = at, .to = to.at, .lid = to.lid});
            ASSERT_EQ(sl, DatelinesOnTheWay(run, plan, from, to.lid)) << TorusId(from);
            ++seen.at(sl);
        }
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 0U), 0) << "all eight occur";
}

TEST(Torus2Qos, FailuresChangeNoServiceLevel) {
    const TorusPlan whole{.sizes = {5, 4, 3}};
    TorusPlan damaged = whole;
    damaged.without = {{2, 2, 1}};
    damaged.broken = {{{0, 0, 0}, 0}, {{4, 3, 2}, 1}};
    const net::Netlist before = MakeTorus(whole);
    const net::Netlist after = MakeTorus(damaged);
    TorusRun one(before);
    TorusRun other(after);
    ASSERT_EQ(one.Route(FileFor(whole, before)), Status::kOk);
    ASSERT_EQ(other.Route(FileFor(damaged, after, {1, 1, 1})), Status::kOk)
        << "and another seed starts the search";
    std::size_t compared = 0;
    for (std::uint32_t pair = 0; pair < 60 * 60; ++pair) {
        const Place from{pair / 12 % 5, pair / 3 % 4, pair % 3};
        const Place to{pair / 720, pair / 180 % 4, pair / 60 % 3};
        if (from == damaged.without[0] || to == damaged.without[0]) continue;
        const auto sl = [&](const TorusRun& run) {
            return run.lanes().path_sl.Of(
                {.from = run.SwitchOf(TorusId(from)), .to = run.SwitchOf(TorusId(to))});
        };
        ASSERT_EQ(sl(one), sl(other)) << TorusId(from) << " to " << TorusId(to);
        ++compared;
    }
    EXPECT_EQ(compared, 59U * 59U);
}

TEST(Torus2Qos, UsesTheLanesThatLinksAndBoardHave) {
    const TorusPlan plan{.sizes = {5, 4, 3}};
    const net::Netlist netlist = MakeTorus(plan);
    TorusRun run(netlist);
    for (const auto& [most, used] : {std::pair{15, 8}, {8, 8}, {7, 4}, {4, 4}, {3, 2}, {2, 2}}) {
        ASSERT_EQ(run.Route(FileFor(plan, netlist), static_cast<std::uint8_t>(most)), Status::kOk);
        EXPECT_EQ(run.lanes().count, used) << most;
        EXPECT_EQ(run.lanes().level_bit, 8);
        const Findings& findings = run.Verify();
        EXPECT_EQ(findings.fault, Fault::kNone) << most;
        EXPECT_FALSE(findings.end_ports_may_deadlock) << most;
    }
    EXPECT_EQ(run.Route(FileFor(plan, netlist), 1), Status::kUnreachable);
    EXPECT_EQ(run.complaint().what, EngineFault::kBoardLanes);
    EXPECT_EQ(run.Route(FileFor(plan, netlist), 1, EngineFault::kLanesNotOffered),
              Status::kUnreachable);
    EXPECT_EQ(run.complaint().what, EngineFault::kLanesNotOffered) << "as the core says it";
}

TEST(Torus2Qos, EachLevelOfServiceHasLanesOfItsOwn) {
    const TorusPlan plan{.sizes = {3, 3, 3}};
    const net::Netlist netlist = MakeTorus(plan);
    TorusRun run(netlist);
    ASSERT_EQ(run.Route(FileFor(plan, netlist)), Status::kOk);
    std::size_t compared = 0;
    for (const SwitchIndex at : run.topology().switches_by_guid()) {
        const auto exits = run.topology().exits(at);
        for (std::size_t turn = 0; turn < exits.size() * exits.size(); ++turn) {
            const std::size_t out = turn / exits.size();
            const LaneRow row =
                run.lanes().lane_map.RowOf({.at = at,
                                            .in = static_cast<PortNumber>(turn % exits.size()),
                                            .out = static_cast<PortNumber>(out)});
            const bool is_trunk = exits[out].peer != kNoSwitch;
            for (std::uint8_t sl = 0; sl < 8; ++sl) {
                const auto high = static_cast<std::uint8_t>(sl + 8);
                EXPECT_EQ(row.Of(high) - row.Of(sl), is_trunk ? 4 : 1);
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 1000U);
    for (std::uint8_t sl = 0; sl < 16; ++sl) {
        EXPECT_EQ(run.lanes().end_ports.Of(sl), sl / 8);
    }
}

TEST(Torus2Qos, ASwitchThatTakesNoMapsIsNamed) {
    const TorusPlan plan{.sizes = {3, 3, 3}};
    const net::Netlist netlist = MakeTorus(plan);
    TorusRun run(netlist);
    const SwitchIndex at = run.SwitchOf("1.2.0");
    run.topology().SetOneLane(at);
    for (const Trunk& trunk : run.topology().trunks(at)) {
        run.topology().SetLink(at, trunk.port, {.vls = VlCap::kVl0To7});
    }
    EXPECT_EQ(run.Route(FileFor(plan, netlist)), Status::kUnreachable);
    EXPECT_EQ(run.complaint().what, EngineFault::kSwitchLanes);
    EXPECT_EQ(run.complaint().guid, run.topology().switch_row(at).guid);
    EXPECT_EQ(run.complaint().port, kNoPort);
}

TEST(Torus2Qos, ALinkOfOneLaneIsNamed) {
    const TorusPlan plan{.sizes = {3, 3, 3}};
    const net::Netlist netlist = MakeTorus(plan);
    TorusRun run(netlist);
    const SwitchIndex at = run.SwitchOf("1.2.0");
    const Trunk trunk = run.topology().trunks(at).front();
    run.topology().SetLink(at, trunk.port, {.vls = VlCap::kVl0});
    EXPECT_EQ(run.Route(FileFor(plan, netlist)), Status::kUnreachable);
    EXPECT_EQ(run.complaint().what, EngineFault::kLinkLanes);
    const Exit& seen =
        run.topology().exit(run.topology().FindSwitch(run.complaint().guid), run.complaint().port);
    EXPECT_EQ(seen.lanes(), 1);

    run.topology().SetLink(at, trunk.port, {.vls = VlCap::kVl0To3});
    ASSERT_EQ(run.Route(FileFor(plan, netlist)), Status::kOk);
    EXPECT_EQ(run.lanes().count, 4) << "the narrowest link counts";
    EXPECT_EQ(run.Verify().fault, Fault::kNone);
}

TEST(Torus2Qos, AHostWithOneLaneGetsBothLevelsOnIt) {
    const TorusPlan plan{.sizes = {3, 3, 3}};
    const net::Netlist netlist = MakeTorus(plan);
    TorusRun run(netlist);
    const SwitchIndex at = run.SwitchOf("1.1.1");
    const auto exits = run.topology().exits(at);
    const auto host = std::find_if(exits.begin() + 1, exits.end(), [](const Exit& exit) {
        return exit.destination != kNoDestination;
    });
    ASSERT_NE(host, exits.end());
    const auto port = static_cast<PortNumber>(host - exits.begin());
    run.topology().SetLink(at, port, {.vls = VlCap::kVl0});
    ASSERT_EQ(run.Route(FileFor(plan, netlist)), Status::kOk);
    EXPECT_EQ(run.lanes().lane_map.Of({.at = at, .in = PortNumber{0}, .out = port}, 15), 0);
    EXPECT_EQ(run.lanes().end_ports.Of(15), 0);
    EXPECT_EQ(run.Verify().fault, Fault::kNone);
}

TEST(Torus2Qos, WhatMemoryCannotHoldIsRefusedByItsName) {
    const TorusPlan plan{.sizes = {3, 3, 3}};
    const net::Netlist netlist = MakeTorus(plan);
    TorusRun run(netlist);
    --run.path_sl_bytes;
    EXPECT_NE(run.Route(FileFor(plan, netlist)), Status::kOk);
    EXPECT_EQ(run.complaint().what, EngineFault::kNoPathSlBytes);
    ++run.path_sl_bytes;
    --run.lane_map_words;
    EXPECT_NE(run.Route(FileFor(plan, netlist)), Status::kOk);
    EXPECT_EQ(run.complaint().what, EngineFault::kNoLaneMapBytes);
}

TEST(Torus2Qos, AFabricThatIsNotTheTorusIsNamed) {
    const TorusPlan plan{.sizes = {5, 4, 3}};
    net::Netlist netlist = MakeTorus(plan);
    const std::uint32_t stranger = netlist.Add(NodeType::kSwitch, 4, "stranger", "");
    ASSERT_TRUE(netlist.ConnectAny(stranger, netlist.Find("2.2.2")));
    netlist.AssignGuids();
    TorusRun run(netlist);
    EXPECT_EQ(run.Route({}), Status::kAbsent);
    EXPECT_EQ(run.complaint(), (EngineComplaint{.what = EngineFault::kNoTorusFile}));
    const TorusFile file = FileFor(plan, netlist);
    EXPECT_EQ(run.Route(file), Status::kUnreachable);
    EXPECT_EQ(run.complaint(), (EngineComplaint{.what = EngineFault::kTorusStranger,
                                                .guid = netlist.nodes[stranger].guid,
                                                .port = PortNumber{1}}));
    TorusFile other = file;
    other.shape.radix = {255, 255, 1};
    EXPECT_EQ(run.Route(other), Status::kUnreachable);
    EXPECT_EQ(run.complaint().what, EngineFault::kTorusMissing);
    other = file;
    other.seeds[0].to[1] = Guid{0xDEAD};
    EXPECT_EQ(run.Route(other), Status::kUnreachable);
    EXPECT_EQ(run.complaint(), (EngineComplaint{.what = EngineFault::kTorusSeed}));
}

TEST(Torus2Qos, PortOrderAndGroupsAreHeldAgainstTheSwitches) {
    const TorusPlan plan{.sizes = {3, 3, 1}, .hosts = 2};
    const net::Netlist netlist = MakeTorus(plan);
    TorusRun run(netlist);
    const auto ports = run.topology().switch_row(run.SwitchOf("0.0.0")).port_count;
    TorusFile file = FileFor(plan, netlist);
    file.ports = {static_cast<PortNumber>(ports)};
    EXPECT_EQ(run.Route(file), Status::kOk);
    file.ports = {PortNumber{1}, static_cast<PortNumber>(ports + 1)};
    EXPECT_EQ(run.Route(file), Status::kUnreachable);
    EXPECT_EQ(run.complaint().what, EngineFault::kTorusPortOrder);
    EXPECT_EQ(Raw(run.complaint().port), ports + 1);
    EXPECT_NE(run.complaint().guid, kNoGuid);
    file = FileFor(plan, netlist);
    file.shape.group_ports = 3;  // Port 0 and two hosts.
    EXPECT_EQ(run.Route(file), Status::kOk);
    file.shape.group_ports = 2;
    EXPECT_EQ(run.Route(file), Status::kUnreachable);
    EXPECT_EQ(run.complaint().what, EngineFault::kTorusPorts);
    EXPECT_NE(run.complaint().guid, kNoGuid);
}

TEST(Torus2Qos, ARingBrokenTwiceAndHolesApartAreNamed) {
    const auto fault_of = [](const TorusPlan& plan) {
        const net::Netlist netlist = MakeTorus(plan);
        TorusRun run(netlist);
        const Status status = run.Route(FileFor(plan, netlist));
        EXPECT_EQ(status == Status::kOk, run.complaint().what == EngineFault::kNone);
        EXPECT_EQ(run.complaint().guid == kNoGuid, status == Status::kOk);
        return run.complaint().what;
    };
    const Place sizes{4, 3, 5};
    EXPECT_EQ(fault_of({.sizes = sizes, .broken = {{{1, 1, 1}, 0}}}), EngineFault::kNone);
    EXPECT_EQ(fault_of({.sizes = sizes, .broken = {{{1, 1, 1}, 0}, {{3, 1, 1}, 0}}}),
              EngineFault::kTorusRing);
    EXPECT_EQ(fault_of({.sizes = sizes, .open = 7, .broken = {{{1, 1, 1}, 0}}}),
              EngineFault::kTorusRing);
    EXPECT_EQ(fault_of({.sizes = sizes, .without = {{2, 1, 2}, {2, 1, 3}}}), EngineFault::kNone);
    EXPECT_EQ(fault_of({.sizes = sizes, .without = {{2, 1, 1}, {2, 1, 3}}}),
              EngineFault::kTorusMissing);
    EXPECT_EQ(fault_of({.sizes = sizes, .without = {{2, 1, 2}, {3, 1, 2}}}),
              EngineFault::kTorusMissing);
}

TEST(Torus2Qos, PromisesNoCreditLoopAndEverySwitch) {
    const Torus2Qos engine;
    const Promise promise = engine.promise({});
    EXPECT_TRUE(promise.deadlock_free);
    EXPECT_TRUE(promise.all_switches);
    EXPECT_FALSE(promise.shortest);
    EXPECT_FALSE(engine.can_mend({}));
    EXPECT_EQ(engine.name(), "torus-2QoS");
}

/// A torus with failures by chance.
TorusPlan DrawTorus(std::uint32_t seed) {
    std::mt19937 chance(seed);
    const auto draw = [&](std::uint32_t bound) {
        return static_cast<std::uint32_t>(chance() % bound);
    };
    TorusPlan plan;
    const std::uint32_t flat = draw(5);  // 3, 4: none.
    for (std::size_t d = 0; d < 3; ++d) {
        plan.sizes.at(d) = d == flat ? 1 : 2 + draw(5);
        plan.links.at(d) = 1 + draw(4) / 2;
        if (draw(6) == 0) plan.open |= static_cast<std::uint8_t>(1U << d);
    }
    plan.hosts = draw(3);
    const Place& sizes = plan.sizes;
    const auto place = [&] { return Place{draw(sizes[0]), draw(sizes[1]), draw(sizes[2])}; };
    const std::uint32_t holes = draw(4) == 0 ? 1 + draw(2) : 0;
    if (holes > 0) plan.without.push_back(place());
    if (holes > 1) {
        Place next = plan.without[0];
        next[2] = (next[2] + 1) % sizes[2];
        plan.without.push_back(next);
    }
    for (std::uint32_t broken = draw(4); broken > 0; --broken) {
        plan.broken.push_back({place(), draw(3)});
    }
    return plan;
}

TEST(Torus2QosProperty, WhatItRoutesHasNoCreditLoopAndLosesNoPacket) {
    std::size_t routed = 0;
    std::size_t damaged = 0;
    constexpr std::uint32_t kCases = 300;
    for (std::uint32_t seed = 0; seed < kCases; ++seed) {
        SCOPED_TRACE(seed);
        const TorusPlan plan = DrawTorus(seed);
        const net::Netlist netlist = MakeTorus(plan);
        TorusRun run(netlist);
        Place at{0, 0, 0};
        const auto lacks = [&](const Place& place) {
            return std::find(plan.without.begin(), plan.without.end(), place) != plan.without.end();
        };
        while (lacks(at))
            at[0] = at[0] + 1;
        const Status status = run.Route(FileFor(plan, netlist, at));
        const bool is_whole = plan.without.empty() && plan.broken.empty();
        if (is_whole) {
            EXPECT_EQ(status, Status::kOk) << kEngineFaultWords[Raw(run.complaint().what)];
        }
        if (status != Status::kOk) {
            EXPECT_NE(run.complaint().what, EngineFault::kNone);
            continue;
        }
        ++routed;
        if (!is_whole) ++damaged;
        const Findings& findings = run.Verify();
        EXPECT_EQ(findings.fault, Fault::kNone);
        EXPECT_FALSE(findings.end_ports_may_deadlock);
        EXPECT_EQ(findings.switch_pairs_apart, 0U);
        if (is_whole) {
            EXPECT_EQ(findings.longer_routes, 0U);
        }
    }
    EXPECT_GE(routed, kCases / 2);
    EXPECT_GE(damaged, kCases / 6);
}

}  // namespace
}  // namespace ember
