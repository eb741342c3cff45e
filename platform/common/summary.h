// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a person wants to know once the subnet is up.
#pragma once

#include <span>
#include <string_view>

#include "core/log/fixed_text.h"
#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"

namespace ember {

/// "resting", "discovering", ... by Stage.
[[nodiscard]] std::string_view WordOf(Stage stage);
/// "verified", "verified but for a possible credit loop", ... by RoutingOutcome.
[[nodiscard]] std::string_view WordOf(RoutingOutcome outcome);
/// Why a routing was refused; empty when it was not.
[[nodiscard]] std::string_view WordOf(RoutingReason reason);
/// Why an engine was refused, wherever that was.
void AddReason(FixedText& text, const RoutingAttempt& attempt);
/// The same, with the node, port and LID at fault as far as they are known.
void AddWhy(FixedText& text, const RoutingAttempt& attempt);
/// "NodeInfo", "PortInfo", ...; empty for what has no short name.
[[nodiscard]] std::string_view WordOf(AttributeId attribute);

/// A line for each arena, and their sum.
void AddMemory(FixedText& text, std::span<const MemoryRow> rows);

/// Ten lines: what was found, how it is routed and proved, and what that took.
void AddBriefSummary(FixedText& text, const SubnetManager& sm);

/// About thirty lines: the subnet, its routing, what was sent, how long it took, what it needs.
void AddSummary(FixedText& text, const SubnetManager& sm, std::span<const MemoryRow> rows);

}  // namespace ember
