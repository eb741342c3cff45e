// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a key does, as a row of a table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/settings.h"

namespace ember::acts {

/// Looks at a subnet manager, or at a part of it, under these settings, and returns something of
/// the outside: a register of the hardware, a datagram, a table, a note. A member of Settings is
/// none.
using Look = std::function<std::string(const Settings&)>;

/// A text file beside the opensm.conf.
struct File {
    std::string_view name;
    std::string text;
};

/// A key at its default and at another value, in the same situation. The text of opensm.conf and
/// its files goes through emberc into a blob, and Settings come out of that.
struct Row {
    std::string_view key;
    std::string_view value;  ///< Not the default.
    Look look;
    std::string_view usual;        ///< Seen without the line `key value`.
    std::string_view other;        ///< Seen with it.
    std::string_view beside = {};  ///< Lines of opensm.conf that are there in both cases.
    std::vector<File> files = {};  ///< Are there in both cases, named or not.
    std::string_view with = {};    ///< Lines that are there with the line `key value` only.
};

// The table, a function for each file. All together in the order of these: AllRows().
[[nodiscard]] std::vector<Row> PortRows();            ///< Registers of ports and switches.
[[nodiscard]] std::vector<Row> SendingRows();         ///< Sweeps, windows, timeouts.
[[nodiscard]] std::vector<Row> RoleRows();            ///< Several managers, and restarts.
[[nodiscard]] std::vector<Row> FlappingRows();        ///< Cables that flap.
[[nodiscard]] std::vector<Row> EngineRows();          ///< Which engine, and what it may do.
[[nodiscard]] std::vector<Row> SpreadRows();          ///< Which of several equal exits.
[[nodiscard]] std::vector<Row> FatTreeRows();         ///< Options of ftree.
[[nodiscard]] std::vector<Row> AdministrationRows();  ///< Answers to hosts.
[[nodiscard]] std::vector<Row> RouterRows();          ///< Paths to other subnets.
[[nodiscard]] std::vector<Row> GroupRows();           ///< Multicast.
[[nodiscard]] std::vector<Row> PartitionRows();       ///< P_Key tables.
[[nodiscard]] std::vector<Row> LaneRows();            ///< VL arbitration and SL to VL.
[[nodiscard]] std::vector<Row> BandwidthRows();       ///< Limits of bandwidth.
[[nodiscard]] std::vector<Row> ProcessRows();         ///< The process around the core.

}  // namespace ember::acts
