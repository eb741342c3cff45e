// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files name that is not in the subnet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/routing/topology.h"
#include "core/settings.h"

namespace ember {

/// The option files about nodes and ports, by the option that names them.
enum class OptionFile : std::uint8_t {
    kRoots,
    kIds,
    kComputeNodes,
    kIoNodes,
    kRoutingOrder,
    kHopWeights,
    kIgnoredPorts,
    kSearchOrder,
    kLfts,
    kLidMatrix,
};
inline constexpr std::size_t kOptionFiles = 10;

/// The option's name in opensm.conf.
[[nodiscard]] std::string_view NameOf(OptionFile file);

/// What one option file names that is not there. The engines pass over it: a line about a GUID
/// that nobody has says nothing, nor does one about a port that the switch does not have, and a
/// search order with such a port is left out whole.
struct OptionMisses {
    std::uint32_t guids = 0;    ///< Lines whose GUID is of no switch, or of no port with a LID.
    Guid first_guid = kNoGuid;  ///< The first of them.
    std::uint32_t ports = 0;    ///< Lines about a switch that is there, but not such a port of it.
    Guid first_switch = kNoGuid;  ///< The first of them.
    PortNumber first_port = kNoPort;
    [[nodiscard]] bool any() const { return guids + ports != 0; }
    [[nodiscard]] bool operator==(const OptionMisses&) const = default;
};

/// Misses by option file. Lines that say the same count once, as in OptionTables.
using OptionReport = IndexedArray<OptionFile, OptionMisses, kOptionFiles>;

/// Compares the tables of option files with the subnet. To be told once for a set of settings and
/// again when it changed. Pure; about 0.1 us a line.
[[nodiscard]] OptionReport CheckOptionFiles(const Topology& topology, const OptionTables& tables);

}  // namespace ember
