// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the steps of a routing chain route of a fabric on paper.
#include "config/emberc/option_files/chain_members.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "config/emberc/option_files/contents_layout.h"
#include "config/netlist/fabric_builder.h"
#include "core/base/engine_kind.h"
#include "core/routing/plan_maker.h"

namespace ember::emberc {
namespace {

constexpr std::size_t kFewNodes = 8;

/// The switch that a port of a host hangs on, and its port there.
struct Place {
    SwitchIndex at = kNoSwitch;
    PortNumber port{};
};

Place PlaceOf(const net::BuiltFabric& built, const net::NetNode& node, std::size_t port) {
    const net::NetPort& here = node.ports[port];
    if (here.peer == net::kNoPeer) return {};
    return {built.switch_index(here.peer), static_cast<PortNumber>(here.peer_port)};
}

/// A step of the whole subnet has no part.
bool HasSwitch(const SubnetPart* part, SwitchIndex at) {
    return part == nullptr || part->Has(at);
}

bool HasHost(const SubnetPart* part, const net::BuiltFabric& built, std::uint32_t index,
             const net::NetNode& node) {
    const Fabric& fabric = built.fabric();
    for (const Port& port : fabric.PortsOf(built.node(index))) {
        const Place place = PlaceOf(built, node, Raw(port.number));
        if (place.at == kNoSwitch) continue;
        if (part == nullptr || (part->Has(port.lid) && part->Has(place.at, place.port))) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<StepMembers> MembersOf(const LoadedChain& chain, const LoadedPortGroups& groups,
                                   const LoadedTopologies& topologies,
                                   const net::Netlist& netlist) {
    Layout layout;
    LayOut(groups, layout);
    LayOut(topologies, layout);
    LayOut(chain, layout);
    Settings settings;
    static_cast<ManagerTables&>(settings.manager_tables) = layout.tables;
    net::BuiltFabric::Options options;
    options.max_steps = kMostChainSteps;
    const net::BuiltFabric built(netlist, options);
    std::vector<std::uint64_t> parts(PlanMaker::PartWords(built.limits()));
    std::vector<EngineOptions> rows(PlanMaker::OptionRows(built.limits()));
    PlanMaker maker({.parts = parts, .options = rows}, built.limits());
    maker.Begin(built.fabric(), settings, {});
    while (maker.Advance() == Progress::kMore) {
    }
    std::vector<StepMembers> members;
    for (const LoadedChain::Step& step : chain.steps) {
        const auto made =
            std::find_if(maker.alternatives().begin(), maker.alternatives().end(),
                         [&step](const Alternative& one) { return one.id == step.row.id; });
        StepMembers& of_step = members.emplace_back();
        of_step.id = step.row.id;
        of_step.engine = EngineName(step.row.engine);
        of_step.topology = step.topology;
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            const net::NetNode& node = netlist.nodes[i];
            if (node.is_switch()) {
                if (HasSwitch(made->part, built.switch_index(i)))
                    of_step.switches.push_back(node.id);
            } else if (HasHost(made->part, built, i, node)) {
                of_step.hosts.push_back(node.id);
            }
        }
    }
    return members;
}

std::string AsLine(const StepMembers& step) {
    std::string few;
    for (std::size_t i = 0; i < std::min(kFewNodes, step.switches.size()); ++i) {
        few += fmt::format("{}{}", i == 0 ? ": " : ", ", step.switches[i]);
    }
    if (step.switches.size() > kFewNodes) few += ", ...";
    return fmt::format("unicast-step {} by {}, topology {}: {} hosts on {} switches{}", step.id,
                       step.engine, step.topology, step.hosts.size(), step.switches.size(), few);
}

std::vector<std::string> OnlyInWhole(const std::vector<StepMembers>& steps) {
    std::set<std::string> all;
    std::set<std::string> in_parts;
    for (const StepMembers& step : steps) {
        std::set<std::string>& to = step.topology == 0 ? all : in_parts;
        to.insert(step.switches.begin(), step.switches.end());
        to.insert(step.hosts.begin(), step.hosts.end());
    }
    std::vector<std::string> rest;
    std::set_difference(all.begin(), all.end(), in_parts.begin(), in_parts.end(),
                        std::back_inserter(rest));
    return rest;
}

}  // namespace ember::emberc
