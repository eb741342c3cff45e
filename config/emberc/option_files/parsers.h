// SPDX-License-Identifier: Apache-2.0
// EmberSM: a parser for each kind of option file.
//
// Each reads a whole text, reports every mistake with its place, and goes on after it. What comes
// out is of use only when `diagnostics` counts no error. An entry that says nothing new is dropped
// with a warning; one that contradicts another is an error, where OpenSM would silently believe the
// first or the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/contents.h"

namespace ember::emberc {

/// guid_routing_order_file: a GUID a line. In the order of the lines, none twice.
[[nodiscard]] std::vector<Guid> ParseGuidList(std::string_view text, Diagnostics& diagnostics);

/// root_guid_file, cn_guid_file: the same, ascending.
[[nodiscard]] std::vector<Guid> ParseGuidSet(std::string_view text, Diagnostics& diagnostics);

/// io_guid_file: likewise. `compute_nodes`, ascending, are those of cn_guid_file; a node in both
/// draws a warning.
[[nodiscard]] std::vector<Guid> ParseIoGuidFile(std::string_view text,
                                                Diagnostics& diagnostics,
                                                std::span<const Guid> compute_nodes);

/// ids_guid_file: a switch and its number.
[[nodiscard]] std::vector<GuidNumber> ParseIdsGuidFile(std::string_view text,
                                                       Diagnostics& diagnostics);

/// hop_weights_file: a switch, a port, and what its cable counts.
[[nodiscard]] std::vector<HopWeight> ParseHopWeightsFile(std::string_view text,
                                                         Diagnostics& diagnostics);

/// port_prof_ignore_file, edge_ports: a switch and a port.
[[nodiscard]] std::vector<SwitchPort> ParseSwitchPorts(std::string_view text,
                                                       Diagnostics& diagnostics);

/// port_search_ordering_file: a switch and its ports in order.
[[nodiscard]] std::vector<SearchOrder> ParsePortSearchOrderingFile(std::string_view text,
                                                                   Diagnostics& diagnostics);

/// lfts_file: forwarding tables as OpenSM's opensm-lfts.dump and ibroute write them.
[[nodiscard]] LoadedLfts ParseLftsFile(std::string_view text, Diagnostics& diagnostics);

/// lid_matrix_dump_file: hops as OpenSM's opensm-lid-matrix.dump has them.
[[nodiscard]] LoadedMatrix ParseLidMatrixDumpFile(std::string_view text, Diagnostics& diagnostics);

/// prefix_routes_file: a GID prefix, or `*` for any, and the port GUID of a router, or `*` for the
/// first. In the order of the lines, of which the first that fits counts.
[[nodiscard]] std::vector<PrefixRoute> ParsePrefixRoutesFile(std::string_view text,
                                                             Diagnostics& diagnostics);

/// node_name_map_name: the NodeGUID of a node and, in quotation marks, what people call it. Behind
/// that, and in lines that begin with '#', stands what is passed over.
[[nodiscard]] std::vector<NamedNode> ParseNodeNameMap(std::string_view text,
                                                      Diagnostics& diagnostics);

/// What the other settings say of the subnet a file is about.
struct SubnetFacts {
    std::uint64_t prefix = 0;
    std::uint8_t lmc = 0;
};

/// sa_db_file: registrations as OpenSM's opensm-sa.dump has them, as a journal of the form of
/// core/administration/sa_file.h. The same text gives the same octets.
[[nodiscard]] std::vector<std::byte> ParseSaDbFile(std::string_view text,
                                                   Diagnostics& diagnostics,
                                                   const SubnetFacts& subnet);

}  // namespace ember::emberc
