// SPDX-License-Identifier: Apache-2.0
// EmberSM: well-known shapes that lost cables or switches, or are plugged otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"

namespace ember::testing {

/// Draws numbers; the same on every machine, and the same as when OpenSM was measured.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::size_t Below(std::size_t bound) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::size_t>(state_ >> 33) % bound;
    }

private:
    std::uint64_t state_;
};

inline void Unplug(net::Netlist& netlist, std::uint32_t node, std::size_t port) {
    net::NetPort& here = netlist.nodes[node].ports[port];
    if (here.peer == net::kNoPeer) return;
    netlist.nodes[here.peer].ports[here.peer_port].peer = net::kNoPeer;
    here.peer = net::kNoPeer;
}

inline bool IsSwitch(const net::Netlist& netlist, std::uint32_t node) {
    return node != net::kNoPeer && netlist.nodes[node].is_switch();
}

/// Unplugs `count` cables between switches.
inline void LoseLinks(net::Netlist& netlist, std::size_t count, std::uint64_t seed) {
    std::vector<std::pair<std::uint32_t, std::size_t>> cables;
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        if (!IsSwitch(netlist, i)) continue;
        const auto& ports = netlist.nodes[i].ports;
        for (std::size_t p = 1; p < ports.size(); ++p) {
            if (IsSwitch(netlist, ports[p].peer) && ports[p].peer > i) cables.emplace_back(i, p);
        }
    }
    Dice dice(seed);
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(cables[i], cables[i + dice.Below(cables.size() - i)]);
        Unplug(netlist, cables[i].first, cables[i].second);
    }
}

/// Unplugs all cables of `count` switches without hosts.
inline void LoseSwitches(net::Netlist& netlist, std::size_t count, std::uint64_t seed) {
    std::vector<std::uint32_t> bare;
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        const auto& ports = netlist.nodes[i].ports;
        const auto has_host = std::any_of(ports.begin() + 1, ports.end(), [&](const auto& port) {
            return port.peer != net::kNoPeer && !IsSwitch(netlist, port.peer);
        });
        if (IsSwitch(netlist, i) && !has_host) bare.push_back(i);
    }
    Dice dice(seed);
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(bare[i], bare[i + dice.Below(bare.size() - i)]);
        for (std::size_t p = 1; p < netlist.nodes[bare[i]].ports.size(); ++p) {
            Unplug(netlist, bare[i], p);
        }
    }
}

/// Plugs the cables of every switch into other ports of it.
inline void Replug(net::Netlist& netlist, std::uint64_t seed) {
    Dice dice(seed);
    for (std::uint32_t i = 0; i < netlist.nodes.size(); ++i) {
        if (!IsSwitch(netlist, i)) continue;
        auto& ports = netlist.nodes[i].ports;
        for (std::size_t p = 1; p < ports.size(); ++p) {
            std::swap(ports[p], ports[p + dice.Below(ports.size() - p)]);
        }
        for (std::size_t p = 1; p < ports.size(); ++p) {
            if (ports[p].peer == net::kNoPeer) continue;
            netlist.nodes[ports[p].peer].ports[ports[p].peer_port].peer_port =
                static_cast<std::uint8_t>(p);
        }
    }
}

/// The same fabric, its nodes in another order.
inline net::Netlist Reordered(const net::Netlist& netlist, std::uint64_t seed) {
    Dice dice(seed);
    std::vector<std::uint32_t> places(netlist.nodes.size());
    std::iota(places.begin(), places.end(), 0U);
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::swap(places[i], places[i + dice.Below(places.size() - i)]);
    }
    net::Netlist other;
    other.nodes.resize(netlist.nodes.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        net::NetNode& node = other.nodes[places[i]];
        node = netlist.nodes[i];
        for (net::NetPort& port : node.ports) {
            if (port.peer != net::kNoPeer) port.peer = places[port.peer];
        }
    }
    return other;
}

/// A net of the comparison with OpenSM.
struct Net {
    std::string shape;  ///< Of net::TopologyByName().
    std::size_t lost_links = 0;
    std::size_t lost_switches = 0;
    std::uint64_t seed = 0;
    bool is_replugged = false;

    [[nodiscard]] net::Netlist Build() const {
        std::string error;
        net::Netlist netlist = net::TopologyByName(shape, error);
        EXPECT_EQ(error, "");
        LoseLinks(netlist, lost_links, seed);
        LoseSwitches(netlist, lost_switches, seed);
        if (is_replugged) Replug(netlist, seed);
        return netlist;
    }
    [[nodiscard]] std::string Name() const {
        return shape + " without " + std::to_string(lost_links) + " links and " +
               std::to_string(lost_switches) + " switches" + (is_replugged ? ", replugged" : "");
    }
};

}  // namespace ember::testing
