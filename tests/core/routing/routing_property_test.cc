// SPDX-License-Identifier: Apache-2.0
// EmberSM: every promise of routing on fabrics that no site would build.
//
// Goal:   min-hop is exactly what its specification says, and the verifier says exactly what a
//         slow, independent proof says, also about tables with a mistake in them.
// Method: random fabrics; RoutingReference, which shares no code with the core, routes and proves.

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

#include "engines/min_hop.h"
#include "engines/up_down/dn_up.h"
#include "engines/up_down/up_dn.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::RoutingReference;
using testing::RoutingRun;
using testing::SlowTables;

struct Case {
    net::Netlist netlist;
    BuiltFabric::Options options;
    Settings settings = testing::OpensmSettings();
};

Case AnyCase(std::uint8_t top_lmc, bool islands) {
    testing::WildOptions wild;
    wild.seed = *rc::gen::inRange<std::uint32_t>(0, 1'000'000);
    const auto upto = [](std::uint32_t low, std::uint32_t high) {
        return rc::gen::scale(4.0, rc::gen::inRange(low, high));  // Large ones soon.
    };
    wild.switches = *upto(islands ? 2 : 1, 14);
    wild.extra_cables = *upto(0, 30);
    wild.hosts = *upto(0, 25);
    wild.islands = islands;
    wild.ports = *rc::gen::element<std::uint32_t>(12, 36, 66, 254);
    Case any;
    any.netlist = testing::WildNetlist(wild);
    any.options.lmc = *rc::gen::inRange<std::uint8_t>(0, static_cast<std::uint8_t>(top_lmc + 1));
    any.options.order = *rc::gen::element(Order::kOpensm, Order::kGuid);
    any.options.own_node =
        *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(any.netlist.nodes.size()));
    any.settings.order = any.options.order;
    any.settings.lmc = any.options.lmc;
    any.settings.port_profile_switch_nodes = *rc::gen::arbitrary<bool>();
    return any;
}

/// All that the slow proof says about `tables` must be what the verifier found.
void RequireSameOpinion(const RoutingReference& reference, const SlowTables& tables,
                        const Findings& findings) {
    const bool is_broken = reference.FindBroken(tables).has_value();
    RC_ASSERT(is_broken == (findings.fault != Findings::Fault::kNone));
    if (is_broken) return;

    RC_ASSERT(findings.switch_pairs_apart == reference.CountApart(tables));
    const auto by_end_ports = reference.FindDependencies(tables, false);
    const auto by_all = reference.FindDependencies(tables, true);
    RC_ASSERT(findings.end_ports_may_deadlock == RoutingReference::HasCycle(by_end_ports));
    RC_ASSERT(findings.anything_may_deadlock == RoutingReference::HasCycle(by_all));
    RC_ASSERT(findings.longer_routes == reference.CountLonger(tables));
    const auto [hops, paths] = reference.SumHops(tables);
    RC_ASSERT(findings.end_port_hops == hops);
    RC_ASSERT(findings.end_port_paths == paths);
}

/// Every channel of the cycle found must wait for the next one, the last for the first.
void RequireRealCycle(const net::Netlist& netlist,
                      const RoutingReference::Dependencies& dependencies,
                      const ChannelList& cycle) {
    RC_ASSERT(cycle.length == cycle.channels.size());  // These fabrics have none longer than 32.
    std::vector<testing::SlowChannel> channels;
    for (const Channel& channel : cycle.channels) {
        for (std::uint32_t node = 0; node < netlist.nodes.size(); ++node) {
            if (netlist.nodes[node].guid != channel.switch_guid) continue;
            channels.emplace_back(node, Raw(channel.port));
        }
    }
    RC_ASSERT(channels.size() == cycle.length);
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const auto found = dependencies.find(channels[i]);
        RC_ASSERT(found != dependencies.end());
        RC_ASSERT(found->second.contains(channels[(i + 1) % channels.size()]));
    }
}

RC_GTEST_PROP(RoutingProperty, MinHopIsWhatItsSpecificationSays, ()) {
    const Case any = AnyCase(3, false);
    RoutingRun run(any.netlist, any.options);
    MinHop min_hop;
    const Verdict& verdict = run.Route(min_hop, any.settings);

    RC_ASSERT(verdict.may_program());
    RC_ASSERT(run.planned() == run.reference().MinHop(any.settings));
    RC_ASSERT(run.scratch().used_bytes() == 0U);
}

RC_GTEST_PROP(RoutingProperty, MinHopReachesAllByShortestWaysAndVerifierAgrees, ()) {
    const Case any = AnyCase(2, false);
    RoutingRun run(any.netlist, any.options);
    MinHop min_hop;
    const Verdict& verdict = run.Route(min_hop, any.settings);

    RC_ASSERT(verdict.findings.islands == 1U);
    RC_ASSERT(verdict.findings.longer_routes == 0U);
    RequireSameOpinion(run.reference(), run.planned(), verdict.findings);
    const bool may_deadlock = verdict.findings.end_ports_may_deadlock;
    RC_ASSERT(verdict.outcome ==
              (may_deadlock ? RoutingOutcome::kWarned : RoutingOutcome::kVerified));
    if (!verdict.findings.anything_may_deadlock) return;
    RequireRealCycle(any.netlist, run.reference().FindDependencies(run.planned(), !may_deadlock),
                     verdict.findings.cycle);
}

RC_GTEST_PROP(RoutingProperty, IslandsAreRoutedWithinAndDroppedBetween, ()) {
    const Case any = AnyCase(1, true);
    RoutingRun run(any.netlist, any.options);
    MinHop min_hop;
    const Verdict& verdict = run.Route(min_hop, any.settings);

    RC_ASSERT(verdict.may_program());
    RC_ASSERT(verdict.findings.islands == 2U);
    RC_ASSERT(run.planned() == run.reference().MinHop(any.settings));
    RequireSameOpinion(run.reference(), run.planned(), verdict.findings);
}

RC_GTEST_PROP(RoutingProperty, UpAndDownRoutesAreJudgedAsBySlowProof, ()) {
    // Up/down routing leaves pairs apart, and by the roots' places more or fewer of them.
    const Case any = AnyCase(1, *rc::gen::arbitrary<bool>());
    RoutingRun run(any.netlist, any.options);
    std::vector<Guid> roots;
    for (const std::uint32_t node : run.reference().switches()) {
        if (roots.empty() || *rc::gen::inRange(0, 4) == 0) {
            roots.push_back(any.netlist.nodes[node].guid);
        }
    }
    std::sort(roots.begin(), roots.end());
    Settings settings = any.settings;
    settings.order = *rc::gen::element(settings.order, Order::kBalanced);
    settings.connect_roots = *rc::gen::arbitrary<bool>();
    settings.tables.roots = roots;
    settings.tables.has_roots = true;
    UpDn up_dn;
    DnUp dn_up;
    RoutingEngine& engine =
        *rc::gen::arbitrary<bool>() ? static_cast<RoutingEngine&>(up_dn) : dn_up;
    const Verdict& verdict = run.Route(engine, settings);
    RC_PRE(verdict.reason != RoutingReason::kEngineFailed);

    const SlowTables tables = run.planned();
    const bool is_legal =
        settings.order == Order::kBalanced && engine.promise(settings).deadlock_free;
    RC_ASSERT(!is_legal || verdict.reason != RoutingReason::kCreditLoop);
    RequireSameOpinion(run.reference(), tables, run.Verify(tables, settings));
}

RC_GTEST_PROP(RoutingProperty, AnyWrongEntryIsJudgedAsBySlowProof, ()) {
    const Case any = AnyCase(1, *rc::gen::arbitrary<bool>());
    RoutingRun run(any.netlist, any.options);
    RC_PRE(run.reference().top_lid() > 0U);
    SlowTables tables = run.reference().MinHop(any.settings);

    const auto mistakes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < mistakes; ++i) {
        const auto& switches = run.reference().switches();
        const auto node = *rc::gen::elementOf(switches);
        const auto lid = *rc::gen::inRange<std::uint32_t>(1, run.reference().top_lid() + 1);
        // Mostly ports that exist, sometimes such as do not, and "drop".
        const auto port = *rc::gen::oneOf(
            rc::gen::inRange<std::uint32_t>(
                0, static_cast<std::uint32_t>(any.netlist.nodes[node].ports.size())),
            rc::gen::inRange<std::uint32_t>(0, 256), rc::gen::just(std::uint32_t{255}));
        tables[node][lid] = static_cast<std::uint8_t>(port);
    }

    RequireSameOpinion(run.reference(), tables, run.Verify(tables, any.settings));
}

RC_GTEST_PROP(RoutingProperty, AnyWalkableTablesAreJudgedAsBySlowProof, ()) {
    // Trees of random shape: every pair is reached, hardly by a shortest way, often with cycles.
    const Case any = AnyCase(1, false);
    RoutingRun run(any.netlist, any.options);
    const RoutingReference& reference = run.reference();
    std::mt19937 dice(*rc::gen::inRange<std::uint32_t>(0, 1'000'000));
    SlowTables tables;
    for (const std::uint32_t node : reference.switches()) {
        tables[node].assign(reference.top_lid() + std::size_t{1}, 255);
    }
    for (const testing::SlowDestination& destination : reference.destinations()) {
        if (!destination.is_attached) continue;
        for (std::uint32_t i = 0; i < destination.lid_count; ++i) {
            const std::uint32_t lid = destination.lid + i;
            tables[destination.at][lid] = destination.at_port;
            std::vector<std::uint32_t> reached = {destination.at};
            while (reached.size() < reference.switches().size()) {  // Ends: the graph is connected.
                const std::uint32_t here = reached[dice() % reached.size()];
                const auto& ports = any.netlist.nodes[here].ports;
                const std::size_t port = 1 + dice() % (ports.size() - 1);
                const std::uint32_t peer = ports[port].peer;
                if (peer == net::kNoPeer || !any.netlist.nodes[peer].is_switch()) continue;
                if (std::find(reached.begin(), reached.end(), peer) != reached.end()) continue;
                tables[peer][lid] = ports[port].peer_port;
                reached.push_back(peer);
            }
        }
    }

    const Findings findings = run.Verify(tables, any.settings);

    RequireSameOpinion(reference, tables, findings);
    if (!findings.anything_may_deadlock) return;
    RequireRealCycle(any.netlist,
                     reference.FindDependencies(tables, !findings.end_ports_may_deadlock),
                     findings.cycle);
}

}  // namespace
}  // namespace ember
