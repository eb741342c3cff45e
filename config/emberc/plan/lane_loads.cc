// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the virtual lanes of a routing carry.
#include "config/emberc/plan/lane_loads.h"

#include <algorithm>
#include <array>

#include "core/base/assert.h"

namespace ember::plan {
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
