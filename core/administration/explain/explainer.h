// SPDX-License-Identifier: Apache-2.0
// EmberSM: why subnet administration decides as it does.
#pragma once

#include <cstdint>

#include "core/administration/paths/path_maker.h"
#include "core/administration/paths/path_records.h"
#include "core/administration/query/query.h"
#include "core/administration/registrations/mc_member_records.h"
#include "core/administration/registrations/mc_member_values.h"
#include "core/multicast/groups.h"
#include "core/partitions/partitions.h"
#include "core/wire/mc_member_record.h"
#include "core/wire/path_record.h"

namespace ember {

/// A partition of which two ports are members.
struct SharedPartition {
    PortPartition one{};
    PortPartition other{};
    bool may_talk = false;  ///< At least one port is a full member.
};

/// Goes through the partitions that two ports share, by ascending base. Of no use after the tables
/// or the fabric have changed.
class SharedPartitions {
public:
    SharedPartitions(const Partitions& partitions, PortIndex one, PortIndex other);

    /// False: there are no more. All of them take at most 8 * kMostPartitions steps.
    [[nodiscard]] bool Next(SharedPartition& found);

private:
    PartitionWalk of_one_;
    PartitionWalk of_other_;
    PortPartition one_{};
    PortPartition other_{};
    bool has_both_ = false;
};

/// A Get(PathRecord) that `source` would ask: which components of `record` count.
struct PathQuestion {
    PortIndex source = kNoPortIndex;  ///< End ports with LIDs.
    PortIndex destination = kNoPortIndex;
    std::uint64_t component_mask = 0;
    PathRecord record{};
};

struct PathExplanation {
    SaStatus status = SaStatus::kOk;  ///< Not kOk: the question itself is refused.
    bool shares_partition = false;    ///< Else the source is told of no path.
    PathRefusal refusal = PathRefusal::kNone;
    PathDecision decision{};
    bool is_answered = false;  ///< Subnet administration answers with a path.
    Lid source_lid = kNoLid;
    Lid destination_lid = kNoLid;
};

/// A Set(MCMemberRecord) that `port` would send.
struct JoinQuestion {
    PortIndex port = kNoPortIndex;
    Gid mgid{};
    std::uint8_t join_state = join_state::kFull;
    std::uint64_t component_mask = 0;  ///< Of `record`, beside MGID, PortGID and JoinState.
    McMemberRecord record{};
};

struct JoinExplanation {
    McMemberRecords::JoinVerdict verdict{};
    PortReach reach{};               ///< The MTU and rate of the port.
    PortPartition partition{};       ///< The port's membership in the group's partition.
    std::uint8_t present_state = 0;  ///< Its JoinState in the group already; 0: it is no member.
};

/// Explains decisions to people. The sources of records decide, here as when a client asks, and say
/// which rule it was. Nothing changes but what they keep to be fast.
class Explainer {
public:
    /// All outlive it.
    struct Parts {
        const AdministrationView& view;
        PathRecords& path_records;
        PathMaker& path_maker;
        const McMemberRecords& members;
        const Groups& groups;
    };

    explicit Explainer(const Parts& parts) : parts_(parts) {}
    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    [[nodiscard]] const AdministrationView& view() const { return parts_.view; }
    [[nodiscard]] const Groups& groups() const { return parts_.groups; }

    /// The decision about a Get(PathRecord). The tables are those that the switches have.
    [[nodiscard]] PathExplanation ExplainPath(const PathQuestion& question);
    /// The next link of an explained path; see Paths::LinkFrom(). At most Paths::kMaxHops of them
    /// make a path.
    [[nodiscard]] bool LinkFrom(PortIndex at, PortIndex to, Lid lid, Paths::Link& link) {
        return parts_.path_maker.LinkFrom(at, to, lid, link);
    }
    /// The decision about a join.
    [[nodiscard]] JoinExplanation ExplainJoin(const JoinQuestion& question) const;

private:
    [[nodiscard]] bool IsAnswered(const Query& query, PathRecord& answer);

    Parts parts_;
};

}  // namespace ember
