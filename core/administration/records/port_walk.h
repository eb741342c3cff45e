// SPDX-License-Identifier: Apache-2.0
// EmberSM: from port to port, as far as a question reaches.
#pragma once

#include <cstdint>

#include "core/administration/query/query.h"
#include "core/administration/query/record_source.h"
#include "core/base/ids.h"
#include "core/fabric/fabric.h"

namespace ember {

/// Which ports of a node are visited.
enum class Visit : std::uint8_t {
    kEndPorts,  ///< Ports that have LIDs of their own.
    kAllPorts,  ///< And the external ports of switches.
    kSwitches,  ///< Port 0 of switches only.
};

/// Goes from port to port in the order of the node table. The cursor's row is the node, its column
/// the port (counted from the node's first); the rest of the cursor is the caller's. Left out are
/// ports without PortInfo, ports of nodes without a LID, and ports with which the requester shares
/// no partition.
///
/// A question that names a LID, or for which the caller Narrow()s the walk, visits one node or one
/// port only, however large the fabric. A walk is made anew for each record: it keeps no state.
class PortWalk {
public:
    PortWalk(const AdministrationView& view, const Query& query, Visit visit);

    /// From here on only the end port `at`, with the other ports of its node when it is port 0 of a
    /// switch; kNoPortIndex: none at all.
    void Narrow(PortIndex at);
    /// From here on only the node `at`; kNoNode: none at all.
    void Narrow(NodeIndex at);
    [[nodiscard]] bool is_narrow() const { return is_narrow_; }

    /// Moves the cursor to the first port at or behind it, which `port` is then. kRecord, kEnd, or
    /// kLater when the budget, of which each port looked at takes 1, ran out.
    [[nodiscard]] Found Find(Cursor& cursor, std::uint32_t& budget, PortIndex& port) const;

    /// Moves the cursor behind the port it is at.
    static void Pass(Cursor& cursor) {
        ++cursor.column;
        cursor.item = 0;
        cursor.extra = 0;
    }

private:
    [[nodiscard]] bool IsVisible(PortIndex at) const;

    const Fabric& fabric_;
    const Partitions& partitions_;
    PortIndex requester_;
    Visit visit_;
    bool is_narrow_ = false;
    std::uint32_t first_node_ = 0;
    std::uint32_t node_bound_;
    std::uint32_t only_column_ = kEveryColumn;

    static constexpr std::uint32_t kEveryColumn = 0xFFFFFFFF;
};

/// The base LID that stands for a port: its own, or that of port 0 for the ports of a switch.
[[nodiscard]] Lid LidOf(const Fabric& fabric, PortIndex at);

}  // namespace ember
