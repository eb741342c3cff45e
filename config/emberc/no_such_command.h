// SPDX-License-Identifier: Apache-2.0
// EmberSM: a command line without a command, or with one that there is not.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace ember::emberc {

/// Which word `app`, whose parse() has thrown, was given in the place of a subcommand, and the
/// nearest that there is. Empty where the mistake is another one. For emberc and emberctl.
[[nodiscard]] std::string NoSuchCommand(const CLI::App& app);

}  // namespace ember::emberc
