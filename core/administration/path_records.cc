// SPDX-License-Identifier: Apache-2.0
// EmberSM: PathRecord: the paths between ports.
#include "core/administration/path_records.h"

#include <algorithm>
#include <limits>

#include "core/base/assert.h"
#include "core/fabric/fabric.h"
#include "core/fabric/guid_order.h"

namespace ember {
namespace {

using P = PathRecord;

inline constexpr std::uint64_t kLinkLocal = 0xFE80000000000000;
/// Rows looked at to make a path, for the budget: two walks of a few switches each.
inline constexpr std::uint32_t kPathCost = 16;
/// Preference of pairs of LIDs that are not those of equal offset.
inline constexpr std::uint8_t kOtherPair = 2;

[[nodiscard]] PathRecord Asked(const Query& query) {
    EMBER_ASSERT(query.record.size() >= sizeof(PathRecord));
    PathRecord asked;
    std::copy_n(query.record.begin(), sizeof(PathRecord), asked.octets().begin());
    return asked;
}

[[nodiscard]] PathWish WishOf(const Query& query, const PathRecord& asked) {
    PathWish wish;
    wish.mtu = {query.Has(P::kHasMtuSelector) && query.Has(P::kHasMtu), asked.Get(P::kMtuSelector),
                asked.Get(P::kMtu)};
    wish.rate = {query.Has(P::kHasRateSelector) && query.Has(P::kHasRate),
                 asked.Get(P::kRateSelector), asked.Get(P::kRate)};
    wish.life_time = {query.Has(P::kHasPacketLifeTimeSelector) && query.Has(P::kHasPacketLifeTime),
                      asked.Get(P::kPacketLifeTimeSelector), asked.Get(P::kPacketLifeTime)};
    wish.has_p_key = query.Has(P::kHasPKey);
    wish.p_key = asked.Get(P::kPKey);
    wish.has_sl = query.Has(P::kHasSl);
    wish.sl = asked.Get(P::kSl);
    wish.raw_traffic = query.Has(P::kHasRawTraffic) && asked.Get(P::kRawTraffic) != 0;
    wish.reversible = query.Has(P::kHasReversible) && asked.Get(P::kReversible) != 0;
    return wish;
}

/// Between two ports: a Get wants one path, a GetTable as many as it says.
[[nodiscard]] std::uint32_t MostPaths(const Query& query, const PathRecord& asked) {
    if (query.method == Method::kGet) return 1;
    if (query.Has(P::kHasNumbPath)) return asked.Get(P::kNumbPath);
    return std::numeric_limits<std::uint32_t>::max();
}

void Charge(std::uint32_t& budget, std::uint32_t cost) {
    budget -= std::min(budget, cost);
}

}  // namespace

bool PathRecords::IsOurs(std::uint64_t prefix) const {
    return prefix == view_.settings.subnet_prefix || prefix == kLinkLocal;
}

/// The port that a name means. An unknown one is no error; two names of different ports are.
SaStatus PathRecords::Find(const Name& name, End& end) const {
    if (!name.has_gid && !name.has_lid) return SaStatus::kOk;
    const Fabric& fabric = view_.fabric;
    end.kind = End::Kind::kUnknown;
    end.port = name.has_gid ? fabric.FindPort(name.guid) : fabric.PortByLid(name.lid);
    if (end.port == kNoPortIndex || fabric.port(end.port).lid == kNoLid) return SaStatus::kOk;
    if (name.has_lid && fabric.PortByLid(name.lid) == kNoPortIndex) return SaStatus::kOk;
    if (name.has_lid && fabric.PortByLid(name.lid) != end.port) return SaStatus::kRequestInvalid;
    const Port& port = fabric.port(end.port);
    end.kind = End::Kind::kOnePort;
    end.first = name.has_lid ? name.lid : port.lid;
    end.count = name.has_lid ? 1 : 1U << port.lmc;
    return SaStatus::kOk;
}

SaStatus PathRecords::FindSource(const Query& query, const PathRecord& asked, End& end) const {
    const Name name{.has_gid = query.Has(P::kHasSgid),
                    .has_lid = query.Has(P::kHasSlid),
                    .prefix = asked.Get(P::kSgidPrefix),
                    .guid = asked.Get(P::kSgidGuid),
                    .lid = asked.Get(P::kSlid)};
    if (name.has_gid && !IsOurs(name.prefix)) {
        end.kind = End::Kind::kUnknown;
        return SaStatus::kOk;
    }
    return Find(name, end);
}

SaStatus PathRecords::FindDestination(const Query& query, const PathRecord& asked, End& end) const {
    Name name{.has_gid = query.Has(P::kHasDgid),
              .has_lid = query.Has(P::kHasDlid),
              .prefix = asked.Get(P::kDgidPrefix),
              .guid = asked.Get(P::kDgidGuid),
              .lid = asked.Get(P::kDlid)};
    if (name.has_gid && !IsOurs(name.prefix)) {
        end.far_prefix = name.prefix;
        end.far_guid = name.guid;
        const PortIndex router = RouterTo(name.prefix);
        name.guid = router == kNoPortIndex ? kNoGuid : view_.fabric.port(router).guid;
    }
    return Find(name, end);
}

/// The router by which GIDs of that prefix are reached: that of the first line that fits.
PortIndex PathRecords::RouterTo(std::uint64_t prefix) const {
    const Fabric& fabric = view_.fabric;
    const auto& routes = view_.settings.tables.prefix_routes;
    const auto fits = [prefix](const PrefixRoute& route) {
        return route.prefix == 0 || route.prefix == prefix;
    };
    const auto route = std::find_if(routes.begin(), routes.end(), fits);
    if (route == routes.end()) return kNoPortIndex;
    if (route->router != kNoGuid) return fabric.FindPort(route->router);
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
    return first;
}

SaStatus PathRecords::CheckAll(const Query& query) const {
    const PathRecord asked = Asked(query);
    const SaStatus values = WishOf(query, asked).Check();
    if (values != SaStatus::kOk) return values;
    if (query.Has(P::kHasServiceIdHigh) != query.Has(P::kHasServiceIdLow)) {
        return SaStatus::kInsufficientComponents;
    }
    End end;
    const SaStatus source = FindSource(query, asked, end);
    return source != SaStatus::kOk ? source : FindDestination(query, asked, end);
}

/// Moves `lid` on to the next port that the end means; `lid` itself may be one's first.
PathRecords::Settled PathRecords::Settle(const End& end,
                                         std::uint32_t& lid,
                                         std::uint32_t& budget) const {
    if (end.kind == End::Kind::kUnknown) return Settled::kNowhere;
    if (end.kind == End::Kind::kOnePort) {
        if (lid > Raw(end.first)) return Settled::kNowhere;
        lid = Raw(end.first);
        return Settled::kThere;
    }
    const Fabric& fabric = view_.fabric;
    lid = std::max(lid, 1U);
    while (lid <= fabric.max_lid() && lid < view_.lfts.stride()) {  // No table goes further.
        const PortIndex at = fabric.PortByLid(static_cast<Lid>(lid));
        if (at != kNoPortIndex && Raw(fabric.port(at).lid) == lid) return Settled::kThere;
        ++lid;
        --budget;
        if (budget == 0) return Settled::kLater;
    }
    return Settled::kNowhere;
}

/// The one port that Settle() stopped at.
PathRecords::End PathRecords::At(const End& end, std::uint32_t lid) const {
    if (end.kind == End::Kind::kOnePort) return end;
    const PortIndex at = view_.fabric.PortByLid(static_cast<Lid>(lid));
    return {.kind = End::Kind::kOnePort,
            .port = at,
            .first = static_cast<Lid>(lid),
            .count = 1U << view_.fabric.port(at).lmc};
}

/// Goes on through the pairs of LIDs of two ports; cursor.item is the next one. True with a record.
bool PathRecords::NextOfPair(const Query& query,
                             const PathWish& wish,
                             const End& source,
                             const End& destination,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             PathRecord& record) {
    const std::uint32_t equal = std::min(source.count, destination.count);
    const std::uint32_t all = equal + source.count * destination.count;
    const std::uint32_t most = MostPaths(query, Asked(query));
    while (cursor.item < all && cursor.extra < most && budget > 0) {
        const std::uint32_t item = cursor.item++;
        const bool is_equal = item < equal;
        const std::uint32_t from = is_equal ? item : (item - equal) / destination.count;
        const std::uint32_t to = is_equal ? item : (item - equal) % destination.count;
        if (!is_equal && from == to) continue;  // It was among the first.
        Charge(budget, kPathCost);
        const PathEnds ends{.source = source.port,
                            .source_lid = static_cast<Lid>(Raw(source.first) + from),
                            .destination = destination.port,
                            .destination_lid = static_cast<Lid>(Raw(destination.first) + to),
                            .preference = is_equal ? std::uint8_t{0} : kOtherPair,
                            .far_prefix = destination.far_prefix,
                            .far_guid = destination.far_guid};
        if (!maker_.Make(wish, ends, record)) continue;
        ++cursor.extra;
        return true;
    }
    return false;
}

Found PathRecords::FindNext(const Query& query,
                            Cursor& cursor,
                            std::uint32_t& budget,
                            std::span<std::uint8_t> record) {
    maker_.Refresh();
    const PathRecord asked = Asked(query);
    const PathWish wish = WishOf(query, asked);
    End sources;
    End destinations;
    if (FindSource(query, asked, sources) != SaStatus::kOk ||
        FindDestination(query, asked, destinations) != SaStatus::kOk) {
        return Found::kEnd;
    }
    // The cursor: row and column are the LIDs of destination and source, item the next pair of
    // LIDs of the two ports, extra how many of them were paths.
    while (budget > 0) {  // Each turn moves the cursor on and costs of the budget.
        const Settled to = Settle(destinations, cursor.row, budget);
        if (to == Settled::kNowhere) return Found::kEnd;
        if (to == Settled::kLater) return Found::kLater;
        const Settled from = Settle(sources, cursor.column, budget);
        if (from == Settled::kLater) return Found::kLater;
        if (from == Settled::kNowhere) {
            cursor = {.row = cursor.row + 1};
            Charge(budget, 1);
            continue;
        }
        const End source = At(sources, cursor.column);
        const End destination = At(destinations, cursor.row);
        PathRecord path;
        if (maker_.MayTell(query.requester, source.port, destination.port)) {
            if (NextOfPair(query, wish, source, destination, cursor, budget, path)) {
                std::copy_n(path.octets().begin(), sizeof(PathRecord), record.begin());
                return Found::kRecord;
            }
            if (budget == 0) return Found::kLater;
        }
        cursor = {.row = cursor.row, .column = cursor.column + 1};
        Charge(budget, 1);
    }
    return Found::kLater;
}

}  // namespace ember
