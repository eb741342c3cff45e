// SPDX-License-Identifier: Apache-2.0
// EmberSM: the path to a multicast group.
#pragma once

#include "core/administration/paths/path_maker.h"
#include "core/administration/query/query.h"
#include "core/base/gid.h"
#include "core/multicast/groups.h"
#include "core/wire/path_record.h"

namespace ember {

/// The destination that a PathRecord names.
[[nodiscard]] inline Gid DgidOf(const PathRecord& path) {
    return {.high = path.Get(PathRecord::kDgidPrefix), .low = Raw(path.Get(PathRecord::kDgidGuid))};
}

/// A question for PathRecords, and the record in it.
struct GroupQuestion {
    const Query& query;
    const PathRecord& asked;
};

/// Writes the record of the path to the group whose MGID `asked` has as its DGID: the question with
/// the values of the group. False when there is no such group, a source is named that is not in it,
/// or another value of it is asked for. As in OpenSM, rate, MTU and packet life-time that are asked
/// for are not looked at. Source: OpenSM, osm_sa_path_record.c.
[[nodiscard]] bool MakeGroupPath(const GroupQuestion& question, const AdministrationView& view,
                                 const PathMaker& maker, const Groups& groups, PathRecord& record);

}  // namespace ember
