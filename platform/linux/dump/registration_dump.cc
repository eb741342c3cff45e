// SPDX-License-Identifier: Apache-2.0
// EmberSM: what clients register, written out by itself as sa_db_dump wants it.
#include "platform/linux/dump/registration_dump.h"

#include <cstring>

namespace ember {

std::string RegistrationDump::Open(const std::string& directory) {
    directory_ = directory;
    if (directory.empty()) return {};
    if (sink_.Open(directory.c_str()) != Status::kOk) {
        return "cannot open the directory " + directory + ": " + std::strerror(sink_.error());
    }
    sink_.Close();  // It is opened anew each time: it may be replaced meanwhile.
    return {};
}

bool RegistrationDump::IsWanted() {
    if (!sm_.settings().sa_db_dump) {
        told_nowhere_ = false;
        return false;
    }
    if (!directory_.empty()) return true;
    if (!told_nowhere_) sm_.log().Write<Note::kSaDumpNowhere>(sm_.now_us());
    told_nowhere_ = true;
    return false;
}

void RegistrationDump::Consider() {
    const SubnetStatus& status = sm_.progress();
    if (status.stage != Stage::kResting || status.up_count == 0) return;
    const std::uint64_t sweeps = status.heavy_sweeps + status.light_sweeps;
    if (sweeps == sweeps_ || job_.running()) return;
    sweeps_ = sweeps;
    if (!IsWanted() || !sm_.role().is_master()) {
        has_written_ = false;
        return;
    }
    if (has_written_ && changes_ == sm_.sa_journal().status().changes) return;
    const DumpEnd how = Begin();
    is_ours_ = true;
    if (how != DumpEnd::kRunning) static_cast<void>(Took(how));
}

DumpEnd RegistrationDump::Begin() {
    if (sink_.Open(directory_.c_str()) != Status::kOk) return DumpEnd::kUnwritable;
    return job_.Begin(sm_, sink_, DumpExtent::kRegistrations);
}

bool RegistrationDump::Took(DumpEnd how) {
    if (!is_ours_) return false;
    is_ours_ = false;
    sink_.Close();
    has_written_ = how == DumpEnd::kWritten;
    if (how == DumpEnd::kWritten) {
        changes_ = job_.changes();
        sm_.log().Write<Note::kSaDumped>(sm_.now_us(), job_.written_bytes());
    } else if (how == DumpEnd::kUnwritable) {
        sm_.log().WriteSparingly<Note::kSaDumpFailed>(sm_.now_us(), sink_.error());
    }
    return true;
}

void RegistrationDump::GiveWay() {
    if (!is_ours_) return;
    job_.GiveUp();
    static_cast<void>(Took(DumpEnd::kMoved));
}

}  // namespace ember
