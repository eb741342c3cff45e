// SPDX-License-Identifier: Apache-2.0
// EmberSM: every option file as a blob and as the core have it, described once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "config/blob/option_rows.h"
#include "config/blob/option_rules.h"
#include "config/blob/torus_rows.h"
#include "core/settings/settings.h"

namespace ember::option_files {

// For decltype() alone.
template <typename Row, typename Tables>
Row RowOf(std::span<const Row> Tables::*view);
template <typename Element>
Element ElementOf(const WireVector<Element>* (schema::OptionFiles::*vector)() const);

/// A vector of a blob, and the view that the core has of it. `kPlaceOf` is where the schema has it;
/// `kBuiltAs` is its turn when a blob is built: a new vector gets the next one, so that a
/// configuration without it keeps its octets.
template <auto kOf, auto kViewOf, flatbuffers::voffset_t kPlaceOf, std::size_t kBuiltAs>
struct Column {
    static constexpr auto Where() { return kViewOf; }                    ///< Where the core has it.
    static constexpr std::size_t Index() { return (kPlaceOf - 4) / 2; }  ///< Places begin at 4.
    static constexpr std::size_t Turn() { return kBuiltAs; }
    using Row = decltype(RowOf(kViewOf));  ///< As the core has it.
    using View = std::span<const Row>;
    /// As the blob has it: a number, or the address of a struct.
    using Element = decltype(ElementOf(kOf));

    /// Null where the blob does not have it.
    [[nodiscard]] static auto* Of(const schema::OptionFiles& from) { return (from.*kOf)(); }
    [[nodiscard]] static View Of(const OptionTables& tables) { return tables.*kViewOf; }
    static void Put(OptionTables& to, View rows) { to.*kViewOf = rows; }
};

/// The defaults, which a file may override.
struct FileDefaults {
    /// Where the core learns that the file was named, though it may say nothing.
    static constexpr bool OptionTables::*kNamed = nullptr;
    /// The switch without which the file is not looked at.
    static constexpr std::string_view kBeside{};
};

/// The vectors of a file, which was named where the first of them is there.
template <typename... Of>
struct FileColumns : FileDefaults {
    using Columns = std::tuple<Of...>;
};

// The option files. Each has the key that names it (kOption), its vectors, and what they must be
// (Fits()). The verifier of FlatBuffers has passed `from`.

using From = schema::OptionFiles;
using To = OptionTables;

struct RootGuidFile : FileColumns<Column<&From::roots, &To::roots, From::VT_ROOTS, 0>> {
    static constexpr std::string_view kOption = "root_guid_file";
    static constexpr auto kNamed = &To::has_roots;
    [[nodiscard]] static bool Fits(const From& from) { return Ascends(from.roots()); }
};

struct IdsGuidFile : FileColumns<Column<&From::ids, &To::ids, From::VT_IDS, 4>> {
    static constexpr std::string_view kOption = "ids_guid_file";
    [[nodiscard]] static bool Fits(const From& from) { return AscendsByGuid(from.ids()); }
};

struct CnGuidFile
    : FileColumns<Column<&From::compute_nodes, &To::compute_nodes, From::VT_COMPUTE_NODES, 1>> {
    static constexpr std::string_view kOption = "cn_guid_file";
    static constexpr auto kNamed = &To::has_compute_nodes;
    [[nodiscard]] static bool Fits(const From& from) { return Ascends(from.compute_nodes()); }
};

struct IoGuidFile : FileColumns<Column<&From::io_nodes, &To::io_nodes, From::VT_IO_NODES, 2>> {
    static constexpr std::string_view kOption = "io_guid_file";
    static constexpr auto kNamed = &To::has_io_nodes;
    [[nodiscard]] static bool Fits(const From& from) { return Ascends(from.io_nodes()); }
};

struct GuidRoutingOrderFile
    : FileColumns<Column<&From::routing_order, &To::routing_order, From::VT_ROUTING_ORDER, 3>> {
    static constexpr std::string_view kOption = "guid_routing_order_file";
    [[nodiscard]] static bool Fits(const From& from) { return IsAList(from.routing_order()); }
};

struct HopWeightsFile
    : FileColumns<Column<&From::hop_weights, &To::hop_weights, From::VT_HOP_WEIGHTS, 5>> {
    static constexpr std::string_view kOption = "hop_weights_file";
    [[nodiscard]] static bool Fits(const From& from) {
        return HopsFit(from.hop_weights()) && AscendsByGuidAndPort(from.hop_weights());
    }
};

struct PortProfIgnoreFile : FileColumns<Column<&From::ignored, &To::ignored, From::VT_IGNORED, 6>> {
    static constexpr std::string_view kOption = "port_prof_ignore_file";
    [[nodiscard]] static bool Fits(const From& from) {
        return AscendsByGuidAndPort(from.ignored());
    }
};

struct PortSearchOrderingFile
    : FileColumns<Column<&From::search, &To::search, From::VT_SEARCH, 10>,
                  Column<&From::search_ports, &To::search_ports, From::VT_SEARCH_PORTS, 11>> {
    static constexpr std::string_view kOption = "port_search_ordering_file";
    [[nodiscard]] static bool Fits(const From& from) {
        return OwnAll(from.search(), from.search_ports(), IsAnOrderOfPorts) &&
               AscendsByGuid(from.search());
    }
};

struct LftsFile : FileColumns<Column<&From::lfts, &To::lfts, From::VT_LFTS, 14>,
                              Column<&From::lft_ports, &To::lft_ports, From::VT_LFT_PORTS, 15>,
                              Column<&From::lft_owners, &To::lft_owners, From::VT_LFT_OWNERS, 16>> {
    static constexpr std::string_view kOption = "lfts_file";
    static constexpr auto kNamed = &To::has_lfts;
    [[nodiscard]] static bool Fits(const From& from) {
        return OwnAll(from.lfts(), from.lft_ports(), IsAnything) && AscendsByGuid(from.lfts()) &&
               AscendsByLid(from.lft_owners());
    }
};

struct LidMatrixDumpFile
    : FileColumns<Column<&From::matrix, &To::matrix, From::VT_MATRIX, 17>,
                  Column<&From::matrix_hops, &To::matrix_hops, From::VT_MATRIX_HOPS, 18>,
                  Column<&From::matrix_owners, &To::matrix_owners, From::VT_MATRIX_OWNERS, 19>> {
    static constexpr std::string_view kOption = "lid_matrix_dump_file";
    static constexpr auto kNamed = &To::has_matrix;
    [[nodiscard]] static bool Fits(const From& from) {
        return OwnAll(from.matrix(), from.matrix_hops(), IsAnything) &&
               AscendsByGuid(from.matrix()) && AscendsByLid(from.matrix_owners());
    }
};

struct PrefixRoutesFile
    : FileColumns<Column<&From::prefix_routes, &To::prefix_routes, From::VT_PREFIX_ROUTES, 8>> {
    static constexpr std::string_view kOption = "prefix_routes_file";
    /// Each question may look at all of them.
    [[nodiscard]] static bool Fits(const From& from) {
        return SizeOf(from.prefix_routes()) <= kMostPrefixRoutes;
    }
};

struct NodeNameMap
    : FileColumns<Column<&From::node_names, &To::node_names, From::VT_NODE_NAMES, 13>,
                  Column<&From::name_octets, &To::name_octets, From::VT_NAME_OCTETS, 12>> {
    static constexpr std::string_view kOption = "node_name_map_name";
    [[nodiscard]] static bool Fits(const From& from) {
        return SizeOf(from.node_names()) <= kMostListedGuids &&
               OwnAll(from.node_names(), from.name_octets(), IsANodeName) &&
               AscendsByGuid(from.node_names());
    }
};

struct EdgePorts : FileColumns<Column<&From::edge_ports, &To::edge_ports, From::VT_EDGE_PORTS, 7>> {
    static constexpr std::string_view kOption = "edge_ports";
    [[nodiscard]] static bool Fits(const From& from) {
        return AscendsByGuidAndPort(from.edge_ports());
    }
};

struct SaDbFile
    : FileColumns<Column<&From::registrations, &To::registrations, From::VT_REGISTRATIONS, 9>> {
    static constexpr std::string_view kOption = "sa_db_file";
    [[nodiscard]] static bool Fits(const From& from) { return IsJournal(from.registrations()); }
};

struct PartitionsFile
    : FileColumns<
          Column<&From::partitions, &To::partitions, From::VT_PARTITIONS, 20>,
          Column<&From::partition_names, &To::partition_names, From::VT_PARTITION_NAMES, 21>,
          Column<&From::partition_ports, &To::partition_ports, From::VT_PARTITION_PORTS, 22>,
          Column<&From::partition_classes, &To::partition_classes, From::VT_PARTITION_CLASSES, 23>,
          Column<&From::partition_groups, &To::partition_groups, From::VT_PARTITION_GROUPS, 24>> {
    static constexpr std::string_view kOption = "partition_config_file";
    [[nodiscard]] static bool Fits(const From& from) {
        return OwnAll(from.partitions(), from.partition_names(), IsAName) && PartitionsFit(from);
    }
};

struct QosPolicyFile
    : FileColumns<
          Column<&From::qos_levels, &To::qos_levels, From::VT_QOS_LEVELS, 25>,
          Column<&From::qos_level_ranges, &To::qos_level_ranges, From::VT_QOS_LEVEL_RANGES, 26>,
          Column<&From::qos_groups, &To::qos_groups, From::VT_QOS_GROUPS, 27>,
          Column<&From::qos_group_ranges, &To::qos_group_ranges, From::VT_QOS_GROUP_RANGES, 28>,
          Column<&From::qos_port_names, &To::qos_port_names, From::VT_QOS_PORT_NAMES, 29>,
          Column<&From::qos_port_name_octets, &To::qos_port_name_octets,
                 From::VT_QOS_PORT_NAME_OCTETS, 30>,
          Column<&From::qos_rules, &To::qos_rules, From::VT_QOS_RULES, 31>,
          Column<&From::qos_rule_ranges, &To::qos_rule_ranges, From::VT_QOS_RULE_RANGES, 32>,
          Column<&From::qos_names, &To::qos_names, From::VT_QOS_NAMES, 33>,
          Column<&From::qos_rule_lines, &To::qos_rule_lines, From::VT_QOS_RULE_LINES, 43>> {
    static constexpr std::string_view kOption = "qos_policy_file";
    /// Without it there is no policy, as with OpenSM.
    static constexpr std::string_view kBeside = "qos";
    [[nodiscard]] static bool Fits(const From& from) { return IsQosPolicy(from); }
};

struct TorusConfig
    : FileColumns<Column<&From::torus, &To::torus, From::VT_TORUS, 34>,
                  Column<&From::torus_seeds, &To::torus_seeds, From::VT_TORUS_SEEDS, 35>,
                  Column<&From::torus_ports, &To::torus_ports, From::VT_TORUS_PORTS, 36>> {
    static constexpr std::string_view kOption = "torus_config";
    [[nodiscard]] static bool Fits(const From& from) { return TorusFits(from); }
};

struct Guid2MKeyFile : FileColumns<Column<&From::m_keys, &To::m_keys, From::VT_M_KEYS, 37>> {
    static constexpr std::string_view kOption = "guid2mkey_file";
    [[nodiscard]] static bool Fits(const From& from) { return AscendsByGuid(from.m_keys()); }
};

struct Guid2LidFile
    : FileColumns<Column<&From::port_lids, &To::port_lids, From::VT_PORT_LIDS, 54>> {
    static constexpr std::string_view kOption = "guid2lid_file";
    [[nodiscard]] static bool Fits(const From& from) {
        return LidsFit(from.port_lids()) && AscendsByGuid(from.port_lids());
    }
};

struct NeighborsFile
    : FileColumns<Column<&From::neighbors, &To::neighbors, From::VT_NEIGHBORS, 38>> {
    static constexpr std::string_view kOption = "neighbors_file";
    [[nodiscard]] static bool Fits(const From& from) {
        return AscendsByGuidAndPort(from.neighbors());
    }
};

struct EnhancedQosPolicyFile
    : FileColumns<Column<&From::bw_sets, &To::bandwidth_sets, From::VT_BW_SETS, 39>,
                  Column<&From::bw_rules, &To::bandwidth_rules, From::VT_BW_RULES, 40>,
                  Column<&From::bw_groups, &To::bandwidth_groups, From::VT_BW_GROUPS, 41>,
                  Column<&From::vport_bw_rules, &To::bandwidth_virtual_rules,
                         From::VT_VPORT_BW_RULES, 42>> {
    static constexpr std::string_view kOption = "enhanced_qos_policy_file";
    static constexpr auto kNamed = &To::has_bandwidth;
    /// Without it there are no limits, as the documents for the key have it.
    static constexpr std::string_view kBeside = "qos";
    [[nodiscard]] static bool Fits(const From& from) { return IsBandwidthPolicy(from); }
};

struct PgrpPolicyFile
    : FileColumns<
          Column<&From::port_groups, &To::port_groups, From::VT_PORT_GROUPS, 44>,
          Column<&From::port_group_rules, &To::port_group_rules, From::VT_PORT_GROUP_RULES, 45>,
          Column<&From::port_group_hosts, &To::port_group_hosts, From::VT_PORT_GROUP_HOSTS, 46>,
          Column<&From::port_group_host_octets, &To::port_group_host_octets,
                 From::VT_PORT_GROUP_HOST_OCTETS, 47>,
          Column<&From::name_patterns, &To::name_patterns, From::VT_NAME_PATTERNS, 48>,
          Column<&From::name_pattern_cells, &To::name_pattern_cells, From::VT_NAME_PATTERN_CELLS,
                 49>,
          Column<&From::name_pattern_classes, &To::name_pattern_classes,
                 From::VT_NAME_PATTERN_CLASSES, 50>,
          Column<&From::port_group_names, &To::port_group_names, From::VT_PORT_GROUP_NAMES, 51>> {
    static constexpr std::string_view kOption = "pgrp_policy_file";
    [[nodiscard]] static bool Fits(const From& from) { return IsPortGroupPolicy(from); }
};

struct TopoPolicyFile
    : FileColumns<Column<&From::topologies, &To::topologies, From::VT_TOPOLOGIES, 52>> {
    static constexpr std::string_view kOption = "topo_policy_file";
    [[nodiscard]] static bool Fits(const From& from) { return AreTopologies(from); }
};

struct RchPolicyFile
    : FileColumns<Column<&From::chain_steps, &To::chain_steps, From::VT_CHAIN_STEPS, 53>> {
    static constexpr std::string_view kOption = "rch_policy_file";
    [[nodiscard]] static bool Fits(const From& from) { return IsChain(from); }
};

/// All of them, in the order in which a blob's reader checks them.
using All =
    std::tuple<RootGuidFile, IdsGuidFile, CnGuidFile, IoGuidFile, GuidRoutingOrderFile,
               HopWeightsFile, PortProfIgnoreFile, PortSearchOrderingFile, LftsFile,
               LidMatrixDumpFile, PrefixRoutesFile, NodeNameMap, EdgePorts, SaDbFile,
               PartitionsFile, QosPolicyFile, TorusConfig, Guid2MKeyFile, NeighborsFile,
               EnhancedQosPolicyFile, PgrpPolicyFile, TopoPolicyFile, RchPolicyFile, Guid2LidFile>;

/// Files that a step of a chain may have for itself, in the order of the bits of step_file.
using OfSteps = std::tuple<RootGuidFile, IdsGuidFile, CnGuidFile, IoGuidFile, GuidRoutingOrderFile,
                           HopWeightsFile, PortProfIgnoreFile, PortSearchOrderingFile, TorusConfig>;

/// Calls `visit(File{}, bit)` for each of these, with its bit of step_file.
template <typename Visit>
constexpr void ForEachFileOfSteps(const Visit& visit) {
    std::apply(
        [&visit](auto... files) {
            std::uint16_t bit = 1;
            ((visit(files, bit), bit = static_cast<std::uint16_t>(bit << 1U)), ...);
        },
        OfSteps{});
}

/// Calls `visit(File{})` for every option file.
template <typename Visit>
constexpr void ForEachFile(const Visit& visit) {
    std::apply([&visit](auto... files) { (visit(files), ...); }, All{});
}

/// Calls `visit(Column{})` for every vector of a file.
template <typename File, typename Visit>
constexpr void ForEachColumnOf(const Visit& visit) {
    std::apply([&visit](auto... columns) { (visit(columns), ...); }, typename File::Columns{});
}

/// The same for every vector of every file.
template <typename Visit>
constexpr void ForEachColumn(const Visit& visit) {
    ForEachFile([&visit]<typename File>(File /*file*/) { ForEachColumnOf<File>(visit); });
}

template <typename... Files>
[[nodiscard]] consteval std::size_t CountColumns(const std::tuple<Files...>* /*files*/) {
    return (std::tuple_size_v<typename Files::Columns> + ...);
}

static_assert(step_file::kAll == (1U << std::tuple_size_v<OfSteps>)-1);

/// Vectors that one step may have.
inline constexpr std::size_t kStepColumnCount = CountColumns(static_cast<const OfSteps*>(nullptr));

/// Vectors of a blob.
inline constexpr std::size_t kColumnCount = CountColumns(static_cast<const All*>(nullptr));

/// Whether a blob has the table of a file, be it empty.
template <typename File>
[[nodiscard]] bool IsNamed(const schema::OptionFiles& from) {
    return std::tuple_element_t<0, typename File::Columns>::Of(from) != nullptr;
}

}  // namespace ember::option_files
