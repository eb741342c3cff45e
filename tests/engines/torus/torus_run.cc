// SPDX-License-Identifier: Apache-2.0
// EmberSM: tori, routed by torus-2QoS with lanes and proved.

#include "tests/engines/torus/torus_run.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/base/lft_arena.h"
#include "core/graph/hops.h"

namespace ember::testing {
namespace {

using Place = std::array<std::uint32_t, 3>;

net::BuiltFabric::Options WithLanes(net::BuiltFabric::Options options) {
    options.max_lanes = 8;
    return options;
}

template <typename Visit>
void ForEachPlace(const Place& sizes, const Visit& visit) {
    for (std::uint32_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; ++i) {
        visit(Place{i / (sizes[1] * sizes[2]), i / sizes[2] % sizes[1], i % sizes[2]});
    }
}

Place Stepped(const TorusPlan& plan, Place place, std::size_t axis, std::uint32_t steps) {
    place.at(axis) = (place.at(axis) + steps) % plan.sizes.at(axis);
    return place;
}

}  // namespace

std::string TorusId(const Place& place) {
    return std::to_string(place[0]) + "." + std::to_string(place[1]) + "." +
           std::to_string(place[2]);
}

net::Netlist MakeTorus(const TorusPlan& plan) {
    net::Netlist netlist;
    const auto lacks = [&](const Place& place) {
        return std::find(plan.without.begin(), plan.without.end(), place) != plan.without.end();
    };
    const std::uint32_t ports =
        2 * (plan.links[0] + plan.links[1] + plan.links[2]) + plan.hosts + 1;
    ForEachPlace(plan.sizes, [&](const Place& place) {
        if (!lacks(place)) netlist.Add(NodeType::kSwitch, ports, TorusId(place), "");
    });
    ForEachPlace(plan.sizes, [&](const Place& place) {
        const std::uint32_t at = netlist.Find(TorusId(place));
        if (lacks(place)) return;
        for (std::uint32_t i = 0; i < plan.hosts; ++i) {
            const std::string id = "h" + TorusId(place) + "-" + std::to_string(i);
            netlist.ConnectAny(netlist.Add(NodeType::kChannelAdapter, 1, id, ""), at);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::uint32_t size = plan.sizes.at(axis);
            const Place next = Stepped(plan, place, axis, 1);
            const bool is_row = (plan.open >> axis & 1U) != 0 || size == 2;
            const bool is_broken = std::find(plan.broken.begin(), plan.broken.end(),
                                             TorusLink{place, axis}) != plan.broken.end();
            if (size == 1 || lacks(next) || is_broken) continue;
            if (is_row && next.at(axis) == 0) continue;
            for (std::uint32_t i = 0; i < plan.links.at(axis); ++i) {
                netlist.ConnectAny(at, netlist.Find(TorusId(next)));
            }
        }
    });
    netlist.AssignGuids();
    return netlist;
}

TorusFile FileFor(const TorusPlan& plan, const net::Netlist& netlist, const Place& at) {
    const auto guid = [&](const Place& place) {
        const std::uint32_t node = netlist.Find(TorusId(place));
        return node == net::kNoPeer ? Guid{0xDEAD} : netlist.nodes[node].guid;
    };
    TorusFile file;
    TorusSeed seed{.from = guid(at)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::uint32_t size = plan.sizes.at(axis);
        file.shape.radix.at(axis) = static_cast<std::uint8_t>(size);
        seed.place.at(axis) = static_cast<std::uint8_t>(at.at(axis));
        const bool is_row = (plan.open >> axis & 1U) != 0 || size == 2;
        if (is_row) file.shape.open |= static_cast<std::uint8_t>(1U << axis);
        if (size == 1) continue;
        const bool has_next = !is_row || at.at(axis) + 1 < size;
        const bool has_last = !is_row || at.at(axis) > 0;
        if (has_next) seed.to.at(2 * axis + 1) = guid(Stepped(plan, at, axis, 1));
        if (has_last && (size == 4 || !has_next))
            seed.to.at(2 * axis) = guid(Stepped(plan, at, axis, size - 1));
    }
    file.seeds = {seed};
    return file;
}

TorusRun::TorusRun(const net::Netlist& netlist, net::BuiltFabric::Options options)
    : netlist_(netlist),
      built_(netlist, WithLanes(std::move(options))),
      limits_(built_.limits()),
      topology_storage_(Topology::ScratchBytes(limits_)),
      scratch_(Torus2Qos::ScratchBytes(limits_)),
      proof_(Verifier::ScratchBytes(limits_) + HopMeter::ScratchBytes(limits_)),
      lfts_(limits_.max_switches * LidStride(limits_)),
      hops_(HopBytes(limits_)) {
    topology_.Build(built_.fabric(), Order::kOpensm, topology_storage_.arena());
    path_sl_bytes = PathSl::Bytes(PathSl::Form::kByPlaces, topology_.switch_bound(), kNoLid);
    const auto ports = static_cast<std::uint8_t>(limits_.max_switch_ports);
    lane_map_words = LaneMap::ClassWords(topology_.switch_bound(), ports, 5);
}

Status TorusRun::Route(const TorusFile& file, std::uint8_t max_lanes, EngineFault lane_fault) {
    std::fill(lfts_.begin(), lfts_.end(), std::uint8_t{255});
    path_sl_.assign(path_sl_bytes, 0xA5);
    lane_map_.assign(lane_map_words, 0xA5);
    lanes_ = {.path_sl = PathSl(path_sl_), .lane_map = LaneMap(lane_map_)};
    EngineOptions options;
    if (file.shape.places() > 0) options.tables.torus = {&file.shape, 1};
    options.tables.torus_seeds = file.seeds;
    options.tables.torus_ports = file.ports;
    scratch_.arena().Reset();
    const RoutingTask task{.topology = &topology_,
                           .options = &options,
                           .hops = {},
                           .tables = {.lfts = {lfts_, LftShape(limits_)}, .lanes = &lanes_},
                           .max_lanes = max_lanes,
                           .lane_fault = lane_fault,
                           .scratch = &scratch_.arena()};
    Status status = engine_.Begin(task);
    while (status == Status::kOk) {
        const Result<Progress> done = engine_.Advance();
        if (!done.ok()) return done.status();
        if (done.value() == Progress::kDone) break;
    }
    return status;
}

const Findings& TorusRun::Verify() {
    Arena& arena = proof_.arena();
    arena.Reset();
    const Matrix<SwitchIndex, std::uint8_t> hops(hops_, HopShape(topology_.switch_bound()));
    HopMeter meter;
    meter.Begin(topology_, hops, arena);
    while (meter.Advance() == Progress::kMore) {
    }
    verifier_.Begin({.topology = &topology_,
                     .hops = hops,
                     .lfts = {lfts_, LftShape(limits_)},
                     .lanes = &lanes_},
                    arena);
    while (verifier_.Advance() == Progress::kMore) {
    }
    return verifier_.findings();
}

SwitchIndex TorusRun::SwitchOf(std::string_view id) const {
    const std::uint32_t node = netlist_.Find(id);
    EXPECT_NE(node, net::kNoPeer) << id;
    return built_.switch_index(node);
}

}  // namespace ember::testing
