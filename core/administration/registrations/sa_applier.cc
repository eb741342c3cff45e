// SPDX-License-Identifier: Apache-2.0
// EmberSM: applies entries of a journal to the tables of registrations.
#include "core/administration/registrations/sa_applier.h"

#include <algorithm>

#include "core/base/time.h"
#include "core/partitions/partitions.h"

namespace ember {

Status SaApplier::Try(const SaEntry& entry, std::uint64_t now_us) {
    Status status = Status::kOk;
    switch (entry.kind) {
        case SaEntryKind::kComplete:
            is_complete_ = true;
            break;
        case SaEntryKind::kGroup:
            status = ObeyGroup(BodyOf<GroupEntry>(entry));
            break;
        case SaEntryKind::kGroupGone: {
            const GroupIndex at = parts_.tables.groups.Find(BodyOf<MgidEntry>(entry).mgid.gid());
            if (at != kNoGroup) parts_.tables.groups.ForgetGroup(at);
            break;
        }
        case SaEntryKind::kMember:
            status = ObeyMember(BodyOf<MemberEntry>(entry));
            break;
        case SaEntryKind::kMemberGone:
            ForgetMember(BodyOf<MemberEntry>(entry));
            break;
        case SaEntryKind::kAlias:
            status = ObeyAlias(BodyOf<AliasEntry>(entry));
            break;
        case SaEntryKind::kAliasGone: {
            const auto gone = BodyOf<AliasEntry>(entry);
            parts_.tables.aliases.Remove(gone.port, gone.place);
            break;
        }
        case SaEntryKind::kService:
            status = ObeyService(BodyOf<ServiceEntry>(entry), now_us);
            break;
        case SaEntryKind::kServiceGone:
            ForgetService(BodyOf<ServiceNameEntry>(entry));
            break;
        case SaEntryKind::kSubscription:
            status = ObeySubscription(BodyOf<SubscriptionEntry>(entry));
            break;
        case SaEntryKind::kSubscriptionGone:
            ForgetSubscription(BodyOf<SubscriptionEntry>(entry));
            break;
        case SaEntryKind::kLids:
        case SaEntryKind::kLidsGone:
        case SaEntryKind::kMKeyRule:
        case SaEntryKind::kQuarantine:
        case SaEntryKind::kQuarantineGone:
        case SaEntryKind::kLidExit:
            if (parts_.tables.subnet == nullptr) break;
            status = parts_.tables.subnet->Obey(entry.kind, entry.body, clock_us_, now_us);
            break;
    }
    return status;
}

Status SaApplier::ObeyGroup(const GroupEntry& entry) {
    const Gid mgid = entry.mgid.gid();
    const Mtu mtu = entry.mtu;
    const bool is_sound = IsMulticast(mgid) && mtu >= Mtu::k256 && mtu <= Mtu::k4096 &&
                          IsRate(entry.rate) && NamesPartition(entry.p_key) &&
                          entry.packet_life_time < 64 && entry.sl < 16 && entry.scope < 16 &&
                          std::uint32_t{entry.flow_label} < 1U << 20U;
    if (!is_sound) return Status::kMalformed;
    Group like;
    like.mgid = mgid;
    like.mlid = MlidOf(entry.mlid);
    like.values = {.q_key = entry.q_key,
                   .p_key = entry.p_key,
                   .mtu = mtu,
                   .rate = entry.rate,
                   .packet_life_time = entry.packet_life_time,
                   .sl = entry.sl,
                   .t_class = entry.t_class,
                   .hop_limit = entry.hop_limit,
                   .scope = entry.scope,
                   .flow_label = entry.flow_label};
    const Result<bool> restored = parts_.tables.groups.Restore(like);
    if (restored.ok() && !restored.value()) ++moved_;
    return restored.status();
}

Status SaApplier::ObeyMember(const MemberEntry& entry) {
    Groups& groups = parts_.tables.groups;
    const GroupIndex group = groups.Find(entry.mgid.gid());
    const bool is_sound = Guid{entry.port_guid} != kNoGuid && Guid{entry.owner} != kNoGuid &&
                          entry.join_state != 0 && entry.join_state <= join_state::kAll;
    if (!is_sound) return Status::kMalformed;
    // A member that joined while its group was still to be copied is copied after the group.
    if (group == kNoGroup) return is_complete_ ? Status::kAbsent : Status::kOk;
    Member who;
    who.port_guid = entry.port_guid;
    who.owner = entry.owner;
    who.group = group;
    who.join_state = entry.join_state;
    who.is_proxied = entry.is_proxied != 0;
    return groups.RestoreMember(group, who);
}

void SaApplier::ForgetMember(const MemberEntry& entry) {
    Groups& groups = parts_.tables.groups;
    const GroupIndex group = groups.Find(entry.mgid.gid());
    if (group == kNoGroup) return;
    const MemberIndex at = groups.FindMember(group, entry.port_guid);
    if (at != kNoMember) groups.ForgetMember(at);
}

Status SaApplier::ObeyAlias(const AliasEntry& entry) {
    AliasGuids& aliases = parts_.tables.aliases;
    const Guid alias = entry.alias;
    const Guid port = entry.port;
    if (alias == kNoGuid || port == kNoGuid || entry.place == 0) return Status::kMalformed;
    if (aliases.At(port, entry.place) == alias) return Status::kOk;
    const bool is_taken =
        aliases.PortOf(alias) != kNoGuid || parts_.fabric.FindPort(alias) != kNoPortIndex;
    if (is_taken) return Status::kRefused;
    return aliases.Put(port, entry.place, alias);
}

/// A service whose lease has ended counts until the end, lest its renewal find nothing.
Status SaApplier::ObeyService(const ServiceEntry& entry, std::uint64_t now_us) {
    if (Guid{entry.owner} == kNoGuid) return Status::kMalformed;
    std::uint64_t ends_us = entry.ends_us;
    if (ends_us != kNever) {
        const std::uint64_t left_us = ends_us - std::min(ends_us, clock_us_);
        if (left_us > std::uint64_t{ServiceRecord::kForever} * kSecondUs) return Status::kMalformed;
        ends_us = now_us + left_us;
    }
    return parts_.tables.services.Restore(entry.record, entry.owner, ends_us);
}

void SaApplier::ForgetService(const ServiceNameEntry& entry) {
    ServiceRecord named;
    named.Set(ServiceRecord::kServiceId, std::uint64_t{entry.service_id});
    named.SetGid(entry.gid.gid());
    named.Set(ServiceRecord::kServicePKey, std::uint16_t{entry.p_key});
    const ServiceIndex at = parts_.tables.services.Find(named);
    if (at != kNoService) parts_.tables.services.Remove(at);
}

Status SaApplier::ObeySubscription(const SubscriptionEntry& entry) {
    const Subscription wanted = SubscriptionOf(entry);
    const bool is_sound =
        wanted.subscriber != kNoGuid && wanted.path_bits < 128 && wanted.service_level < 16;
    if (!is_sound) return Status::kMalformed;
    // The path to the subscriber may have changed, and is no part of what a subscription is.
    Subscriptions& subscriptions = parts_.tables.subscriptions;
    const SubscriptionIndex known = subscriptions.Find(wanted);
    if (known != kNoSubscription) subscriptions.Remove(known);
    return subscriptions.Restore(wanted);
}

void SaApplier::ForgetSubscription(const SubscriptionEntry& entry) {
    const SubscriptionIndex at = parts_.tables.subscriptions.Find(SubscriptionOf(entry));
    if (at != kNoSubscription) parts_.tables.subscriptions.Remove(at);
}

}  // namespace ember
