// SPDX-License-Identifier: Apache-2.0
// EmberSM: files that emberctl writes, with the caller's rights: whole or not at all.

#include "platform/linux/emberctl/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "platform/linux/emberctl/client.h"

namespace ember::ctl {

namespace {

/// Left by others that were killed, under the number that this process has now.
constexpr int kMostLeftovers = 100;

/// ".NAME.PID-N".
bool IsUnfinished(std::string_view other, const std::string& name) {
    const std::string front = fmt::format(".{}.", name);
    if (!other.starts_with(front)) return false;
    other.remove_prefix(front.size());
    const std::size_t dash = other.find('-');
    const bool has_both = dash != 0 && dash != std::string_view::npos && dash + 1 < other.size();
    return has_both && other.find_first_not_of("0123456789-") == std::string_view::npos;
}

}  // namespace

OutputDirectory::OutputDirectory(const std::string& path) : path_(path) {
    descriptor_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ >= 0) return;
    const int error = errno;
    struct stat found {};
    const bool is_link = lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
    throw Trouble(kUnwritable,
                  is_link ? fmt::format("{} is a symbolic link, which is not followed: name the "
                                        "directory that it leads to",
                                        path)
                          : fmt::format("cannot write to {}: {}", path, std::strerror(error)));
}

OutputDirectory::~OutputDirectory() {
    close(descriptor_);
}

std::string OutputDirectory::PathOf(std::string_view name) const {
    return fmt::format("{}{}{}", path_, path_.ends_with('/') ? "" : "/", name);
}

void OutputDirectory::Remove(const std::string& name) const {
    struct stat found {};
    if (fstatat(descriptor_, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) < 0) return;
    if (S_ISREG(found.st_mode)) unlinkat(descriptor_, name.c_str(), 0);
}

void OutputDirectory::RemoveLeftovers(const std::string& name) const {
    // Another open file description, for the place in the directory is part of one.
    const int again = openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const listing = again < 0 ? nullptr : fdopendir(again);
    if (listing == nullptr) {
        if (again >= 0) close(again);
        return;
    }
    while (const dirent* const entry = readdir(listing)) {
        const std::string other = &entry->d_name[0];
        if (!IsUnfinished(other, name)) continue;
        const int left =
            openat(descriptor_, other.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (left < 0) continue;
        struct stat found {};
        const bool is_file = fstat(left, &found) == 0 && S_ISREG(found.st_mode);
        if (is_file && flock(left, LOCK_EX | LOCK_NB) == 0) unlinkat(descriptor_, other.c_str(), 0);
        close(left);
    }
    closedir(listing);
}

OutputFile::OutputFile(const OutputDirectory& directory, std::string name, Reader reader)
    : directory_(directory), name_(std::move(name)) {
    RefuseWhatIsNoFile();
    directory_.RemoveLeftovers(name_);
    Create(reader == Reader::kOwner ? 0600 : 0644);
}

void OutputFile::Create(mode_t mode) {
    for (int i = 0; i < kMostLeftovers; ++i) {
        unfinished_ = fmt::format(".{}.{}-{}", name_, getpid(), i);
        descriptor_ = openat(directory_.descriptor(), unfinished_.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (descriptor_ < 0 && errno != EEXIST) break;
        if (descriptor_ < 0) continue;
        // Another emberctl that looks for leftovers may lock it between opening and flock().
        struct stat found {};
        const bool is_ours = flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        if (is_ours && fstat(descriptor_, &found) == 0 && found.st_nlink == 1) return;
        close(std::exchange(descriptor_, -1));
        errno = EEXIST;
    }
    const int error = errno;
    unfinished_.clear();
    Fail(error);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!unfinished_.empty()) unlinkat(directory_.descriptor(), unfinished_.c_str(), 0);
}

void OutputFile::Write(std::string_view octets) {
    while (!octets.empty()) {
        const ssize_t wrote = write(descriptor_, octets.data(), octets.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) Fail(errno);
        octets.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

void OutputFile::Clear() {
    if (ftruncate(descriptor_, 0) < 0 || lseek(descriptor_, 0, SEEK_SET) < 0) Fail(errno);
}

void OutputFile::Commit() {
    RefuseWhatIsNoFile();  // Something may have come meanwhile. A rename follows no link anyway.
    const int held = dup(descriptor_);  // The lock stays until the name is another.
    const int closed = close(std::exchange(descriptor_, held));
    if (closed < 0) Fail(errno);
    const int directory = directory_.descriptor();
    if (renameat(directory, unfinished_.c_str(), directory, name_.c_str()) < 0) Fail(errno);
    unfinished_.clear();
}

void OutputFile::Fail(int error) const {
    throw Trouble(kUnwritable, fmt::format("cannot write {}: {}", directory_.PathOf(name_),
                                           std::strerror(error)));
}

void OutputFile::RefuseWhatIsNoFile() const {
    struct stat found {};
    if (fstatat(directory_.descriptor(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) < 0) return;
    if (S_ISREG(found.st_mode)) return;
    throw Trouble(kUnwritable, fmt::format("{} is no regular file, and is left alone",
                                           directory_.PathOf(name_)));
}

}  // namespace ember::ctl
