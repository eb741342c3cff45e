// SPDX-License-Identifier: Apache-2.0
// EmberSM: files that are read whole, and begun where nothing may stand in their way.

#include "platform/linux/system/files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ember {

namespace {

/// A netlist of the largest fabric has some tens of MiB.
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20U;

}  // namespace

FileReading ReadInto(const char* path, std::span<std::byte> room) {
    FileReading reading;
    const int file = OpenRegularFile(AT_FDCWD, path, 0);
    if (file < 0) {
        reading.error = errno;
        return reading;
    }
    ssize_t got = 1;
    while (got > 0 && reading.octets < room.size()) {  // Ends: every turn but the last reads.
        got = read(file, room.data() + reading.octets, room.size() - reading.octets);
        if (got > 0) reading.octets += static_cast<std::size_t>(got);
        if (got < 0 && errno == EINTR) got = 1;
    }
    if (got < 0) reading.error = errno;
    std::byte beyond{};
    reading.too_large = got > 0 && read(file, &beyond, 1) > 0;
    close(file);
    return reading;
}

std::string ReadWhole(const std::string& path, const std::string& what, std::span<std::byte> room,
                      std::size_t& octets) {
    const std::string name = what + " " + path;
    const FileReading reading = ReadInto(path.c_str(), room);
    octets = reading.octets;
    if (reading.error != 0) return "cannot read " + name + ": " + WhyUnread(reading.error);
    if (reading.too_large) {
        return name + " is larger than the " + std::to_string(room.size()) +
               " octets that are set aside for it";
    }
    return {};
}

bool LooksLikeFile(const std::string& path) {
    return access(path.c_str(), F_OK) == 0 || path.find_first_of("/.") != std::string::npos;
}

std::string ReadText(const std::string& path, const std::string& what, std::string& text) {
    text.resize(kMaxTextBytes);
    std::size_t octets = 0;
    std::string wrong = ReadWhole(path, what, std::as_writable_bytes(std::span(text)), octets);
    text.resize(octets);
    text.shrink_to_fit();
    return wrong;
}

const char* WhyUnread(int error) {
    return error == kNotAFile ? "it is no regular file" : strerrordesc_np(error);
}

int OpenRegularFile(int directory, const char* name, int flags) {
    const int file = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
    if (file < 0) return -1;
    struct stat about {};
    const int unknown = fstat(file, &about) < 0 ? errno : 0;
    if (unknown == 0 && S_ISREG(about.st_mode)) return file;
    close(file);
    errno = unknown != 0 ? unknown : S_ISDIR(about.st_mode) ? EISDIR : kNotAFile;
    return -1;
}

std::string OpenStateDirectory(const std::string& path, int& descriptor) {
    const std::string name = "the state directory " + path;
    if (mkdir(path.c_str(), 0700) < 0 && errno != EEXIST) {
        return "cannot make " + name + ": " + std::strerror(errno);
    }
    descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat about {};
    if (descriptor < 0 || fstat(descriptor, &about) < 0) {
        return "cannot open " + name + ": " + std::strerror(errno);
    }
    if (about.st_uid != geteuid() && about.st_uid != 0) {
        return name +
               " belongs to another user, who may put keys and LIDs in there: chown it to "
               "the user that embersm runs as";
    }
    if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return name + " is writable by others, who may put keys and LIDs in there: chmod go-w it";
    }
    if (faccessat(descriptor, ".", R_OK | W_OK | X_OK, 0) < 0) {
        return "cannot write in " + name + ": " + std::strerror(errno);
    }
    return {};
}

int OpenFreshFile(int directory, const char* name, mode_t mode) {
    if (unlinkat(directory, name, 0) < 0 && errno != ENOENT) return -1;
    return openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

}  // namespace ember
