// SPDX-License-Identifier: Apache-2.0
// EmberSM: routing and its proof again, slowly and from the netlist alone, to compare with.

#include "tests/support/routing_reference.h"

#include <algorithm>
#include <deque>
#include <functional>

namespace ember::testing {

namespace {

std::uint64_t KeyOf(std::uint64_t guid, Order order) {
    if (order == Order::kGuid) return guid;
    std::uint64_t backwards = 0;
    for (int octet = 0; octet < 8; ++octet) {
        backwards = backwards << 8 | (guid >> (8 * octet) & 0xFF);
    }
    return backwards;
}

}  // namespace

RoutingReference::RoutingReference(const net::Netlist& netlist, const BuiltFabric& built)
    : netlist_(netlist) {
    const Fabric& fabric = built.fabric();
    for (std::uint32_t node = 0; node < netlist.nodes.size(); ++node) {
        const net::NetNode& row = netlist.nodes[node];
        if (row.is_switch()) switches_.push_back(node);
        if (fabric.port(fabric.own_port()).node == built.node(node)) own_node_ = node;
        const std::uint32_t first = row.is_switch() ? 0 : 1;
        const std::uint32_t last = row.is_switch() ? 0 : row.port_count();
        for (std::uint32_t port = first; port <= last; ++port) {
            const auto at = fabric.PortOf(built.node(node), static_cast<PortNumber>(port));
            const Port& known = fabric.port(at);
            if (known.lid == kNoLid) continue;
            SlowDestination destination;
            destination.node = node;
            destination.port = static_cast<std::uint8_t>(port);
            destination.guid = Raw(known.guid);
            destination.lid = Raw(known.lid);
            destination.lid_count = 1U << known.lmc;
            destination.is_switch = row.is_switch();
            if (row.is_switch()) {
                destination.is_attached = true;
                destination.at = node;
            } else if (row.ports[port].peer != net::kNoPeer &&
                       netlist.nodes[row.ports[port].peer].is_switch()) {
                destination.is_attached = true;
                destination.at = row.ports[port].peer;
                destination.at_port = row.ports[port].peer_port;
            }
            destinations_.push_back(destination);
            top_lid_ = std::max(top_lid_, destination.lid + destination.lid_count - 1);
        }
    }
    for (const std::uint32_t from : switches_) {
        std::deque<std::uint32_t> queue = {from};
        hops_[from][from] = 0;
        while (!queue.empty()) {
            const std::uint32_t here = queue.front();
            queue.pop_front();
            for (std::size_t port = 1; port < netlist.nodes[here].ports.size(); ++port) {
                if (!IsTrunk(here, port)) continue;
                const std::uint32_t peer = netlist.nodes[here].ports[port].peer;
                if (hops_[from].contains(peer)) continue;
                hops_[from][peer] = hops_[from][here] + 1;
                queue.push_back(peer);
            }
        }
    }
}

bool RoutingReference::IsTrunk(std::uint32_t node, std::size_t port) const {
    const net::NetPort& end = netlist_.nodes[node].ports[port];
    return end.peer != net::kNoPeer && netlist_.nodes[end.peer].is_switch();
}

std::uint32_t RoutingReference::Hops(std::uint32_t from, std::uint32_t to) const {
    const auto& row = hops_.at(from);
    const auto found = row.find(to);
    return found == row.end() ? 255 : found->second;
}

std::uint64_t RoutingReference::SystemOf(std::uint32_t node) const {
    const net::NetNode& row = netlist_.nodes[node];
    return Raw(row.system_image_guid == kNoGuid ? row.guid : row.system_image_guid);
}

std::vector<SlowDestination> RoutingReference::RoutingOrder(Order order) const {
    std::vector<SlowDestination> by_guid = destinations_;
    std::stable_sort(by_guid.begin(), by_guid.end(), [&](const auto& a, const auto& b) {
        return KeyOf(a.guid, order) < KeyOf(b.guid, order);
    });
    std::vector<std::uint32_t> crowded = switches_;
    std::stable_sort(crowded.begin(), crowded.end(), [&](std::uint32_t a, std::uint32_t b) {
        return KeyOf(Raw(netlist_.nodes[a].guid), order) <
               KeyOf(Raw(netlist_.nodes[b].guid), order);
    });
    const auto crowd = [&](std::uint32_t node) {
        std::size_t count = 0;
        for (std::size_t port = 1; port < netlist_.nodes[node].ports.size(); ++port) {
            const bool is_cabled = netlist_.nodes[node].ports[port].peer != net::kNoPeer;
            if (is_cabled && !IsTrunk(node, port)) ++count;
        }
        return count;
    };
    std::stable_sort(crowded.begin(), crowded.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return crowd(a) > crowd(b); });

    std::vector<SlowDestination> list;
    std::set<std::uint64_t> listed;
    for (const std::uint32_t node : crowded) {
        for (std::size_t port = 1; port < netlist_.nodes[node].ports.size(); ++port) {
            for (const SlowDestination& destination : destinations_) {
                const bool is_here = !destination.is_switch && destination.is_attached &&
                                     destination.at == node && destination.at_port == port;
                if (is_here && listed.insert(destination.guid).second) list.push_back(destination);
            }
        }
    }
    for (const SlowDestination& destination : by_guid) {
        if (listed.insert(destination.guid).second) list.push_back(destination);
    }
    return list;
}

std::uint8_t RoutingReference::Choose(std::uint32_t here, std::uint32_t home, std::size_t start,
                                      bool for_lmc, const std::vector<std::uint32_t>& load,
                                      const std::vector<Visit>& history) const {
    const std::size_t ports = netlist_.nodes[here].ports.size();
    const std::uint32_t least_hops = Hops(here, home);
    std::optional<std::size_t> other_system;
    std::optional<std::size_t> other_node;
    std::optional<std::size_t> any;
    std::uint32_t fewest = 255;  // Visits of any port that was best so far, at whatever load.
    const auto visits = [&](std::size_t port) -> std::uint32_t {
        for (const Visit& visit : history) {
            if (visit.node == netlist_.nodes[here].ports[port].peer) return visit.count;
        }
        return 0;
    };
    for (std::size_t i = start; i < start + ports; ++i) {
        const std::size_t port = i % ports;
        if (port == 0 || !IsTrunk(here, port)) continue;
        const std::uint32_t peer = netlist_.nodes[here].ports[port].peer;
        if (peer == here || Hops(peer, home) + 1 != least_hops) continue;

        const bool is_system_used =
            std::any_of(history.begin(), history.end(),
                        [&](const Visit& visit) { return visit.system == SystemOf(peer); });
        if (for_lmc && !is_system_used) {
            if (!other_system || load[port] < load[*other_system]) other_system = port;
        } else if (for_lmc && visits(port) == 0) {
            if (!other_node || load[port] < load[*other_node]) other_node = port;
        }
        const bool is_lighter = !any || load[port] < load[*any];
        const bool is_fresher = any && for_lmc && load[port] == load[*any] && visits(port) < fewest;
        if (!is_lighter && !is_fresher) continue;
        any = port;
        fewest = std::min(fewest, visits(port));
    }
    if (other_system) return static_cast<std::uint8_t>(*other_system);
    if (other_node) return static_cast<std::uint8_t>(*other_node);
    return static_cast<std::uint8_t>(any.value_or(255));
}

SlowTables RoutingReference::MinHop(const Settings& settings) const {
    const std::vector<SlowDestination> list = RoutingOrder(settings.order);
    SlowTables tables;
    for (const std::uint32_t here : switches_) {
        std::vector<std::uint8_t>& row = tables[here];
        row.assign(top_lid_ + std::size_t{1}, 255);
        std::vector<std::uint32_t> load(256);
        std::map<std::uint64_t, std::vector<Visit>> history;
        for (std::uint32_t offset = 0; offset < 128; ++offset) {
            for (const SlowDestination& destination : list) {
                if (offset >= destination.lid_count || !destination.is_attached) continue;
                std::uint8_t& entry = row[destination.lid + offset];
                if (destination.at == here) {
                    entry = destination.at_port;
                    continue;
                }
                if (Hops(here, destination.at) == 255) continue;
                const std::size_t start =
                    offset == 0 ? 1 : row[destination.lid + offset - 1] + std::size_t{1};
                std::vector<Visit>& visits = history[destination.guid];
                entry =
                    Choose(here, destination.at, start, destination.lid_count > 1, load, visits);
                if (destination.is_switch && !settings.port_profile_switch_nodes) continue;
                ++load[entry];
                const std::uint32_t peer = netlist_.nodes[here].ports[entry].peer;
                const auto found = std::find_if(visits.begin(), visits.end(),
                                                [&](const Visit& v) { return v.node == peer; });
                if (found == visits.end()) {
                    visits.push_back({peer, SystemOf(peer), 1});
                } else {
                    ++found->count;
                }
            }
        }
    }
    return tables;
}

std::vector<std::uint32_t> RoutingReference::Way(const SlowTables& tables, std::uint32_t from,
                                                 const SlowDestination& destination,
                                                 std::uint32_t lid) const {
    std::vector<std::uint32_t> way = {from};
    while (way.back() != destination.at) {
        const std::uint8_t port = tables.at(way.back())[lid];
        if (port == 0 || port >= netlist_.nodes[way.back()].ports.size()) return {};
        if (!IsTrunk(way.back(), port)) return {};
        way.push_back(netlist_.nodes[way.back()].ports[port].peer);
        if (way.size() > switches_.size()) return {};
    }
    if (tables.at(way.back())[lid] != destination.at_port) return {};
    return way;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> RoutingReference::FindBroken(
    const SlowTables& tables) const {
    for (const SlowDestination& destination : destinations_) {
        for (std::uint32_t i = 0; i < destination.lid_count; ++i) {
            const std::uint32_t lid = destination.lid + i;
            for (const std::uint32_t from : switches_) {
                const bool may_arrive =
                    destination.is_attached && Hops(from, destination.at) != 255;
                const bool is_right = may_arrive ? !Way(tables, from, destination, lid).empty()
                                                 : tables.at(from)[lid] == 255;
                if (is_right) continue;
                if (may_arrive && MayDrop(from, destination) && from != destination.at &&
                    IsDropped(tables, from, lid)) {
                    continue;
                }
                return std::pair{from, lid};
            }
        }
    }
    return std::nullopt;
}

bool RoutingReference::HasEndPort(std::uint32_t node) const {
    return node == own_node_ ||
           std::any_of(destinations_.begin(), destinations_.end(), [&](const auto& destination) {
               return destination.is_attached && destination.at == node && IsEndPort(destination);
           });
}

bool RoutingReference::MayDrop(std::uint32_t from, const SlowDestination& destination) const {
    return !IsEndPort(destination) || !HasEndPort(from);
}

bool RoutingReference::IsDropped(const SlowTables& tables, std::uint32_t from,
                                 std::uint32_t lid) const {
    std::uint32_t here = from;
    for (std::size_t steps = 0; steps <= switches_.size(); ++steps) {
        const std::uint8_t port = tables.at(here)[lid];
        if (port == 255) return true;
        if (port == 0 || port >= netlist_.nodes[here].ports.size()) return false;
        if (!IsTrunk(here, port)) return false;
        here = netlist_.nodes[here].ports[port].peer;
    }
    return false;
}

std::size_t RoutingReference::CountApart(const SlowTables& tables) const {
    std::size_t apart = 0;
    for (const SlowDestination& destination : destinations_) {
        for (std::uint32_t i = 0; i < destination.lid_count; ++i) {
            for (const std::uint32_t from : switches_) {
                if (!destination.is_attached || Hops(from, destination.at) == 255) continue;
                if (Way(tables, from, destination, destination.lid + i).empty()) ++apart;
            }
        }
    }
    return apart;
}

std::size_t RoutingReference::CountLonger(const SlowTables& tables) const {
    std::size_t longer = 0;
    for (const SlowDestination& destination : destinations_) {
        for (std::uint32_t i = 0; i < destination.lid_count; ++i) {
            for (const std::uint32_t from : switches_) {
                if (!destination.is_attached || Hops(from, destination.at) == 255) continue;
                const auto way = Way(tables, from, destination, destination.lid + i);
                if (way.size() > Hops(from, destination.at) + std::size_t{1}) ++longer;
            }
        }
    }
    return longer;
}

bool RoutingReference::IsEndPort(const SlowDestination& destination) const {
    return !destination.is_switch || destination.node == own_node_;
}

RoutingReference::Dependencies RoutingReference::FindDependencies(const SlowTables& tables,
                                                                  bool all) const {
    std::set<std::uint32_t> senders;
    for (const SlowDestination& destination : destinations_) {
        if (destination.is_attached && (all || IsEndPort(destination))) {
            senders.insert(destination.at);
        }
    }
    if (all) senders.insert(switches_.begin(), switches_.end());
    if (netlist_.nodes[own_node_].is_switch()) senders.insert(own_node_);

    Dependencies dependencies;
    for (const SlowDestination& destination : destinations_) {
        if (!all && !IsEndPort(destination)) continue;
        for (std::uint32_t i = 0; i < destination.lid_count; ++i) {
            const std::uint32_t lid = destination.lid + i;
            for (const std::uint32_t from : senders) {
                if (!destination.is_attached || Hops(from, destination.at) == 255) continue;
                const auto way = Way(tables, from, destination, lid);
                for (std::size_t step = 0; step + 2 < way.size(); ++step) {
                    dependencies[{way[step], tables.at(way[step])[lid]}].insert(
                        {way[step + 1], tables.at(way[step + 1])[lid]});
                }
            }
        }
    }
    return dependencies;
}

bool RoutingReference::HasCycle(const Dependencies& dependencies) {
    Dependencies left = dependencies;
    while (true) {  // Removes channels that wait for no channel left, until no more are found.
        std::vector<SlowChannel> free;
        for (const auto& [channel, waits_for] : left) {
            const bool is_free =
                std::none_of(waits_for.begin(), waits_for.end(),
                             [&](const SlowChannel& next) { return left.contains(next); });
            if (is_free) free.push_back(channel);
        }
        if (free.empty()) return !left.empty();
        for (const SlowChannel& channel : free) {
            left.erase(channel);
        }
    }
}

std::pair<std::uint64_t, std::uint64_t> RoutingReference::SumHops(const SlowTables& tables) const {
    std::uint64_t hops = 0;
    std::uint64_t paths = 0;
    for (const SlowDestination& from : destinations_) {
        for (const SlowDestination& to : destinations_) {
            if (!IsEndPort(from) || !IsEndPort(to) || from.guid == to.guid) continue;
            if (!from.is_attached || !to.is_attached || Hops(from.at, to.at) == 255) continue;
            for (std::uint32_t i = 0; i < to.lid_count; ++i) {
                hops += Way(tables, from.at, to, to.lid + i).size() - 1;
                ++paths;
            }
        }
    }
    return {hops, paths};
}

}  // namespace ember::testing
