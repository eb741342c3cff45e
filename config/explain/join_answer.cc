// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a port may join a multicast group.
#include <array>
#include <cstddef>

#include "config/explain/answer_parts.h"
#include "config/explain/answers.h"
#include "config/explain/words.h"
#include "core/administration/registrations/join_refusal.h"

namespace ember::explain {
namespace {

void AddHexText(JsonWriter& json, std::string_view key, std::uint64_t number, std::size_t digits) {
    std::array<char, 24> room{};
    FixedText text(room);
    text.Add("0x").AddHex(number, digits);
    json.Add(key, text.text());
}

void AddMgid(JsonWriter& json, const Gid& mgid) {
    std::array<char, 40> room{};
    FixedText text(room);
    AddGid(text, mgid);
    json.Add("mgid", text.text());
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
    AddMgid(json, question.mgid);
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
