// SPDX-License-Identifier: Apache-2.0
// EmberSM: PathRecord: the paths between ports.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/paths/path_maker.h"
#include "core/administration/query/read_only_source.h"
#include "core/multicast/groups.h"

namespace ember {

/// PathRecord: paths between the ends that the question names; an end that it does not name is
/// every end port. IBA vol. 1, 15.2.5.16; rules as OpenSM's (osm_sa_path_record.c).
///
/// Records come by ascending LID of the destination, then of the source. Between two ports all
/// pairs of their LIDs are paths: first those of equal offset (Preference 0), then the others (2).
/// An end that does not exist has no paths, and that is no error. A Get is answered with the first
/// path there is.
class PathRecords final : public ReadOnlySource {
public:
    PathRecords(const AdministrationView& view, PathMaker& maker, const Groups& groups)
        : view_(view), maker_(maker), groups_(groups) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kPathRecord, .record_octets = sizeof(PathRecord)};
    }
    [[nodiscard]] SaStatus Check(const Query& query) const override;
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    /// An end of the paths in question.
    struct End {
        enum class Kind : std::uint8_t { kEveryPort, kOnePort, kUnknown };
        Kind kind = Kind::kEveryPort;
        LidRange lids;                 ///< Of kOnePort.
        std::uint64_t far_prefix = 0;  ///< Not 0: the port is a router on the way there.
    };
    /// How an end is named.
    struct Name {
        bool has_gid = false;
        bool has_lid = false;
        std::uint64_t prefix = 0;
        Guid guid = kNoGuid;
        Lid lid = kNoLid;
    };
    struct Question {
        PathWish wish;
        std::uint32_t most = 0;  ///< Paths between two ports.
        PortIndex requester = kNoPortIndex;
        bool names_source = false;  ///< By its GID.
        End sources;
        End destinations;
    };
    enum class Settled : std::uint8_t { kThere, kNowhere, kLater };

    [[nodiscard]] Found FindPath(const Query& query, const PathRecord& asked, Cursor& cursor,
                                 std::uint32_t& budget, PathRecord& path);
    [[nodiscard]] Found StepOn(const Question& question, Cursor& cursor, std::uint32_t& budget,
                               PathRecord& path);
    [[nodiscard]] SaStatus Find(const Name& name, End& end) const;
    [[nodiscard]] SaStatus FindSource(const Query& query, const PathRecord& asked, End& end) const;
    [[nodiscard]] SaStatus FindDestination(const Query& query, const PathRecord& asked,
                                           End& end) const;
    [[nodiscard]] Settled Settle(const End& end, std::uint32_t& lid, std::uint32_t& budget) const;
    [[nodiscard]] LidRange At(const End& end, std::uint32_t lid) const;

    const AdministrationView& view_;
    PathMaker& maker_;
    const Groups& groups_;
};

}  // namespace ember
