// SPDX-License-Identifier: Apache-2.0
// EmberSM: all sources of records, composed.
#include "core/administration/records.h"

namespace ember {
namespace {

/// A capability, and the attribute that it stands and falls with.
struct Capability {
    SaAttribute attribute{};
    std::uint16_t mask = 0;
    std::uint32_t mask2 = 0;
};

constexpr std::array kCapabilities{
    Capability{SaAttribute::kInformInfo, sa_capability::kGetSetNotice, 0},
    Capability{SaAttribute::kMcMemberRecord, sa_capability::kUdMulticast,
               sa_capability2::kMulticastTop | sa_capability2::kSendOnlyFullMember},
    Capability{SaAttribute::kPathRecord, 0, sa_capability2::kLinkWidth2x | sa_capability2::kHdr},
    Capability{SaAttribute::kMultiPathRecord, sa_capability::kMultiPath, 0},
    Capability{SaAttribute::kPortInfoRecord, sa_capability::kPortInfoCapabilityMaskMatch,
               sa_capability2::kFullPortInfoRecord | sa_capability2::kExtendedSpeeds},
    Capability{SaAttribute::kGuidInfoRecord, 0, sa_capability2::kAliasGuids},
};

}  // namespace

Records::Records(const Memory& memory, const Parts& parts)
    : view_(parts.view),
      log_(parts.log),
      router_aliases_(parts.view.fabric, parts.view.settings),
      aliases_(memory.aliases),
      services_(memory.services),
      subscriptions_(memory.subscriptions),
      device_tables_(parts.view, parts.exchange),
      guid_tables_(memory.guid_tables, parts.view.fabric, aliases_),
      class_port_infos_(parts.view),
      node_records_(parts.view),
      port_info_records_(parts.view),
      switch_info_records_(parts.view),
      linear_forwarding_table_records_(parts.view),
      sm_info_records_(parts.view, parts.managers),
      link_records_(parts.view),
      mc_member_records_(parts.view, parts.groups, aliases_),
      multicast_forwarding_table_records_(parts.view, parts.mfts),
      service_records_(parts.view, services_, aliases_),
      inform_infos_({parts.view, subscriptions_, parts.events}),
      inform_info_records_(parts.view, subscriptions_),
      sl_to_vl_mapping_table_records_(parts.view, device_tables_),
      vl_arbitration_table_records_(parts.view, device_tables_),
      p_key_table_records_(parts.view, device_tables_),
      guid_info_records_({parts.view, aliases_, parts.groups, guid_tables_}),
      policy_(memory.policy, parts.view.fabric, parts.view.partitions, parts.view.settings),
      path_maker_(memory.paths, parts.view, aliases_, &policy_),
      path_records_(parts.view, path_maker_, parts.groups),
      multi_path_records_(parts.view, path_maker_),
      explainer_({parts.view, path_records_, path_maker_, mc_member_records_, parts.groups}) {
    aliases_.Add(&router_aliases_);
    Add(class_port_infos_);
    Add(node_records_);
    Add(port_info_records_);
    Add(switch_info_records_);
    Add(linear_forwarding_table_records_);
    Add(sm_info_records_);
    Add(link_records_);
    Add(mc_member_records_);
    Add(multicast_forwarding_table_records_);
    Add(service_records_);
    Add(inform_infos_);
    Add(inform_info_records_);
    Add(sl_to_vl_mapping_table_records_);
    Add(vl_arbitration_table_records_);
    Add(p_key_table_records_);
    Add(guid_info_records_);
    Add(path_records_);
    Add(multi_path_records_);
    ClaimCapabilities();
}

void Records::Configure(std::uint64_t now_us) {
    if (policy_.Load() == Status::kOk) return;
    const Limits& limits = view_.fabric.limits();
    log_.Write<Note::kQosPolicyTooLarge>(now_us, policy_.rule_count(), policy_.CountRanges(),
                                         limits.max_qos_rules, limits.max_qos_ranges);
}

void Records::FollowSweep(std::uint64_t now_us) {
    policy_.FollowSweep();
    aliases_.Drop([this](Guid port) { return view_.fabric.FindPort(port) == kNoPortIndex; });
    guid_tables_.DropDeparted();
    FollowPartitions(now_us);
    if (!view_.settings.drop_event_subscriptions) return;
    subscriptions_.Drop([this](const Subscription& row) {
        return view_.fabric.FindPort(row.subscriber) == kNoPortIndex;
    });
}

void Records::FollowPartitions(std::uint64_t now_us) {
    const std::size_t services =
        services_.Drop([this](const Services::Row& row) { return HasLeftPartition(row); });
    const std::size_t subscriptions = subscriptions_.Drop(
        [this](const Subscription& row) { return ember::HasLeftPartition(view_, row); });
    if (services + subscriptions != 0) {
        log_.Write<Note::kRegistrationsEnded>(now_us, services, subscriptions);
    }
}

/// The port that registered the service, or that offers it, has left its partition. A port that is
/// not there keeps its service: the lease ends, or the port returns.
bool Records::HasLeftPartition(const Services::Row& row) const {
    const PortIndex port = view_.fabric.FindPort(row.owner);
    const PortIndex host = view_.fabric.FindPort(Guid{row.record.gid().low});
    const auto p_key = std::uint16_t{row.record.Get(ServiceRecord::kServicePKey)};
    const auto has_left = [&](PortIndex at) {
        return at != kNoPortIndex && !view_.partitions.Holds(at, p_key);
    };
    return has_left(port) || has_left(host);
}

void Records::Forget() {
    aliases_.Clear();
    if (!view_.settings.drop_event_subscriptions) return;
    services_.Clear();
    subscriptions_.Clear();
}

void Records::ClaimCapabilities() {
    for (const Capability& capability : kCapabilities) {
        if (Find(capability.attribute) != nullptr) {
            class_port_infos_.Claim(capability.mask, capability.mask2);
        }
    }
}

}  // namespace ember
