// SPDX-License-Identifier: Apache-2.0
// EmberSM: what was written of the tables of ports since the start.
#pragma once

#include <cstdint>

namespace ember {

/// Blocks of one kind of port tables that were set since the start.
struct TableCounts {
    std::uint64_t written = 0;   ///< Acknowledged.
    std::uint64_t failed = 0;    ///< Refused, or not answered in any try.
    std::uint64_t repaired = 0;  ///< Of those acknowledged, blocks that the scrub found changed.

    /// Counts the end of a Set. `repairs`: the scrub has asked for it.
    void Count(bool is_acknowledged, bool repairs) {
        ++(is_acknowledged ? written : failed);
        if (is_acknowledged && repairs) ++repaired;
    }
};

/// By kind of table.
struct PortTableCounts {
    TableCounts p_keys;
    TableCounts sl_to_vl;
    TableCounts vl_arbitration;
};

}  // namespace ember
