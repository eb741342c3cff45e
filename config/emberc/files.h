// SPDX-License-Identifier: Apache-2.0
// EmberSM: files on the host: reading, writing, where they are, and the time that goes into them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ember::emberc {

/// A file that cannot be read or written, in one sentence.
class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The permissions of a file that is written.
enum class Access {
    kEverybody,  ///< 0644
    kOwner,      ///< 0600, from the first moment on
};

/// More than the largest blob, and than any opensm.conf.
inline constexpr std::size_t kLargestFile = std::size_t{64} << 20U;
/// The forwarding tables of a large fabric as text, of which a switch and LID has a line: 4 GiB, or
/// a quarter of what can be addressed.
inline constexpr std::size_t kLargestTableDump = static_cast<std::size_t>(
    std::min<std::uint64_t>(std::uint64_t{4} << 30U, std::numeric_limits<std::size_t>::max() / 4));

/// "-" is standard input. A file of more than `largest` octets is an error.
[[nodiscard]] std::vector<std::byte> ReadFile(const std::filesystem::path& path);
[[nodiscard]] std::string ReadText(const std::filesystem::path& path,
                                   std::size_t largest = kLargestFile);
/// Of a file that another file names: it must be a regular one, and the size that it has is looked
/// at before anything is read. A device or a pipe would have no end, or keep emberc waiting.
[[nodiscard]] std::string ReadOptionText(const std::filesystem::path& path,
                                         std::size_t largest = kLargestFile);

/// Whole or not at all: a temporary file beside it, flushed to the medium, then renamed; where the
/// path is a link, in the place of what that leads to. A device or a pipe is written to as it is:
/// root's "-o /dev/null" must not put a file there.
void WriteFile(const std::filesystem::path& path, std::span<const std::byte> octets, Access access);
void WriteText(const std::filesystem::path& path, std::string_view text, Access access);

/// Where to look for the files that options name.
struct FilePlaces {
    std::filesystem::path folder;  ///< Of the opensm.conf; relative names count from it.
    bool default_files = true;     ///< False: files that only a default names are left alone.
    std::filesystem::path default_folder;  ///< In the place of /etc/opensm; empty: that itself.
    bool without_partitions = false;       ///< The file of the partitions is left alone.
};

/// Whether `name` is the default name `default_name` of an OpenSM, whichever folder it was built
/// for: /etc/opensm here, /etc/rdma in some distributions.
[[nodiscard]] bool IsDefaultName(std::string_view name, std::string_view default_name);

/// Where the file called `name` is. `default_name` is what the key is set to by default.
[[nodiscard]] std::filesystem::path PathOf(std::string_view name, std::string_view default_name,
                                           const FilePlaces& places);

/// False only where there is surely nothing: what cannot be looked at is there.
[[nodiscard]] bool IsThere(const std::filesystem::path& path);

/// An environment that makes no sense, in one sentence: exit status kUsageIsWrong.
class DateError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Seconds since 1970: now, or what SOURCE_DATE_EPOCH says, which makes builds repeatable
/// (reproducible-builds.org). Throws DateError when that is no number.
[[nodiscard]] std::uint64_t SourceDate();

/// "2026-11-22 19:31:27 UTC".
[[nodiscard]] std::string DateText(std::uint64_t seconds);

}  // namespace ember::emberc
