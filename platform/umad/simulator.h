// SPDX-License-Identifier: Apache-2.0
// EmberSM: is the fabric simulator there that a preload stands for?
#pragma once

#include <string>

namespace ember {

/// With a simulator preload (LD_PRELOAD names a library of ibsim's) but without an ibsim to talk
/// to: one sentence that says so. Otherwise empty, without a preload too.
///
/// To be called before anything else opens or reads a file: ibsim's own preload waits for its
/// server for ever, without a word, inside the first such call.
[[nodiscard]] std::string ExplainAbsentSimulator();

}  // namespace ember
