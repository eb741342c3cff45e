// SPDX-License-Identifier: Apache-2.0
// EmberSM: the three kinds of answers, and what they have in common.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/explain/explain.h"
#include "core/administration/query/query.h"
#include "core/fabric/fabric.h"
#include "core/log/json_writer.h"
#include "core/partitions/partitions.h"
#include "core/settings/qos_tables.h"
#include "core/settings/settings.h"

namespace ember::explain {

// Each adds its members to the object that is open.

void AnswerPartition(JsonWriter& json, const Scene& scene, PortIndex one, PortIndex other);
void AnswerPath(JsonWriter& json, const Scene& scene, const PathQuestion& question);
void AnswerJoin(JsonWriter& json, const Scene& scene, const JoinQuestion& question);

/// An end port: GUIDs, name, LID and number.
void AddPort(JsonWriter& json, std::string_view key, const Fabric& fabric, PortIndex at);
/// A port of any node, by its node and number.
void AddPlace(JsonWriter& json, std::string_view key, const Fabric& fabric, PortIndex at);
/// As text, "0x8001": people write P_Keys so.
void AddPKey(JsonWriter& json, std::string_view key, std::uint16_t p_key);
/// "none", "limited", "full", "both".
[[nodiscard]] std::string_view WordOf(Membership membership);
/// P_Key, name and line of a partition, as members of the open object.
void AddPartition(JsonWriter& json, const AdministrationView& view, std::uint16_t p_key);
/// Membership and line, as an object.
void AddMembership(JsonWriter& json, std::string_view key, const PortPartition& partition);
/// The name of a QoS level; empty: it has none.
[[nodiscard]] std::string_view NameOf(const ManagerTables& tables, const QosLevel& level);

}  // namespace ember::explain
