// SPDX-License-Identifier: Apache-2.0
// EmberSM: all sources of records, composed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/administration/explain/explainer.h"
#include "core/administration/paths/multi_path_records.h"
#include "core/administration/paths/path_maker.h"
#include "core/administration/paths/path_records.h"
#include "core/administration/paths/paths.h"
#include "core/administration/policy/qos_policy.h"
#include "core/administration/query/query.h"
#include "core/administration/query/record_index.h"
#include "core/administration/query/record_source.h"
#include "core/administration/records/class_port_infos.h"
#include "core/administration/records/device_records.h"
#include "core/administration/records/device_tables.h"
#include "core/administration/records/guid_info_records.h"
#include "core/administration/records/subnet_records.h"
#include "core/administration/registrations/inform_infos.h"
#include "core/administration/registrations/mc_member_records.h"
#include "core/administration/registrations/service_records.h"
#include "core/administration/registrations/services.h"
#include "core/administration/registrations/subscriptions.h"
#include "core/aliases/alias_guids.h"
#include "core/aliases/guid_tables.h"
#include "core/exchange/exchange.h"
#include "core/fabric/events.h"
#include "core/fabric/managers.h"
#include "core/log/log.h"

namespace ember {

/// Every source of records, found by its attribute.
///
/// To add one: a member below, an Add() in the constructor, and, if it needs memory of its own, a
/// span in Memory, which Storage fills; if it needs more of the subnet manager, a reference in
/// Parts.
class Records : public RecordIndex {
public:
    /// Views of the board's storage.
    struct Memory {
        Paths::Memory paths;
        QosPolicy::Memory policy;
        AliasGuids::Memory aliases;
        GuidTables::Memory guid_tables;
        Services::Memory services;
        std::span<Subscription> subscriptions;
    };
    /// The parts that sources look at and use. All outlive the records.
    struct Parts {
        const AdministrationView& view;
        Exchange& exchange;  ///< For what only a device knows.
        Log& log;
        const Managers& managers;
        Groups& groups;
        const MftTables& mfts;
        const SubnetEvents& events;
    };

    Records(const Memory& memory, const Parts& parts);

    /// The settings have changed: takes over their QoS policy. Call it before the first question,
    /// too. A policy for which the board has no room is not in force, which is noted.
    void Configure(std::uint64_t now_us);
    /// A sweep has ended: what belongs to ports that are gone, or have left their partitions, is
    /// removed.
    void FollowSweep(std::uint64_t now_us);
    /// Services and subscriptions of ports that have left their partitions end.
    void FollowPartitions(std::uint64_t now_us);
    /// Another SM was master meanwhile: the aliases that hosts have now are not known. Services and
    /// subscriptions stay, unless drop_event_subscriptions says otherwise.
    void Forget();

    /// Instead of Step() while the SA does not serve: drops what was to be read from devices or
    /// told them.
    void Rest(std::uint64_t now_us) {
        device_tables_.Forget();
        guid_tables_.Clear();
        services_.Expire(now_us);
    }
    /// Asks devices what the sources want to know. Call it once a step.
    void Step(std::uint64_t now_us) {
        device_tables_.Step(now_us);
        services_.Expire(now_us);
    }
    /// An answer with kAdministrationClient in its cookie.
    void Hear(const Answer& answer, std::uint64_t now_us) { device_tables_.Hear(answer, now_us); }
    /// When Step() has work that no answer brings about; kNever: it has none.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const {
        return std::min(device_tables_.NextDeadlineUs(), services_.NextDeadlineUs());
    }
    [[nodiscard]] AliasGuids& aliases() { return aliases_; }
    [[nodiscard]] const AliasGuids& aliases() const { return aliases_; }
    /// The blocks of GUIDInfo that ports have to be told.
    [[nodiscard]] GuidTables& guid_tables() { return guid_tables_; }
    [[nodiscard]] const GuidTables& guid_tables() const { return guid_tables_; }
    [[nodiscard]] const QosPolicy& policy() const { return policy_; }
    /// Why the sources decide as they do.
    [[nodiscard]] Explainer& explainer() { return explainer_; }
    [[nodiscard]] Services& services() { return services_; }
    [[nodiscard]] const Services& services() const { return services_; }
    [[nodiscard]] Subscriptions& subscriptions() { return subscriptions_; }
    [[nodiscard]] const Subscriptions& subscriptions() const { return subscriptions_; }

private:
    [[nodiscard]] bool HasLeftPartition(const Services::Row& row) const;

    void ClaimCapabilities();

    const AdministrationView& view_;
    Log& log_;
    RouterAliases router_aliases_;
    AliasGuids aliases_;
    Services services_;
    Subscriptions subscriptions_;
    DeviceTables device_tables_;
    GuidTables guid_tables_;
    ClassPortInfos class_port_infos_;
    NodeRecords node_records_;
    PortInfoRecords port_info_records_;
    SwitchInfoRecords switch_info_records_;
    LinearForwardingTableRecords linear_forwarding_table_records_;
    SmInfoRecords sm_info_records_;
    LinkRecords link_records_;
    McMemberRecords mc_member_records_;
    MulticastForwardingTableRecords multicast_forwarding_table_records_;
    ServiceRecords service_records_;
    InformInfos inform_infos_;
    InformInfoRecords inform_info_records_;
    SlToVlMappingTableRecords sl_to_vl_mapping_table_records_;
    VlArbitrationTableRecords vl_arbitration_table_records_;
    PKeyTableRecords p_key_table_records_;
    GuidInfoRecords guid_info_records_;
    QosPolicy policy_;
    PathMaker path_maker_;
    PathRecords path_records_;
    MultiPathRecords multi_path_records_;
    Explainer explainer_;
};

}  // namespace ember
