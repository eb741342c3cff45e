// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc's command line.
#pragma once

namespace ember::emberc {

/// Does what the arguments say and returns an ExitStatus. Throws nothing.
[[nodiscard]] int Run(int argc, const char* const* argv);

}  // namespace ember::emberc
