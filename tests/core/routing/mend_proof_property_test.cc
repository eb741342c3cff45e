// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof of what changed, held against the proof of everything.
//
// Goal:   a routing mended and proved by what changed is the routing that mends everything, octet
//         for octet, and no tables pass that the whole proof would refuse.
// Method: random fabrics lose and regain cables and switches, one or several at a time. A second
//         run, which goes on from nothing, mends the same tables.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/graph/hops.h"
#include "engines/catalogue.h"
#include "tests/support/routing_run.h"
#include "tests/support/tampering_engine.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::TamperingEngine;

struct Cable {
    PortIndex one = kNoPortIndex;
    PortIndex other = kNoPortIndex;
};

Settings Balanced() {
    Settings settings;
    settings.order = Order::kBalanced;
    return settings;
}

net::Netlist AnyNet(std::mt19937& dice) {
    switch (dice() % 6) {
        case 0:
            return net::FatTree2(6);
        case 1:
            return net::FatTree3(4);
        case 2:
            return net::Mesh(std::array{3U, 3U}, 1);
        default:
            break;
    }
    testing::WildOptions wild;
    wild.seed = static_cast<std::uint32_t>(dice());
    wild.switches = 2 + static_cast<std::uint32_t>(dice() % 14);
    wild.extra_cables = static_cast<std::uint32_t>(dice() % 30);
    wild.hosts = static_cast<std::uint32_t>(dice() % 25);
    wild.ports = std::array{12U, 36U, 66U}[dice() % 3];
    return testing::WildNetlist(wild);
}

/// A fabric that changes.
class Changing {
public:
    Changing(Fabric& fabric, std::mt19937& dice) : fabric_(fabric), dice_(dice) {}

    /// Loses or returns one to three cables, mostly between switches, sometimes all of a switch.
    void Change() {
        const std::size_t count = 1 + dice_() % 3;
        for (std::size_t i = 0; i < count; ++i) {
            const bool returns = !lost_.empty() && dice_() % 2 == 0;
            if (returns) {
                Return();
            } else if (dice_() % 12 == 0) {
                LoseAllOf(AnyCable(true));
            } else {
                Lose(AnyCable(dice_() % 10 != 0));
            }
        }
    }

private:
    [[nodiscard]] bool IsSwitchPort(PortIndex at) const {
        return fabric_.node(fabric_.port(at).node).type == NodeType::kSwitch;
    }
    [[nodiscard]] PortIndex AnyCable(bool between_switches) {
        std::vector<PortIndex> cables;
        ForEachPort(fabric_, [&](PortIndex at, const Port& port) {
            if (port.peer == kNoPortIndex) return;
            const bool is_trunk = IsSwitchPort(at) && IsSwitchPort(port.peer);
            if (is_trunk == between_switches) cables.push_back(at);
        });
        return cables.empty() ? kNoPortIndex : cables[dice_() % cables.size()];
    }
    void Lose(PortIndex at) {
        if (at == kNoPortIndex || fabric_.port(at).peer == kNoPortIndex) return;
        lost_.push_back({at, fabric_.port(at).peer});
        fabric_.Disconnect(at);
    }
    void LoseAllOf(PortIndex at) {
        if (at == kNoPortIndex) return;
        for (const Port& port : fabric_.PortsOf(fabric_.port(at).node)) {
            Lose(fabric_.IndexOf(port));
        }
    }
    void Return() {
        const std::size_t which = dice_() % lost_.size();
        fabric_.Connect(lost_[which].one, lost_[which].other);
        lost_.erase(lost_.begin() + static_cast<std::ptrdiff_t>(which));
    }

    Fabric& fabric_;
    std::mt19937& dice_;
    std::vector<Cable> lost_;
};

/// The hop matrix of a router must be what measuring everything gives.
void RequireRightHops(RoutingRun& run) {
    const Arena::Frame frame(run.scratch());
    Topology topology;
    topology.Build(run.built().fabric(), Order::kBalanced, run.scratch());
    const std::size_t stride = HopStride(topology.switch_bound());
    std::vector<std::uint8_t> octets(topology.switch_bound() * stride);
    HopMeter meter;
    meter.Begin(topology, {octets, HopShape(topology.switch_bound())}, run.scratch());
    while (meter.Advance() == Progress::kMore) {
    }
    const auto hops = run.router().hops().values();
    for (std::size_t from = 0; from < topology.switch_bound(); ++from) {
        for (std::size_t to = 0; to < topology.switch_bound(); ++to) {
            RC_ASSERT(hops[from * stride + to] == octets[from * stride + to]);
        }
    }
}

/// Tables that may be programmed are sound by the whole proof, and keep the promise.
void RequireSound(RoutingRun& run, const Verdict& verdict, const Promise& promise) {
    if (!verdict.may_program()) return;
    const Findings whole = run.Verify(Order::kBalanced);
    RC_ASSERT(whole.fault == Findings::Fault::kNone);
    RC_ASSERT((verdict.outcome == RoutingOutcome::kVerified) == !whole.end_ports_may_deadlock);
    RC_ASSERT(!promise.all_switches || whole.switch_pairs_apart == 0U);
    RC_ASSERT(verdict.findings.lids == whole.lids);
    RC_ASSERT(verdict.findings.islands == whole.islands);
    // An engine that takes all paths for shortest must be right.
    if (verdict.findings.longer_routes == 0) RC_ASSERT(whole.longer_routes == 0U);
}

constexpr std::array kMendingEngines = {"minhop", "minhop", "updn", "dor", "auto"};

RC_GTEST_PROP(MendProofProperty, MendsAndJudgesAsThatWhichLooksAtEverything, ()) {
    std::mt19937 dice(*rc::gen::inRange<std::uint32_t>(0, 1'000'000'000));
    const net::Netlist netlist = AnyNet(dice);
    testing::BuiltFabric::Options options;
    options.lmc = static_cast<std::uint8_t>(dice() % 3);
    RoutingRun run(netlist, options);
    RoutingRun other(netlist, options);  // Its fabric changes alike; its router forgets.
    std::mt19937 same_dice = dice;
    Changing changing(run.built().fabric(), dice);
    Changing changing_alike(other.built().fabric(), same_dice);
    Engines engines;
    Engines other_engines;
    const std::size_t which = dice() % kMendingEngines.size();
    static_cast<void>(same_dice());
    RoutingEngine& engine = *engines.Find(kMendingEngines[which]);
    RoutingEngine& other_engine = *other_engines.Find(kMendingEngines[which]);
    run.Route(engine, Balanced());
    RC_PRE(run.router().verdict().may_program());
    for (int i = 0; i < 12; ++i) {
        changing.Change();
        changing_alike.Change();
        std::copy(run.lfts().values().begin(), run.lfts().values().end(),
                  other.lfts().values().begin());
        const Verdict& mended = run.Mend(engine, Balanced(), ProofScope::kChanges);
        const Verdict& whole = other.Mend(other_engine, Balanced(), ProofScope::kWhole);
        RC_ASSERT(!whole.proved_changes_only);
        RC_ASSERT(mended.outcome == whole.outcome);
        RC_ASSERT(mended.reason == whole.reason);
        RC_ASSERT(mended.mending_failed == whole.mending_failed);
        RC_ASSERT(mended.mended.entries == whole.mended.entries);
        RC_ASSERT(mended.mended.switches == whole.mended.switches);
        RC_ASSERT(run.planned() == other.planned());
        RC_ASSERT(run.scratch().used_bytes() == 0U);
        RequireRightHops(run);
        RequireSound(run, mended, engine.promise(Balanced()));
        if (!mended.may_program()) break;
    }
}

/// Some entries lead elsewhere: mostly where packets do arrive, but by another way.
void Spoil(const RoutingTask& task, std::mt19937& dice) {
    const auto switches = task.topology->switches_by_guid();
    const auto destinations = task.topology->destinations();
    if (task.log == nullptr || destinations.empty()) return;
    const std::size_t count = dice() % 4;
    for (std::size_t i = 0; i < count; ++i) {
        const SwitchIndex at = switches[dice() % switches.size()];
        const Destination& to = destinations[dice() % destinations.size()];
        const auto trunks = task.topology->trunks(at);
        std::uint8_t port = static_cast<std::uint8_t>(dice() % 256);
        if (!trunks.empty() && dice() % 8 != 0) {
            port = Raw(trunks[dice() % trunks.size()].port);
        }
        const std::size_t lid = Raw(to.lid) + dice() % to.lid_count();
        task.tables.lfts[at][lid] = port;
        task.log->Note(at, static_cast<Lid>(lid));
    }
}

RC_GTEST_PROP(MendProofProperty, LetsNothingPassThatTheWholeProofRefuses, ()) {
    std::mt19937 dice(*rc::gen::inRange<std::uint32_t>(0, 1'000'000'000));
    const net::Netlist netlist = AnyNet(dice);
    testing::BuiltFabric::Options options;
    options.lmc = static_cast<std::uint8_t>(dice() % 2);
    RoutingRun run(netlist, options);
    Changing changing(run.built().fabric(), dice);
    Engines engines;
    RoutingEngine& engine = *engines.Find(dice() % 3 != 0 ? "minhop" : "updn");
    TamperingEngine spoiler(engine, [&dice](const RoutingTask& task) { Spoil(task, dice); });
    if (dice() % 3 != 0) spoiler.promised = Promise{.all_switches = false};
    run.Route(spoiler, Balanced());
    RC_PRE(run.router().verdict().may_program());
    for (int i = 0; i < 12; ++i) {
        if (dice() % 2 == 0) changing.Change();
        const Verdict& verdict = run.Mend(spoiler, Balanced(), ProofScope::kChanges);
        RequireSound(run, verdict, spoiler.promise(Balanced()));
        if (!verdict.may_program()) break;
    }
}

/// The properties above would hold of a router that never goes on from what it proved. Counted on
/// fabrics of its own, as each test may be the only one of its process.
TEST(MendProofProperty, ManyChangesNeedNoWholeProof) {
    std::size_t proved_by_changes = 0;
    std::size_t proved_as_a_whole = 0;
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        std::mt19937 dice(seed);
        RoutingRun run(AnyNet(dice));
        Changing changing(run.built().fabric(), dice);
        Engines engines;
        RoutingEngine& engine = *engines.Find(kMendingEngines[dice() % kMendingEngines.size()]);
        run.Route(engine, Balanced());
        for (int i = 0; i < 12 && run.router().verdict().may_program(); ++i) {
            changing.Change();
            const Verdict& mended = run.Mend(engine, Balanced(), ProofScope::kChanges);
            ++(mended.proved_changes_only ? proved_by_changes : proved_as_a_whole);
        }
    }
    EXPECT_GE(proved_by_changes + proved_as_a_whole, 200U);
    EXPECT_GT(proved_by_changes * 4, proved_as_a_whole);
}

}  // namespace
}  // namespace ember
