// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc explain: the subnet administrator of a fabric on paper.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "config/emberc/plan/planner.h"
#include "config/emberc/plan/scene.h"
#include "config/explain/explain.h"
#include "config/explain/host/page.h"
#include "core/administration/explain/explainer.h"
#include "core/administration/policy/qos_policy.h"
#include "core/aliases/alias_guids.h"
#include "core/fabric/events.h"
#include "core/fabric/node_names.h"
#include "core/log/json_writer.h"
#include "core/multicast/groups.h"
#include "core/multicast/own_groups.h"
#include "core/partitions/partitions.h"

namespace ember::plan {
namespace {

/// The subnet administration of a planned fabric before any host has asked: the code of the switch
/// with memory of its own. There are the groups of partition_config_file, and no members, aliases
/// or services.
class PaperAdministration {
public:
    /// Both outlive it. Of use when the verdict of `plan` says may_program().
    PaperAdministration(const Planned& plan, const Settings& settings);
    PaperAdministration(const PaperAdministration&) = delete;
    PaperAdministration& operator=(const PaperAdministration&) = delete;

    [[nodiscard]] explain::Scene scene() { return {explainer_, names_}; }

private:
    /// Rows as Storage has them.
    struct Rooms {
        Rooms(const Limits& fabric, const Limits& policy);

        std::vector<Paths::LinkEnds> link_ends;
        std::vector<Paths::Ports> ports;
        std::vector<Paths::Rest> forth;
        std::vector<Paths::Rest> back;
        std::vector<QosPolicy::PortMark> marks;
        std::vector<std::uint64_t> port_sets;
        std::vector<std::uint64_t> bounds;
        std::vector<std::uint64_t> value_sets;
        std::vector<Group> groups;
        std::vector<Member> members;
        std::vector<Groups::MlidRow> mlids;
        std::vector<GroupIndex> group_slots;
        std::vector<MemberIndex> member_slots;
        std::vector<std::uint64_t> changed;
        std::vector<SubnetEvent> events;
        std::vector<AliasGuids::Row> aliases;
        std::vector<AliasIndex> alias_slots;
        std::vector<AliasIndex> place_slots;
    };

    Limits limits_;  ///< Of the fabric, with room for what the settings have.
    Rooms rooms_;
    Partitions partitions_;
    AdministrationView view_;
    NodeNames names_;
    SubnetEvents events_;
    Groups groups_;
    AliasGuids aliases_;
    QosPolicy policy_;
    PathMaker maker_;
    PathRecords path_records_;
    McMemberRecords members_;
    Explainer explainer_;
};

/// Rows for hosts that do not exist: a table of no rows would have no index.
constexpr std::uint32_t kSpare = 32;
constexpr std::uint32_t kMostMlids = 0x3FE0;

constexpr std::uint32_t RoundUp(std::size_t number, std::uint32_t to) {
    return (static_cast<std::uint32_t>(number) + to - 1) / to * to;
}

/// As the fabric needs them, and as many groups and rules as the settings have.
Limits LimitsWith(const Planned& plan, const Settings& settings) {
    const ManagerTables& tables = settings.manager_tables;
    Limits limits = plan.needed();
    limits.max_groups = RoundUp(tables.partition_groups.size() + kSpare, kSpare);
    limits.max_members = kSpare;
    limits.max_mlids = std::min(limits.max_groups, kMostMlids);
    limits.max_events = kSpare;
    limits.max_alias_guids = kSpare;
    limits.max_qos_rules = RoundUp(tables.qos_rules.size(), 64);  // Words of a set.
    limits.max_qos_ranges = RoundUp(tables.qos_rule_ranges.size(), kSpare);
    return limits;
}

PaperAdministration::Rooms::Rooms(const Limits& fabric, const Limits& limits)
    : link_ends(fabric.max_ports),
      ports(fabric.max_switches),
      forth(fabric.max_switches),
      back(fabric.max_switches),
      marks(QosPolicy::PortsFor(limits)),
      port_sets(QosPolicy::PortSetsFor(limits) * QosPolicy::WordsFor(limits) * 2),
      bounds(QosPolicy::BoundsFor(limits)),
      value_sets(QosPolicy::SetsFor(limits) * QosPolicy::WordsFor(limits)),
      groups(limits.max_groups),
      members(limits.max_members),
      mlids(limits.max_mlids),
      group_slots(RowIndex<GroupIndex>::SlotsFor(limits.max_groups)),
      member_slots(RowIndex<MemberIndex>::SlotsFor(limits.max_members)),
      changed(BitSet::WordsFor(limits.max_mlids)),
      events(limits.max_events),
      aliases(limits.max_alias_guids),
      alias_slots(RowIndex<AliasIndex>::SlotsFor(limits.max_alias_guids)),
      place_slots(alias_slots.size()) {}

PaperAdministration::PaperAdministration(const Planned& plan, const Settings& settings)
    : limits_(LimitsWith(plan, settings)),
      rooms_(plan.fabric().limits(), limits_),
      partitions_(plan.fabric(), settings.manager_tables),
      view_{.fabric = plan.fabric(),
            .settings = settings,
            .partitions = partitions_,
            .lfts = plan.lfts(),
            .generation = 1,
            .lanes = &plan.lanes()},
      names_(plan.fabric(), settings),
      events_(rooms_.events),
      groups_({rooms_.groups, rooms_.members, rooms_.mlids, rooms_.group_slots, rooms_.member_slots,
               rooms_.changed},
              limits_, events_),
      aliases_({rooms_.aliases, rooms_.alias_slots, rooms_.place_slots}),
      policy_({rooms_.marks, rooms_.port_sets, rooms_.bounds, rooms_.value_sets}, plan.fabric(),
              partitions_, settings),
      maker_({rooms_.link_ends, rooms_.ports, rooms_.forth, rooms_.back}, view_, aliases_,
             &policy_),
      path_records_(view_, maker_, groups_),
      members_(view_, groups_, aliases_),
      explainer_({view_, path_records_, maker_, members_, groups_}) {
    const bool has_room =
        MakeOwnGroups(groups_, settings) == Status::kOk && policy_.Load() == Status::kOk;
    if (!has_room) throw std::runtime_error("the policy does not fit any subnet manager");
}

/// Longer than any answer: embersm has 40 KiB.
constexpr std::size_t kAnswerBytes = 1U << 20U;

/// The assumptions of an answer about hardware, for people.
std::string Assumptions(const nlohmann::ordered_json& answer, std::uint32_t port_mtu) {
    if (answer.value("explain", "") == "partition") return {};
    return fmt::format(
        "On paper: every port is taken to have an MTU of {} (--port-mtu) and 8 lanes, and links of "
        "which the netlist tells no speed to be EDR.\n",
        port_mtu);
}

int ExplainOrThrow(const ExplainRequest& request, const PlanRequest& common) {
    Scene scene = SceneOf(common);
    const auto source = SettingsOf(common.config, TermsIn(scene, common.terms));
    const Settings& settings = source->settings();
    scene.Seat(common.home, settings);
    const std::unique_ptr<Planned> plan = scene.Route(settings);
    // Without a switch there is nothing to route, and hosts face each other.
    if (plan->topology().switch_count() != 0 && !plan->verdict().may_program()) {
        for (const RoutingAttempt& attempt : plan->verdict().attempts) {
            emberc::Say(stderr, "emberc: {}: {}\n", attempt.engine, Explain(*plan, attempt));
        }
        return emberc::kRoutingIsRefused;
    }
    // Rows of a fabric may be written also where its tables stand still.
    ForEachPort(plan->fabric(), [&](PortIndex, Port& port) {
        port.info.Set(PortInfo::kMtuCap, static_cast<Mtu>(std::bit_width(request.port_mtu) - 8));
    });
    PaperAdministration administration(*plan, settings);
    std::vector<char> room(kAnswerBytes);
    std::array<char, 768> complaint{};
    JsonWriter json(room);
    FixedText why(complaint);
    json.Open();
    if (!explain::Answer(request.line, administration.scene(), json, why)) {
        throw UsageError(std::string(why.text()));
    }
    json.Close();
    EMBER_ASSERT(!json.full());
    const auto answer = nlohmann::ordered_json::parse(json.text());
    emberc::SayText(stdout, request.json
                                ? answer.dump(2) + "\n"
                                : explain::Page(answer) + Assumptions(answer, request.port_mtu));
    return emberc::kDone;
}

}  // namespace

int ExplainOnPaper(const ExplainRequest& request, const PlanRequest& common) {
    return Guarded([&] { return ExplainOrThrow(request, common); });
}

}  // namespace ember::plan
