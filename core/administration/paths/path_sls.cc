// SPDX-License-Identifier: Apache-2.0
// EmberSM: the service level of a path.

#include "core/administration/paths/path_sls.h"

#include "core/base/assert.h"
#include "core/fabric/fabric.h"
#include "core/lanes/lane_tables.h"

namespace ember {
namespace {

/// The switch that an end port is linked to, or is port 0 of; kNoSwitch: there is none.
[[nodiscard]] SwitchIndex SwitchOf(const Fabric& fabric, PortIndex at) {
    const Port& port = fabric.port(at);
    const SwitchIndex own = fabric.node(port.node).switch_index;
    if (own != kNoSwitch || port.peer == kNoPortIndex) return own;
    return fabric.node(fabric.port(port.peer).node).switch_index;
}

/// A question may have any SL then: nothing of the configuration stands against it.
[[nodiscard]] bool IsOpen(SlOrigin origin) {
    return origin == SlOrigin::kDefault || origin == SlOrigin::kPartition;
}

}  // namespace

SlPath PathSls::PathOf(PortIndex from, PortIndex to, Lid lid) const {
    EMBER_ASSERT(from != kNoPortIndex && to != kNoPortIndex);
    return {.from = SwitchOf(view_.fabric, from), .to = SwitchOf(view_.fabric, to), .lid = lid};
}

/// Packets of this service level are dropped at the source or in a switch, as SL to VL tables say.
/// The routing's own maps drop no packet of a path.
bool PathSls::IsDropped(PortIndex source, std::uint8_t sl) const {
    const Fabric& fabric = view_.fabric;
    if (view_.has_routed_sls() && (view_.lanes->packet_sls() >> sl & 1U) != 0) return false;
    const bool has_switch = SwitchOf(fabric, source) != kNoSwitch;
    return DropsSl(view_.settings, LanePortsOf(fabric, fabric.port(source)), sl) ||
           (has_switch && DropsSl(view_.settings, LanePorts::kSwitchExternal, sl));
}

/// The service level that the operator gives to a path: rtr_pr_sl to another subnet, else that
/// asked for, else that of the level. kNoSl: another one is asked for.
std::uint8_t PathSls::WantedSl(const PathWish& wish, const PathLeg& leg, SlOrigin& origin) const {
    const std::uint8_t far_sl = leg.is_far ? view_.settings.rtr_pr_sl : std::uint8_t{0};
    if (leg.level != nullptr) origin = SlOrigin::kLevel;
    if (wish.has_sl) origin = SlOrigin::kQuestion;
    if (far_sl == 0) return SlUnder(leg.level, wish.has_sl, wish.sl);
    origin = SlOrigin::kRouter;
    return wish.has_sl && wish.sl != far_sl ? kNoSl : far_sl;
}

/// The service level by policy: WantedSl(), or with `qos` that of the partition, where nothing else
/// says one. A level is refused that is not the one wished for, or of which no packet would arrive.
PathRefusal PathSls::ByPolicy(const PathWish& wish, const PathLeg& leg,
                              PathDecision& decision) const {
    decision.sl = WantedSl(wish, leg, decision.sl_origin);
    if (decision.sl == kNoSl) return PathRefusal::kSlNotOfLevel;
    if (!view_.settings.qos) return PathRefusal::kNone;
    const bool is_open = decision.sl_origin == SlOrigin::kDefault;
    const PartitionRow* const partition =
        is_open ? view_.partitions.RowOf(decision.p_key) : nullptr;
    if (partition != nullptr) {
        decision.sl = partition->sl;
        decision.sl_origin = SlOrigin::kPartition;
    }
    return IsDropped(leg.from, decision.sl) ? PathRefusal::kSlDropped : PathRefusal::kNone;
}

/// To a routing of one lane all levels are as good; another one decides, and follows the operator
/// where it has levels of service.
PathRefusal PathSls::Choose(const PathWish& wish, const PathEnds& ends, const PathLeg& leg,
                            PathDecision& decision) const {
    if (!view_.has_routed_sls()) return ByPolicy(wish, leg, decision);
    if (has_levels()) return OfLevel(wish, ends, leg, decision);
    const PathRefusal refusal = ByPolicy(wish, leg, decision);
    if (refusal != PathRefusal::kNone) return refusal;
    decision.level_sl = decision.sl;
    decision.sl_origin = SlOrigin::kRouting;
    decision.sl = view_.lanes->SlOf(PathOf(ends.source, ends.destination, ends.destination_lid),
                                    decision.level_sl);
    const bool is_other = decision.sl == kNoSl || (wish.has_sl && wish.sl != decision.sl);
    return is_other ? PathRefusal::kSlNotOfRouting : PathRefusal::kNone;
}

/// The operator's levels have the routing's lanes each. The SL of a question is one on the wire: it
/// says a level, and what the routing gives the path.
PathRefusal PathSls::OfLevel(const PathWish& wish, const PathEnds& ends, const PathLeg& leg,
                             PathDecision& decision) const {
    const LaneLevels& levels = view_.lanes->levels;
    PathWish any = wish;
    any.has_sl = false;
    const PathRefusal refusal = ByPolicy(any, leg, decision);
    if (refusal != PathRefusal::kNone) return refusal;
    const bool is_open = IsOpen(decision.sl_origin);
    decision.level_sl = decision.sl;
    decision.sl_origin = SlOrigin::kRouting;
    decision.sl = view_.lanes->SlOf(PathOf(ends.source, ends.destination, ends.destination_lid),
                                    decision.level_sl);
    if (decision.sl == kNoSl) return PathRefusal::kSlNotOfRouting;
    if (!wish.has_sl) return PathRefusal::kNone;
    const bool is_of_level = levels.IsOneLevel(wish.sl, is_open ? wish.sl : decision.sl);
    const bool is_of_path = levels.path_sl_of.Of(wish.sl) == levels.path_sl_of.Of(decision.sl);
    decision.sl = wish.sl;
    if (!is_of_level) return PathRefusal::kSlNotOfLevel;
    return is_of_path ? PathRefusal::kNone : PathRefusal::kSlNotOfRouting;
}

/// A level of service counts on the way back only as one of which no packet would arrive: what
/// comes back has the SL of the way there.
bool PathSls::AdmitsWayBack(const PathWish& wish, const PathLeg& leg) const {
    PathWish back = wish;
    if (view_.has_routed_sls() && has_levels()) back.has_sl = false;
    PathDecision decision;
    return ByPolicy(back, leg, decision) == PathRefusal::kNone;
}

/// Answers come back by the service level of the question (IBA vol. 1, 13.5.4), and a connection
/// has one for both directions.
bool PathSls::IsWayBack(std::uint8_t sl, const PathEnds& ends) const {
    if (!view_.has_routed_sls()) return true;
    const SlPath back = PathOf(ends.destination, ends.source, ends.source_lid);
    if (!has_levels()) return view_.lanes->SlOf(back, sl) == sl;
    return view_.lanes->path_sl.Of(back) == view_.lanes->levels.path_sl_of.Of(sl);
}

}  // namespace ember
