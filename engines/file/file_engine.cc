// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes that another program has computed.

#include "engines/file/file_engine.h"

namespace ember {

Status FileEngine::Begin(const RoutingTask& task) {
    task_ = task;
    complaint_ = {};
    next_ = 0;
    is_prepared_ = false;
    const EngineTables& tables = task.options->tables;
    if (!tables.has_lfts && !tables.has_matrix) {
        complaint_ = {.what = EngineFault::kNoFile};
        return Status::kAbsent;
    }
    if (tables.has_lfts) {
        std::uint32_t lids = 0;
        for (const FileTable& table : tables.lfts) {
            lids = std::max(lids, table.count);
        }
        lids_.Begin(*task.topology, tables.lft_owners, lids, *task.scratch);
        return Status::kOk;
    }
    const Status read = finder_.Begin(task);
    complaint_ = finder_.complaint();
    return read;
}

Result<Progress> FileEngine::Advance() {
    const EngineTables& tables = task_.options->tables;
    if (!tables.has_lfts) return BuildByMatrix();
    if (!is_prepared_) {
        is_prepared_ = lids_.Advance() == Progress::kDone;
        return Progress::kMore;
    }
    if (next_ == tables.lfts.size()) return Progress::kDone;
    const Status copied = CopyTable(tables.lfts[next_++]);
    if (copied != Status::kOk) return copied;
    return next_ == tables.lfts.size() ? Progress::kDone : Progress::kMore;
}

Result<Progress> FileEngine::BuildByMatrix() {
    if (is_prepared_) return builder_.Advance();
    const Result<Progress> prepared = finder_.Prepare();
    if (!prepared.ok()) return prepared.status();
    is_prepared_ = prepared.value() == Progress::kDone;
    if (is_prepared_) builder_.Begin(task_, finder_);
    return Progress::kMore;
}

Status FileEngine::CopyTable(const FileTable& table) {
    const SwitchIndex at = task_.topology->FindSwitch(table.guid);
    if (at == kNoSwitch) return Status::kOk;
    const std::uint8_t port_count = task_.topology->switch_row(at).port_count;
    const auto row = task_.tables.lfts[at];
    for (std::size_t lid = 1; lid < table.count; ++lid) {
        const std::uint8_t port = task_.options->tables.lft_ports[table.first + lid];
        if (port == kNoHops) continue;  // The file has no line for it.
        if (port > port_count) {
            complaint_ = {.what = EngineFault::kUnknownPort,
                          .guid = table.guid,
                          .port = static_cast<PortNumber>(port)};
            return Status::kMalformed;
        }
        const Lid today = lids_.Today(lid);
        if (today != kNoLid) row[Raw(today)] = port;
    }
    return Status::kOk;
}

}  // namespace ember
