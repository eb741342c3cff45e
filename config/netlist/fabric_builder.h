// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Fabric from a netlist, as it is after discovery and LID assignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/fabric/fabric.h"
#include "core/settings/settings.h"

namespace ember::net {

/// A Fabric that knows everything that is on a netlist, with the storage it needs. Every cabled
/// port is in INIT. The netlist needs GUIDs (generators and parser give them); LIDs are given by
/// AssignLids(), to a subnet that had none or, with `keep_lids`, those of the netlist.
class BuiltFabric {
public:
    struct Options {
        std::uint8_t lmc = 0;          ///< Of hosts and routers. Switches have 1 LID.
        Order order = Order::kOpensm;  ///< LIDs are given in this order of port GUIDs.
        bool lmc_esp0 = false;         ///< `lmc` holds for enhanced switch port 0 too.
        std::uint32_t own_node = 0;    ///< Node of the netlist where the SM lives,
        std::uint32_t own_port = 1;    ///< on this port of it, if it is no switch.
        std::map<Guid, Lid> lids;      ///< If not empty: these LIDs, by port GUID, and no others.
        std::uint32_t max_lanes = 1;   ///< Limits::max_lanes.
        std::uint32_t max_steps = 1;   ///< Limits::max_routing_steps.
        std::uint32_t max_step_switches = 0;
        std::span<const PortLids> filed_lids{};  ///< guid2lid_file.
        bool keep_lids = false;  ///< Ports keep the LIDs that the netlist tells, where they can.
        std::uint32_t max_kept_lid = 0xBFFF;  ///< A board has no higher ones: such a port gets a
                                              ///< new LID.
        /// Ports have the width and speed that the netlist tells; what it does not tell is 4x EDR
        /// and an MTU of 4096.
        bool has_links = false;
    };

    /// Throws std::runtime_error with a sentence when the netlist has more than there are indexes
    /// or LIDs for, or a port GUID twice.
    BuiltFabric(const Netlist& netlist, const Options& options);
    explicit BuiltFabric(const Netlist& netlist) : BuiltFabric(netlist, Options{}) {}

    [[nodiscard]] Fabric& fabric() { return *fabric_; }
    [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }
    /// The fabric's row of a node of the netlist.
    [[nodiscard]] NodeIndex node(std::uint32_t index) const { return nodes_[index]; }
    [[nodiscard]] SwitchIndex switch_index(std::uint32_t index) const {
        return fabric_->node(nodes_[index]).switch_index;
    }

private:
    void AddNodes(const Netlist& netlist, const Options& options);
    void ConnectAll(const Netlist& netlist);
    void GiveLids(const Options& options);
    void GiveTheseLids(const Options& options);
    [[nodiscard]] bool IsEnhanced(SwitchIndex at) const;

    Limits limits_;
    std::vector<Node> node_rows_;
    std::vector<Switch> switch_rows_;
    std::vector<Port> port_rows_;
    std::vector<NodeIndex> node_slots_;
    std::vector<PortIndex> port_slots_;
    std::vector<PortIndex> lid_rows_;
    std::vector<NodeIndex> nodes_;
    std::unique_ptr<Fabric> fabric_;
};

/// The GUID of a port: a switch's own; else the netlist's, or NodeGUID + number, as ibsim numbers
/// them.
[[nodiscard]] Guid PortGuid(const NetNode& node, std::size_t number);
/// Limits that hold the netlist with 2^lmc LIDs a port, and not much more.
[[nodiscard]] Limits LimitsFor(const Netlist& netlist, std::uint8_t lmc);

/// Values on the heap, all of them 0. Pages that are not touched are not resident, so a plan can
/// have the arenas of a board that is far larger than its fabric.
template <typename Value>
class LazyArray {
public:
    static_assert(std::is_trivially_copyable_v<Value>);
    explicit LazyArray(std::size_t count)
        : values_(static_cast<Value*>(std::calloc(count + 1, sizeof(Value)))), count_(count) {
        if (values_ == nullptr) throw std::bad_alloc();
    }
    [[nodiscard]] std::span<Value> values() { return {values_.get(), count_}; }
    [[nodiscard]] std::span<const Value> values() const { return {values_.get(), count_}; }

private:
    struct Free {
        void operator()(Value* values) const { std::free(values); }
    };
    std::unique_ptr<Value[], Free> values_;
    std::size_t count_;
};

/// Octets on the heap, aligned as Arena wants them.
class ArenaStorage {
public:
    explicit ArenaStorage(std::size_t bytes) : bytes_(bytes + Arena::kGrain), arena_(Aligned()) {}
    [[nodiscard]] Arena& arena() { return arena_; }
    [[nodiscard]] const Arena& arena() const { return arena_; }

private:
    [[nodiscard]] std::span<std::byte> Aligned();

    LazyArray<std::byte> bytes_;
    Arena arena_;
};

}  // namespace ember::net
