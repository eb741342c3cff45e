// SPDX-License-Identifier: Apache-2.0
// EmberSM: the path to a multicast group.
#include "core/administration/paths/group_paths.h"

#include "core/base/assert.h"
#include "core/fabric/fabric.h"

namespace ember {
namespace {

using P = PathRecord;

inline constexpr std::uint8_t kLinkLocalScope = 2;
inline constexpr std::uint8_t kFarHopLimit = 0xFF;

/// The port named as the source is in the group.
[[nodiscard]] bool IsMember(const GroupQuestion& question, const Fabric& fabric,
                            const PathMaker& maker, const Groups& groups, GroupIndex group) {
    const auto& [query, asked] = question;
    if (query.Has(P::kHasSgid)) {
        const Guid guid = asked.Get(P::kSgidGuid);
        if (!maker.IsOurs(asked.Get(P::kSgidPrefix))) return false;
        if (groups.FindMember(group, guid) == kNoMember) return false;
    }
    if (query.Has(P::kHasSlid)) {
        const PortIndex at = fabric.PortByLid(asked.Get(P::kSlid));
        if (at == kNoPortIndex) return false;
        if (groups.FindMember(group, fabric.port(at).guid) == kNoMember) return false;
    }
    return true;
}

template <typename Value, typename Group>
[[nodiscard]] bool Agrees(const Query& query, const PathRecord& asked, unsigned component,
                          Field<Value> field, Group is) {
    return !query.Has(component) || asked.Get(field) == is;
}

}  // namespace

bool MakeGroupPath(const GroupQuestion& question, const AdministrationView& view,
                   const PathMaker& maker, const Groups& groups, PathRecord& record) {
    EMBER_ASSERT(question.query.Has(P::kHasDgid));
    const auto& [query, asked] = question;
    const GroupIndex at = groups.Find(DgidOf(asked));
    if (at == kNoGroup || !IsMember(question, view.fabric, maker, groups, at)) return false;
    const Group& group = groups.group(at);
    const GroupValues& values = group.values;
    if (!view.partitions.Holds(query.requester, values.p_key)) return false;
    const std::uint8_t hop_limit =
        values.scope == kLinkLocalScope ? values.hop_limit : kFarHopLimit;
    const bool agrees = Agrees(query, asked, P::kHasDlid, P::kDlid, LidOf(group.mlid)) &&
                        Agrees(query, asked, P::kHasPKey, P::kPKey, values.p_key) &&
                        Agrees(query, asked, P::kHasSl, P::kSl, values.sl) &&
                        Agrees(query, asked, P::kHasFlowLabel, P::kFlowLabel, values.flow_label) &&
                        Agrees(query, asked, P::kHasHopLimit, P::kHopLimit, values.hop_limit) &&
                        Agrees(query, asked, P::kHasTClass, P::kTClass, values.t_class);
    if (!agrees) return false;
    record = asked;
    record.Set(P::kDlid, LidOf(group.mlid));
    record.Set(P::kPKey, values.p_key);
    record.Set(P::kSl, values.sl);
    record.Set(P::kFlowLabel, values.flow_label);
    record.Set(P::kTClass, values.t_class);
    record.Set(P::kHopLimit, hop_limit);
    record.Set(P::kReversible, std::uint8_t{0});
    record.Set(P::kNumbPath, std::uint8_t{1});
    record.Set(P::kMtuSelector, Selector::kExactly);
    record.Set(P::kMtu, values.mtu);
    record.Set(P::kRateSelector, Selector::kExactly);
    record.Set(P::kRate, values.rate);
    record.Set(P::kPacketLifeTimeSelector, Selector::kExactly);
    record.Set(P::kPacketLifeTime, values.packet_life_time);
    record.Set(P::kPreference, std::uint8_t{0});
    return true;
}

}  // namespace ember
