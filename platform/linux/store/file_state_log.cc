// SPDX-License-Identifier: Apache-2.0
// EmberSM: a log in a file that is written by a thread of its own.

#include "platform/linux/store/file_state_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/system/files.h"
#include "platform/linux/system/locked.h"

namespace ember {

namespace {

constexpr char kName[] = "sa-journal";
constexpr char kFreshName[] = "sa-journal.new";

}  // namespace

FileStateLog::~FileStateLog() {
    Finish();
    for (const int fd : {old_, fresh_, directory_}) {
        if (fd >= 0) close(fd);
    }
}

std::string FileStateLog::Open(const std::string& directory) {
    const std::string wrong = OpenStateDirectory(directory, directory_);
    if (!wrong.empty()) return wrong;
    old_ = OpenRegularFile(directory_, kName, O_NOFOLLOW);
    old_error_ = old_ < 0 ? errno : 0;
    struct stat about {};
    if (old_ >= 0 && fstat(old_, &about) == 0) old_written_s_ = about.st_mtime;

    return thread_.Start([](void* self) { static_cast<FileStateLog*>(self)->Loop(); }, this);
}

void FileStateLog::Finish() {
    thread_.Finish();
}

Result<std::size_t> FileStateLog::Read(std::uint64_t offset, std::span<std::byte> octets) {
    if (old_ < 0) return old_error_ == ENOENT ? Status::kAbsent : Status::kDevice;
    std::size_t filled = 0;
    while (filled < octets.size()) {  // Ends: every turn reads an octet at least, or leaves.
        const ssize_t got = pread(old_, octets.data() + filled, octets.size() - filled,
                                  static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Status::kDevice;
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

/// A clock that was set back, or was never set, tells nothing.
std::uint64_t FileStateLog::AgeSeconds() {
    const auto now_s = static_cast<std::int64_t>(time(nullptr));
    return old_written_s_ > 0 && now_s > old_written_s_
               ? static_cast<std::uint64_t>(now_s - old_written_s_)
               : 0;
}

Status FileStateLog::Begin() {
    const Locked locked(thread_.lock());
    if (!thread_.is_running()) return Status::kDevice;
    if (IsAsked() || is_working_) return Status::kBusy;
    begins_ = true;
    has_failed_ = false;
    committing_ = Committing::kNot;
    safe_ = 0;
    thread_.Wake();
    return Status::kOk;
}

Status FileStateLog::Append(std::span<const std::byte> octets) {
    const std::size_t half = room_.size() / 2;
    const Locked locked(thread_.lock());
    if (!thread_.is_running() || has_failed_) return Status::kDevice;
    if (octets.size() > half) return Status::kFull;
    if (octets.size() > half - filled_ || committing_ != Committing::kNot) return Status::kBusy;
    std::copy(octets.begin(), octets.end(),
              room_.begin() + static_cast<std::ptrdiff_t>(half_ * half + filled_));
    filled_ += octets.size();
    thread_.Wake();
    return Status::kOk;
}

Status FileStateLog::Commit() {
    const Locked locked(thread_.lock());
    if (!thread_.is_running() || has_failed_) return Status::kDevice;
    if (committing_ == Committing::kDone) {
        committing_ = Committing::kNot;
        return Status::kOk;
    }
    committing_ = Committing::kAsked;
    thread_.Wake();
    return Status::kBusy;
}

std::uint64_t FileStateLog::SafeBytes() const {
    const Locked locked(thread_.lock());
    return safe_;
}

/// Sleeps until there is something to do, and takes all of it; false: there never will be.
bool FileStateLog::AwaitWork(Work& work) {
    const Locked locked(thread_.lock());
    while (!IsAsked() && !thread_.shall_end()) {
        thread_.Sleep();
    }
    if (!IsAsked()) return false;
    const std::size_t half = room_.size() / 2;
    work = {begins_, committing_ == Committing::kAsked, room_.subspan(half_ * half, filled_)};
    half_ = 1 - half_;
    filled_ = 0;
    begins_ = false;
    is_working_ = true;
    return true;
}

void FileStateLog::Loop() {
    Work work;
    while (AwaitWork(work)) {  // Ends with Finish().
        const bool done = Do(work);
        const Locked locked(thread_.lock());
        is_working_ = false;
        if (done) {
            safe_ += work.octets.size();
            if (work.commits) committing_ = Committing::kDone;
        } else {
            has_failed_ = true;
            filled_ = 0;
            // Asked meanwhile or not: what is torn must not take the place of what is whole.
            committing_ = Committing::kNot;
        }
    }
}

bool FileStateLog::Do(const Work& work) {
    if (work.begins && !OpenFresh()) return false;
    if (fresh_ < 0 || !WriteOut(work.octets)) return false;
    return !work.commits || TakeOver();
}

bool FileStateLog::OpenFresh() {
    if (fresh_ >= 0) close(fresh_);
    fresh_ = OpenFreshFile(directory_, kFreshName, 0600);
    return fresh_ >= 0;
}

bool FileStateLog::WriteOut(std::span<const std::byte> octets) const {
    if (octets.empty()) return true;
    while (!octets.empty()) {  // Ends: every turn writes at least one octet or gives up.
        const ssize_t wrote = write(fresh_, octets.data(), octets.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        octets = octets.subspan(static_cast<std::size_t>(wrote));
    }
    return fdatasync(fresh_) == 0;
}

bool FileStateLog::TakeOver() const {
    if (fsync(fresh_) < 0) return false;
    if (renameat(directory_, kFreshName, directory_, kName) < 0) return false;
    // A directory on a file system that cannot flush one (EINVAL) has done what it could.
    return fsync(directory_) == 0 || errno == EINVAL;
}

}  // namespace ember
