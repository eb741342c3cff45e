// SPDX-License-Identifier: Apache-2.0
// EmberSM: the data VL of a packet at a switch, by input port, output port and SL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"

namespace ember {

/// A view of the SLtoVLMappingTables of all switches. IBA vol. 1, 7.6.6 and 14.2.5.8.
struct LaneTable {
    static constexpr std::size_t kSls = 16;

    std::uint8_t lanes = 1;  ///< Data VLs in use, 1..15.
    /// Row: the output port, as an exit of Topology::all_exits(). Column: the input port, 0 for
    /// packets of the switch itself. Bits 4i..4i+3: the VL of SL i.
    std::span<const std::uint64_t> maps;
    std::size_t stride = 0;  ///< Columns of a row.

    /// The VL of packets of `sl`, 0..15, that come in by the port `in` and leave by `exit`. It may
    /// be one that is not in use; a switch drops these.
    [[nodiscard]] std::uint8_t LaneOf(std::size_t exit, PortNumber in, std::size_t sl) const {
        return static_cast<std::uint8_t>(maps[exit * stride + Raw(in)] >> (4 * sl) & 0xFU);
    }
};

}  // namespace ember
