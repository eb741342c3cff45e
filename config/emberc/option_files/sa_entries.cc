// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an sa_db_file says, for people.
#include <fmt/format.h>
#include <span>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

namespace ember::emberc {
namespace {

std::string TextOf(const Gid& gid) {
    return fmt::format("{:#018x}:{:#018x}", gid.high, gid.low);
}

}  // namespace

std::string AsLine(const SaEntry& entry) {
    switch (entry.kind) {
        case SaEntryKind::kGroup: {
            const auto group = BodyOf<GroupEntry>(entry);
            return fmt::format("group {} mlid {:#x} pkey {:#06x}{}", TextOf(group.mgid.gid()),
                               Raw(Lid{group.mlid}), std::uint16_t{group.p_key},
                               group.is_well_known != 0 ? " (well known)" : "");
        }
        case SaEntryKind::kMember: {
            const auto member = BodyOf<MemberEntry>(entry);
            return fmt::format("member {} of group {}, state {:#x}", Hex(member.port_guid),
                               TextOf(member.mgid.gid()), unsigned{member.join_state});
        }
        case SaEntryKind::kAlias: {
            const auto alias = BodyOf<AliasEntry>(entry);
            return fmt::format("alias {} of {}, place {}", Hex(alias.alias), Hex(alias.port),
                               unsigned{alias.place});
        }
        case SaEntryKind::kService: {
            const auto service = BodyOf<ServiceEntry>(entry);
            return fmt::format("service {:#018x} at {}",
                               service.record.Get(ServiceRecord::kServiceId),
                               TextOf(service.record.gid()));
        }
        case SaEntryKind::kSubscription: {
            const auto subscription = BodyOf<SubscriptionEntry>(entry);
            return fmt::format("subscription of {} to trap {}", Hex(subscription.subscriber),
                               subscription.info.Get(InformInfo::kTrapNumber));
        }
        case SaEntryKind::kComplete:
        case SaEntryKind::kGroupGone:
        case SaEntryKind::kMemberGone:
        case SaEntryKind::kAliasGone:
        case SaEntryKind::kServiceGone:
        case SaEntryKind::kSubscriptionGone:
        case SaEntryKind::kLids:
        case SaEntryKind::kLidsGone:
        case SaEntryKind::kMKeyRule:
        case SaEntryKind::kQuarantine:
        case SaEntryKind::kQuarantineGone:
        case SaEntryKind::kLidExit:
            break;
    }
    return {};
}

std::vector<SaEntry> EntriesOf(const std::vector<std::byte>& journal) {
    std::vector<SaEntry> entries;
    std::span<const std::byte> left = journal;
    while (!left.empty()) {
        const Result<SaFrame> frame = ReadFrame(left);
        if (!frame.ok()) break;
        for (std::span<const std::byte> rest = frame.value().entries; !rest.empty();) {
            const SaEntry entry = TakeEntry(rest).value();
            if (entry.kind != SaEntryKind::kComplete) entries.push_back(entry);
        }
        left = left.subspan(frame.value().bytes());
    }
    return entries;
}

}  // namespace ember::emberc
