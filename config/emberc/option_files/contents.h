// SPDX-License-Identifier: Apache-2.0
// EmberSM: every option file as text: its entries, its parser and its printer.
//
// A parser reads a whole text, reports every mistake with its place, and goes on after it. What
// comes out is of use only when `diagnostics` counts no error. An entry that says nothing new is
// dropped with a warning; one that contradicts another is an error, where OpenSM would silently
// believe the first or the last. A printer, AsLine(), stands in the file of the parser, and writes
// an entry as the option file would have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "config/blob/option_tables.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/loaded_chain.h"
#include "config/emberc/option_files/loaded_port_groups.h"
#include "config/emberc/option_files/loaded_qos_policy.h"
#include "config/emberc/option_files/partition_conf.h"
#include "config/netlist/netlist.h"
#include "core/administration/registrations/sa_frames.h"
#include "core/base/ids.h"
#include "core/settings/settings.h"

namespace ember::emberc {

/// A line of port_search_ordering_file.
struct SearchOrder {
    Guid guid = kNoGuid;
    std::vector<PortNumber> ports;  ///< None twice.
    [[nodiscard]] bool operator==(const SearchOrder&) const = default;
};

/// lfts_file.
struct LoadedLfts {
    struct Switch {
        Guid guid = kNoGuid;
        std::vector<std::uint8_t> ports;  ///< By LID; 255: the file says nothing.
        [[nodiscard]] bool operator==(const Switch&) const = default;
    };
    std::vector<Switch> switches;
    std::vector<LidOwner> owners;
    [[nodiscard]] bool operator==(const LoadedLfts&) const = default;
};

/// lid_matrix_dump_file.
struct LoadedMatrix {
    struct Switch {
        Guid guid = kNoGuid;
        std::uint8_t port_count = 0;
        std::vector<std::uint8_t> hops;  ///< Rows of port_count + 1 octets, from LID 0 on.
        [[nodiscard]] bool operator==(const Switch&) const = default;
    };
    std::vector<Switch> switches;
    std::vector<LidOwner> owners;
    [[nodiscard]] bool operator==(const LoadedMatrix&) const = default;
};

/// torus_config.
struct LoadedTorus {
    TorusShape shape;  ///< A radix of 0: the file says nothing.
    std::vector<TorusSeed> seeds;
    std::vector<PortNumber> port_order;
    [[nodiscard]] bool operator==(const LoadedTorus&) const = default;
};

/// A line of torus_config.
struct TorusEntry {
    std::string line;
};

/// A line of node_name_map_name.
struct NamedNode {
    Guid guid = kNoGuid;
    std::string name;
    [[nodiscard]] bool operator==(const NamedNode&) const = default;
};

/// A partition by the name that the partitions' file gives it.
struct PartitionName {
    std::string name;
    std::uint16_t p_key = 0;
};

/// Facts of the subnet that a file is about, from the other settings and files.
struct SubnetFacts {
    std::span<const Guid> compute_nodes{};  ///< Of cn_guid_file; they ascend.
    std::uint64_t prefix = 0;
    std::uint8_t lmc = 0;
    bool both_p_keys = false;                     ///< allow_both_pkeys.
    std::span<const PartitionName> partitions{};  ///< Beside "Default", which is always there.
    std::span<const LoadedQosPolicy::Group> port_groups{};          ///< Of qos_policy_file.
    std::span<const LoadedPortGroups::Group> policy_port_groups{};  ///< Of pgrp_policy_file.
    // For a chain; null: the file is not named.
    const LoadedPortGroups* port_group_policy = nullptr;
    const LoadedTopologies* topologies = nullptr;
    bool has_step_lanes = false;           ///< chain_lanes is on.
    bool is_chain_sound = true;            ///< Neither of these two has mistakes.
    bool is_balanced = true;               ///< order is balanced.
    bool routes_as_one = true;             ///< There is no chain, whose steps route parts.
    const net::Netlist* fabric = nullptr;  ///< To be looked at with it; null: none is known.
};

/// guid_routing_order_file: a GUID a line. In the order of the lines, none twice.
[[nodiscard]] std::vector<Guid> ParseGuidList(std::string_view text, Diagnostics& diagnostics);

/// root_guid_file, cn_guid_file: the same, ascending.
[[nodiscard]] std::vector<Guid> ParseGuidSet(std::string_view text, Diagnostics& diagnostics);

/// io_guid_file: likewise. A node that is among the compute nodes too draws a warning.
[[nodiscard]] std::vector<Guid> ParseIoGuidFile(std::string_view text, Diagnostics& diagnostics,
                                                const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(Guid guid);

/// ids_guid_file: a switch and its number.
[[nodiscard]] std::vector<GuidNumber> ParseIdsGuidFile(std::string_view text,
                                                       Diagnostics& diagnostics);
[[nodiscard]] std::string AsLine(const GuidNumber& row);

/// hop_weights_file: a switch, a port, and what its cable counts.
[[nodiscard]] std::vector<HopWeight> ParseHopWeightsFile(std::string_view text,
                                                         Diagnostics& diagnostics);
[[nodiscard]] std::string AsLine(const HopWeight& row);

/// port_prof_ignore_file, edge_ports: a switch and a port.
[[nodiscard]] std::vector<SwitchPort> ParseSwitchPorts(std::string_view text,
                                                       Diagnostics& diagnostics);
[[nodiscard]] std::string AsLine(const SwitchPort& row);

/// guid2mkey_file: a port GUID and its M_Key, as OpenSM's guid2mkey has them.
[[nodiscard]] std::vector<PortMKey> ParseGuid2MKeyFile(std::string_view text,
                                                       Diagnostics& diagnostics);
/// Without the key.
[[nodiscard]] std::string AsLine(const PortMKey& row);

/// guid2lid_file: a port GUID and its first and last LID, as OpenSM's guid2lid has them.
[[nodiscard]] std::vector<PortLids> ParseGuid2LidFile(std::string_view text,
                                                      Diagnostics& diagnostics,
                                                      const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const PortLids& row);

/// neighbors_file: a port and the port behind it, both as port GUID, colon, port, as OpenSM's
/// neighbors has them.
[[nodiscard]] std::vector<Neighbor> ParseNeighborsFile(std::string_view text,
                                                       Diagnostics& diagnostics);
[[nodiscard]] std::string AsLine(const Neighbor& row);

/// port_search_ordering_file: a switch and its ports in order.
[[nodiscard]] std::vector<SearchOrder> ParsePortSearchOrderingFile(std::string_view text,
                                                                   Diagnostics& diagnostics);
[[nodiscard]] std::string AsLine(const SearchOrder& row);

/// lfts_file: forwarding tables as OpenSM's opensm-lfts.dump and ibroute write them.
[[nodiscard]] LoadedLfts ParseLftsFile(std::string_view text, Diagnostics& diagnostics);
/// A switch and its LIDs, each with its port.
[[nodiscard]] std::string AsLine(const LoadedLfts::Switch& one);

/// lid_matrix_dump_file: hops as OpenSM's opensm-lid-matrix.dump has them.
[[nodiscard]] LoadedMatrix ParseLidMatrixDumpFile(std::string_view text, Diagnostics& diagnostics);
/// A switch and its LIDs, each with its least hops.
[[nodiscard]] std::string AsLine(const LoadedMatrix::Switch& one);

/// prefix_routes_file: a GID prefix, or `*` for any, and the port GUID of a router, or `*` for the
/// first. In the order of the lines, of which the first that fits counts.
[[nodiscard]] std::vector<PrefixRoute> ParsePrefixRoutesFile(std::string_view text,
                                                             Diagnostics& diagnostics,
                                                             const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const PrefixRoute& row);

/// node_name_map_name: the NodeGUID of a node and, in quotation marks, what people call it. Behind
/// that, and in lines that begin with '#', stands what is passed over.
[[nodiscard]] std::vector<NamedNode> ParseNodeNameMap(std::string_view text,
                                                      Diagnostics& diagnostics);
[[nodiscard]] std::string AsLine(const NamedNode& row);

/// sa_db_file: registrations as OpenSM's opensm-sa.dump has them, as a journal of the form of
/// core/administration/registrations/sa_file.h. The same text gives the same octets.
[[nodiscard]] std::vector<std::byte> ParseSaDbFile(std::string_view text, Diagnostics& diagnostics,
                                                   const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const SaEntry& entry);

/// partition_config_file: the ports of each partition, and its multicast groups. The default
/// partition is always among them.
[[nodiscard]] PartitionConf ParsePartitionsFile(std::string_view text, Diagnostics& diagnostics,
                                                const SubnetFacts& subnet);
/// qos_policy_file: port groups, levels and rules that choose the level of a path, in OpenSM's full
/// and simple syntax. Sources: OpenSM 3.3.24, QoS_management_in_OpenSM.txt, and how it behaves.
[[nodiscard]] LoadedQosPolicy ParseQosPolicyFile(std::string_view text, Diagnostics& diagnostics,
                                                 const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const QosEntry& entry);

/// torus_config, the file torus-2QoS.conf: a torus or mesh, and switches whose places are known.
/// Warns of switches, cables and places that the fabric has not.
[[nodiscard]] LoadedTorus ParseTorusConfig(std::string_view text, Diagnostics& diagnostics,
                                           const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const TorusEntry& entry);

/// enhanced_qos_policy_file: bandwidths by name, and rules that give service levels of ports, port
/// groups and virtual ports one. Source: the documents of the subnet manager whose key it is.
[[nodiscard]] LoadedBandwidths ParseEnhancedQosPolicyFile(std::string_view text,
                                                          Diagnostics& diagnostics,
                                                          const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const BandwidthEntry& entry);

/// pgrp_policy_file: port groups by GUIDs, hosts, expressions and other groups. Source: the
/// documents of the subnet manager whose key it is. Warns of groups without ports in the fabric.
[[nodiscard]] LoadedPortGroups ParsePgrpPolicyFile(std::string_view text, Diagnostics& diagnostics,
                                                   const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const PortGroupEntry& entry);

/// topo_policy_file: parts of the fabric, each of two port groups. Source: as pgrp_policy_file.
[[nodiscard]] LoadedTopologies ParseTopoPolicyFile(std::string_view text, Diagnostics& diagnostics,
                                                   const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const TopologyEntry& entry);

/// rch_policy_file: engines for topologies, step by step. Source: as pgrp_policy_file. The files of
/// options that steps name are not read. Warns of steps without anything to route in the fabric.
[[nodiscard]] LoadedChain ParseRchPolicyFile(std::string_view text, Diagnostics& diagnostics,
                                             const SubnetFacts& subnet);
[[nodiscard]] std::string AsLine(const ChainEntry& entry);

/// All of them, ready for a blob: as ember::OptionTables, everything but the routing order ascends.
/// Nothing where no file is named.
struct OptionContents {
    std::optional<std::vector<Guid>> roots{};
    std::optional<std::vector<GuidNumber>> ids{};
    std::optional<std::vector<Guid>> compute_nodes{};
    std::optional<std::vector<Guid>> io_nodes{};
    std::optional<std::vector<Guid>> routing_order{};
    std::optional<std::vector<HopWeight>> hop_weights{};
    std::optional<std::vector<SwitchPort>> ignored{};
    std::optional<std::vector<SwitchPort>> edge_ports{};
    std::optional<std::vector<SearchOrder>> search{};
    std::optional<LoadedLfts> lfts{};
    std::optional<LoadedMatrix> matrix{};
    std::optional<std::vector<PrefixRoute>> prefix_routes{};  ///< In the order of the lines.
    std::optional<std::vector<std::byte>> registrations{};    ///< As sa_file.h has them.
    std::optional<std::vector<NamedNode>> node_names{};
    std::optional<PartitionConf> partitions{};
    std::optional<LoadedQosPolicy> qos_policy{};
    std::optional<LoadedTorus> torus{};
    std::optional<std::vector<PortMKey>> m_keys{};
    std::optional<std::vector<Neighbor>> neighbors{};
    std::optional<std::vector<PortLids>> port_lids{};
    std::optional<LoadedPortGroups> port_groups{};
    std::optional<LoadedBandwidths> bandwidths{};
    std::optional<LoadedTopologies> topologies{};
    std::optional<LoadedChain> chain{};
    std::vector<OptionContents>
        step_files{};  ///< ChainStep::tables - 1: of the steps of the chain.
    [[nodiscard]] bool operator==(const OptionContents&) const = default;
};

// The entries of a file, one by one.
template <typename Entry>
[[nodiscard]] const std::vector<Entry>& EntriesOf(const std::vector<Entry>& entries) {
    return entries;
}
[[nodiscard]] inline const std::vector<LoadedLfts::Switch>& EntriesOf(const LoadedLfts& lfts) {
    return lfts.switches;
}
[[nodiscard]] inline const std::vector<LoadedMatrix::Switch>& EntriesOf(
    const LoadedMatrix& matrix) {
    return matrix.switches;
}
/// The entries of a journal but for its end, as views of it.
[[nodiscard]] std::vector<SaEntry> EntriesOf(const std::vector<std::byte>& journal);

/// Levels, then port groups, then rules.
[[nodiscard]] std::vector<QosEntry> EntriesOf(const LoadedQosPolicy& policy);

/// The torus, then its seeds, then the order of ports.
[[nodiscard]] std::vector<TorusEntry> EntriesOf(const LoadedTorus& torus);

/// Rules for GUIDs, then for port groups, then for virtual ports; rates instead of their names.
[[nodiscard]] std::vector<BandwidthEntry> EntriesOf(const LoadedBandwidths& loaded);

/// Groups, each behind those that it is made of.
[[nodiscard]] std::vector<PortGroupEntry> EntriesOf(const LoadedPortGroups& loaded);

/// Topologies and steps, ascending by id.
[[nodiscard]] std::vector<TopologyEntry> EntriesOf(const LoadedTopologies& loaded);
[[nodiscard]] std::vector<ChainEntry> EntriesOf(const LoadedChain& loaded);

/// An option file of option_tables.h as text: where its contents are kept, and who reads them.
template <typename Of, auto kContentsOf, auto kParseBy>
struct FileFormat {
    using File = Of;
    static constexpr auto kContents = kContentsOf;

    std::string_view entries;  ///< The name of its entries, in the plural.
    std::size_t shown = 0;     ///< Its turn when files are shown: 0, 1, 2 ...

    /// Calls the file's parser, with the facts of the subnet if it takes them.
    [[nodiscard]] static auto Parse(std::string_view text, Diagnostics& diagnostics,
                                    [[maybe_unused]] const SubnetFacts& subnet) {
        if constexpr (std::is_invocable_v<decltype(kParseBy), std::string_view, Diagnostics&>) {
            return kParseBy(text, diagnostics);
        } else {
            return kParseBy(text, diagnostics, subnet);
        }
    }
};

// clang-format off
/// All of them, in the order in which the files are read.
inline constexpr std::tuple kFileFormats{
    FileFormat<option_files::RootGuidFile,
               &OptionContents::roots, ParseGuidSet>{"GUIDs", 0},
    FileFormat<option_files::IdsGuidFile,
               &OptionContents::ids, ParseIdsGuidFile>{"switches", 1},
    FileFormat<option_files::CnGuidFile,
               &OptionContents::compute_nodes, ParseGuidSet>{"GUIDs", 2},
    FileFormat<option_files::IoGuidFile,
               &OptionContents::io_nodes, ParseIoGuidFile>{"GUIDs", 3},
    FileFormat<option_files::GuidRoutingOrderFile,
               &OptionContents::routing_order, ParseGuidList>{"GUIDs", 4},
    FileFormat<option_files::HopWeightsFile,
               &OptionContents::hop_weights, ParseHopWeightsFile>{"ports", 5},
    FileFormat<option_files::PortProfIgnoreFile,
               &OptionContents::ignored, ParseSwitchPorts>{"ports", 6},
    FileFormat<option_files::PortSearchOrderingFile,
               &OptionContents::search, ParsePortSearchOrderingFile>{"switches", 7},
    FileFormat<option_files::LftsFile,
               &OptionContents::lfts, ParseLftsFile>{"switches", 9},
    FileFormat<option_files::LidMatrixDumpFile,
               &OptionContents::matrix, ParseLidMatrixDumpFile>{"switches", 10},
    FileFormat<option_files::PrefixRoutesFile,
               &OptionContents::prefix_routes, ParsePrefixRoutesFile>{"prefixes", 11},
    FileFormat<option_files::EdgePorts,
               &OptionContents::edge_ports, ParseSwitchPorts>{"ports", 8},
    FileFormat<option_files::NodeNameMap,
               &OptionContents::node_names, ParseNodeNameMap>{"names", 12},
    FileFormat<option_files::SaDbFile,
               &OptionContents::registrations, ParseSaDbFile>{"records", 13},
    FileFormat<option_files::PartitionsFile,
               &OptionContents::partitions, ParsePartitionsFile>{"lines", 14},
    FileFormat<option_files::QosPolicyFile,
               &OptionContents::qos_policy,
               ParseQosPolicyFile>{"levels, port groups and rules", 15},
    FileFormat<option_files::TorusConfig,
               &OptionContents::torus, ParseTorusConfig>{"lines", 16},
    FileFormat<option_files::Guid2MKeyFile,
               &OptionContents::m_keys, ParseGuid2MKeyFile>{"M_Keys", 17},
    FileFormat<option_files::NeighborsFile,
               &OptionContents::neighbors, ParseNeighborsFile>{"ports", 18},
    FileFormat<option_files::PgrpPolicyFile,
               &OptionContents::port_groups, ParsePgrpPolicyFile>{"port groups", 20},
    FileFormat<option_files::EnhancedQosPolicyFile,
               &OptionContents::bandwidths,
               ParseEnhancedQosPolicyFile>{"rules", 19},
    FileFormat<option_files::TopoPolicyFile,
               &OptionContents::topologies, ParseTopoPolicyFile>{"topologies", 21},
    FileFormat<option_files::RchPolicyFile,
               &OptionContents::chain, ParseRchPolicyFile>{"steps", 22},
    FileFormat<option_files::Guid2LidFile,
               &OptionContents::port_lids, ParseGuid2LidFile>{"ports", 23},
};
// clang-format on
inline constexpr std::size_t kFileCount = std::tuple_size_v<decltype(kFileFormats)>;
static_assert(kFileCount == std::tuple_size_v<option_files::All>, "each option file has a format");

/// Calls `visit(format)` for every file.
template <typename Visit>
constexpr void ForEachFileFormat(const Visit& visit) {
    std::apply([&visit](const auto&... formats) { (visit(formats), ...); }, kFileFormats);
}

}  // namespace ember::emberc
