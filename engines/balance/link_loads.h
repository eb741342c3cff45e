// SPDX-License-Identifier: Apache-2.0
// EmberSM: the traffic that is to be balanced, and what every link carries of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/balance/host_turns.h"
#include "engines/balance/leaf_order.h"

namespace ember {

/// A port with LIDs. Until tables are settled, octet i of a row of them belongs to the i-th
/// receiver.
struct Receiver {
    Lid lid = kNoLid;  ///< Base LID.
    SwitchIndex at = kNoSwitch;
    PortNumber port{};  ///< Of `at`, to the end port; 0: the switch itself.
    std::uint8_t lmc = 0;
};

/// A switch with end ports: receivers in neighboring rows, by HostTurn, then ascending by port.
struct LeafSwitch {
    SwitchIndex at = kNoSwitch;
    std::uint32_t first = 0;  ///< Its first receiver.
    std::uint16_t count = 0;  ///< Its receivers; at least 1 in LinkLoads::leaves().
};

/// The traffic matrix of balanced routing and the load of every link. Every host's port with a turn
/// (HostTurns) sends one unit to every other; other hosts, switches and aggregation nodes count for
/// nothing. The load of a link is counted while exits are chosen.
///
/// Receivers of end ports come first, leaf switch by leaf switch. Leaf switches that are near to
/// each other follow one another (LeafOrder), otherwise they ascend by GUID. In a fat tree that is
/// pod by pod. A switch that takes its exits in turn is then back at the first after every pod, and
/// the switches inside the pod, which have nothing to send up, stay in step.
class LinkLoads {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Receiver>(limits.max_lid) +
               Arena::BytesFor<LeafSwitch>(limits.max_switches) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               2 * Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_ports) + SortByNumberBytes(limits);
    }

    /// `hops`: ExitFinder::hops() of a finder that is prepared. Advance() is called until kDone.
    void Begin(const RoutingTask& task, Matrix<SwitchIndex, const std::uint8_t> hops);
    [[nodiscard]] Progress Advance();

    [[nodiscard]] const RoutingTask& task() const { return task_; }
    [[nodiscard]] const Topology& topology() const { return *task_.topology; }
    /// Receivers of hosts with a turn first, then those of switches, then all others.
    [[nodiscard]] std::span<const Receiver> receivers() const { return receivers_; }
    [[nodiscard]] std::size_t end_receiver_count() const { return end_receivers_; }
    [[nodiscard]] std::size_t switch_receivers_end() const { return switch_receivers_end_; }
    /// In LeafOrder.
    [[nodiscard]] std::span<const LeafSwitch> leaves() const { return leaves_; }
    /// By switch: end ports that are attached to it and have a turn.
    [[nodiscard]] std::uint16_t senders(SwitchIndex at) const { return senders_[Raw(at)]; }
    /// By switch: its place among all, ascending by GUID.
    [[nodiscard]] std::span<const std::uint16_t> ranks() const { return ranks_; }
    /// By port: units that leave through it. Only links to switches carry any.
    [[nodiscard]] std::span<std::uint32_t> loads(SwitchIndex at) const {
        const RoutingSwitch& row = topology().switch_row(at);
        return loads_.subspan(row.first_exit, row.port_count + std::size_t{1});
    }
    /// The same of all switches, in the rows of Topology::all_exits().
    [[nodiscard]] std::span<std::uint32_t> all_loads() const { return loads_; }

private:
    void AddReceivers(SwitchIndex at);
    void AddReceivers(LeafSwitch& leaf, HostTurn turn);

    RoutingTask task_;
    HostTurns turns_;
    LeafOrder leaf_order_;
    std::span<Receiver> receivers_;
    std::span<LeafSwitch> leaves_;
    std::span<std::uint16_t> senders_;
    std::span<std::uint16_t> ranks_;
    std::span<std::uint32_t> loads_;
    std::size_t receiver_count_ = 0;
    std::size_t end_receivers_ = 0;
    std::size_t switch_receivers_end_ = 0;
    std::size_t leaf_count_ = 0;
};

}  // namespace ember
