// SPDX-License-Identifier: Apache-2.0
// EmberSM: port groups of pgrp_policy_file on a full three-level tree of 36-port switches.
#include <array>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <string>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_layout.h"
#include "config/netlist/fabric_builder.h"
#include "config/netlist/topologies.h"
#include "core/port_groups/port_group_policy.h"

namespace {

using namespace ember;  // NOLINT: a benchmark is a program of its own.

/// Ten groups, each of an expression that reads names to their ends.
std::string TenGroups() {
    std::string text;
    for (int i = 0; i < 10; ++i) {
        const std::string digit = std::to_string(i);
        text += "port-group\nname: g" + digit + "\nport-regexp: .*(host|leaf|spine|S|H)?[0-9]*" +
                digit + "[0-9]{0,3}( HCA-[12])?$\nend-port-group\n";
    }
    return text;
}

/// All groups of all physical ports: of 1,620 switches and 11,664 hosts.
void FindAllGroups(benchmark::State& state) {
    emberc::Diagnostics diagnostics("groups");
    const emberc::LoadedPortGroups loaded =
        emberc::ParsePgrpPolicyFile(TenGroups(), diagnostics, {});
    if (diagnostics.CountOf(emberc::Severity::kError) != 0) std::abort();
    emberc::Layout layout;
    LayOut(loaded, layout);
    Settings settings;
    static_cast<ManagerTables&>(settings.manager_tables) = layout.tables;
    const net::Netlist netlist = net::FatTree3(36);
    const net::BuiltFabric built(netlist);
    const PortGroupPolicy policy(built.fabric(), settings);
    std::size_t ports = 0;
    std::size_t held = 0;
    for (auto _ : state) {
        ports = 0;
        held = 0;
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            PortGroupPolicy::NameFacts facts;
            policy.LookAtName(built.node(i), facts);
            for (const Port& port : built.fabric().PortsOf(built.node(i))) {
                std::array<std::uint64_t, BitSet::WordsFor(kMostPortGroups)> words{};
                policy.FindGroups(built.fabric().IndexOf(port), facts, BitSet(words));
                held += BitSet(words).count();
                ++ports;
            }
        }
    }
    state.counters["nodes"] = static_cast<double>(netlist.nodes.size());
    state.counters["ports"] = static_cast<double>(ports);
    state.counters["held"] = static_cast<double>(held);
}
BENCHMARK(FindAllGroups)->Unit(benchmark::kMillisecond);

/// Names alone, as the end ports of hosts need them.
void LookAtAllNames(benchmark::State& state) {
    emberc::Diagnostics diagnostics("groups");
    const emberc::LoadedPortGroups loaded =
        emberc::ParsePgrpPolicyFile(TenGroups(), diagnostics, {});
    emberc::Layout layout;
    LayOut(loaded, layout);
    Settings settings;
    static_cast<ManagerTables&>(settings.manager_tables) = layout.tables;
    const net::Netlist netlist = net::FatTree3(36);
    const net::BuiltFabric built(netlist);
    const PortGroupPolicy policy(built.fabric(), settings);
    for (auto _ : state) {
        for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
            PortGroupPolicy::NameFacts facts;
            policy.LookAtName(built.node(i), facts);
            benchmark::DoNotOptimize(facts);
        }
    }
}
BENCHMARK(LookAtAllNames)->Unit(benchmark::kMillisecond);

}  // namespace
