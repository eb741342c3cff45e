// SPDX-License-Identifier: Apache-2.0
// EmberSM: registrations that come with the configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ember {

/// The registrations of clients that a configuration brings: sa_db_file, which emberc has turned
/// into a journal of the form that sa_frames.h describes. So one reader serves both.
///
/// Its generation is 0, its clock counts microseconds since 1970, and no frame has more than
/// kMaxSaFileFrameBytes: every board has a buffer for them.
struct SaFile {
    std::span<const std::byte> octets;  ///< None: no file.
    std::uint64_t unix_s = 0;           ///< Today; 0: the machine does not know.
};

inline constexpr std::size_t kMaxSaFileFrameBytes = 1024;

/// Whether `octets` are such a journal from the first to the last: frames that follow each other,
/// which only tell what is there, and kComplete at the very end. Bodies are not judged.
[[nodiscard]] bool IsSaFile(std::span<const std::byte> octets);

}  // namespace ember
