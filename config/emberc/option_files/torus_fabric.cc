// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric on paper, as torus-2QoS finds it.
#include "config/emberc/option_files/torus_fabric.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "config/emberc/option_files/line_reader.h"
#include "config/netlist/fabric_builder.h"
#include "core/graph/topology.h"
#include "core/log/words.h"
#include "engines/auto/grid.h"
#include "engines/torus/torus_check.h"
#include "engines/torus/torus_search.h"

namespace ember::emberc {
struct TorusFabric::Room {
    explicit Room(const net::Netlist& netlist)
        : built(netlist),
          topology_room(Topology::ScratchBytes(built.limits())),
          map_room(TorusMap::ScratchBytes(built.limits())) {
        topology.Build(built.fabric(), Order::kOpensm, topology_room.arena());
    }

    net::BuiltFabric built;
    net::ArenaStorage topology_room;
    net::ArenaStorage map_room;
    Topology topology;
    TorusShape shape;
    TorusMap map;
};

TorusFabric::TorusFabric(const net::Netlist& netlist)
    : netlist_(netlist), room_(std::make_unique<Room>(netlist)) {}
TorusFabric::~TorusFabric() = default;

std::size_t TorusFabric::switch_count() const {
    return room_->topology.switches_by_guid().size();
}

bool TorusFabric::HasSwitch(Guid guid) const {
    return room_->topology.FindSwitch(guid) != kNoSwitch;
}

bool TorusFabric::AreLinked(Guid one, Guid other) const {
    const SwitchIndex to = room_->topology.FindSwitch(other);
    const auto trunks = room_->topology.trunks(room_->topology.FindSwitch(one));
    return std::any_of(trunks.begin(), trunks.end(),
                       [to](const Trunk& trunk) { return trunk.peer == to; });
}

std::string TorusFabric::NeighborsOf(Guid guid) const {
    const Topology& topology = room_->topology;
    std::vector<std::string> guids;
    for (const Trunk& trunk : topology.trunks(topology.FindSwitch(guid))) {
        std::string next = Hex(topology.switch_row(trunk.peer).guid);
        if (std::find(guids.begin(), guids.end(), next) == guids.end())
            guids.push_back(std::move(next));
    }
    return guids.empty() ? "no switch" : fmt::format("{}", fmt::join(guids, ", "));
}

/// A ring of four switches is told as two dimensions of two, which it is too.
std::string TorusFabric::FormedShape() const {
    net::ArenaStorage scratch(Grid::ScratchBytes(room_->built.limits()));
    Grid grid;
    grid.Begin(room_->topology, scratch.arena());
    while (grid.Advance() == Progress::kMore) {
    }
    if (!grid.is_grid()) return {};
    std::string text;
    bool has_rings = false;
    bool has_twos = false;
    for (const Grid::Dimension& one : grid.dimensions()) {
        has_rings = has_rings || one.is_ring;
        has_twos = has_twos || one.radix == 2;
        text += fmt::format("{}{}{}", text.empty() ? "" : " x ", one.radix,
                            one.is_ring || one.radix == 2 ? "" : "m");
    }
    return fmt::format("a {} of {}{}", has_rings || has_twos ? "torus" : "mesh", text,
                       has_twos ? ", a ring of 4 taken for 2 x 2" : "");
}

EngineComplaint TorusFabric::Place(const TorusShape& shape, std::span<const TorusSeed> seeds) {
    room_->shape = shape;
    TorusSearch search;
    if (!room_->map.Begin(room_->topology, room_->shape, room_->map_room.arena()))
        return {.what = EngineFault::kTorusMissing};
    if (!search.Begin(room_->map, seeds)) return search.complaint();
    while (search.Advance() == Progress::kMore) {
    }
    if (search.complaint().what != EngineFault::kNone) return search.complaint();
    return CheckTorus(room_->map);
}

std::optional<GridPlace> TorusFabric::PlaceOf(Guid guid) const {
    const SwitchIndex at = room_->topology.FindSwitch(guid);
    if (at == kNoSwitch || !room_->map.spot(at).is_placed) return std::nullopt;
    return room_->map.spot(at).place;
}

std::string TorusFabric::TextOf(const EngineComplaint& complaint) const {
    std::string text(kEngineFaultWords[Raw(complaint.what)]);
    if (complaint.guid == kNoGuid) return text;
    text += fmt::format(": {}", Hex(complaint.guid));
    for (const net::NetNode& node : netlist_.nodes) {
        if (node.guid == complaint.guid && !node.description.empty())
            text += fmt::format(" \"{}\"", node.description);
    }
    if (complaint.port != kNoPort) text += fmt::format(" port {}", Raw(complaint.port));
    return text;
}

}  // namespace ember::emberc
