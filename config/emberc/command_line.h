// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc's command line.
#pragma once

#include <filesystem>
#include <span>

namespace ember::plan {
struct Board;
}

namespace ember::emberc {

/// Does what the arguments say and returns an ExitStatus. Throws nothing. `boards` are those that a
/// fabric can be planned for. Files that no option names are looked for in `default_folder`; empty:
/// where OpenSM has them.
[[nodiscard]] int Run(int argc, const char* const* argv, std::span<const plan::Board> boards,
                      const std::filesystem::path& default_folder = {});

}  // namespace ember::emberc
