// SPDX-License-Identifier: Apache-2.0
// EmberSM: all that the subnet administrator can tell, composed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/class_port_infos.h"
#include "core/administration/device_records.h"
#include "core/administration/device_tables.h"
#include "core/administration/guid_info_records.h"
#include "core/administration/inform_infos.h"
#include "core/administration/linear_forwarding_table_records.h"
#include "core/administration/link_records.h"
#include "core/administration/mc_member_records.h"
#include "core/administration/multi_path_records.h"
#include "core/administration/multicast_forwarding_table_records.h"
#include "core/administration/node_records.h"
#include "core/administration/path_maker.h"
#include "core/administration/path_records.h"
#include "core/administration/paths.h"
#include "core/administration/port_info_records.h"
#include "core/administration/query.h"
#include "core/administration/record_index.h"
#include "core/administration/record_source.h"
#include "core/administration/service_records.h"
#include "core/administration/services.h"
#include "core/administration/sm_info_records.h"
#include "core/administration/subscriptions.h"
#include "core/administration/switch_info_records.h"
#include "core/exchange/exchange.h"
#include "core/fabric/alias_guids.h"
#include "core/fabric/events.h"
#include "core/fabric/managers.h"
#include "core/log/journal.h"

namespace ember {

/// Every source of records, and the way from an attribute to its source.
///
/// To add one: a member below, an Add() in the constructor, and, if it needs memory of its own, a
/// span in Memory, which Storage fills; if it needs more of the subnet manager, a reference in
/// Parts.
class Records : public RecordIndex {
public:
    /// Views of the board's storage.
    struct Memory {
        Paths::Memory paths;
        AliasGuids::Memory aliases;
        Services::Memory services;
        std::span<Subscription> subscriptions;
    };
    /// What sources may look at and use. All outlive the records.
    struct Parts {
        const AdministrationView& view;
        Exchange& exchange;  ///< For what only a device knows.
        Journal& journal;
        const Managers& managers;
        Groups& groups;
        const MftTables& mfts;
        const SubnetEvents& events;
    };

    Records(const Memory& memory, const Parts& parts);

    /// A sweep has ended: what belongs to ports that are gone is forgotten.
    void FollowSweep();
    /// Another SM has managed the subnet meanwhile: what hosts were given is not known any more.
    /// Services and subscriptions stay, unless drop_event_subscriptions says otherwise.
    void Forget();

    /// Instead of Step() while nobody is served: what was wanted of devices, to be read or written,
    /// is wanted no more.
    void Rest(std::uint64_t now_us) {
        device_tables_.Forget();
        services_.Expire(now_us);
    }
    /// Asks devices what the sources want to know. Call it once a step.
    void Step(std::uint64_t now_us) {
        device_tables_.Step(now_us);
        services_.Expire(now_us);
    }
    /// An answer with Client::kAdministration in its cookie.
    void Hear(const Answer& answer, std::uint64_t now_us) { device_tables_.Hear(answer, now_us); }
    /// When Step() has work that no answer brings about; ~0: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const {
        return std::min(device_tables_.NextDeadlineUs(), services_.NextDeadlineUs());
    }
    [[nodiscard]] AliasGuids& aliases() { return aliases_; }
    [[nodiscard]] const AliasGuids& aliases() const { return aliases_; }
    [[nodiscard]] Services& services() { return services_; }
    [[nodiscard]] const Services& services() const { return services_; }
    [[nodiscard]] Subscriptions& subscriptions() { return subscriptions_; }
    [[nodiscard]] const Subscriptions& subscriptions() const { return subscriptions_; }

private:
    void ClaimCapabilities();

    const AdministrationView& view_;
    AliasGuids aliases_;
    Services services_;
    Subscriptions subscriptions_;
    DeviceTables device_tables_;
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
    PathMaker path_maker_;
    PathRecords path_records_;
    MultiPathRecords multi_path_records_;
};

}  // namespace ember
