// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberctl's end of a dump.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ember::ctl {

/// The files that a dump has written.
struct DumpResult {
    std::vector<std::string> files;  ///< In the order in which they came.
    std::uint64_t bytes = 0;
};

/// Has the subnet manager at `socket` dump, and writes what comes into `directory`, which is there.
/// All of the files appear under their names when the last one is complete. Throws Trouble, and
/// then has written none, or says which; a signal to end is one.
[[nodiscard]] DumpResult Dump(const std::string& socket, const std::string& directory, int seconds);

}  // namespace ember::ctl
