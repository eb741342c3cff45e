// SPDX-License-Identifier: Apache-2.0
// EmberSM: the levels of a fabric, and the links between them.
#include "config/emberc/plan/levels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ember::plan {
namespace {

double FlowsOf(const AllToAll& loads, std::uint64_t load) {
    return static_cast<double>(load) / static_cast<double>(loads.unit);
}

/// Calls `visit(from, trunk, load)` for every link.
template <typename Visit>
void ForEachLink(const Topology& topology, const AllToAll& loads, Visit visit) {
    for (std::size_t i = 0; i < topology.switch_bound(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        if (!topology.Has(at)) continue;
        const std::uint32_t first = topology.switch_row(at).first_exit;
        for (const Trunk& trunk : topology.trunks(at)) {
            visit(at, trunk, loads.load[first + Raw(trunk.port)]);
        }
    }
}

}  // namespace

std::vector<std::uint32_t> LevelsOf(const Topology& topology) {
    std::vector<std::uint32_t> levels(topology.switch_bound(), kNoLevel);
    std::vector<SwitchIndex> front;
    for (const Destination& host : topology.destinations()) {
        if (host.is_switch() || host.at == kNoSwitch || levels[Raw(host.at)] == 0) continue;
        levels[Raw(host.at)] = 0;
        front.push_back(host.at);
    }
    for (std::size_t i = 0; i < front.size(); ++i) {  // Every switch stands in the queue once.
        for (const Trunk& trunk : topology.trunks(front[i])) {
            if (levels[Raw(trunk.peer)] != kNoLevel) continue;
            levels[Raw(trunk.peer)] = levels[Raw(front[i])] + 1;
            front.push_back(trunk.peer);
        }
    }
    return levels;
}

double FairShare(const AllToAll& loads) {
    const double of_a_host = loads.hosts == 0 ? 0 : static_cast<double>(loads.hosts - 1);
    return std::max(loads.mean, of_a_host);
}

std::size_t BandOf(double flows, double share) {
    if (flows <= 0) return 0;
    const double part = share > 0 ? flows / share - 1e-9 : 0;
    const auto* const edge = std::lower_bound(kBandEdges.begin(), kBandEdges.end(), part);
    return 1 + static_cast<std::size_t>(edge - kBandEdges.begin());
}

std::vector<LinkClass> ClassesOf(const Topology& topology, const std::vector<std::uint32_t>& levels,
                                 const AllToAll& loads) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, LinkClass> classes;
    const double share = FairShare(loads);
    ForEachLink(topology, loads, [&](SwitchIndex at, const Trunk& trunk, std::uint64_t load) {
        const std::uint32_t from = levels[Raw(at)];
        const std::uint32_t to = levels[Raw(trunk.peer)];
        if (from == kNoLevel || to == kNoLevel) return;
        LinkClass& row = classes[{from, to}];
        row.from = from;
        row.to = to;
        const double flows = FlowsOf(loads, load);
        ++row.links;
        if (load == 0) ++row.idle;
        row.max = std::max(row.max, flows);
        row.mean += flows;  // The sum, so far.
        ++row.bands[BandOf(flows, share)];
    });
    std::vector<LinkClass> rows;
    for (auto& [levels_of_class, row] : classes) {
        row.mean /= static_cast<double>(row.links);
        rows.push_back(std::move(row));
    }
    return rows;
}

LoadHistogram HistogramOf(const Topology& topology, const AllToAll& loads, std::size_t bars) {
    LoadHistogram histogram;
    // Bars of whole flows, so that equal loads never fall into two.
    histogram.width = std::max(1.0, std::ceil(loads.max / static_cast<double>(bars)));
    const auto bar_of = [&](double flows) {
        return static_cast<std::size_t>(std::ceil(flows / histogram.width - 1e-9)) - 1;
    };
    if (loads.max > 0) histogram.counts.resize(bar_of(loads.max) + 1);
    ForEachLink(topology, loads, [&](SwitchIndex, const Trunk&, std::uint64_t load) {
        if (load == 0) {
            ++histogram.idle;
        } else {
            ++histogram.counts[bar_of(FlowsOf(loads, load))];
        }
    });
    return histogram;
}

}  // namespace ember::plan
