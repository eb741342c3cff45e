// SPDX-License-Identifier: Apache-2.0
// EmberSM: the links of a fabric: by level, by load, those that are slow, and their lanes.
#include "config/emberc/plan/link_loads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/assert.h"

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

std::vector<SlowLink> SlowLinks(const Topology& topology) {
    const auto rate_of = [&](SwitchIndex at, PortNumber port) {
        return topology.traits(at, port).rate;
    };
    std::vector<Rate> fastest(topology.switch_bound(), Rate::kNone);
    for (const SwitchIndex at : topology.switches_by_guid()) {
        for (const Trunk& trunk : topology.trunks(at)) {
            Rate& best = fastest[Raw(at)];
            if (RateRank(rate_of(at, trunk.port)) > RateRank(best)) best = rate_of(at, trunk.port);
        }
    }
    std::vector<SlowLink> links;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        for (const Trunk& trunk : topology.trunks(at)) {
            const Rate here = fastest[Raw(at)];
            const Rate there = fastest[Raw(trunk.peer)];
            const SlowLink link{.one = at,
                                .port = trunk.port,
                                .other = trunk.peer,
                                .other_port = trunk.peer_port,
                                .rate = rate_of(at, trunk.port),
                                .beside = RateRank(here) < RateRank(there) ? here : there};
            const Guid guid = topology.switch_row(at).guid;
            const Guid other = topology.switch_row(trunk.peer).guid;
            const bool is_first = std::tuple(guid, trunk.port) < std::tuple(other, trunk.peer_port);
            if (is_first && RateRank(link.rate) < RateRank(link.beside)) links.push_back(link);
        }
    }
    const auto place = [&](const SlowLink& link) {
        return std::tuple(RateRank(link.rate), topology.switch_row(link.one).guid, link.port);
    };
    std::sort(links.begin(), links.end(), [&](const SlowLink& one, const SlowLink& other) {
        return place(one) < place(other);
    });
    return links;
}

namespace {

/// Follows the paths of a routing that may be programmed, and adds up.
class LaneCounter {
public:
    explicit LaneCounter(const Planned& plan)
        : plan_(plan),
          topology_(plan.topology()),
          lanes_(plan.lanes()),
          loads_(plan.lanes().count),
          flows_(topology_.all_exits().size() * plan.lanes().count) {}

    std::vector<LaneLoad> Count() {
        for (const SwitchIndex from : topology_.switches_by_guid()) {
            hosts_.clear();
            for (std::size_t port = 1; port < topology_.exits(from).size(); ++port) {
                const Exit& exit = topology_.exit(from, static_cast<PortNumber>(port));
                if (exit.destination != kNoDestination)
                    hosts_.push_back(static_cast<PortNumber>(port));
            }
            if (!hosts_.empty()) CountFrom(from);
        }
        for (std::size_t i = 0; i < flows_.size(); ++i) {
            LaneLoad& load = loads_[i % lanes_.count];
            load.links += flows_[i] > 0 ? 1U : 0U;
            load.max = std::max(load.max, flows_[i]);
            load.sum += flows_[i];
        }
        return loads_;
    }

private:
    void CountFrom(SwitchIndex from) {
        for (const Destination& to : topology_.destinations()) {
            if (to.is_switch() || to.at == from || to.at == kNoSwitch) continue;
            for (std::size_t lid = Raw(to.lid); lid < Raw(to.lid) + to.lid_count(); ++lid) {
                Follow(from, to, static_cast<Lid>(lid));
            }
        }
    }

    /// Hosts of a switch go the same way. Only the lane of the first link may depend on the port by
    /// which a host sends.
    void Follow(SwitchIndex from, const Destination& to, Lid lid) {
        const std::uint8_t sl = lanes_.path_sl.Of({.from = from, .to = to.at, .lid = lid});
        const double flow = 1.0 / static_cast<double>(to.lid_count());
        std::uint32_t used = 0;  // By all hosts.
        const PortNumber first = OutOf(from, lid);
        std::array<std::uint64_t, 16> starts{};
        for (const PortNumber host : hosts_) {
            const std::uint8_t lane = LaneAt(from, host, first, sl);
            Add(from, first, lane, flow);
            if (lane < starts.size()) ++starts[lane];
        }
        SwitchIndex at = topology_.exit(from, first).peer;
        PortNumber in = topology_.exit(from, first).peer_port;
        for (std::size_t hops = 1; at != to.at; ++hops) {
            EMBER_ASSERT(hops < topology_.switch_count());  // The routes are proved.
            const PortNumber out = OutOf(at, lid);
            const std::uint8_t lane = LaneAt(at, in, out, sl);
            Add(at, out, lane, flow * static_cast<double>(hosts_.size()));
            used |= 1U << lane;
            in = topology_.exit(at, out).peer_port;
            at = topology_.exit(at, out).peer;
        }
        for (std::size_t lane = 0; lane < loads_.size(); ++lane) {
            loads_[lane].paths += (used >> lane & 1U) != 0 ? hosts_.size() : starts[lane];
        }
    }

    [[nodiscard]] PortNumber OutOf(SwitchIndex at, Lid lid) const {
        return static_cast<PortNumber>(plan_.lfts()[at][Raw(lid)]);
    }
    [[nodiscard]] std::uint8_t LaneAt(SwitchIndex at, PortNumber in, PortNumber out,
                                      std::uint8_t sl) const {
        return lanes_.lane_map.Of({.at = at, .in = in, .out = out}, sl);
    }
    void Add(SwitchIndex at, PortNumber out, std::uint8_t lane, double flow) {
        EMBER_ASSERT(lane < lanes_.count);
        flows_[(topology_.switch_row(at).first_exit + Raw(out)) * lanes_.count + lane] += flow;
    }

    const Planned& plan_;
    const Topology& topology_;
    const RoutingLanes& lanes_;
    std::vector<LaneLoad> loads_;
    std::vector<double> flows_;      ///< By exit and lane.
    std::vector<PortNumber> hosts_;  ///< Ports of the switch at work.
};

}  // namespace

std::vector<LaneLoad> LoadsOfLanes(const Planned& plan) {
    if (plan.lanes().is_one_lane() || !plan.verdict().may_program()) return {};
    return LaneCounter(plan).Count();
}

}  // namespace ember::plan
