// SPDX-License-Identifier: Apache-2.0
// EmberSM: the options that routing engines obey, and what their option files say.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"

namespace ember {

/// In which order LIDs are given out and destinations are routed.
enum class Order : std::uint8_t {
    kOpensm,    ///< As OpenSM on a little-endian host: ascending byte-reversed GUID.
    kGuid,      ///< Ascending GUID.
    kBalanced,  ///< LIDs as kOpensm; routes by EmberSM's own balance (engines/DESIGN.md).
};

/// A line of ids_guid_file.
struct GuidNumber {
    Guid guid = kNoGuid;
    std::uint64_t number = 0;
    [[nodiscard]] bool operator==(const GuidNumber&) const = default;
};

/// A line of port_prof_ignore_file: a switch's NodeGUID and one of its ports.
struct SwitchPort {
    Guid guid = kNoGuid;
    PortNumber port{};
    [[nodiscard]] bool operator==(const SwitchPort&) const = default;
};

/// A line of hop_weights_file: what a link counts, seen from this end of it.
struct HopWeight {
    Guid guid = kNoGuid;  ///< NodeGUID of a switch.
    PortNumber port{};
    std::uint8_t hops = 1;  ///< 1..255.
    [[nodiscard]] bool operator==(const HopWeight&) const = default;
};

/// A line of port_search_ordering_file: the ports of a switch that are looked at first, in order.
struct PortOrder {
    Guid guid = kNoGuid;      ///< NodeGUID of a switch; once in the table.
    std::uint32_t first = 0;  ///< Row of the first port in EngineTables::search_ports.
    std::uint32_t count = 0;  ///< Ports, none twice, none 0.
    [[nodiscard]] bool operator==(const PortOrder&) const = default;
};

/// A LID of lfts_file and the port it belonged to when the file was written.
struct LidOwner {
    Lid lid = kNoLid;
    Guid port_guid = kNoGuid;
    [[nodiscard]] bool operator==(const LidOwner&) const = default;
};

/// A switch of lfts_file.
struct FileTable {
    Guid guid = kNoGuid;      ///< Its NodeGUID; once in the table.
    std::uint32_t first = 0;  ///< Its first octet in EngineTables::lft_ports.
    std::uint32_t count = 0;  ///< Octets: LID 0 on; 255 where the file says nothing.
    [[nodiscard]] bool operator==(const FileTable&) const = default;
};

/// A switch of lid_matrix_dump_file.
struct FileMatrix {
    Guid guid = kNoGuid;
    std::uint32_t first = 0;      ///< Its first octet in EngineTables::matrix_hops.
    std::uint32_t lids = 0;       ///< LIDs 0..lids-1 have a row each of port_count + 1 octets.
    std::uint8_t port_count = 0;  ///< Octet p of a row: hops by port p, 255 = none.
    [[nodiscard]] bool operator==(const FileMatrix&) const = default;
};

inline constexpr std::size_t kTorusDimensions = 3;  ///< x, y, z.

/// The torus or mesh of torus_config.
struct TorusShape {
    std::array<std::uint8_t, kTorusDimensions> radix{};  ///< Switches of a ring, 1..255.
    std::uint8_t open = 0;          ///< Bit d: dimension d is no ring. Set where the radix is 2.
    std::uint8_t group_ports = 16;  ///< Parallel links, and end ports of a switch: 1..255.

    [[nodiscard]] constexpr bool is_open(std::size_t dimension) const {
        return (open >> dimension & 1U) != 0;
    }
    [[nodiscard]] constexpr std::size_t places() const {
        return std::size_t{radix[0]} * radix[1] * radix[2];
    }
    [[nodiscard]] bool operator==(const TorusShape&) const = default;
};

/// Switches of torus_config whose places are known.
struct TorusSeed {
    Guid from = kNoGuid;  ///< NodeGUID of the switch at `place`.
    /// NodeGUIDs of its neighbors: 2 d the one towards 0 in dimension d, 2 d + 1 the other one;
    /// kNoGuid: not said. In each dimension with more than one switch one is said, in a ring of
    /// four both.
    std::array<Guid, 2 * kTorusDimensions> to{};
    std::array<std::uint8_t, kTorusDimensions> place{};  ///< Below TorusShape::radix.
    [[nodiscard]] bool operator==(const TorusSeed&) const = default;
};

/// The content of option files that routes are made from. Views: the configuration keeps the tables
/// still as long as the options are in force. GUIDs need not be of this subnet.
///
/// All but routing_order and the torus ascend by GUID, then by port, and have no entry twice, so
/// that an entry is found by halving; LIDs ascend as well. routing_order is in the order of its
/// lines.
struct EngineTables {
    std::span<const Guid> roots;             ///< root_guid_file: NodeGUIDs of switches.
    std::span<const GuidNumber> ids;         ///< ids_guid_file: NodeGUIDs of switches.
    std::span<const Guid> compute_nodes;     ///< cn_guid_file: PortGUIDs.
    std::span<const Guid> io_nodes;          ///< io_guid_file: PortGUIDs.
    std::span<const Guid> routing_order;     ///< guid_routing_order_file: PortGUIDs.
    std::span<const HopWeight> hop_weights;  ///< hop_weights_file.
    std::span<const SwitchPort> ignored;     ///< port_prof_ignore_file: not counted as loaded.
    std::span<const PortOrder> search;       ///< port_search_ordering_file, dimn_ports_file.
    std::span<const PortNumber> search_ports;
    std::span<const FileTable> lfts;  ///< lfts_file.
    std::span<const std::uint8_t> lft_ports;
    std::span<const LidOwner> lft_owners;  ///< Of lfts_file; ascending LID.
    std::span<const FileMatrix> matrix;    ///< lid_matrix_dump_file.
    std::span<const std::uint8_t> matrix_hops;
    std::span<const LidOwner> matrix_owners;  ///< Of lid_matrix_dump_file; ascending LID.
    std::span<const TorusShape> torus;        ///< torus_config: one, or none where it says nothing.
    std::span<const TorusSeed> torus_seeds;   ///< In the order in which they are tried.
    std::span<const PortNumber> torus_ports;  ///< port_order: none twice; all others follow.
    // A file may be named and empty, which is not the same as no file.
    bool has_roots = false;
    bool has_compute_nodes = false;
    bool has_io_nodes = false;
    bool has_lfts = false;
    bool has_matrix = false;

    /// Compares what the views show.
    [[nodiscard]] bool operator==(const EngineTables& other) const;
};

/// All that an engine is told beside the subnet: it reads nothing else of a configuration. Names
/// are opensm.conf's where OpenSM has the option.
struct EngineOptions {
    Order order = Order::kBalanced;  ///< EmberSM's own key `order`: opensm | guid | balanced.
    bool port_profile_switch_nodes = false;  ///< Count switch LIDs in the load of a port too.
    bool connect_roots = false;              ///< updn, dnup, ftree: switches between roots too.
    std::uint16_t max_reverse_hops = 0;      ///< ftree: steps the wrong way for I/O nodes.
    bool quasi_ftree_indexing = false;       ///< ftree: index from every root.
    bool port_shifting = false;              ///< Balanced tables: rotate the first port looked at.
    std::uint32_t scatter_ports = 0;  ///< Not 0: seed, ports of equal load are drawn by chance.
    bool guid_routing_order_no_scatter = false;  ///< ... but not for routing_order's ports.
    bool do_mesh_analysis = false;  ///< lash: takes the order of a mesh or torus that it finds.
    bool avoid_throttled_links = false;  ///< sssp, dfsssp, nue: links below their enabled speed.
    bool nue_include_switches = false;   ///< nue: port 0 of every switch sends and receives too.
    std::uint8_t nue_max_num_vls = 1;    ///< nue: lanes at most; 0: as many as there are.
    std::uint8_t lash_start_vl = 0;      ///< lash: the first lane of paths, 0..15.
    EngineTables tables;

    [[nodiscard]] bool operator==(const EngineOptions&) const = default;
};

}  // namespace ember
