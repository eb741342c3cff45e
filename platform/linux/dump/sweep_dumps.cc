// SPDX-License-Identifier: Apache-2.0
// EmberSM: dump files that are written by themselves, as sa_db_dump and log_flags want it.
#include "platform/linux/dump/sweep_dumps.h"

#include <cstring>

namespace ember {

std::string SweepDumps::Open(const std::string& directory) {
    directory_ = directory;
    if (directory.empty()) return {};
    if (sink_.Open(directory.c_str()) != Status::kOk) {
        return "cannot open the directory " + directory + ": " + std::strerror(sink_.error());
    }
    sink_.Close();  // The directory is opened anew each time: it may be replaced meanwhile.
    return {};
}

bool SweepDumps::IsSet(const Wish& wish) const {
    const Settings& settings = sm_.settings();
    return wish.extent == DumpExtent::kRegistrations ? settings.sa_db_dump
                                                     : (settings.log_flags & kLogRouting) != 0;
}

/// Changes of registrations, or runs of the router: what a dump tells of is new where it differs.
std::uint64_t SweepDumps::StateOf(const Wish& wish) const {
    return wish.extent == DumpExtent::kRegistrations ? sm_.sa_journal().status().changes
                                                     : sm_.router().runs();
}

bool SweepDumps::IsWanted(Wish& wish) {
    if (!IsSet(wish)) {
        wish.logged_nowhere = false;
        return false;
    }
    if (!directory_.empty()) return true;
    if (!wish.logged_nowhere) LogNowhere(wish);
    wish.logged_nowhere = true;
    return false;
}

bool SweepDumps::IsDue(Wish& wish) {
    if (!IsWanted(wish) || !sm_.role().is_master()) {
        wish.has_written = false;
        return false;
    }
    return !wish.has_written || wish.changes != StateOf(wish);
}

/// The one is considered when the other has ended.
void SweepDumps::Consider() {
    const SubnetStatus& status = sm_.progress();
    if (status.stage != Stage::kResting || status.up_count == 0) return;
    const std::uint64_t sweeps = status.heavy_sweeps + status.light_sweeps;
    if (sweeps == sweeps_ || job_.running()) return;
    if (IsDue(routing_) && routing_tried_ != sweeps) {
        routing_tried_ = sweeps;
        return Begin(routing_);
    }
    sweeps_ = sweeps;
    if (IsDue(registrations_)) Begin(registrations_);
}

void SweepDumps::Begin(Wish& wish) {
    ours_ = &wish;
    begun_with_ = StateOf(wish);
    const bool is_open = sink_.Open(directory_.c_str()) == Status::kOk;
    const DumpEnd how = is_open ? job_.Begin(sm_, sink_, wish.extent) : DumpEnd::kUnwritable;
    if (how != DumpEnd::kRunning) static_cast<void>(Took(how));
}

bool SweepDumps::Took(DumpEnd how) {
    if (ours_ == nullptr) return false;
    Wish& wish = *ours_;
    ours_ = nullptr;
    sink_.Close();
    wish.has_written = how == DumpEnd::kWritten;
    // Registrations may change while their file is written, and it is begun anew then.
    wish.changes = wish.extent == DumpExtent::kRegistrations ? job_.changes() : begun_with_;
    LogEnd(wish, how);
    return true;
}

void SweepDumps::LogNowhere(const Wish& wish) {
    if (wish.extent == DumpExtent::kRegistrations) {
        sm_.log().Write<Note::kSaDumpNowhere>(sm_.now_us());
    } else {
        sm_.log().Write<Note::kRoutingDumpNowhere>(sm_.now_us());
    }
}

void SweepDumps::LogEnd(const Wish& wish, DumpEnd how) {
    Log& log = sm_.log();
    const std::uint64_t now_us = sm_.now_us();
    const bool is_routing = wish.extent == DumpExtent::kRouting;
    if (how == DumpEnd::kWritten && is_routing) {
        log.Write<Note::kRoutingDumped>(now_us, job_.written_bytes());
    } else if (how == DumpEnd::kWritten) {
        log.Write<Note::kSaDumped>(now_us, job_.written_bytes());
    } else if (how == DumpEnd::kUnwritable && is_routing) {
        log.WriteSparingly<Note::kRoutingDumpFailed>(now_us, sink_.error());
    } else if (how == DumpEnd::kUnwritable) {
        log.WriteSparingly<Note::kSaDumpFailed>(now_us, sink_.error());
    }
}

bool SweepDumps::owes() const {
    const bool is_wanted = IsSet(routing_) || IsSet(registrations_);
    const SubnetStatus& status = sm_.progress();
    if (directory_.empty() || !is_wanted || status.up_count != 1) return false;
    return ours_ != nullptr || sweeps_ != status.heavy_sweeps + status.light_sweeps;
}

void SweepDumps::GiveWay() {
    if (ours_ == nullptr) return;
    job_.GiveUp();
    static_cast<void>(Took(DumpEnd::kMoved));
}

}  // namespace ember
