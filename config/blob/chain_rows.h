// SPDX-License-Identifier: Apache-2.0
// EmberSM: topologies and the routing chain of a blob: their rows, and what they must be.
#pragma once

#include "config/blob/option_rules.h"
#include "config/schema/settings_generated.h"
#include "core/settings/chain_rows.h"

namespace ember::option_files {

[[nodiscard]] inline PortTopology CoreRow(const schema::PortTopology& row) {
    return {.id = row.id(),
            .line = row.line(),
            .switches = row.switches(),
            .end_ports = row.end_ports()};
}
[[nodiscard]] inline schema::PortTopology WireRow(const PortTopology& row) {
    return {row.id, row.line, row.switches, row.end_ports};
}

/// Asserted: the engine is one that IsChain() takes.
[[nodiscard]] ChainStep CoreRow(const schema::ChainStep& row);
[[nodiscard]] schema::ChainStep WireRow(const ChainStep& row);

/// Whether the topologies of `from` are such: ids ascend, and groups are there. None at all are
/// such too.
[[nodiscard]] bool AreTopologies(const schema::OptionFiles& from);

/// Whether the steps of `from` are a chain: ids ascend, engines are for chains, topologies are
/// there, a fallback is for a step that is none, and the first step and its fallbacks are for the
/// whole subnet and its base LIDs. None at all are one too.
[[nodiscard]] bool IsChain(const schema::OptionFiles& from);

}  // namespace ember::option_files
