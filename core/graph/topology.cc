// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet as routing sees it.

#include "core/graph/topology.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/aggregation_nodes.h"
#include "core/fabric/fabric.h"
#include "core/fabric/guid_order.h"
#include "core/graph/link_rates.h"
#include "core/links/link_rating.h"

namespace ember {

namespace {
/// The other end of the link at `port`, if packets can use it. A port that has trained counts: it
/// is brought up after routing.
const Port* UsablePeer(const Fabric& fabric, const Port& port) {
    if (port.peer == kNoPortIndex || port.quarantined || !HasLink(port.info)) return nullptr;
    const Port& peer = fabric.port(port.peer);
    if (IsLeftOut(fabric, port) || IsLeftOut(fabric, peer)) return nullptr;
    return HasLink(peer.info) ? &peer : nullptr;
}

/// Looks at nodes and at end ports only: the other rows are most of a large fabric's memory.
Topology::Size SizeOf(const Fabric& fabric) {
    Topology::Size size;
    size.switches = fabric.switch_bound();
    ForEachSwitch(fabric, [&](SwitchIndex, const Switch& row) {
        size.ports += fabric.node(row.node).port_count + std::size_t{1};
    });
    ForEachEndPort(fabric, [&](PortIndex, const Port& port) {
        if (port.lid != kNoLid) ++size.destinations;
    });
    return size;
}

void AddEndPort(Topology& topology, const Fabric& fabric, const Port& port) {
    const Node& node = fabric.node(port.node);
    Destination destination{.port_guid = port.guid,
                            .lid = port.lid,
                            .lmc = port.lmc,
                            .is_router = node.type == NodeType::kRouter,
                            .is_aggregation = IsAggregationNode(node),
                            .node_guid = node.guid};
    if (node.type == NodeType::kSwitch) {
        destination.at = node.switch_index;
        destination.port = kManagementPort;
    } else if (const Port* const peer = UsablePeer(fabric, port); peer != nullptr) {
        const Node& neighbor = fabric.node(peer->node);
        if (neighbor.type == NodeType::kSwitch) {
            destination.at = neighbor.switch_index;
            destination.port = peer->number;
        }
        destination.faces_end_port = neighbor.type != NodeType::kSwitch;
    }
    topology.AddDestination(destination);
}

/// Of one end of a link. The other end may report another width or speed.
bool IsThrottled(const Fabric& fabric, PortIndex end) {
    const LinkRating rating = RateLink(fabric, end);
    return rating.is_narrow() || rating.is_slow();
}

}  // namespace

/// Adds the links of a switch, but for those that a neighbor's row has added.
void Topology::AddLinks(const Fabric& fabric, SwitchIndex at) {
    const auto ports = fabric.PortsOf(fabric.switch_row(at).node);
    EMBER_ASSERT(ports.size() == exits(at).size());
    LinkRates rates(fabric);
    for (const Port& port : ports.subspan(1)) {  // Port 0 has no link.
        // Known from the other end: its row and its node lie anywhere, and need no second look.
        if (exit(at, port.number).peer != kNoSwitch) continue;
        const Port* const peer = UsablePeer(fabric, port);
        if (peer == nullptr) continue;
        const Node& neighbor = fabric.node(peer->node);
        LinkTraits traits{.vls = LinkVls(port.info, peer->info, Raw(most_vls_))};
        if (neighbor.type == NodeType::kSwitch) {
            Connect(at, port.number, neighbor.switch_index, peer->number);
            traits.rate = rates.Of(port, *peer);
        } else {
            ConnectEndPort(at, port.number, IsAggregationNode(neighbor));
        }
        traits.is_throttled = rates_links_ && (IsThrottled(fabric, port.peer) ||
                                               IsThrottled(fabric, fabric.port(port.peer).peer));
        SetLink(at, port.number, traits);
    }
}

void Topology::BeginBuild(const Fabric& fabric, Arena& scratch, VlCap most_vls, bool rates_links) {
    EMBER_ASSERT(DataVls(most_vls) != 0);
    Start(SizeOf(fabric), scratch);
    most_vls_ = most_vls;
    rates_links_ = rates_links;
    ForEachSwitch(fabric, [&](SwitchIndex at, const Switch& row) {
        const Node& node = fabric.node(row.node);
        if (node.is_left_out) return;  // A hole: nothing hangs on it, and nothing leads through it.
        AddSwitch(at, node.guid, node.system_image_guid, node.port_count);
        if (row.has_one_lane) SetOneLane(at);
    });
    linked_ = 0;
}

bool Topology::BuildNext(const Fabric& fabric, Order order, Arena& scratch) {
    EMBER_ASSERT(linked_ <= switch_bound_);
    if (linked_ == switch_bound_) {
        ForEachEndPort(fabric, [&](PortIndex at, const Port& port) {
            if (port.lid == kNoLid) return;
            AddEndPort(*this, fabric, port);
            if (at == fabric.own_port()) SetHomeDestination();
        });
        if (fabric.own_port() != kNoPortIndex) {
            const Node& home = fabric.node(fabric.port(fabric.own_port()).node);
            if (home.type == NodeType::kSwitch) SetHome(home.switch_index);
        }
        Finish(order, scratch);
        return false;
    }
    const std::size_t end = std::min(switch_bound_, linked_ + kSwitchesPerSlice);
    for (; linked_ < end; ++linked_) {
        const auto at = static_cast<SwitchIndex>(linked_);
        if (Has(at)) AddLinks(fabric, at);
    }
    return true;
}

void Topology::Build(const Fabric& fabric, Order order, Arena& scratch, VlCap most_vls) {
    BeginBuild(fabric, scratch, most_vls);
    while (BuildNext(fabric, order, scratch))
        continue;
}

Limits Topology::bounds() const {
    std::uint32_t most_ports = 1;
    for (std::size_t i = 0; i < switch_bound_; ++i) {
        const RoutingSwitch& row = switches_[static_cast<SwitchIndex>(i)];
        most_ports = std::max<std::uint32_t>(most_ports, row.port_count);
    }
    const auto switches = static_cast<std::uint32_t>(switch_bound_);
    const auto end_ports = static_cast<std::uint32_t>(destinations().size());
    return {.max_nodes = switches + end_ports,
            .max_switches = switches,
            .max_ports = static_cast<std::uint32_t>(exit_count_) + end_ports,
            .max_switch_ports = most_ports,
            .max_lid = Raw(top_lid()),
            .max_smps = 1,
            .max_other_sms = 1,
            .journal_notes = 1,
            .scratch_bytes = 0};
}

void Topology::Start(const Size& size, Arena& scratch) {
    EMBER_ASSERT(size.switches <= Raw(kNoSwitch));
    EMBER_ASSERT(size.destinations <= Raw(kNoDestination));
    switches_ = Table<SwitchIndex, RoutingSwitch>(scratch.Take<RoutingSwitch>(size.switches));
    exits_ = scratch.Take<Exit>(size.ports);
    trunks_ = scratch.Take<Trunk>(size.ports);
    destinations_ = scratch.Take<Destination>(size.destinations);
    switch_bound_ = size.switches;
    switch_count_ = 0;
    exit_count_ = 0;
    destination_count_ = 0;
    home_ = kNoDestination;
    top_lid_ = kNoLid;
    top_lmc_ = 0;
    speeds_ = {};
}

void Topology::AddSwitch(SwitchIndex at, Guid guid, Guid system_image_guid,
                         std::uint8_t port_count) {
    EMBER_ASSERT(port_count < Raw(kNoPort));
    EMBER_ASSERT(guid != kNoGuid);
    EMBER_ASSERT(!Has(at));
    EMBER_ASSERT(exit_count_ + port_count < exits_.size());

    RoutingSwitch& row = switches_[at];
    row.guid = guid;
    row.system_image_guid = system_image_guid;
    row.port_count = port_count;
    row.first_exit = static_cast<std::uint32_t>(exit_count_);
    exit_count_ += port_count + std::size_t{1};
    ++switch_count_;
}

void Topology::Connect(SwitchIndex one, PortNumber port, SwitchIndex other, PortNumber other_port) {
    const RoutingSwitch& here = switches_[one];
    const RoutingSwitch& there = switches_[other];
    EMBER_ASSERT(Has(one) && Has(other));
    EMBER_ASSERT(Raw(port) >= 1 && Raw(port) <= here.port_count);
    EMBER_ASSERT(Raw(other_port) >= 1 && Raw(other_port) <= there.port_count);

    Exit& near = exits_[here.first_exit + Raw(port)];
    Exit& far = exits_[there.first_exit + Raw(other_port)];
    near.peer = other;
    near.peer_port = other_port;
    far.peer = one;
    far.peer_port = port;
}

void Topology::ConnectEndPort(SwitchIndex at, PortNumber port, bool is_aggregation) {
    EMBER_ASSERT(Raw(port) >= 1 && Raw(port) <= switches_[at].port_count);
    ++switches_[at].end_port_count;
    if (!is_aggregation) ++switches_[at].host_count;
}

void Topology::SetLink(SwitchIndex at, PortNumber port, const LinkTraits& traits) {
    EMBER_ASSERT(Raw(port) >= 1 && Raw(port) <= switches_[at].port_count);
    EMBER_ASSERT(DataVls(traits.vls) != 0);
    Exit& near = exits_[switches_[at].first_exit + Raw(port)];
    near.vls = OneLaneAt(at, port) != kNoSwitch ? VlCap::kVl0 : traits.vls;
    near.has_link = true;
    near.is_throttled = traits.is_throttled;
    if (near.peer == kNoSwitch) return;
    Exit& far = exits_[switches_[near.peer].first_exit + Raw(near.peer_port)];
    near.speed = speeds_.Number(traits.rate) & 7U;
    far.vls = near.vls;
    far.has_link = true;
    far.is_throttled = near.is_throttled;
    far.speed = near.speed;
}

void Topology::AddDestination(const Destination& destination) {
    EMBER_ASSERT(destination.lmc <= 7);
    EMBER_ASSERT(destination.lid != kNoLid);
    EMBER_ASSERT(destination_count_ < destinations_.size());
    const std::uint32_t last = Raw(destination.lid) + destination.lid_count() - 1;
    EMBER_ASSERT(last <= Raw(kTopUnicastLid));

    destinations_[destination_count_] = destination;
    if (destination.at != kNoSwitch) {
        EMBER_ASSERT(Has(destination.at));
        const RoutingSwitch& row = switches_[destination.at];
        EMBER_ASSERT(Raw(destination.port) <= row.port_count);
        exits_[row.first_exit + Raw(destination.port)].destination =
            static_cast<DestinationIndex>(destination_count_);
    }
    ++destination_count_;
    if (last > Raw(top_lid_)) top_lid_ = static_cast<Lid>(last);
    if (destination.lmc > top_lmc_) top_lmc_ = destination.lmc;
}

void Topology::Finish(Order order, Arena& scratch) {
    EMBER_ASSERT(switch_count_ <= switch_bound_ && exit_count_ <= exits_.size());
    order_ = order;
    CollectTrunks();
    OrderSwitches(order, scratch);
    OrderDestinations(order, scratch);
    OrderByCrowd(scratch);
}

void Topology::Renumber(const Topology& other, std::span<const SwitchIndex> rows, Arena& scratch) {
    EMBER_ASSERT(rows.size() == other.switch_count_);
    Start({.switches = other.switch_bound_,
           .ports = other.exit_count_,
           .destinations = other.destination_count_},
          scratch);
    switches_by_guid_ = scratch.Take<SwitchIndex>(rows.size());
    destinations_by_guid_ = scratch.Take<DestinationIndex>(other.destination_count_);
    destinations_by_crowd_ = scratch.Take<DestinationIndex>(other.destination_count_);
    const Arena::Frame frame(scratch);
    const Table<SwitchIndex, SwitchIndex> new_rows(scratch.Take<SwitchIndex>(switch_bound_));
    new_rows.fill(kNoSwitch);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EMBER_ASSERT(other.Has(rows[i]) && new_rows[rows[i]] == kNoSwitch);
        new_rows[rows[i]] = static_cast<SwitchIndex>(i);
    }
    const auto moved = [&](SwitchIndex old) { return old == kNoSwitch ? old : new_rows[old]; };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        RoutingSwitch& row = switches_[static_cast<SwitchIndex>(i)];
        row = other.switches_[rows[i]];
        row.first_exit = static_cast<std::uint32_t>(exit_count_);
        for (Exit exit : other.exits(rows[i])) {
            exit.peer = moved(exit.peer);
            exits_[exit_count_++] = exit;
        }
    }
    for (std::size_t i = 0; i < other.destination_count_; ++i) {
        destinations_[i] = other.destinations_[i];
        destinations_[i].at = moved(destinations_[i].at);
        destinations_by_guid_[i] = other.destinations_by_guid_[i];
        destinations_by_crowd_[i] = other.destinations_by_crowd_[i];
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        switches_by_guid_[i] = moved(other.switches_by_guid_[i]);
    }
    switch_count_ = other.switch_count_;
    destination_count_ = other.destination_count_;
    order_ = other.order_;
    home_ = other.home_;
    top_lid_ = other.top_lid_;
    top_lmc_ = other.top_lmc_;
    speeds_ = other.speeds_;
    CollectTrunks();
}

void Topology::LeaveOut(std::span<const SwitchExit> ports) {
    for (const SwitchExit& port : ports) {
        EMBER_ASSERT(Has(port.at) && Raw(port.port) <= switches_[port.at].port_count);
        exits_[switches_[port.at].first_exit + Raw(port.port)] = Exit{};
    }
    CollectTrunks();
}

void Topology::CollectTrunks() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < switch_bound_; ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        RoutingSwitch& row = switches_[at];
        row.first_trunk = static_cast<std::uint32_t>(count);
        if (!Has(at)) continue;
        for (std::size_t port = 1; port <= row.port_count; ++port) {
            const Exit& exit = exits_[row.first_exit + port];
            if (exit.peer == kNoSwitch || exit.peer == at) continue;
            trunks_[count++] = {exit.peer, static_cast<PortNumber>(port), exit.peer_port};
        }
        EMBER_ASSERT(count <= trunks_.size());
        row.trunk_count = static_cast<std::uint16_t>(count - row.first_trunk);
    }
}

void Topology::OrderSwitches(Order order, Arena& scratch) {
    switches_by_guid_ = scratch.Take<SwitchIndex>(switch_count_);
    const Arena::Frame frame(scratch);
    const auto keys = scratch.Take<std::uint64_t>(switch_count_);
    std::size_t count = 0;
    for (std::size_t i = 0; i < switch_bound_; ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        if (!Has(at)) continue;
        switches_by_guid_[count] = at;
        keys[count++] = SortKey(switches_[at].guid, order);
    }
    EMBER_ASSERT(count == switch_count_);
    SortByKey(keys, switches_by_guid_, scratch);
}

void Topology::OrderDestinations(Order order, Arena& scratch) {
    destinations_by_guid_ = scratch.Take<DestinationIndex>(destination_count_);
    const Arena::Frame frame(scratch);
    const auto keys = scratch.Take<std::uint64_t>(destination_count_);
    for (std::size_t i = 0; i < destination_count_; ++i) {
        destinations_by_guid_[i] = static_cast<DestinationIndex>(i);
        keys[i] = SortKey(destinations_[i].port_guid, order);
    }
    SortByKey(keys, destinations_by_guid_, scratch);
}

SwitchIndex Topology::FindSwitch(Guid guid) const {
    const auto before = [&](SwitchIndex at, std::uint64_t key) {
        return SortKey(switches_[at].guid, order_) < key;
    };
    const auto rows = switches_by_guid();
    const auto found = std::lower_bound(rows.begin(), rows.end(), SortKey(guid, order_), before);
    return found != rows.end() && switches_[*found].guid == guid ? *found : kNoSwitch;
}

DestinationIndex Topology::FindDestination(Guid port_guid) const {
    const auto before = [&](DestinationIndex at, std::uint64_t key) {
        return SortKey(destination(at).port_guid, order_) < key;
    };
    const auto rows = destinations_by_guid();
    const auto found =
        std::lower_bound(rows.begin(), rows.end(), SortKey(port_guid, order_), before);
    return found != rows.end() && destination(*found).port_guid == port_guid ? *found
                                                                             : kNoDestination;
}

void Topology::OrderByCrowd(Arena& scratch) {
    destinations_by_crowd_ = scratch.Take<DestinationIndex>(destination_count_);
    const Arena::Frame frame(scratch);
    const auto keys = scratch.Take<std::uint64_t>(switch_count_);
    const auto crowded = scratch.Take<SwitchIndex>(switch_count_);
    for (std::size_t i = 0; i < switch_count_; ++i) {
        crowded[i] = switches_by_guid_[i];
        keys[i] = 0xFFFFU - switches_[crowded[i]].end_port_count;
    }
    SortByKey(keys, crowded, scratch);

    std::size_t count = 0;
    for (const SwitchIndex at : crowded) {
        for (const Exit& exit : exits(at).subspan(1)) {
            if (exit.destination == kNoDestination) continue;
            destinations_by_crowd_[count++] = exit.destination;
        }
    }
    for (const DestinationIndex at : destinations_by_guid_) {
        const Destination& row = destination(at);
        if (row.at != kNoSwitch && !row.is_switch()) continue;  // Taken above, with its switch.
        EMBER_ASSERT(count < destination_count_);
        destinations_by_crowd_[count++] = at;
    }
    EMBER_ASSERT(count == destination_count_);
}

}  // namespace ember
