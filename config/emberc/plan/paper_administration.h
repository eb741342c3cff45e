// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet administrator of a fabric on paper.
#pragma once

#include <cstdint>
#include <vector>

#include "config/emberc/plan/planner.h"
#include "config/explain/explain.h"
#include "core/administration/explain/explainer.h"
#include "core/administration/policy/qos_policy.h"
#include "core/aliases/alias_guids.h"
#include "core/fabric/events.h"
#include "core/fabric/node_names.h"
#include "core/multicast/groups.h"
#include "core/partitions/partitions.h"

namespace ember::plan {

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
    [[nodiscard]] const Partitions& partitions() const { return partitions_; }

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

}  // namespace ember::plan
