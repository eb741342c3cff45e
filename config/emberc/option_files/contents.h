// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the text files say that options name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/settings.h"

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

/// A line of node_name_map_name.
struct NamedNode {
    Guid guid = kNoGuid;
    std::string name;
    [[nodiscard]] bool operator==(const NamedNode&) const = default;
};

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
    [[nodiscard]] bool operator==(const OptionContents&) const = default;
};

}  // namespace ember::emberc
