// SPDX-License-Identifier: Apache-2.0
// EmberSM: dimension order routing on tori, free of credit loops on several lanes.

#include "engines/torus/torus_2qos.h"

#include "engines/torus/torus_check.h"
#include "engines/torus/torus_lanes.h"

namespace ember {

Status Torus2Qos::Refuse(const EngineComplaint& complaint) {
    complaint_ = complaint;
    return complaint.what == EngineFault::kNoTorusFile ? Status::kAbsent : Status::kUnreachable;
}

Status Torus2Qos::Begin(const RoutingTask& task) {
    task_ = task;
    complaint_ = {};
    misfit_ = {};
    phase_ = Phase::kSearch;
    const EngineTables& tables = task.options->tables;
    if (tables.torus.empty()) return Refuse({.what = EngineFault::kNoTorusFile});
    if (!map_.Begin(*task.topology, tables.torus.front(), *task.scratch))
        return Refuse({.what = EngineFault::kTorusMissing});
    if (!search_.Begin(map_, tables.torus_seeds)) return Refuse(search_.complaint());
    if (task.max_lanes < 2) return Refuse({.what = task.lane_fault});
    return Status::kOk;
}

EngineChoice Torus2Qos::choice() const {
    EngineChoice choice;
    choice.misfit = misfit_;
    return choice;
}

Result<Progress> Torus2Qos::Advance() {
    EngineComplaint complaint;
    switch (phase_) {
        case Phase::kSearch:
            if (search_.Advance() == Progress::kMore) return Progress::kMore;
            phase_ = Phase::kCheck;
            complaint = search_.complaint();
            break;
        case Phase::kCheck:
            phase_ = Phase::kRoutes;
            complaint = CheckTorus(map_);
            misfit_ = TorusSearch::FindMisplaced(map_, task_.options->tables.torus_seeds);
            if (complaint.what == EngineFault::kNone) complaint = FillTorusLanes(task_, map_);
            if (complaint.what == EngineFault::kNone && !routes_.Begin(task_, map_))
                complaint = routes_.complaint();
            break;
        case Phase::kRoutes: {
            const Progress progress = routes_.Advance();
            complaint = routes_.complaint();
            if (complaint.what != EngineFault::kNone) break;
            return progress;
        }
    }
    if (complaint.what != EngineFault::kNone) return Refuse(complaint);
    return Progress::kMore;
}

}  // namespace ember
