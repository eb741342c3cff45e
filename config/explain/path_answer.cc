// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the subnet administrator tells a port about a path, and what decided it.
#include <array>
#include <cstddef>

#include "config/explain/answers.h"
#include "config/explain/words.h"
#include "core/lanes/lane_tables.h"
#include "core/lanes/routed_maps.h"
#include "core/log/fixed_text.h"
#include "core/routing/choice_text.h"

namespace ember::explain {
namespace {

/// By SlOrigin.
constexpr std::array<std::string_view, 6> kSlOriginWords{"default",   "question",  "level",
                                                         "partition", "rtr_pr_sl", "routing"};
static_assert(kSlOriginWords.size() == static_cast<std::size_t>(SlOrigin::kRouting) + 1);

/// The links with the smallest MTU and the lowest rate: the first of each on the path.
struct Bottlenecks {
    Paths::Link mtu{};
    Paths::Link rate{};
};

/// The lane by which a packet that came in by port `in` leaves, where the subnet manager decides
/// about lanes.
void AddLane(JsonWriter& json, const AdministrationView& view, PortNumber in, PortIndex exit,
             std::uint8_t sl) {
    if (!view.settings.qos) return;
    const Port& port = view.fabric.port(exit);
    const SwitchIndex at = view.fabric.node(port.node).switch_index;
    // Which lane such a switch gives a packet is its own affair.
    if (at != kNoSwitch && view.fabric.switch_row(at).has_one_lane) return;
    const SlToVlMappingTable table = SlToVlAt(view.fabric, {view.settings, view.lanes}, port, in,
                                              PlannedVls(view.fabric, port, view.settings));
    json.Add("vl", unsigned{table.vl(sl)});
}

void AddHops(JsonWriter& json, const Scene& scene, const PathQuestion& question,
             const PathExplanation& path, Bottlenecks& least) {
    const AdministrationView& view = scene.explainer.view();
    PortIndex at = question.source;
    Paths::Link link;
    json.OpenList("hops");
    for (std::size_t i = 0; i < Paths::kMaxHops; ++i) {
        if (!scene.explainer.LinkFrom(at, question.destination, path.destination_lid, link)) break;
        json.Open();
        AddPlace(json, "from", view.fabric, link.exit);
        AddPlace(json, "to", view.fabric, link.entry);
        json.Add("mtu", OctetsOf(link.mtu)).Add("rate", RateWord(link.rate));
        if (path.refusal == PathRefusal::kNone) {
            AddLane(json, view, view.fabric.port(at).number, link.exit, path.decision.sl);
        }
        json.Close();
        if (i == 0 || link.mtu < least.mtu.mtu) least.mtu = link;
        if (i == 0 || RateRank(link.rate) < RateRank(least.rate.rate)) least.rate = link;
        at = link.entry;
    }
    json.CloseList();
}

/// `by` says what holds a value down, with the link or the level where it is one.
void AddLimit(JsonWriter& json, std::string_view key, const Fabric& fabric, std::string_view by,
              const Paths::Link& link) {
    json.Open(key).Add("by", by);
    if (by == "link" && link.exit != kNoPortIndex) {
        AddPlace(json, "from", fabric, link.exit);
        AddPlace(json, "to", fabric, link.entry);
    }
    json.Close();
}

[[nodiscard]] std::string_view MtuLimit(const PathQuestion& question, const PathDecision& decision,
                                        const Bottlenecks& least) {
    if (decision.values.mtu == least.mtu.mtu) return "link";
    const QosLevel* const level = decision.choice.level;
    if (level != nullptr && level->mtu_limit == decision.values.mtu) return "level";
    const bool is_asked = (question.component_mask >> PathRecord::kHasMtu & 1U) != 0;
    if (is_asked) return "question";
    return decision.links.mtu != least.mtu.mtu && least.mtu.exit != kNoPortIndex ? "enable_quirks"
                                                                                 : "port";
}

[[nodiscard]] std::string_view RateLimit(const AdministrationView& view,
                                         const PathQuestion& question, const PathDecision& decision,
                                         const Bottlenecks& least) {
    constexpr std::uint8_t kNoRateCap = 63;
    if (decision.record_rate != decision.values.rate) {
        return view.settings.max_rate_enum < kNoRateCap ? "max_rate_enum" : "client";
    }
    if (decision.record_rate == least.rate.rate) return "link";
    const QosLevel* const level = decision.choice.level;
    if (level != nullptr && level->rate_limit == decision.values.rate) return "level";
    const bool is_asked = (question.component_mask >> PathRecord::kHasRate & 1U) != 0;
    return is_asked ? "question" : "port";
}

/// The service level that is asked of the routing, and what becomes of the operator's levels.
void AddLevelOfPath(JsonWriter& json, const RoutingLanes& lanes, const PathDecision& decision) {
    std::array<char, kLevelsTextRoom> room{};
    FixedText levels(room);
    AddLevels(levels, lanes);
    if (levels.text().empty()) return;
    if (lanes.levels.in_force()) json.Add("level_sl", unsigned{decision.level_sl});
    json.Add("service_levels", levels.text());
}

void AddLevel(JsonWriter& json, const AdministrationView& view, const QosChoice& choice) {
    if (choice.level == nullptr) return;
    const ManagerTables& tables = view.settings.manager_tables;
    json.Open("qos").Add("level", NameOf(tables, *choice.level));
    json.Add("sl", unsigned{choice.level->sl});
    if (choice.rule != QosChoice::kNoRule) {
        json.Add("rule", choice.rule + 1);
        const std::size_t lines = tables.qos_rule_lines.size();
        if (choice.rule < lines) json.Add("line", tables.qos_rule_lines[choice.rule]);
    }
    if (choice.level->mtu_limit != Mtu::kNone) {
        json.Add("mtu_limit", OctetsOf(choice.level->mtu_limit));
    }
    if (choice.level->rate_limit != Rate::kNone) {
        json.Add("rate_limit", RateWord(choice.level->rate_limit));
    }
    if (choice.level->packet_life != kNoPacketLife) {
        json.Add("packet_life", unsigned{choice.level->packet_life});
    }
    json.Close();
}

void AddPartitionOfPath(JsonWriter& json, const AdministrationView& view,
                        const PathQuestion& question, std::uint16_t p_key) {
    AddPKey(json, "p_key", p_key);
    json.Open("partition");
    AddPartition(json, view, p_key);
    AddMembership(json, "a", view.partitions.Find(question.source, p_key));
    AddMembership(json, "b", view.partitions.Find(question.destination, p_key));
    json.Close();
}

}  // namespace

void AnswerPath(JsonWriter& json, const Scene& scene, const PathQuestion& question) {
    const AdministrationView& view = scene.explainer.view();
    const PathExplanation path = scene.explainer.ExplainPath(question);
    const PathDecision& decision = path.decision;
    json.Add("explain", "path");
    AddPort(json, "a", view.fabric, question.source);
    AddPort(json, "b", view.fabric, question.destination);
    json.Add("told", path.is_answered);
    const bool is_wrong = path.status != SaStatus::kOk;
    if (is_wrong) {
        json.Add("why", "the question asks for a value that no path can have");
    } else if (!path.shares_partition) {
        json.Add("why", "they share no partition in which they may talk");
    } else if (!path.is_answered) {
        json.Add("why", kPathRefusalWords[static_cast<std::size_t>(path.refusal)]);
    }
    if (is_wrong) return;
    json.Add("slid", unsigned{Raw(path.source_lid)})
        .Add("dlid", unsigned{Raw(path.destination_lid)});
    json.Add("qos_enabled", view.settings.qos);
    AddLevel(json, view, decision.choice);
    Bottlenecks least;
    AddHops(json, scene, question, path, least);
    if (!path.is_answered) return;
    if (decision.p_key != kNoPKey) AddPartitionOfPath(json, view, question, decision.p_key);
    json.Add("sl", unsigned{decision.sl})
        .Add("sl_by", kSlOriginWords[static_cast<std::size_t>(decision.sl_origin)]);
    if (decision.sl_origin == SlOrigin::kRouting) AddLevelOfPath(json, *view.lanes, decision);
    json.Add("mtu", OctetsOf(decision.values.mtu));
    AddLimit(json, "mtu_limit", view.fabric, MtuLimit(question, decision, least), least.mtu);
    json.Add("rate", RateWord(decision.record_rate));
    AddLimit(json, "rate_limit", view.fabric, RateLimit(view, question, decision, least),
             least.rate);
    json.Add("packet_life_time", unsigned{decision.values.life_time})
        .Add("reversible", decision.reversible);
}

}  // namespace ember::explain
