// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast groups of a partition_config_file.
#include "config/emberc/option_files/partition_groups.h"

#include <fmt/format.h>
#include <utility>

#include "core/base/mgid.h"
#include "core/multicast/own_groups.h"
#include "core/wire/p_key_table.h"

namespace ember::emberc {
namespace {

constexpr std::uint32_t kIpQKey = 0x0B1B;
constexpr std::uint16_t kLinkLocalOnly = 1U << kLinkLocalScope;
constexpr auto kUsualMtu = static_cast<std::uint8_t>(Mtu::k2048);
constexpr auto kUsualRate = static_cast<std::uint8_t>(Rate::k10Gb);

/// The IPv4 broadcast group that an IP group needs.
Gid BroadcastOf(const Gid& mgid, std::uint16_t p_key) {
    return BroadcastMgid(ScopeOf(mgid), static_cast<std::uint16_t>(p_key | kFullMembership));
}

}  // namespace

PartitionGroup GroupTable::RowOf(const Wanted& wanted) const {
    const GroupFlags& flags = wanted.flags;
    PartitionGroup row{
        .mgid = wanted.mgid,
        .q_key = flags.q_key.value_or(IsIpMgid(wanted.mgid) ? kIpQKey : 0),
        .flow_label = flags.flow_label.value_or(0),
        .line = static_cast<std::uint32_t>(wanted.spot.place.line),
        .p_key = wanted.p_key,
        .mtu = flags.mtu.value_or(kUsualMtu),
        .rate = flags.rate.value_or(kUsualRate),
        .sl = flags.sl.value_or(0),
        .tclass = flags.tclass.value_or(0),
    };
    if (!IsIpMgid(wanted.mgid)) return row;
    const Gid broadcast = BroadcastOf(wanted.mgid, wanted.p_key);
    const auto found = groups_.find({broadcast.high, broadcast.low});
    if (found == groups_.end()) return row;
    if (!flags.mtu) row.mtu = found->second.flags.mtu.value_or(kUsualMtu);
    if (!flags.rate) row.rate = found->second.flags.rate.value_or(kUsualRate);
    return row;
}

void GroupTable::Add(const Wanted& wanted) {
    const auto [at, is_new] = groups_.try_emplace({wanted.mgid.high, wanted.mgid.low}, wanted);
    if (is_new) return;
    const Wanted& before = at->second;
    const PartitionGroup row = RowOf(wanted);
    PartitionGroup said = RowOf(before);
    said.line = row.line;  // Wherever it is said.
    if (said != row) {
        ReportAt(
            diagnostics_, Severity::kError, wanted.spot, Code::kContradiction,
            fmt::format("line {} makes this group with other values, and OpenSM would leave it "
                        "at that",
                        before.spot.place.line));
    } else if (!before.is_implied && !wanted.is_implied) {
        ReportAt(diagnostics_, Severity::kWarning, wanted.spot, Code::kDuplicateEntry,
                 fmt::format("line {} says the same", before.spot.place.line));
    }
}

void GroupTable::Error(const Wanted& wanted, Code code, std::string text) {
    ReportAt(diagnostics_, Severity::kError, wanted.spot, code, std::move(text));
}

/// Makes a group for each scope, of the group's flags and of the definition's head. Other flags
/// that it does not have are those of the head.
void GroupTable::AddAll(Wanted wanted, const GroupFlags& of_all) {
    GroupFlags& flags = wanted.flags;
    const Gid mgid = wanted.mgid;
    const auto inherit = [](auto& own, const auto& other) {
        if (!own) own = other;
    };
    inherit(flags.mtu, of_all.mtu);
    inherit(flags.rate, of_all.rate);
    inherit(flags.sl, of_all.sl);
    inherit(flags.tclass, of_all.tclass);
    inherit(flags.q_key, of_all.q_key);
    inherit(flags.flow_label, of_all.flow_label);
    const auto asked = static_cast<std::uint16_t>(flags.scopes | of_all.scopes);
    if (asked == 0 && ScopeOf(mgid) != kLinkLocalScope) {
        return Error(wanted, Code::kBadGroup,
                     fmt::format("without a flag 'scope' OpenSM would make scope 2 of this "
                                 "group: write scope={}",
                                 unsigned{ScopeOf(mgid)}));
    }
    const std::uint16_t scopes = asked == 0 ? kLinkLocalOnly : asked;
    if (wanted.is_implied && (scopes & kLinkLocalOnly) == 0) {
        ReportAt(diagnostics_, Severity::kWarning, wanted.spot, Code::kBadGroup,
                 "the broadcast group of scope 2, which hosts join by default, is not made; "
                 "OpenSM makes that one alone, whatever 'scope' says");
    }
    const auto p_key = static_cast<std::uint16_t>(wanted.p_key | kFullMembership);
    for (std::uint8_t scope = 1; scope <= 15; ++scope) {
        if ((scopes >> scope & 1U) == 0) continue;
        Gid scoped = WithScope(mgid, scope);
        const bool is_ip = IsIpMgid(scoped);
        if (is_ip && PKeyOfIpMgid(scoped) == 0) scoped = WithPKey(scoped, p_key);
        if ((is_ip && PKeyOfIpMgid(scoped) != p_key) || !IsSoundMgid(scoped)) {
            return Error(wanted, Code::kBadGroup,
                         is_ip ? fmt::format("the P_Key within the MGID is {}, not {}; "
                                             "OpenSM would leave the group out",
                                             PKeyText(PKeyOfIpMgid(scoped)), PKeyText(p_key))
                               : "such a MGID is the SA's to give, or of a kind that there "
                                 "is not; OpenSM would leave the group out");
        }
        wanted.mgid = scoped;
        Add(wanted);
    }
}

void GroupTable::CheckIp(const Wanted& wanted) {
    const Gid broadcast = BroadcastOf(wanted.mgid, wanted.p_key);
    if (wanted.mgid == broadcast) return;
    const auto found = groups_.find({broadcast.high, broadcast.low});
    if (found == groups_.end()) {
        Error(wanted, Code::kBadGroup,
              fmt::format("an IP group needs the broadcast group of its partition and scope {}: "
                          "the flag ipoib makes it; OpenSM would leave this group out",
                          unsigned{ScopeOf(wanted.mgid)}));
        return;
    }
    const PartitionGroup mine = RowOf(wanted);
    const PartitionGroup theirs = RowOf(found->second);
    if (mine.mtu == theirs.mtu && mine.rate == theirs.rate) return;
    ReportAt(
        diagnostics_, Severity::kError, wanted.spot, Code::kBadGroup,
        fmt::format("the broadcast group of line {} has mtu={} and rate={}, and so must this "
                    "one; OpenSM would leave it out",
                    found->second.spot.place.line, unsigned{theirs.mtu}, unsigned{theirs.rate}));
}

std::vector<PartitionGroup> GroupTable::Rows() {
    std::vector<PartitionGroup> rows;
    for (const auto& [key, wanted] : groups_) {
        if (IsIpMgid(wanted.mgid)) CheckIp(wanted);
        rows.push_back(RowOf(wanted));
    }
    if (rows.size() > kMostPartitionGroups) {
        ReportAt(diagnostics_, Severity::kError, groups_.begin()->second.spot, Code::kTooLarge,
                 fmt::format("these are {} groups, and there is room for {}", rows.size(),
                             kMostPartitionGroups));
    }
    return rows;
}

}  // namespace ember::emberc
