// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast groups of a partition_config_file.
#include <fmt/format.h>

#include "config/emberc/option_files/partition_table.h"
#include "config/emberc/option_files/partition_words.h"
#include "core/fabric/broadcast_group.h"

namespace ember::emberc {
namespace {

constexpr std::uint32_t kIpQKey = 0x0B1B;
constexpr auto kUsualMtu = static_cast<std::uint8_t>(Mtu::k2048);
constexpr auto kUsualRate = static_cast<std::uint8_t>(Rate::k10Gb);

/// The IPv4 broadcast group that an IP group needs.
Gid BroadcastOf(const Gid& mgid, std::uint16_t p_key) {
    return BroadcastMgid(ScopeOf(mgid), static_cast<std::uint16_t>(p_key | kFullMembership));
}

/// Whether the two rows describe one group, wherever it is said.
bool AreAlike(PartitionGroup one, const PartitionGroup& other) {
    one.line = other.line;
    return one == other;
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
    if (!AreAlike(RowOf(before), RowOf(wanted))) {
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

void GroupTable::CheckIp(const Wanted& wanted) {
    const Gid broadcast = BroadcastOf(wanted.mgid, wanted.p_key);
    if (wanted.mgid == broadcast) return;
    const auto found = groups_.find({broadcast.high, broadcast.low});
    if (found == groups_.end()) {
        ReportAt(diagnostics_, Severity::kError, wanted.spot, Code::kBadGroup,
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
