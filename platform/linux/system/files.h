// SPDX-License-Identifier: Apache-2.0
// EmberSM: files that are read whole, and begun where nothing may stand in their way.
#pragma once

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <sys/types.h>

namespace ember {

/// Reads a file into `room`. `octets` tells how many there were. Empty: it worked; else one
/// sentence that calls the file `what`.
[[nodiscard]] std::string ReadWhole(const std::string& path, const std::string& what,
                                    std::span<std::byte> room, std::size_t& octets);

/// The same without the heap: what became of it.
struct FileReading {
    std::size_t octets = 0;
    int error = 0;  ///< errno, or kNotAFile; 0: none.
    bool too_large = false;
};
[[nodiscard]] FileReading ReadInto(const char* path, std::span<std::byte> room);

/// The meaning of FileReading::error, for people.
[[nodiscard]] const char* WhyUnread(int error);

/// Likewise for a text of any sensible length.
[[nodiscard]] std::string ReadText(const std::string& path, const std::string& what,
                                   std::string& text);

/// True when `path` is there, or has a slash or a dot in it, as the names of files have.
[[nodiscard]] bool LooksLikeFile(const std::string& path);

/// Opens for reading what has the name in the directory `directory`, an open descriptor or
/// AT_FDCWD, if it is a regular file: a pipe or device would keep the program waiting. `flags`:
/// O_NOFOLLOW or 0. Uses no heap. Returns the descriptor, or -1 and errno, which is EISDIR or, for
/// what is neither file nor directory, kNotAFile.
[[nodiscard]] int OpenRegularFile(int directory, const char* name, int flags);
inline constexpr int kNotAFile = ESPIPE;

/// Opens the directory that keeps the state of the program, made if it is not there. Empty: it
/// worked. Else a sentence: who may write in there puts keys and LIDs in their place, so it must
/// belong to the user of this process, or to root, and be writable by no other.
[[nodiscard]] std::string OpenStateDirectory(const std::string& path, int& descriptor);

/// Takes away what has the name in the directory `directory`, an open descriptor, and makes an
/// empty file of that name for writing, with `mode` less the umask. Files that others put there (a
/// symbolic link, a hard link to a file of theirs) are never written to. Uses no heap. Returns the
/// descriptor, or -1, and errno tells why.
[[nodiscard]] int OpenFreshFile(int directory, const char* name, mode_t mode);

}  // namespace ember
