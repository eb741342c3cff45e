// SPDX-License-Identifier: Apache-2.0
// EmberSM: OpenSM's balanced tables with all options again, slowly, to compare with.

#include "tests/support/spread_reference.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ember::testing {

namespace {

std::uint64_t KeyOf(std::uint64_t guid, Order order) {
    return order == Order::kGuid ? guid : __builtin_bswap64(guid);
}

class SlowSpreader {
public:
    SlowSpreader(const net::Netlist& netlist, const RoutingReference& reference,
                 const Settings& settings, bool by_dimension)
        : netlist_(netlist),
          reference_(reference),
          settings_(settings),
          by_dimension_(by_dimension) {}

    SlowTables Run();

private:
    struct Stop {
        SlowDestination destination;
        bool is_named = false;
    };

    void SortSwitches();
    void Measure();
    void ListStops();
    std::vector<std::size_t> PortsOf(std::uint32_t here) const;
    std::vector<std::size_t> Candidates(std::uint32_t here, std::uint32_t to,
                                        std::size_t start) const;
    std::size_t Choose(const Stop& stop, std::uint32_t offset, std::vector<std::size_t> candidates);
    std::size_t ChooseByHistory(const Stop& stop, const std::vector<std::size_t>& candidates);

    const net::NetPort& End(std::uint32_t node, std::size_t port) const {
        return netlist_.nodes[node].ports[port];
    }
    bool IsTrunk(std::uint32_t node, std::size_t port) const {
        const std::uint32_t peer = End(node, port).peer;
        return peer != net::kNoPeer && peer != node && netlist_.nodes[peer].is_switch();
    }
    bool IsListed(std::span<const SwitchPort> lines, std::uint32_t node, std::size_t port) const {
        return std::any_of(lines.begin(), lines.end(), [&](const SwitchPort& line) {
            return line.guid == netlist_.nodes[node].guid && Raw(line.port) == port;
        });
    }
    std::uint32_t Weight(std::uint32_t node, std::size_t port) const {
        std::uint32_t weight = 1;
        for (const HopWeight& line : settings_.tables.hop_weights) {
            const bool is_its = line.guid == netlist_.nodes[node].guid && Raw(line.port) == port;
            if (is_its) weight = line.hops;
        }
        return weight;
    }
    Guid SystemOf(std::uint32_t node) const {
        const net::NetNode& row = netlist_.nodes[node];
        return row.system_image_guid == kNoGuid ? row.guid : row.system_image_guid;
    }

    const net::Netlist& netlist_;
    const RoutingReference& reference_;
    const Settings& settings_;
    const bool by_dimension_;
    std::vector<std::uint32_t> switches_;  ///< By GUID.
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> hops_;
    std::vector<Stop> stops_;
    // Of the switch at work.
    std::uint32_t here_ = 0;
    std::map<std::size_t, std::uint32_t> load_;
    std::map<std::uint64_t, std::vector<std::size_t>> history_;  ///< By port GUID: ports taken.
};

void SlowSpreader::SortSwitches() {
    switches_ = reference_.switches();
    std::sort(switches_.begin(), switches_.end(), [&](std::uint32_t one, std::uint32_t other) {
        return KeyOf(Raw(netlist_.nodes[one].guid), settings_.order) <
               KeyOf(Raw(netlist_.nodes[other].guid), settings_.order);
    });
}

void SlowSpreader::Measure() {
    for (const std::uint32_t from : switches_) {
        for (const std::uint32_t to : switches_) {
            hops_[from][to] = from == to ? 0 : 255;
        }
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (const std::uint32_t from : switches_) {
            for (std::size_t port = 1; port < netlist_.nodes[from].ports.size(); ++port) {
                if (!IsTrunk(from, port)) continue;
                for (const std::uint32_t to : switches_) {
                    const std::uint32_t sum = hops_[End(from, port).peer][to] + Weight(from, port);
                    if (sum >= hops_[from][to]) continue;
                    hops_[from][to] = sum;
                    changes = true;
                }
            }
        }
    }
}

void SlowSpreader::ListStops() {
    std::set<std::uint64_t> listed;
    const auto add = [&](const SlowDestination& destination, bool is_named) {
        if (listed.insert(destination.guid).second) stops_.push_back({destination, is_named});
    };
    for (const Guid guid : settings_.tables.routing_order) {
        for (const SlowDestination& destination : reference_.destinations()) {
            if (destination.guid == Raw(guid)) add(destination, true);
        }
    }
    std::map<std::uint32_t, int> crowd;
    for (const std::uint32_t node : switches_) {
        for (std::size_t port = 1; port < netlist_.nodes[node].ports.size(); ++port) {
            const std::uint32_t peer = End(node, port).peer;
            if (peer != net::kNoPeer && !netlist_.nodes[peer].is_switch()) ++crowd[node];
        }
    }
    std::vector<std::uint32_t> crowded = switches_;
    std::stable_sort(crowded.begin(), crowded.end(), [&](std::uint32_t one, std::uint32_t other) {
        return crowd[one] > crowd[other];
    });
    for (const std::uint32_t node : crowded) {
        for (std::size_t port = 1; port < netlist_.nodes[node].ports.size(); ++port) {
            for (const SlowDestination& row : reference_.destinations()) {
                const bool is_host = !row.is_switch && row.is_attached;
                if (is_host && row.at == node && row.at_port == port) add(row, false);
            }
        }
    }
    std::map<std::uint64_t, SlowDestination> by_guid;
    for (const SlowDestination& row : reference_.destinations()) {
        by_guid[KeyOf(row.guid, settings_.order)] = row;
    }
    for (const auto& [key, row] : by_guid) {
        add(row, false);
    }
}

/// Port 0, then those that the search order names, then the others.
std::vector<std::size_t> SlowSpreader::PortsOf(std::uint32_t here) const {
    const std::size_t count = netlist_.nodes[here].ports.size();
    std::vector<std::size_t> ports = {0};
    for (const PortOrder& line : settings_.tables.search) {
        if (line.guid != netlist_.nodes[here].guid) continue;
        const auto named = settings_.tables.search_ports.subspan(line.first, line.count);
        const bool is_fine = std::all_of(named.begin(), named.end(),
                                         [&](PortNumber port) { return Raw(port) < count; });
        for (const PortNumber port : named) {
            if (is_fine) ports.push_back(Raw(port));
        }
    }
    for (std::size_t port = 1; port < count; ++port) {
        if (std::find(ports.begin(), ports.end(), port) == ports.end()) ports.push_back(port);
    }
    return ports;
}

std::vector<std::size_t> SlowSpreader::Candidates(std::uint32_t here, std::uint32_t to,
                                                  std::size_t start) const {
    const std::vector<std::size_t> ports = PortsOf(here);
    std::vector<std::size_t> found;
    for (std::size_t i = start; i < start + ports.size(); ++i) {
        const std::size_t port = ports[i % ports.size()];
        if (port == 0 || !IsTrunk(here, port)) continue;
        const std::uint32_t peer = End(here, port).peer;
        if (hops_.at(peer).at(to) + Weight(here, port) != hops_.at(here).at(to)) continue;
        if (by_dimension_ && !found.empty() && End(here, found[0]).peer != peer) continue;
        found.push_back(port);
    }
    return found;
}

std::size_t SlowSpreader::Choose(const Stop& stop, std::uint32_t offset,
                                 std::vector<std::size_t> candidates) {
    const auto by_load = [&](std::size_t one, std::size_t other) {
        return load_[one] < load_[other];
    };
    const bool by_chance = settings_.scatter_ports != 0 && offset == 0 &&
                           !(stop.is_named && settings_.guid_routing_order_no_scatter);
    if (by_chance) {
        const std::uint32_t least =
            load_[*std::min_element(candidates.begin(), candidates.end(), by_load)];
        std::erase_if(candidates, [&](std::size_t port) { return load_[port] != least; });
        return candidates[static_cast<std::size_t>(::random()) % candidates.size()];
    }
    if (settings_.port_shifting) {
        std::size_t sum = 0;
        for (const std::size_t port : candidates) {
            sum += load_[port];
        }
        const std::size_t first = sum / candidates.size() % candidates.size();
        std::rotate(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(first),
                    candidates.end());
    }
    if (offset > 0 && !(by_dimension_ && settings_.port_shifting)) {
        return ChooseByHistory(stop, candidates);
    }
    return *std::min_element(candidates.begin(), candidates.end(), by_load);
}

std::size_t SlowSpreader::ChooseByHistory(const Stop& stop,
                                          const std::vector<std::size_t>& candidates) {
    const std::vector<std::size_t>& taken = history_[stop.destination.guid];
    std::optional<std::size_t> other_system;
    std::optional<std::size_t> other_switch;
    std::optional<std::size_t> any;
    std::ptrdiff_t fewest = 1000;  // Visits of any that was best so far, at whatever load.
    for (const std::size_t port : candidates) {
        const std::uint32_t peer = End(here_, port).peer;
        const auto visits = std::count_if(taken.begin(), taken.end(), [&](std::size_t before) {
            return by_dimension_ ? before == port : End(here_, before).peer == peer;
        });
        const bool is_new_system =
            std::none_of(taken.begin(), taken.end(), [&](std::size_t before) {
                return SystemOf(End(here_, before).peer) == SystemOf(peer);
            });
        if (!by_dimension_ && is_new_system) {
            if (!other_system || load_[port] < load_[*other_system]) other_system = port;
        } else if (!by_dimension_ && visits == 0) {
            if (!other_switch || load_[port] < load_[*other_switch]) other_switch = port;
        }
        const bool is_fresher = any && load_[port] == load_[*any] && visits < fewest;
        if (any && load_[port] >= load_[*any] && !is_fresher) continue;
        any = port;
        fewest = std::min(fewest, visits);
    }
    if (other_system) return *other_system;
    return other_switch ? *other_switch : *any;
}

SlowTables SlowSpreader::Run() {
    SortSwitches();
    Measure();
    ListStops();
    if (settings_.scatter_ports != 0) ::srandom(settings_.scatter_ports);
    SlowTables tables;
    for (const std::uint32_t here : switches_) {
        here_ = here;
        load_.clear();
        history_.clear();
        std::vector<std::uint8_t>& row = tables[here];
        row.assign(reference_.top_lid() + std::size_t{1}, 255);
        for (std::uint32_t offset = 0; offset < 128; ++offset) {
            for (const Stop& stop : stops_) {
                const SlowDestination& to = stop.destination;
                if (offset >= to.lid_count || !to.is_attached) continue;
                std::uint8_t& entry = row[to.lid + offset];
                if (to.at == here) entry = to.at_port;
                if (to.at == here || hops_[here][to.at] == 255) continue;

                const bool goes_on = offset > 0 && !by_dimension_;
                const std::size_t start = goes_on ? row[to.lid + offset - 1] + std::size_t{1} : 1;
                const std::size_t port = Choose(stop, offset, Candidates(here, to.at, start));
                entry = static_cast<std::uint8_t>(port);
                if (to.is_switch && !settings_.port_profile_switch_nodes) continue;
                if (IsListed(settings_.tables.ignored, here, port)) continue;
                ++load_[port];
                history_[to.guid].push_back(port);
            }
        }
    }
    return tables;
}

}  // namespace

SlowTables SlowSpread(const net::Netlist& netlist, const RoutingReference& reference,
                      const Settings& settings, bool by_dimension) {
    return SlowSpreader(netlist, reference, settings, by_dimension).Run();
}

}  // namespace ember::testing
