// SPDX-License-Identifier: Apache-2.0
// EmberSM: the version of EmberSM.
#pragma once

#include <string_view>

namespace ember {

/// The version of the whole project; a test holds it to CMakeLists.txt.
inline constexpr std::string_view kEmberVersion = "0.1.0";

}  // namespace ember
