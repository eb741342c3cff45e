// SPDX-License-Identifier: Apache-2.0
// EmberSM: MultiPathRecord: paths between two sets of ports.
#include "core/administration/paths/multi_path_records.h"

#include <algorithm>

#include "core/administration/query/matching.h"
#include "core/base/assert.h"
#include "core/fabric/fabric.h"
#include "core/fabric/guid_order.h"

namespace ember {
namespace {

using M = MultiPathRecord;

/// Paths when the question does not say how many.
inline constexpr std::uint32_t kDefaultPaths = 127;
/// Hops of what is no path.
inline constexpr std::uint16_t kNoHops = 0xFFFF;

[[nodiscard]] std::uint32_t MostPaths(const Query& query, const MultiPathRecord& asked) {
    return query.Has(M::kHasNumbPath) ? asked.Get(M::kNumbPath) : kDefaultPaths;
}

/// The question is for a path and another to migrate to.
[[nodiscard]] bool IsMigration(const Query& query, const MultiPathRecord& asked) {
    return asked.Get(M::kSgidCount) == 2 && asked.Get(M::kDgidCount) == 2 &&
           query.Has(M::kHasNumbPath) && asked.Get(M::kNumbPath) == 2;
}

[[nodiscard]] std::uint64_t Number(std::span<const std::uint8_t> octets) {
    EMBER_ASSERT(octets.size() >= 8);
    std::uint64_t number = 0;
    for (const std::uint8_t octet : octets.first(8)) {
        number = number << 8U | octet;
    }
    return number;
}

[[nodiscard]] std::span<const std::uint8_t> GidOf(const Query& query, std::size_t gid) {
    EMBER_ASSERT(sizeof(MultiPathRecord) + (gid + 1) * M::kGidOctets <= query.record.size());
    return query.record.subspan(sizeof(MultiPathRecord) + gid * M::kGidOctets, M::kGidOctets);
}
[[nodiscard]] Guid GuidOf(const Query& query, std::size_t gid) {
    return Guid{Number(GidOf(query, gid).subspan(8))};
}

}  // namespace

/// The end that GID number `gid` of the question names; its port is kNoPortIndex when there is
/// none. A source is a port of this subnet.
MultiPathRecords::End MultiPathRecords::EndOf(const Query& query, std::size_t gid) const {
    const bool is_source = gid < Asked<MultiPathRecord>(query).Get(M::kSgidCount);
    const std::uint64_t prefix = Number(GidOf(query, gid));
    const bool is_ours = maker_.IsOurs(prefix);
    if (is_source && !is_ours) return {};
    const PortIndex at = is_ours ? maker_.FindPort(GuidOf(query, gid)) : maker_.RouterTo(prefix);
    if (at == kNoPortIndex || view_.fabric.port(at).lid == kNoLid) return {};
    End end{.lids = maker_.AllOf(at), .far_prefix = is_ours ? 0 : prefix};
    end.lids.guid = GuidOf(query, gid);
    return end;
}

SaStatus MultiPathRecords::Check(const Query& query) const {
    const auto asked = Asked<MultiPathRecord>(query);
    if (!query.Has(M::kHasSgidCount) || !query.Has(M::kHasDgidCount) ||
        query.Has(M::kHasServiceIdHigh) != query.Has(M::kHasServiceIdLow)) {
        return SaStatus::kInsufficientComponents;
    }
    const std::size_t sources = asked.Get(M::kSgidCount);
    const std::size_t destinations = asked.Get(M::kDgidCount);
    const std::size_t gids = sources + destinations;
    if (sources == 0 || destinations == 0 ||
        query.record.size() < sizeof(MultiPathRecord) + gids * M::kGidOctets) {
        return SaStatus::kRequestInvalid;
    }
    for (std::size_t gid = 0; gid < gids; ++gid) {
        if (EndOf(query, gid).lids.port == kNoPortIndex) return SaStatus::kRequestInvalidGid;
    }
    return WishOf(query, asked).Check();
}

Found MultiPathRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) {
    EMBER_ASSERT(record.size() >= sizeof(PathRecord));
    maker_.Refresh();
    PathRecord path;
    const Found found = IsMigration(query, Asked<MultiPathRecord>(query))
                            ? NextToMigrate(query, cursor, budget, path)
                            : NextOfPairs(query, cursor, budget, path);
    if (found == Found::kRecord) {
        std::copy_n(path.octets().begin(), sizeof(PathRecord), record.begin());
    }
    return found;
}

/// The cursor: row is the pair of ports, item the pair of their LIDs, extra the paths told.
Found MultiPathRecords::NextOfPairs(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                    PathRecord& path) {
    const auto asked = Asked<MultiPathRecord>(query);
    const PathWish wish = WishOf(query, asked);
    const std::uint32_t sources = asked.Get(M::kSgidCount);
    const std::uint32_t destinations = asked.Get(M::kDgidCount);
    EMBER_ASSERT(sources != 0 && destinations != 0);  // Check() has seen to it.
    while (budget > 0) {
        if (cursor.row >= sources * destinations) return Found::kEnd;
        if (cursor.extra >= MostPaths(query, asked)) return Found::kEnd;
        const End to = EndOf(query, sources + cursor.row % destinations);
        const PathPair pair{.source = EndOf(query, cursor.row / destinations).lids,
                            .destination = to.lids,
                            .far_prefix = to.far_prefix};
        if (MayKnow(query, pair) && maker_.MakeNext(wish, pair, cursor.item, budget, path)) {
            ++cursor.extra;
            return Found::kRecord;
        }
        if (budget == 0) break;
        cursor = {.row = cursor.row + 1, .extra = cursor.extra};
        --budget;
    }
    return Found::kLater;
}

bool MultiPathRecords::MayKnow(const Query& query, const PathPair& pair) const {
    return pair.source.port != kNoPortIndex && pair.destination.port != kNoPortIndex &&
           maker_.MayKnow(query.requester, pair.source.port, pair.destination.port);
}

/// Two ends in the order of their ports' GUIDs, by Settings::order: the order in which the
/// question names them does not change the paths. Both have a port, or none.
MultiPathRecords::Ends MultiPathRecords::SortedEnds(const Query& query, std::size_t first) const {
    Ends ends{EndOf(query, first), EndOf(query, first + 1)};
    if (ends[0].lids.port == kNoPortIndex || ends[1].lids.port == kNoPortIndex) return {};
    const auto key = [this](const End& end) {
        return SortKey(view_.fabric.port(end.lids.port).guid, view_.settings.order);
    };
    if (key(ends[1]) < key(ends[0])) std::swap(ends[0], ends[1]);
    return ends;
}

/// The first path between two ports by LIDs of offset `offset` or further ones, counted round.
/// Returns its hops.
std::uint16_t MultiPathRecords::FindMigrating(const PathWish& wish, PathEnds ends,
                                              std::uint32_t offset, PathRecord& path) {
    const Port& source = view_.fabric.port(ends.source);
    const Port& destination = view_.fabric.port(ends.destination);
    for (std::uint32_t i = 0; i < (1U << source.lmc); ++i) {
        const std::uint32_t from = (offset + i) & ((1U << source.lmc) - 1);
        const std::uint32_t to = (offset + i) & ((1U << destination.lmc) - 1);
        ends.source_lid = static_cast<Lid>(Raw(source.lid) + from);
        ends.destination_lid = static_cast<Lid>(Raw(destination.lid) + to);
        if (maker_.Make(wish, ends, path) == PathRefusal::kNone) return maker_.HopsOf(ends);
    }
    return kNoHops;
}

/// The part of a base LID in the choice of LIDs that paths to migrate to begin with. OpenSM takes
/// it as it came from the wire, as it takes GUIDs; see SortKey().
unsigned MultiPathRecords::SpreadNumber(Lid lid) const {
    const bool as_opensm = view_.settings.order != Order::kGuid;
    const std::uint16_t number = as_opensm ? __builtin_bswap16(Raw(lid)) : Raw(lid);
    return unsigned{number} >> view_.settings.lmc;
}

/// The ports are told by their PortGUIDs, however the question names them, as by OpenSM; what lies
/// behind a router has the name that the question gives it.
PathEnds MultiPathRecords::BetweenPorts(const End& source, const End& destination) const {
    const Fabric& fabric = view_.fabric;
    const bool is_far = destination.far_prefix != 0;
    return {.source = source.lids.port,
            .destination = destination.lids.port,
            .source_guid = fabric.port(source.lids.port).guid,
            .destination_guid =
                is_far ? destination.lids.guid : fabric.port(destination.lids.port).guid,
            .far_prefix = destination.far_prefix};
}

/// Two sources can be paired with two destinations in two ways: the one with the shortest path.
Found MultiPathRecords::NextToMigrate(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                      PathRecord& path) {
    const Ends sources = SortedEnds(query, 0);
    const Ends destinations = SortedEnds(query, 2);
    if (sources[0].lids.port == kNoPortIndex || destinations[0].lids.port == kNoPortIndex) {
        return Found::kEnd;
    }
    const PathWish wish = WishOf(query, Asked<MultiPathRecord>(query));
    const unsigned one = SpreadNumber(sources[0].lids.first);
    const unsigned other = SpreadNumber(destinations[0].lids.first);
    const unsigned spread = (std::min(one, other) << 4U | std::max(one, other)) % 103;

    std::array<std::array<PathRecord, 2>, 2> paths;
    std::array<std::array<std::uint16_t, 2>, 2> hops{};
    for (std::size_t from = 0; from < 2; ++from) {
        for (std::size_t to = 0; to < 2; ++to) {
            hops[from][to] = kNoHops;
            const PathEnds ends = BetweenPorts(sources[from], destinations[to]);
            if (!maker_.MayKnow(query.requester, ends.source, ends.destination)) continue;
            hops[from][to] = FindMigrating(wish, ends, static_cast<std::uint32_t>(spread + from),
                                           paths[from][to]);
        }
    }
    budget -= std::min(budget, 4 * PathMaker::kCost);
    const bool crossed = std::min(hops[0][1], hops[1][0]) < std::min(hops[0][0], hops[1][1]);
    while (cursor.row < 2) {
        const std::size_t from = cursor.row++;
        const std::size_t to = crossed ? 1 - from : from;
        if (hops[from][to] == kNoHops) continue;
        path = paths[from][to];
        return Found::kRecord;
    }
    return Found::kEnd;
}

}  // namespace ember
