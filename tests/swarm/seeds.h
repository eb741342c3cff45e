// SPDX-License-Identifier: Apache-2.0
// EmberSM: stories that failed once, made small. Each is told in every run.
#pragma once

#include <array>
#include <string_view>

namespace ember::swarm {

struct KeptStory {
    std::string_view which;  ///< As `ember_swarm --seed` takes it.
    std::string_view shown;  ///< What was wrong.
};

// clang-format off
inline constexpr std::array kKeptStories = {
    KeptStory{"1", "the first of all"},
};
// clang-format on

}  // namespace ember::swarm
