// SPDX-License-Identifier: Apache-2.0
// EmberSM: files on the host: reading, writing, where they are, and the time that goes into them.
#include "config/emberc/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ember::emberc {
namespace {

constexpr std::size_t kFirstPart = 65536;

[[noreturn]] void Fail(std::string_view what, const std::filesystem::path& path) {
    throw FileError(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

/// A descriptor that is closed when its scope ends.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ > STDERR_FILENO) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

void WriteAll(int descriptor, std::span<const std::byte> octets,
              const std::filesystem::path& path) {
    while (!octets.empty()) {
        const ssize_t written = ::write(descriptor, octets.data(), octets.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) Fail("write", path);
        octets = octets.subspan(static_cast<std::size_t>(written));
    }
}

[[noreturn]] void FailAsTooLarge(const std::filesystem::path& path) {
    throw FileError(fmt::format("{} is too large to be what it should be", path.string()));
}

template <typename Octets>
Octets ReadAll(const Descriptor& file, const std::filesystem::path& path, std::size_t largest) {
    if (file.number() < 0) Fail("read", path);
    Octets octets;
    std::size_t filled = 0;
    while (true) {
        if (filled > largest) FailAsTooLarge(path);
        if (filled == octets.size()) octets.resize(std::max(kFirstPart, 2 * filled));
        const ssize_t got = ::read(file.number(), octets.data() + filled, octets.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) Fail("read", path);
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    octets.resize(filled);
    return octets;
}

/// A file that the command line names may be a pipe.
template <typename Octets>
Octets ReadNamed(const std::filesystem::path& path, std::size_t largest) {
    const Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return ReadAll<Octets>(file, path, largest);
}

/// A name is durable once its folder is; not every file system can flush one, so no error counts.
void FlushFolderOf(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number() >= 0) (void)::fsync(opened.number());
}

}  // namespace

std::vector<std::byte> ReadFile(const std::filesystem::path& path) {
    return ReadNamed<std::vector<std::byte>>(path, kLargestFile);
}

std::string ReadText(const std::filesystem::path& path, std::size_t largest) {
    return ReadNamed<std::string>(path, largest);
}

std::string ReadOptionText(const std::filesystem::path& path, std::size_t largest) {
    // The open of a pipe without a writer would wait.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat about {};
    if (file.number() < 0 || ::fstat(file.number(), &about) < 0) Fail("read", path);
    if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
        throw FileError(fmt::format("cannot read {}: it is no regular file", path.string()));
    }
    if (S_ISREG(about.st_mode) && static_cast<std::uint64_t>(about.st_size) > largest) {
        FailAsTooLarge(path);
    }
    return ReadAll<std::string>(file, path, largest);
}

void WriteFile(const std::filesystem::path& name, std::span<const std::byte> octets,
               Access access) {
    struct stat about {};
    const bool is_there = ::stat(name.c_str(), &about) == 0;
    if (is_there && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
        const Descriptor device(::open(name.c_str(), O_WRONLY | O_CLOEXEC));
        if (device.number() < 0) Fail("write", name);
        WriteAll(device.number(), octets, name);
        return;
    }
    // A link stays: the new file takes the place of the one that it leads to.
    std::error_code error;
    std::filesystem::path path = is_there ? std::filesystem::canonical(name, error) : name;
    if (error) path = name;
    std::string temporary = path.string() + ".XXXXXX";
    const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));  // Created with mode 0600.
    if (file.number() < 0) Fail("write", path);
    try {
        WriteAll(file.number(), octets, path);
        const bool done = (access == Access::kOwner || ::fchmod(file.number(), 0644) == 0) &&
                          ::fsync(file.number()) == 0 &&
                          ::rename(temporary.c_str(), path.c_str()) == 0;
        if (!done) Fail("write", path);
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    FlushFolderOf(path);
}

void WriteText(const std::filesystem::path& path, std::string_view text, Access access) {
    WriteFile(path, std::as_bytes(std::span(text)), access);
}

namespace {

// Folders that OpenSM is built for: by itself, by Red Hat and its kin, from source, within UFM.
constexpr std::array<std::string_view, 4> kFolders = {
    "/etc/opensm", "/etc/rdma", "/usr/local/etc/opensm", "/opt/ufm/files/conf/opensm"};

}  // namespace

bool IsDefaultName(std::string_view name, std::string_view default_name) {
    if (name == default_name) return true;
    const std::filesystem::path by_default(default_name);
    if (by_default.parent_path() != kFolders.front()) return false;
    const std::filesystem::path here(name);
    return here.filename() == by_default.filename() &&
           std::find(kFolders.begin(), kFolders.end(), here.parent_path().string()) !=
               kFolders.end();
}

std::filesystem::path PathOf(std::string_view name, std::string_view default_name,
                             const FilePlaces& places) {
    if (!places.default_folder.empty() && IsDefaultName(name, default_name)) {
        return places.default_folder / std::filesystem::path(name).filename();
    }
    // "./" keeps a file called "-" from being standard input.
    return (places.folder.empty() ? "." : places.folder) / std::filesystem::path(name);
}

bool IsThere(const std::filesystem::path& path) {
    std::error_code unknown;
    return std::filesystem::status(path, unknown).type() != std::filesystem::file_type::not_found;
}

std::uint64_t SourceDate() {
    const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
    if (epoch == nullptr) return static_cast<std::uint64_t>(std::time(nullptr));
    const std::string_view text = epoch;
    std::uint64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw DateError(
            fmt::format("SOURCE_DATE_EPOCH is \"{}\", not a number of seconds since 1970", text));
    }
    return seconds;
}

std::string DateText(std::uint64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    std::array<char, 64> text{};
    if (gmtime_r(&time, &parts) == nullptr ||
        std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
        return fmt::format("{} s after 1970", seconds);
    }
    return text.data();
}

}  // namespace ember::emberc
