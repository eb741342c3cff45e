// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether two ports may talk, whether a port may join a group; and what answers have in
// common.
#include "config/explain/answers.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "config/explain/words.h"
#include "core/administration/registrations/join_refusal.h"
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

namespace {

/// Partitions that are listed; more are counted. An answer has to fit a page of a client.
inline constexpr std::size_t kMostListed = 32;

/// The partitions that both are members of.
void AddShared(JsonWriter& json, const AdministrationView& view, PortIndex one, PortIndex other) {
    SharedPartitions shared(view.partitions, one, other);
    SharedPartition row;
    std::size_t count = 0;
    json.OpenList("shared");
    for (; shared.Next(row); ++count) {
        if (count >= kMostListed) continue;
        json.Open();
        AddPartition(json, view, row.one.p_key);
        AddMembership(json, "a", row.one);
        AddMembership(json, "b", row.other);
        json.Add("may_talk", row.may_talk).Close();
    }
    json.CloseList().Add("shared_count", count);
}

/// The partitions of one port, for a pair that shares none.
void AddAll(JsonWriter& json, std::string_view key, const AdministrationView& view, PortIndex at) {
    PortPartition row;
    std::size_t count = 0;
    json.Open(key).OpenList("partitions");
    for (PartitionWalk walk = view.partitions.Of(at); walk.Next(row); ++count) {
        if (count >= kMostListed) continue;
        json.Open();
        AddPartition(json, view, row.p_key);
        AddMembership(json, "member", row);
        json.Close();
    }
    json.CloseList().Add("count", count).Close();
}

}  // namespace

void AnswerPartition(JsonWriter& json, const Scene& scene, PortIndex one, PortIndex other) {
    const AdministrationView& view = scene.explainer.view();
    const bool may_talk = view.partitions.Share(one, other);
    const std::uint16_t p_key = view.partitions.First(one, other);
    json.Add("explain", "partition");
    AddPort(json, "a", view.fabric, one);
    AddPort(json, "b", view.fabric, other);
    json.Add("configured", view.partitions.AreConfigured()).Add("may_talk", may_talk);
    if (p_key != kNoPKey) AddPKey(json, "p_key", p_key);
    AddShared(json, view, one, other);
    if (may_talk) return;
    AddAll(json, "a_is_in", view, one);
    AddAll(json, "b_is_in", view, other);
}

namespace {

void AddHexText(JsonWriter& json, std::string_view key, std::uint64_t number, std::size_t digits) {
    std::array<char, 24> room{};
    FixedText text(room);
    text.Add("0x").AddHex(number, digits);
    json.Add(key, text.text());
}

/// Of the group there is, or of the one that the join makes.
void AddGroup(JsonWriter& json, const Scene& scene, const McMemberRecords::JoinVerdict& verdict) {
    const AdministrationView& view = scene.explainer.view();
    const GroupValues& values = verdict.values;
    json.Open("group");
    if (verdict.group != kNoGroup) {
        const Group& group = scene.explainer.groups().group(verdict.group);
        AddHexText(json, "mlid", Raw(LidOf(group.mlid)), 4);
        json.Add("members", group.members).Add("well_known", group.is_well_known);
    }
    json.Open("partition");
    AddPartition(json, view, values.p_key);
    json.Close();
    AddHexText(json, "q_key", values.q_key, 1);
    json.Add("mtu", OctetsOf(values.mtu)).Add("rate", RateWord(values.rate));
    json.Add("sl", unsigned{values.sl}).Close();
}

}  // namespace

void AnswerJoin(JsonWriter& json, const Scene& scene, const JoinQuestion& question) {
    const AdministrationView& view = scene.explainer.view();
    const JoinExplanation join = scene.explainer.ExplainJoin(question);
    const JoinRefusal refusal = join.verdict.refusal;
    json.Add("explain", "join");
    AddPort(json, "port", view.fabric, question.port);
    std::array<char, 40> room{};
    FixedText mgid(room);
    AddGid(mgid, question.mgid);
    json.Add("mgid", mgid.text());
    json.Add("admitted", refusal == JoinRefusal::kNone);
    if (refusal != JoinRefusal::kNone) {
        json.Add("why", WordsOf(refusal));
        AddHexText(json, "status", static_cast<std::uint64_t>(StatusOf(refusal)), 4);
    }
    json.Add("exists", join.verdict.group != kNoGroup);
    if (NamesPartition(join.verdict.values.p_key)) {
        AddGroup(json, scene, join.verdict);
        AddMembership(json, "member_of_partition", join.partition);
    }
    json.Open("port_can")
        .Add("mtu", OctetsOf(static_cast<Mtu>(join.reach.mtu)))
        .Add("rate", RateWord(RateOfRank(join.reach.rate_rank)))
        .Close();
    if (join.present_state != 0) json.Add("join_state", unsigned{join.present_state});
}

}  // namespace ember::explain
