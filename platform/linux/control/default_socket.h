// SPDX-License-Identifier: Apache-2.0
// EmberSM: where embersm and emberctl meet unless told otherwise.
#pragma once

#include <string_view>

namespace ember {

inline constexpr std::string_view kDefaultSocket = "/run/embersm/embersm.sock";

}  // namespace ember
