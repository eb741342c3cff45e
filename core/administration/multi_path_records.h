// SPDX-License-Identifier: Apache-2.0
// EmberSM: MultiPathRecord: paths between two sets of ports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/path_maker.h"
#include "core/administration/record_source.h"
#include "core/wire/multi_path_record.h"

namespace ember {

/// MultiPathRecord: paths from each of some ports to each of others, at most NumbPath in all. The
/// answer consists of PathRecords. IBA vol. 1, 15.2.5.20; rules as OpenSM's (reference
/// opensm-behaviour §11.3), but service levels are chosen as for PathRecord.
///
/// Two sources, two destinations and two paths are what a client asks that wants to migrate from
/// one path to another: it gets two that share no end, by LIDs that spread such pairs.
class MultiPathRecords final : public RecordSource {
public:
    MultiPathRecords(const AdministrationView& view, PathMaker& maker)
        : view_(view), maker_(maker) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kMultiPathRecord,
                .record_octets = sizeof(PathRecord),
                .get = false,
                .get_table = false,
                .get_multi = true,
                .told_as = SaAttribute::kPathRecord};
    }
    [[nodiscard]] SaStatus Check(const Query& query) const override { return CheckAll(query); }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override {
        return FindNext(query, cursor, budget, record);
    }
    [[nodiscard]] SaStatus Change(const Query& /*query*/,
                                  std::uint64_t /*now_us*/,
                                  std::span<std::uint8_t> /*record*/) override {
        return SaStatus::kUnsupportedMethod;
    }

private:
    /// Two sources or two destinations.
    using Ends = std::array<PortIndex, 2>;

    [[nodiscard]] SaStatus CheckAll(const Query& query) const;
    [[nodiscard]] Found FindNext(const Query& query,
                                 Cursor& cursor,
                                 std::uint32_t& budget,
                                 std::span<std::uint8_t> record);
    [[nodiscard]] Found NextOfPairs(const Query& query,
                                    Cursor& cursor,
                                    std::uint32_t& budget,
                                    PathRecord& path);
    [[nodiscard]] bool MayTell(const Query& query, const PathPair& pair) const;
    [[nodiscard]] Found NextToMigrate(const Query& query,
                                      Cursor& cursor,
                                      std::uint32_t& budget,
                                      PathRecord& path);
    [[nodiscard]] std::uint16_t FindMigrating(const PathWish& wish,
                                              PathEnds ends,
                                              std::uint32_t offset,
                                              PathRecord& path);
    [[nodiscard]] PortIndex PortOf(const Query& query, std::size_t gid) const;
    [[nodiscard]] LidRange EndOf(const Query& query, std::size_t gid) const;
    [[nodiscard]] Ends SortedPorts(const Query& query, std::size_t first) const;
    [[nodiscard]] unsigned SpreadNumber(Lid lid) const;

    const AdministrationView& view_;
    PathMaker& maker_;
};

}  // namespace ember
