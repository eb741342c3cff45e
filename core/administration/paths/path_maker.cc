// SPDX-License-Identifier: Apache-2.0
// EmberSM: PathRecords: the path of two LIDs, narrowed by what is asked of it.
#include "core/administration/paths/path_maker.h"

#include <algorithm>
#include <array>

#include "core/administration/paths/far_paths.h"
#include "core/administration/paths/known_rates.h"
#include "core/base/assert.h"
#include "core/fabric/fabric.h"
#include "core/fabric/guid_order.h"
#include "core/wire/node_info.h"

namespace ember {
namespace {

inline constexpr std::uint8_t kNoRateCap = 63;  ///< Settings::max_rate_enum.
inline constexpr std::uint64_t kLinkLocal = 0xFE80000000000000;
/// Preference of pairs of LIDs that are not those of equal offset.
inline constexpr std::uint8_t kOtherPair = 2;

/// The InfiniHost of old is slow with packets above 1 KiB.
[[nodiscard]] bool IsTavor(const Node& node) {
    constexpr std::array<std::uint32_t, 4> kVendors{0x0002C9, 0x0005AD, 0x00066A, 0x0008F1};
    return node.device_id == 23108 &&
           std::find(kVendors.begin(), kVendors.end(), node.vendor_id) != kVendors.end();
}

/// The values that the rules of a QoS policy look at.
[[nodiscard]] QosValues QosValuesOf(const PathWish& wish) {
    return {.has_service_id = wish.has_service_id,
            .has_p_key = wish.has_p_key,
            .has_qos_class = wish.has_qos_class,
            .service_id = wish.service_id,
            .p_key = wish.p_key,
            .qos_class = wish.qos_class};
}

}  // namespace

bool PathMaker::PrefersSmallMtu(const PathWish& wish, PortIndex from, PortIndex to) const {
    if (!view_.settings.enable_quirks) return false;
    const Fabric& fabric = view_.fabric;
    if (!IsTavor(fabric.node(fabric.port(from).node)) &&
        !IsTavor(fabric.node(fabric.port(to).node))) {
        return false;
    }
    if (!wish.mtu.asked) return true;
    switch (wish.mtu.selector) {
        case Selector::kAbove:
            return wish.mtu.value < Mtu::k1024;
        case Selector::kExactly:
            return wish.mtu.value <= Mtu::k1024;
        case Selector::kBelow:
            return true;
        case Selector::kBest:
            break;  // The largest MTU is asked for.
    }
    return false;
}

QosChoices PathMaker::ChoicesOf(const PathWish& wish, PortIndex from, PortIndex to) {
    if (policy_ == nullptr || !policy_->is_in_force()) return {};
    return policy_->ChoicesOf({.source = from, .destination = to, .values = QosValuesOf(wish)});
}

/// The values that the links admit, and the settings for every path.
PathValues PathMaker::ValuesOf(const PathWish& wish, const PathLeg& leg, const Route& route) const {
    PathValues values{
        .mtu = route.mtu,
        .rate = RateOfRank(route.rank),
        .life_time = leg.from == leg.to ? std::uint8_t{0} : view_.settings.subnet_timeout};
    if (PrefersSmallMtu(wish, leg.from, leg.to)) values.mtu = std::min(values.mtu, Mtu::k1024);
    return values;
}

PathRefusal PathMaker::Narrow(const PathWish& wish, const PathLeg& leg, PathValues& values) const {
    if (leg.level != nullptr) Limit(*leg.level, leg.from != leg.to, values);
    if (leg.is_far) LimitFar(view_.settings, values);
    if (!FitMtu(wish.mtu, values.mtu)) return PathRefusal::kMtu;
    if (!FitRate(wish.rate, values.rate)) return PathRefusal::kRate;
    return FitLifeTime(wish.life_time, values.life_time) ? PathRefusal::kNone
                                                         : PathRefusal::kLifeTime;
}

bool PathMaker::MayKnow(PortIndex requester, PortIndex source, PortIndex destination) const {
    const Partitions& partitions = view_.partitions;
    return partitions.Share(requester, source) && partitions.Share(requester, destination) &&
           partitions.Share(source, destination);
}

/// The P_Keys that the level of a leg lists; none: all are as good.
std::span<const QosRange> PathMaker::ListedBy(const PathWish& wish, const PathLeg& leg) const {
    if (leg.level == nullptr || wish.raw_traffic) return {};
    EMBER_ASSERT(policy_ != nullptr);
    return policy_->PKeysOf(*leg.level);
}

/// The partition of the path: that asked for, which the level must list if it lists any, else the
/// first which both ends are in and the level lists.
PathRefusal PathMaker::ChoosePKey(const PathWish& wish, const PathLeg& leg,
                                  std::uint16_t& p_key) const {
    const std::span<const QosRange> listed = ListedBy(wish, leg);
    if (wish.has_p_key) {
        p_key = wish.p_key;
        if (!MayCarry(view_.partitions, leg.from, leg.to, p_key))
            return PathRefusal::kPKeyNotShared;
        return Admits(listed, p_key) ? PathRefusal::kNone : PathRefusal::kPKeyNotOfLevel;
    }
    p_key = SharedPKey(view_.partitions, leg.from, leg.to, listed);
    return p_key != kNoPKey ? PathRefusal::kNone : PathRefusal::kNoPartition;
}

/// The level of the way back, which may be another one than that of the way there, `forth`, lets
/// the question pass. Its service level counts only as one of which no packet would arrive: what
/// comes back has that of the way there. Both ends share the P_Key of the way there, and sharing is
/// mutual: another level may only list others.
bool PathMaker::AdmitsWayBack(const PathWish& wish, const PathLeg& leg,
                              const QosLevel* forth) const {
    if (leg.level == nullptr) return true;
    if (leg.level != forth) {
        const std::span<const QosRange> listed = ListedBy(wish, leg);
        const bool has_p_key =
            wish.has_p_key ? Admits(listed, wish.p_key)
                           : SharedPKey(view_.partitions, leg.from, leg.to, listed) != kNoPKey;
        if (!has_p_key) return false;
    }
    return sls_.AdmitsWayBack(wish, leg);
}

Rate PathMaker::RateOfRecord(Rate rate, const PathEnds& ends, bool reversible) const {
    if (view_.settings.max_rate_enum < kNoRateCap) {
        return CapRate(rate, static_cast<Rate>(view_.settings.max_rate_enum));
    }
    if (rate <= kTopClassicRate) return rate;
    const Fabric& fabric = view_.fabric;
    const Rate known = RateKnownTo(fabric.port(ends.source).info, rate);
    return reversible ? RateKnownTo(fabric.port(ends.destination).info, known) : known;
}

LidRange PathMaker::AllOf(PortIndex port) const {
    const Port& row = view_.fabric.port(port);
    return {.port = port, .first = row.lid, .count = 1U << row.lmc, .guid = row.guid};
}

PortIndex PathMaker::FindPort(Guid guid) const {
    const Fabric& fabric = view_.fabric;
    PortIndex at = fabric.FindPort(guid);
    if (at == kNoPortIndex) at = fabric.FindPort(aliases_.PortOf(guid));
    return at != kNoPortIndex && fabric.port(at).lid != kNoLid ? at : kNoPortIndex;
}

bool PathMaker::IsOurs(std::uint64_t prefix) const {
    return prefix == view_.settings.subnet_prefix || prefix == kLinkLocal;
}

PortIndex PathMaker::RouterTo(std::uint64_t prefix) {
    const auto& routes = view_.settings.manager_tables.prefix_routes;
    const auto fits = [prefix](const PrefixRoute& route) {
        return route.prefix == 0 || route.prefix == prefix;
    };
    const auto route = std::find_if(routes.begin(), routes.end(), fits);
    if (route == routes.end()) return kNoPortIndex;
    if (route->router == kNoGuid) return FirstRouter();
    const Fabric& fabric = view_.fabric;
    const PortIndex at = fabric.FindPort(route->router);
    const bool is_router =
        at != kNoPortIndex && fabric.node(fabric.port(at).node).type == NodeType::kRouter;
    return is_router ? at : kNoPortIndex;
}

/// The router port with the lowest GUID in the order of the settings, searched once for each
/// generation of the tables: a line `*` costs no walk over all nodes for each record.
PortIndex PathMaker::FirstRouter() {
    if (view_.generation != 0 && view_.generation == router_generation_) return first_router_;
    const Fabric& fabric = view_.fabric;
    PortIndex first = kNoPortIndex;
    ForEachNode(fabric, [&](NodeIndex at, const Node& node) {
        if (node.type != NodeType::kRouter) return;
        for (const Port& port : fabric.PortsOf(at)) {
            if (port.lid == kNoLid || port.guid == kNoGuid) continue;
            const Order order = view_.settings.order;
            const bool earlier =
                first == kNoPortIndex ||
                SortKey(port.guid, order) < SortKey(fabric.port(first).guid, order);
            if (earlier) first = fabric.IndexOf(port);
        }
    });
    router_generation_ = view_.generation;
    first_router_ = first;
    return first;
}

bool PathMaker::MakeNext(const PathWish& wish, const PathPair& pair, std::uint32_t& item,
                         std::uint32_t& budget, PathRecord& record) {
    EMBER_ASSERT(pair.source.count != 0);
    EMBER_ASSERT(pair.destination.count != 0);
    const std::uint32_t equal = std::min(pair.source.count, pair.destination.count);
    const std::uint32_t all = equal + pair.source.count * pair.destination.count;
    while (item < all && budget > 0) {
        const bool is_equal = item < equal;
        const std::uint32_t from = is_equal ? item : (item - equal) / pair.destination.count;
        const std::uint32_t to = is_equal ? item : (item - equal) % pair.destination.count;
        ++item;
        if (!is_equal && from == to) continue;  // The pair was among the first.
        budget -= std::min(budget, kCost);
        const PathEnds ends{.source = pair.source.port,
                            .source_lid = static_cast<Lid>(Raw(pair.source.first) + from),
                            .destination = pair.destination.port,
                            .destination_lid = static_cast<Lid>(Raw(pair.destination.first) + to),
                            .preference = is_equal ? std::uint8_t{0} : kOtherPair,
                            .source_guid = pair.source.guid,
                            .destination_guid = pair.destination.guid,
                            .far_prefix = pair.far_prefix};
        if (Make(wish, ends, record) == PathRefusal::kNone) return true;
    }
    return false;
}

std::uint16_t PathMaker::HopsOf(const PathEnds& ends) {
    const Route forth =
        paths_.Walk(ends.source, ends.destination, ends.destination_lid, Paths::Direction::kForth);
    return forth.complete ? forth.hops : std::uint16_t{0xFFFF};
}

/// A path by which an answer may come back: it is as good as the way there.
bool PathMaker::IsReversible(const PathWish& wish, const PathEnds& ends,
                             const PathDecision& forth) {
    const Route back =
        paths_.Walk(ends.destination, ends.source, ends.source_lid, Paths::Direction::kBack);
    if (!back.complete || !sls_.IsWayBack(forth.sl, ends)) return false;
    const PathLeg leg{.from = ends.destination,
                      .to = ends.source,
                      .is_far = ends.far_prefix != 0,
                      .level = forth.back.level};
    PathValues values = ValuesOf(wish, leg, back);
    return Narrow(wish, leg, values) == PathRefusal::kNone &&
           AdmitsWayBack(wish, leg, forth.choice.level);
}

PathRefusal PathMaker::Decide(const PathWish& wish, const PathEnds& ends, PathDecision& decision) {
    decision = PathDecision{};
    const Route forth =
        paths_.Walk(ends.source, ends.destination, ends.destination_lid, Paths::Direction::kForth);
    if (!forth.complete) return PathRefusal::kUnrouted;
    const QosChoices choices = ChoicesOf(wish, ends.source, ends.destination);
    decision.choice = choices.forth;
    decision.back = choices.back;
    const PathLeg leg{.from = ends.source,
                      .to = ends.destination,
                      .is_far = ends.far_prefix != 0,
                      .level = decision.choice.level};
    decision.links = decision.values = ValuesOf(wish, leg, forth);
    PathRefusal refusal = Narrow(wish, leg, decision.values);
    if (refusal == PathRefusal::kNone) refusal = ChoosePKey(wish, leg, decision.p_key);
    if (refusal == PathRefusal::kNone) refusal = sls_.Choose(wish, ends, leg, decision);
    if (refusal != PathRefusal::kNone) return refusal;
    EMBER_ASSERT(decision.sl <= kTopSl);
    if (wish.raw_traffic) decision.p_key = kNoPKey;
    decision.reversible = IsReversible(wish, ends, decision);
    decision.record_rate = RateOfRecord(decision.values.rate, ends, decision.reversible);
    return wish.reversible && !decision.reversible ? PathRefusal::kNotReversible
                                                   : PathRefusal::kNone;
}

PathRefusal PathMaker::Make(const PathWish& wish, const PathEnds& ends, PathRecord& record) {
    PathDecision decision;
    const PathRefusal refusal = Decide(wish, ends, decision);
    if (refusal != PathRefusal::kNone) return refusal;
    const std::uint64_t prefix = view_.settings.subnet_prefix;
    const bool is_far = ends.far_prefix != 0;
    record = PathRecord{};
    record.Set(PathRecord::kDgidPrefix, is_far ? ends.far_prefix : prefix);
    record.Set(PathRecord::kDgidGuid, ends.destination_guid);
    record.Set(PathRecord::kSgidPrefix, prefix);
    record.Set(PathRecord::kSgidGuid, ends.source_guid);
    record.Set(PathRecord::kDlid, ends.destination_lid);
    record.Set(PathRecord::kSlid, ends.source_lid);
    if (is_far) PutFarHeader(view_.settings, record);
    record.Set(PathRecord::kReversible, static_cast<std::uint8_t>(decision.reversible));
    record.Set(PathRecord::kPKey, decision.p_key);
    record.Set(PathRecord::kSl, decision.sl);
    record.Set(PathRecord::kMtuSelector, Selector::kExactly);
    record.Set(PathRecord::kMtu, decision.values.mtu);
    record.Set(PathRecord::kRateSelector, Selector::kExactly);
    record.Set(PathRecord::kRate, decision.record_rate);
    record.Set(PathRecord::kPacketLifeTimeSelector, Selector::kExactly);
    record.Set(PathRecord::kPacketLifeTime, decision.values.life_time);
    record.Set(PathRecord::kPreference, ends.preference);
    return PathRefusal::kNone;
}

}  // namespace ember
