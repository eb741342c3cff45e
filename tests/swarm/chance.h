// SPDX-License-Identifier: Apache-2.0
// EmberSM: streams of chance: one for each part of a story.
#pragma once

#include <cstdint>

#include "config/netlist/random.h"
#include "tests/swarm/story.h"

namespace ember::swarm {

/// A part of a story draws from its own stream, and so changes no other part. New parts go to the
/// end: a number is a stream.
enum class Part : std::uint64_t {
    kFabric = 1,
    kSettings,
    kSeats,
    kEvents,
    kReplication,
    kAmongManagers,
    kSite,  ///< And one for each other part of a site behind it.
};
[[nodiscard]] inline net::Random ChanceOf(const Case& which, Part part, std::uint64_t row = 0) {
    return net::Random(which.seed * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(part) + row);
}

/// Between both, ends included.
[[nodiscard]] inline std::uint32_t Between(net::Random& random, std::uint32_t low,
                                           std::uint32_t high) {
    return low + random.Below(high - low + 1);
}

}  // namespace ember::swarm
