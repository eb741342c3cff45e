// SPDX-License-Identifier: Apache-2.0
// EmberSM: the options that an engine looks at, put together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace ember {

/// `options` and `more`: the keys of opensm.conf that a builder looks at, and those that the engine
/// looks at beside it.
template <std::size_t kCount, typename... More>
[[nodiscard]] constexpr std::array<std::string_view, kCount + sizeof...(More)> WithOptions(
    const std::array<std::string_view, kCount>& options, const More&... more) {
    std::array<std::string_view, kCount + sizeof...(More)> all;
    const std::array<std::string_view, sizeof...(More)> others = {more...};
    std::copy(others.begin(), others.end(), std::copy(options.begin(), options.end(), all.begin()));
    return all;
}

}  // namespace ember
