// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether two ports may talk.
#include <cstddef>

#include "config/explain/answer_parts.h"
#include "config/explain/answers.h"

namespace ember::explain {
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

}  // namespace ember::explain
