// SPDX-License-Identifier: Apache-2.0
// EmberSM: routing and its proof again, slowly and from the netlist alone, to compare with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/settings/settings.h"
#include "tests/support/fabric_builder.h"

namespace ember::testing {

/// Forwarding tables by node of the netlist, then LID: 255 where packets are dropped.
using SlowTables = std::map<std::uint32_t, std::vector<std::uint8_t>>;

/// A switch of the netlist and a port of it.
using SlowChannel = std::pair<std::uint32_t, std::uint8_t>;

/// An end port with LIDs, as the reference sees it.
struct SlowDestination {
    std::uint32_t node = 0;
    std::uint8_t port = 0;
    std::uint64_t guid = 0;
    std::uint32_t lid = 0;
    std::uint32_t lid_count = 1;
    bool is_switch = false;
    bool is_attached = false;  ///< To a switch, or it is one:
    std::uint32_t at = 0;      ///< this one,
    std::uint8_t at_port = 0;  ///< by this port.
};

/// Routing and its proof again, written for clarity alone: nothing is shared with core/routing or
/// engines/ but the fabric's LIDs, and every step is as the specification words it.
class RoutingReference {
public:
    RoutingReference(const net::Netlist& netlist, const BuiltFabric& built);

    /// OpenSM's minhop (EmberSM's notes on it are in engines/spread/DESIGN.md).
    [[nodiscard]] SlowTables MinHop(const Settings& settings) const;

    /// The first (switch, LID) whose packets are lost, go astray or run in a circle. Packets that a
    /// table drops are no fault when their sender or their destination is a mere switch.
    [[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> FindBroken(
        const SlowTables& tables) const;
    /// How many (switch, LID) are dropped so, within an island. No pair may be broken.
    [[nodiscard]] std::size_t CountApart(const SlowTables& tables) const;
    /// Pairs (switch, LID) whose way is longer than the shortest one. No pair may be broken.
    [[nodiscard]] std::size_t CountLonger(const SlowTables& tables) const;

    /// The channels that each awaits. `all`: switches send and receive too. No pair may be broken.
    using Dependencies = std::map<SlowChannel, std::set<SlowChannel>>;
    [[nodiscard]] Dependencies FindDependencies(const SlowTables& tables, bool all) const;
    [[nodiscard]] static bool HasCycle(const Dependencies& dependencies);

    /// Sum of cables between switches over all paths between end ports, and their number.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> SumHops(const SlowTables& tables) const;

    [[nodiscard]] const std::vector<std::uint32_t>& switches() const { return switches_; }
    [[nodiscard]] const std::vector<SlowDestination>& destinations() const { return destinations_; }
    /// Where the subnet manager lives.
    [[nodiscard]] std::uint32_t own_node() const { return own_node_; }
    [[nodiscard]] std::uint32_t top_lid() const { return top_lid_; }
    /// Least cables between two switches, 255 when there is no way.
    [[nodiscard]] std::uint32_t Hops(std::uint32_t from, std::uint32_t to) const;
    /// The switches on the way from `from` to `lid`, `from` included; empty when broken.
    [[nodiscard]] std::vector<std::uint32_t> Way(const SlowTables& tables, std::uint32_t from,
                                                 const SlowDestination& destination,
                                                 std::uint32_t lid) const;

private:
    struct Visit {
        std::uint32_t node = 0;
        std::uint64_t system = 0;
        std::uint32_t count = 0;
    };
    [[nodiscard]] std::vector<SlowDestination> RoutingOrder(Order order) const;
    [[nodiscard]] std::uint8_t Choose(std::uint32_t here, std::uint32_t home, std::size_t start,
                                      bool for_lmc, const std::vector<std::uint32_t>& load,
                                      const std::vector<Visit>& history) const;
    [[nodiscard]] std::uint64_t SystemOf(std::uint32_t node) const;
    [[nodiscard]] bool IsTrunk(std::uint32_t node, std::size_t port) const;
    [[nodiscard]] bool IsEndPort(const SlowDestination& destination) const;
    [[nodiscard]] bool HasEndPort(std::uint32_t node) const;
    [[nodiscard]] bool MayDrop(std::uint32_t from, const SlowDestination& destination) const;
    [[nodiscard]] bool IsDropped(const SlowTables& tables, std::uint32_t from,
                                 std::uint32_t lid) const;

    const net::Netlist& netlist_;
    std::vector<std::uint32_t> switches_;
    std::vector<SlowDestination> destinations_;
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> hops_;
    std::uint32_t top_lid_ = 0;
    std::uint32_t own_node_ = 0;
};

}  // namespace ember::testing
