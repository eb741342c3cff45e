// SPDX-License-Identifier: Apache-2.0
// EmberSM: what answers have in common.
#include "config/explain/answer_parts.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/log/fixed_text.h"

namespace ember::explain {
namespace {

constexpr std::array<std::string_view, 4> kMembershipWords{"none", "limited", "full", "both"};
static_assert(kMembershipWords.size() == static_cast<std::size_t>(Membership::kBoth) + 1);

/// Octets of a table of names are printable ASCII: the blob's reader checks that.
[[nodiscard]] std::string_view TextOf(std::span<const std::uint8_t> octets) {
    const void* const data = octets.data();
    return {static_cast<const char*>(data), octets.size()};
}

}  // namespace

void AddPort(JsonWriter& json, std::string_view key, const Fabric& fabric, PortIndex at) {
    const Port& port = fabric.port(at);
    json.Open(key)
        .AddGuid("guid", Raw(port.guid))
        .AddGuid("node", Raw(fabric.node(port.node).guid))
        .Add("port", unsigned{Raw(port.number)})
        .Add("lid", unsigned{Raw(port.lid)})
        .Close();
}

void AddPlace(JsonWriter& json, std::string_view key, const Fabric& fabric, PortIndex at) {
    const Port& port = fabric.port(at);
    json.Open(key)
        .AddGuid("node", Raw(fabric.node(port.node).guid))
        .Add("port", unsigned{Raw(port.number)})
        .Close();
}

void AddPKey(JsonWriter& json, std::string_view key, std::uint16_t p_key) {
    std::array<char, 8> room{};
    FixedText text(room);
    text.Add("0x").AddHex(std::uint64_t{p_key}, 4);
    json.Add(key, text.text());
}

std::string_view WordOf(Membership membership) {
    return kMembershipWords[static_cast<std::size_t>(membership)];
}

void AddPartition(JsonWriter& json, const AdministrationView& view, std::uint16_t p_key) {
    AddPKey(json, "p_key", static_cast<std::uint16_t>(p_key & kPKeyBase));
    const PartitionRow* const row = view.partitions.RowOf(p_key);
    if (row == nullptr) return;
    const ManagerTables& tables = view.settings.manager_tables;
    if (row->octets != 0) {
        json.Add("name", TextOf(tables.partition_names.subspan(row->first, row->octets)));
    }
    if (row->line != 0) json.Add("line", row->line);
}

void AddMembership(JsonWriter& json, std::string_view key, const PortPartition& partition) {
    json.Open(key).Add("membership", WordOf(partition.membership));
    if (partition.line != 0) json.Add("line", partition.line);
    json.Close();
}

std::string_view NameOf(const ManagerTables& tables, const QosLevel& level) {
    std::span<const std::uint8_t> names = tables.qos_names;
    std::span<const std::uint8_t> name;
    const auto row = static_cast<std::size_t>(&level - tables.qos_levels.data());
    for (std::size_t i = 0; i <= row && !names.empty(); ++i) {  // At most kMostQosLevels.
        const auto end = std::find(names.begin(), names.end(), std::uint8_t{0});
        name = names.first(static_cast<std::size_t>(end - names.begin()));
        names = names.subspan(std::min(name.size() + 1, names.size()));
    }
    return TextOf(name);
}

}  // namespace ember::explain
