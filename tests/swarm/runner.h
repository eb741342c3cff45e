// SPDX-License-Identifier: Apache-2.0
// EmberSM: many stories, and small ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/swarm/swarm.h"

namespace ember::swarm {

/// A story that failed.
struct Failure {
    Case which;
    std::string oracle;  ///< "crash": the process that told it died.
    std::string what;
};

/// Tells a story in a process of its own, so that one that dies is a failure like others.
/// `oracle` empty: all is well.
[[nodiscard]] Failure PlayApart(const Case& which);

/// Seeds `from` .. `from` + `count` - 1, each otherwise as `like`, in `jobs` processes at once.
/// Prints each that fails, with the words that tell it again, and returns them by seed.
[[nodiscard]] std::vector<Failure> PlayMany(std::uint64_t from, std::uint64_t count,
                                            std::uint32_t jobs, const Case& like);

/// The smallest story found in which the same oracle complains: events are left out, in halves and
/// one by one, and the fabric made smaller, as long as it does.
[[nodiscard]] Case Minimise(const Failure& failure);

}  // namespace ember::swarm
