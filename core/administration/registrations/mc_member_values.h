// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a request for a multicast group asks of its values.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/administration/query/query.h"
#include "core/fabric/fabric.h"
#include "core/multicast/groups.h"
#include "core/wire/mc_member_record.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// The MTU and rate that a port can do, as ranks.
struct PortReach {
    std::uint8_t mtu = 0;
    std::uint8_t rate_rank = 0;
};

/// The largest MTU and the rate that a port can do.
[[nodiscard]] inline PortReach ReachOf(const Fabric& fabric, PortIndex at) {
    const PortInfo& info = fabric.port(at).info;
    const std::uint32_t capabilities = info.Get(PortInfo::kCapabilityMask);
    const bool extended = (capabilities & capability_mask::kIsExtendedSpeedsSupported) != 0;
    return {.mtu = static_cast<std::uint8_t>(info.Get(PortInfo::kMtuCap)),
            .rate_rank = RateRank(LinkRate(info, extended))};
}

/// The record of a group, without its members.
[[nodiscard]] inline McMemberRecord RecordOf(const Group& group) {
    using Record = McMemberRecord;
    const GroupValues& values = group.values;
    Record record;
    record.SetMgid(group.mgid);
    record.Set(Record::kQKey, values.q_key);
    record.Set(Record::kMlid, LidOf(group.mlid));
    record.Set(Record::kMtuSelector, Selector::kExactly);
    record.Set(Record::kMtu, values.mtu);
    record.Set(Record::kTClass, values.t_class);
    record.Set(Record::kPKey, values.p_key);
    record.Set(Record::kRateSelector, Selector::kExactly);
    record.Set(Record::kRate, values.rate);
    record.Set(Record::kPacketLifeTimeSelector, Selector::kExactly);
    record.Set(Record::kPacketLifeTime, values.packet_life_time);
    record.Set(Record::kSl, values.sl);
    record.Set(Record::kFlowLabel, values.flow_label);
    record.Set(Record::kHopLimit, values.hop_limit);
    record.Set(Record::kScope, values.scope);
    return record;
}

/// Adds one member to the record of its group, for a trusted requester.
inline void ShowMember(const Member& member, std::uint64_t prefix, McMemberRecord& record) {
    record.Set(McMemberRecord::kPortGidPrefix, prefix);
    record.Set(McMemberRecord::kPortGidGuid, member.port_guid);
    record.Set(McMemberRecord::kJoinState, member.join_state);
    record.Set(McMemberRecord::kProxyJoin, static_cast<std::uint8_t>(member.is_proxied));
}

/// `had` meets what is asked for by a selector; both are ranks, the larger the better.
[[nodiscard]] constexpr bool Meets(Selector selector, std::uint8_t had, std::uint8_t asked) {
    switch (selector) {
        case Selector::kAbove:
            return had > asked;
        case Selector::kBelow:
            return had < asked;
        case Selector::kExactly:
            return had == asked;
        case Selector::kBest:
            return true;
    }
    return true;
}

/// A request's Q_Key, P_Key, TClass, SL, FlowLabel and HopLimit are those of a group, as far as
/// their components are asked for.
[[nodiscard]] inline bool SharesValues(const Query& query, const McMemberRecord& wanted,
                                       const GroupValues& values) {
    using Record = McMemberRecord;
    const auto agrees = [&](unsigned component, bool is_equal) {
        return !query.Has(component) || is_equal;
    };
    return agrees(Record::kHasQKey, wanted.Get(Record::kQKey) == values.q_key) &&
           agrees(Record::kHasPKey, SamePartition(wanted.Get(Record::kPKey), values.p_key)) &&
           agrees(Record::kHasTClass, wanted.Get(Record::kTClass) == values.t_class) &&
           agrees(Record::kHasSl, wanted.Get(Record::kSl) == values.sl) &&
           agrees(Record::kHasFlowLabel, wanted.Get(Record::kFlowLabel) == values.flow_label) &&
           agrees(Record::kHasHopLimit, wanted.Get(Record::kHopLimit) == values.hop_limit);
}

/// The same, and its MTU and Rate. A value without its selector asks for nothing.
[[nodiscard]] inline bool AgreesWith(const Query& query, const McMemberRecord& wanted,
                                     const GroupValues& values) {
    using Record = McMemberRecord;
    const bool meets_mtu =
        Meets(wanted.Get(Record::kMtuSelector), static_cast<std::uint8_t>(values.mtu),
              static_cast<std::uint8_t>(wanted.Get(Record::kMtu)));
    if (query.Has(Record::kHasMtuSelector) && !meets_mtu) return false;
    const bool meets_rate = Meets(wanted.Get(Record::kRateSelector), RateRank(values.rate),
                                  RateRank(wanted.Get(Record::kRate)));
    if (query.Has(Record::kHasRateSelector) && !meets_rate) return false;
    return SharesValues(query, wanted, values);
}

/// A value for a new group, as ranks: what is asked for, and no better than `top`, which the
/// port can do. 0: that cannot be.
[[nodiscard]] constexpr std::uint8_t Realize(Selector selector, std::uint8_t asked,
                                             std::uint8_t top) {
    switch (selector) {
        case Selector::kAbove:
            return asked < top ? top : std::uint8_t{0};
        case Selector::kBelow:
            return std::min(static_cast<std::uint8_t>(asked - 1), top);
        case Selector::kExactly:
            return asked <= top ? asked : std::uint8_t{0};
        case Selector::kBest:
            return top;
    }
    return 0;
}

}  // namespace ember
