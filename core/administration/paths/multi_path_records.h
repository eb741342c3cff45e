// SPDX-License-Identifier: Apache-2.0
// EmberSM: MultiPathRecord: paths between two sets of ports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/paths/path_maker.h"
#include "core/administration/query/read_only_source.h"
#include "core/wire/multi_path_record.h"

namespace ember {

/// MultiPathRecord: paths from each of some ports to each of others, at most NumbPath in all. The
/// answer consists of PathRecords. IBA vol. 1, 15.2.5.20; rules as OpenSM's
/// (osm_sa_multipath_record.c), but service levels are chosen as for PathRecord.
///
/// Two sources, two destinations and two paths are what a client asks that wants to migrate from
/// one path to another: it gets two that share no end, by LIDs that spread such pairs.
///
/// A destination may be a GID of another subnet, as in PathRecord: the path is that to its router.
class MultiPathRecords final : public ReadOnlySource {
public:
    MultiPathRecords(const AdministrationView& view, PathMaker& maker)
        : view_(view), maker_(maker) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kMultiPathRecord,
                .record_octets = sizeof(PathRecord),
                .get = false,
                .get_table = false,
                .get_multi = true,
                .answered_as = SaAttribute::kPathRecord};
    }
    [[nodiscard]] SaStatus Check(const Query& query) const override;
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    /// A port that a GID names: itself, or the router by which the GID is reached.
    struct End {
        LidRange lids;
        std::uint64_t far_prefix = 0;  ///< As in PathEnds.
    };
    /// Two sources or two destinations.
    using Ends = std::array<End, 2>;

    [[nodiscard]] Found NextOfPairs(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                    PathRecord& path);
    [[nodiscard]] bool MayKnow(const Query& query, const PathPair& pair) const;
    [[nodiscard]] Found NextToMigrate(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                      PathRecord& path);
    [[nodiscard]] std::uint16_t FindMigrating(const PathWish& wish, PathEnds ends,
                                              std::uint32_t offset, PathRecord& path);
    [[nodiscard]] End EndOf(const Query& query, std::size_t gid) const;
    [[nodiscard]] Ends SortedEnds(const Query& query, std::size_t first) const;
    [[nodiscard]] PathEnds BetweenPorts(const End& source, const End& destination) const;
    [[nodiscard]] unsigned SpreadNumber(Lid lid) const;

    const AdministrationView& view_;
    PathMaker& maker_;
};

}  // namespace ember
