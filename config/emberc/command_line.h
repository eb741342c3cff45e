// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc's command line.
#pragma once

#include <filesystem>

namespace ember::emberc {

/// Does what the arguments say and returns an ExitStatus. Throws nothing. Files that no option
/// names are looked for in `default_folder`; empty: where OpenSM has them.
[[nodiscard]] int Run(int argc,
                      const char* const* argv,
                      const std::filesystem::path& default_folder = {});

}  // namespace ember::emberc
