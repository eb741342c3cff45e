// SPDX-License-Identifier: Apache-2.0
// EmberSM: packets that are followed lane by lane, without a line of core/routing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "config/netlist/netlist.h"
#include "tests/support/routing_reference.h"

namespace ember::testing {

/// The VL of packets at a node of the netlist, by input port, output port and SL.
using LaneRule = std::function<unsigned(std::uint32_t, std::uint8_t, std::uint8_t, unsigned)>;
/// The SL of packets from a switch to a LID.
using SlRule = std::function<unsigned(std::uint32_t, std::uint32_t)>;

/// A node, a port of it, a lane.
using LanePort = std::tuple<std::uint32_t, std::uint8_t, unsigned>;
using Waits = std::map<LanePort, std::set<LanePort>>;

/// Follows packets from every port to every LID, on the SL of the path and, with `answers`, on that
/// of the path back. `all`: to and from port 0 too, on SL 0 as well.
class LaneWalker {
public:
    LaneWalker(const net::Netlist& netlist, const RoutingReference& reference,
               const SlowTables& tables, const LaneRule& lane, const SlRule& sl_of,
               bool answers = true)
        : netlist_(netlist),
          reference_(reference),
          tables_(tables),
          lane_(lane),
          sl_of_(sl_of),
          answers_(answers) {}

    [[nodiscard]] Waits Walk(bool all) const {
        Waits waits;
        for (const SlowDestination& from : reference_.destinations()) {
            if (!from.is_attached || (!all && !IsEndPort(from))) continue;
            for (const SlowDestination& to : reference_.destinations()) {
                if (!to.is_attached || (!all && !IsEndPort(to))) continue;
                if (reference_.Hops(from.at, to.at) == 255) continue;
                for (std::uint32_t lid = to.lid; lid < to.lid + to.lid_count; ++lid) {
                    Follow(from, to, lid, sl_of_(from.at, lid), waits);
                    const std::uint32_t end = answers_ ? from.lid + from.lid_count : from.lid;
                    for (std::uint32_t back = from.lid; back < end; ++back) {
                        Follow(from, to, lid, sl_of_(to.at, back), waits);
                    }
                    if (!IsEndPort(from) || !IsEndPort(to)) Follow(from, to, lid, 0, waits);
                }
            }
        }
        return waits;
    }

private:
    [[nodiscard]] bool IsEndPort(const SlowDestination& row) const {
        return !row.is_switch || row.node == reference_.own_node();
    }
    void Follow(const SlowDestination& from, const SlowDestination& to, std::uint32_t lid,
                unsigned sl, Waits& waits) const {
        std::uint32_t at = from.at;
        std::uint8_t in = from.is_switch ? std::uint8_t{0} : from.at_port;
        bool is_first = true;
        LanePort held;
        while (at != to.at) {
            const std::uint8_t out = tables_.at(at)[lid];
            const LanePort next{at, out, lane_(at, in, out, sl)};
            if (!is_first) waits[held].insert(next);
            is_first = false;
            held = next;
            const net::NetPort& port = netlist_.nodes[at].ports[out];
            in = static_cast<std::uint8_t>(port.peer_port);
            at = port.peer;
        }
    }

    const net::Netlist& netlist_;
    const RoutingReference& reference_;
    const SlowTables& tables_;
    const LaneRule& lane_;
    const SlRule& sl_of_;
    bool answers_;
};

/// A switch of the netlist sends packets of a group on by a port.
using OpenRule = std::function<bool(std::uint32_t, std::uint8_t)>;

/// Follows packets of a multicast group from every end port that hears it, on each way.
class GroupWalker {
public:
    GroupWalker(const net::Netlist& netlist, const OpenRule& is_open, const LaneRule& lane)
        : netlist_(netlist), is_open_(is_open), lane_(lane) {}

    /// Adds what they wait for. Only for a tree: in a loop a packet would be followed for ever.
    void Walk(unsigned sl, Waits& waits) const {
        for (std::uint32_t at = 0; at < netlist_.nodes.size(); ++at) {
            if (!netlist_.nodes[at].is_switch()) continue;
            for (std::size_t port = 0; port < netlist_.nodes[at].ports.size(); ++port) {
                const auto in = static_cast<std::uint8_t>(port);
                if (!IsTrunk(at, in) && is_open_(at, in)) Follow({at, in, {}, true}, sl, waits);
            }
        }
    }

private:
    struct Arrival {
        std::uint32_t at = 0;
        std::uint8_t in = 0;
        LanePort held;
        bool is_first = false;
    };
    [[nodiscard]] bool IsTrunk(std::uint32_t at, std::uint8_t port) const {
        const std::uint32_t peer = netlist_.nodes[at].ports[port].peer;
        return port != 0 && peer != net::kNoPeer && netlist_.nodes[peer].is_switch();
    }
    void Follow(const Arrival& first, unsigned sl, Waits& waits) const {
        std::vector<Arrival> todo{first};
        while (!todo.empty()) {
            const Arrival now = todo.back();
            todo.pop_back();
            for (std::size_t port = 1; port < netlist_.nodes[now.at].ports.size(); ++port) {
                const auto out = static_cast<std::uint8_t>(port);
                if (out == now.in || !IsTrunk(now.at, out) || !is_open_(now.at, out)) continue;
                const LanePort next{now.at, out, lane_(now.at, now.in, out, sl)};
                if (!now.is_first) waits[now.held].insert(next);
                const net::NetPort& cable = netlist_.nodes[now.at].ports[port];
                todo.push_back(
                    {cable.peer, static_cast<std::uint8_t>(cable.peer_port), next, false});
            }
        }
    }

    const net::Netlist& netlist_;
    const OpenRule& is_open_;
    const LaneRule& lane_;
};

[[nodiscard]] inline bool HasCycle(Waits left) {
    while (true) {  // Takes away what waits for nothing that waits, until nothing changes.
        const std::size_t before = left.size();
        std::erase_if(left, [&](const auto& row) {
            return std::none_of(row.second.begin(), row.second.end(),
                                [&](const LanePort& next) { return left.contains(next); });
        });
        if (left.size() == before) return !left.empty();
    }
}

}  // namespace ember::testing
