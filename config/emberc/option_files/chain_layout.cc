// SPDX-License-Identifier: Apache-2.0
// EmberSM: topologies and chains, laid out as the core has them, back, and for people.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents_layout.h"
#include "config/emberc/option_files/step_options.h"
#include "core/base/engine_kind.h"

namespace ember::emberc {
namespace {

/// The name of a group that a topology has.
std::string NameOf(std::uint16_t group, const OptionTables& tables) {
    if (group >= kGroupOfTypes) {
        return std::string(NameOfTypes(group - unsigned{kGroupOfTypes}));
    }
    std::span<const std::uint8_t> texts = tables.port_group_names;
    for (std::size_t i = 0;; ++i) {  // Ends: each group has a name.
        const auto end = std::find(texts.begin(), texts.end(), std::uint8_t{0});
        if (i == group) return {texts.begin(), end};
        texts = texts.subspan(static_cast<std::size_t>(end - texts.begin()) + 1);
    }
}

std::string LineOf(const LoadedChain::Step& step, const LoadedChain& chain) {
    std::string line = fmt::format("unicast-step {} of line {}, {}, topology {}", step.row.id,
                                   step.row.line, EngineName(step.row.engine), step.topology);
    if (step.row.path_bit != 0) line += fmt::format(", path-bit {}", step.row.path_bit);
    if (step.row.fallback_of != 0) {
        line += fmt::format(", fallback-to {}", chain.steps.at(step.row.fallback_of - 1U).row.id);
    }
    return line + OptionsAsText(step.row);
}

}  // namespace

void LayOut(const LoadedTopologies& loaded, Layout& to) {
    for (const LoadedTopologies::Topology& one : loaded.topologies) {
        to.topologies.push_back(one.row);
    }
    to.tables.topologies = to.topologies;
}

void LayOut(const LoadedChain& loaded, Layout& to) {
    for (const LoadedChain::Step& step : loaded.steps) {
        to.chain_steps.push_back(step.row);
    }
    to.tables.chain_steps = to.chain_steps;
}

void Gather(const OptionTables& tables, LoadedTopologies& loaded) {
    for (const PortTopology& row : tables.topologies) {
        loaded.topologies.push_back({.row = row,
                                     .switches = NameOf(row.switches, tables),
                                     .end_ports = NameOf(row.end_ports, tables)});
    }
}

void Gather(const OptionTables& tables, LoadedChain& loaded) {
    for (const ChainStep& row : tables.chain_steps) {
        const std::uint64_t topology =
            row.topology == 0 ? 0 : tables.topologies[row.topology - 1U].id;
        loaded.steps.push_back({.row = row, .topology = topology});
    }
}

std::string AsLine(const ChainEntry& entry) {
    return entry.line;
}

std::vector<ChainEntry> EntriesOf(const LoadedChain& loaded) {
    std::vector<ChainEntry> entries;
    for (const LoadedChain::Step& step : loaded.steps) {
        entries.push_back({LineOf(step, loaded)});
    }
    return entries;
}

}  // namespace ember::emberc
