// SPDX-License-Identifier: Apache-2.0
// EmberSM: the names of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/log/render.h"
#include "core/settings/settings.h"

namespace ember {

/// Writes the text of a NodeDescription, up to its first zero, to the front of `room` and returns
/// its length. A node may send any octets: a quotation mark becomes an apostrophe, a character that
/// is not printable ASCII a question mark, and blanks at the end are dropped.
[[nodiscard]] std::size_t CleanName(std::span<const std::uint8_t> description,
                                    std::span<char> room);

/// Writes what node_name_map_name calls the node with this NodeGUID to the front of `room`, as many
/// characters of UTF-8 as fit whole, and returns its length in octets; 0: the map has no line for
/// it.
[[nodiscard]] std::size_t MappedName(const ManagerTables& tables, Guid node, std::span<char> room);

/// The names of nodes in notes and pages: that of node_name_map_name, else the NodeDescription of a
/// node that the fabric has, or had until recently.
class NodeNames final : public NameSource {
public:
    NodeNames(const Fabric& fabric, const Settings& settings)
        : fabric_(fabric), settings_(settings) {}

    [[nodiscard]] std::size_t NameOf(Guid guid, std::span<char> room) const override;

    /// As ember::MappedName() with the tables in force.
    [[nodiscard]] std::size_t MappedName(Guid node, std::span<char> room) const {
        return ember::MappedName(settings_.manager_tables, node, room);
    }

private:
    const Fabric& fabric_;
    const Settings& settings_;
};

}  // namespace ember
