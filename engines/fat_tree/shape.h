// SPDX-License-Identifier: Apache-2.0
// EmberSM: a tree of switches, laid out for walking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/guid_order.h"
#include "core/graph/topology.h"
#include "engines/fat_tree/hosts.h"
#include "engines/fat_tree/ranks.h"
#include "engines/fat_tree/tuples.h"

namespace ember {

/// A switch of a tree, by its number there. Switches that differ only in the last step down from
/// above have consecutive numbers, so what hangs below a switch is usually one run of them.
struct TreeSwitch {
    std::uint32_t first_group = 0;  ///< Groups down, then sideways, then up.
    std::uint16_t down_count = 0;   ///< To switches only.
    std::uint16_t side_count = 0;
    std::uint16_t up_count = 0;
    std::uint16_t host_count = 0;  ///< Host ports, each a group of its own.
    std::uint16_t low = 0;         ///< Least number of a switch below, and
    std::uint16_t span = 0;        ///< so many numbers from there on are those below.
    SwitchIndex row{};             ///< In the topology.
    std::uint16_t rank = 0;
    bool is_leaf = false;  ///< Has a compute node.
};

/// All links from a switch to one neighbor.
struct TreeGroup {
    std::uint32_t up_load = 0;     ///< Routes that go up from the neighbor (down or sideways).
    std::uint32_t down_load = 0;   ///< Routes that come down from the neighbor (up or sideways).
    std::uint32_t first_port = 0;  ///< In ports, when there are several.
    std::uint16_t peer = 0;        ///< The neighbor's number.
    std::uint16_t place = 0;       ///< The neighbor's place in the order of addresses.
    std::uint8_t port_count = 0;
    std::uint8_t peer_port = 0;   ///< The neighbor's first port.
    bool peer_has_hosts = false;  ///< Of its own.
};

/// A link of a group of several.
struct TreePort {
    std::uint32_t up_load = 0;
    std::uint32_t down_load = 0;
    std::uint8_t peer_port = 0;
};

/// The switches of a tree in an order of their own, their groups and ports.
class TreeShape {
    // First, because clang 14 evaluates only templates whose bodies it has seen.
    [[nodiscard]] static constexpr std::size_t SortingBytes(std::size_t count) {
        return Arena::BytesFor<std::uint64_t>(count) + SortScratchBytes<SwitchIndex>(count);
    }

public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<TreeSwitch>(limits.max_switches) +
               Arena::BytesFor<TreeGroup>(limits.max_ports) +
               Arena::BytesFor<TreePort>(limits.max_ports) +
               2 * Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               SortingBytes(limits.max_switches);
    }

    constexpr TreeShape() = default;
    TreeShape(const TreeShape&) = delete;
    TreeShape& operator=(const TreeShape&) = delete;

    /// All that it is given stays unchanged until Advance() returns kDone.
    void Begin(const Topology& topology, const TreeRanks& ranks, const TreeHosts& hosts,
               const TreeTuples& tuples, Arena& scratch);
    /// Does the next slice. kDone: what follows holds.
    [[nodiscard]] Progress Advance();

    /// Rows are found by number.
    [[nodiscard]] std::span<TreeSwitch> switches() const { return switches_; }
    [[nodiscard]] std::span<TreeGroup> groups() const { return groups_; }
    [[nodiscard]] std::span<TreePort> ports() const { return ports_; }
    /// Some switches have no address: they are below the leaves, or apart, and all have one place.
    [[nodiscard]] bool has_unnamed() const { return has_unnamed_; }
    static constexpr std::uint16_t kNoPlace = 0xFFFF;
    /// Links join switches of one rank.
    [[nodiscard]] bool has_sides() const { return has_sides_; }
    /// kNoTreeNumber: a switch without a rank.
    [[nodiscard]] std::uint16_t number(SwitchIndex at) const { return number_[at]; }
    static constexpr std::uint16_t kNoTreeNumber = 0xFFFF;
    /// The switches in the order of their addresses.
    [[nodiscard]] std::span<const SwitchIndex> by_tuple() const { return by_tuple_; }

private:
    static constexpr std::size_t kSwitchesPerSlice = 512;
    enum class Side : std::uint8_t { kDown, kSideways, kUp };

    void NumberSwitches(const TreeTuples& tuples, Arena& scratch);
    void BuildSwitch(TreeSwitch& here);
    [[nodiscard]] std::uint16_t BuildGroups(const TreeSwitch& here, Side side);
    void BuildPorts(const TreeSwitch& here, TreeGroup& group);
    void CountHosts(TreeSwitch& here);
    void MeasureSpan(TreeSwitch& here);

    const Topology* topology_ = nullptr;
    const TreeRanks* ranks_ = nullptr;
    const TreeHosts* hosts_ = nullptr;
    Table<SwitchIndex, std::uint16_t> number_;
    Table<SwitchIndex, std::uint16_t> place_;
    std::span<SwitchIndex> by_tuple_;
    std::span<std::uint32_t> group_of_;  ///< By number: the last group made to that switch.
    std::span<TreeSwitch> switches_;
    std::span<TreeGroup> groups_;
    std::span<TreePort> ports_;
    std::uint32_t group_count_ = 0;
    std::uint32_t port_count_ = 0;
    std::size_t next_ = 0;  ///< Switch that is counted or built next, each being both in turn.
    bool has_counted_ = false;
    bool has_sides_ = false;
    bool has_unnamed_ = false;
};

}  // namespace ember
