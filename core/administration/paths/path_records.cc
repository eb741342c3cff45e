// SPDX-License-Identifier: Apache-2.0
// EmberSM: PathRecord: the paths between ports.
#include "core/administration/paths/path_records.h"

#include <algorithm>
#include <limits>

#include "core/administration/paths/group_paths.h"
#include "core/administration/query/matching.h"
#include "core/fabric/fabric.h"

namespace ember {
namespace {

using P = PathRecord;

inline constexpr Cursor kBehindAll{.row = std::numeric_limits<std::uint32_t>::max()};

[[nodiscard]] bool IsToGroup(const Query& query, const PathRecord& asked) {
    return query.Has(P::kHasDgid) && IsMulticast(DgidOf(asked));
}

/// Between two ports.
[[nodiscard]] std::uint32_t MostPaths(const Query& query, const PathRecord& asked) {
    if (query.method == Method::kGet) return 1;  // NumbPath is not heeded.
    if (query.Has(P::kHasNumbPath)) return asked.Get(P::kNumbPath);
    return std::numeric_limits<std::uint32_t>::max();
}

void Charge(std::uint32_t& budget, std::uint32_t cost) {
    budget -= std::min(budget, cost);
}

}  // namespace

/// The port that a name means. An unknown one is no error; two names of different ports are.
SaStatus PathRecords::Find(const Name& name, End& end) const {
    if (!name.has_gid && !name.has_lid) return SaStatus::kOk;
    const Fabric& fabric = view_.fabric;
    end.kind = End::Kind::kUnknown;
    const PortIndex by_lid = name.has_lid ? fabric.PortByLid(name.lid) : kNoPortIndex;
    const PortIndex at = name.has_gid ? maker_.FindPort(name.guid) : by_lid;
    if (at == kNoPortIndex || fabric.port(at).lid == kNoLid) return SaStatus::kOk;
    if (name.has_lid && by_lid == kNoPortIndex) return SaStatus::kOk;
    if (name.has_lid && by_lid != at) return SaStatus::kRequestInvalid;
    end.kind = End::Kind::kOnePort;
    end.lids = maker_.AllOf(at);
    if (name.has_gid) end.lids.guid = name.guid;
    if (name.has_lid) {
        end.lids.first = name.lid;
        end.lids.count = 1;
    }
    return SaStatus::kOk;
}

SaStatus PathRecords::FindSource(const Query& query, const PathRecord& asked, End& end) const {
    const Name name{.has_gid = query.Has(P::kHasSgid),
                    .has_lid = query.Has(P::kHasSlid),
                    .prefix = asked.Get(P::kSgidPrefix),
                    .guid = asked.Get(P::kSgidGuid),
                    .lid = asked.Get(P::kSlid)};
    if (name.has_gid && !maker_.IsOurs(name.prefix)) {
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
    if (!name.has_gid || maker_.IsOurs(name.prefix)) return Find(name, end);
    const PortIndex router = maker_.RouterTo(name.prefix);
    name.guid = router == kNoPortIndex ? kNoGuid : view_.fabric.port(router).guid;
    const SaStatus status = Find(name, end);
    end.far_prefix = name.prefix;
    end.lids.guid = asked.Get(P::kDgidGuid);
    return status;
}

SaStatus PathRecords::Check(const Query& query) const {
    const auto asked = Asked<PathRecord>(query);
    const SaStatus values = WishOf(query, asked).Check();
    if (values != SaStatus::kOk) return values;
    if (query.Has(P::kHasServiceIdHigh) != query.Has(P::kHasServiceIdLow)) {
        return SaStatus::kInsufficientComponents;
    }
    if (IsToGroup(query, asked)) return SaStatus::kOk;
    End end;
    const SaStatus source = FindSource(query, asked, end);
    return source != SaStatus::kOk ? source : FindDestination(query, asked, end);
}

/// Moves `lid` on to the next port that the end means; `lid` itself may be one's first.
PathRecords::Settled PathRecords::Settle(const End& end, std::uint32_t& lid,
                                         std::uint32_t& budget) const {
    EMBER_ASSERT(budget > 0);
    if (end.kind == End::Kind::kUnknown) return Settled::kNowhere;
    if (end.kind == End::Kind::kOnePort) {
        if (lid > Raw(end.lids.first)) return Settled::kNowhere;
        lid = Raw(end.lids.first);
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
LidRange PathRecords::At(const End& end, std::uint32_t lid) const {
    if (end.kind == End::Kind::kOnePort) return end.lids;
    return maker_.AllOf(view_.fabric.PortByLid(static_cast<Lid>(lid)));
}

/// A step on. The cursor: row and column are the LIDs of destination and source, item the next
/// pair of LIDs of the two ports, extra how many of them were paths. kLater: nothing was found yet.
Found PathRecords::StepOn(const Question& question, Cursor& cursor, std::uint32_t& budget,
                          PathRecord& path) {
    EMBER_ASSERT(budget > 0);
    const Settled to = Settle(question.destinations, cursor.row, budget);
    if (to != Settled::kThere) return to == Settled::kNowhere ? Found::kEnd : Found::kLater;
    const Settled from = Settle(question.sources, cursor.column, budget);
    if (from == Settled::kLater) return Found::kLater;
    if (from == Settled::kNowhere) {
        cursor = {.row = cursor.row + 1};
        Charge(budget, 1);
        return Found::kLater;
    }
    PathPair pair{.source = At(question.sources, cursor.column),
                  .destination = At(question.destinations, cursor.row),
                  .far_prefix = question.destinations.far_prefix};
    // Answers from another subnet come back by the alias that its router understands.
    const bool is_named = question.names_source || question.destinations.far_prefix == 0;
    if (!is_named) pair.source.guid = maker_.NameAbroad(pair.source.guid);
    const bool may_know =
        cursor.extra < question.most &&
        maker_.MayKnow(question.requester, pair.source.port, pair.destination.port);
    if (may_know && maker_.MakeNext(question.wish, pair, cursor.item, budget, path)) {
        ++cursor.extra;
        return Found::kRecord;
    }
    if (may_know && budget == 0) return Found::kLater;  // There may be more of the pair.
    cursor = {.row = cursor.row, .column = cursor.column + 1};
    Charge(budget, 1);
    return Found::kLater;
}

Found PathRecords::FindPath(const Query& query, const PathRecord& asked, Cursor& cursor,
                            std::uint32_t& budget, PathRecord& path) {
    Question question{.wish = WishOf(query, asked),
                      .most = MostPaths(query, asked),
                      .requester = query.requester,
                      .names_source = query.Has(P::kHasSgid),
                      .sources = {},
                      .destinations = {}};
    if (FindSource(query, asked, question.sources) != SaStatus::kOk) return Found::kEnd;
    if (FindDestination(query, asked, question.destinations) != SaStatus::kOk) return Found::kEnd;
    while (budget > 0) {  // Each step moves the cursor on and costs of the budget.
        const Found found = StepOn(question, cursor, budget, path);
        if (found != Found::kLater) return found;
    }
    return Found::kLater;
}

Found PathRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                        std::span<std::uint8_t> record) {
    EMBER_ASSERT(record.size() >= sizeof(PathRecord));
    if (cursor == kBehindAll) return Found::kEnd;
    maker_.Refresh();
    const auto asked = Asked<PathRecord>(query);
    PathRecord path;
    Found found = Found::kEnd;
    if (!IsToGroup(query, asked)) {
        found = FindPath(query, asked, cursor, budget, path);
    } else if (MakeGroupPath({query, asked}, view_, maker_, groups_, path)) {
        found = Found::kRecord;
    }
    if (found != Found::kRecord) return found;
    if (query.method == Method::kGet || IsToGroup(query, asked)) cursor = kBehindAll;
    std::copy_n(path.octets().begin(), sizeof(PathRecord), record.begin());
    return found;
}

}  // namespace ember
