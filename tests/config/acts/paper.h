// SPDX-License-Identifier: Apache-2.0
// EmberSM: fabrics that are routed on paper, for the rows of the table.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "config/emberc/plan/planner.h"
#include "config/netlist/netlist.h"
#include "core/settings/settings.h"

namespace ember::acts {

/// A netlist, routed by the engines that the settings name.
class Paper {
public:
    Paper(const net::Netlist& netlist, const Settings& settings);

    /// The port by which the switch `from` sends to the node `to`, a switch or a host by its first
    /// port; 255 when it drops that. Both are named as in the netlist.
    [[nodiscard]] unsigned Exit(std::string_view from, std::string_view to) const;
    /// The first LID of a node, named likewise.
    [[nodiscard]] Lid LidOf(std::string_view name) const;
    /// Pairs of a switch and a node with another exit in `other`, of the same netlist.
    [[nodiscard]] std::size_t EntriesUnlike(const Paper& other) const;
    /// Data VLs that paths have, by number: all below this one.
    [[nodiscard]] unsigned Lanes() const { return plan_.lanes().count; }
    /// The engine that counts, and what became of its tables: "minhop: verified".
    [[nodiscard]] std::string Verdict() const;

private:
    [[nodiscard]] NodeIndex Node(std::string_view name) const;

    plan::Planned plan_;
};

}  // namespace ember::acts
