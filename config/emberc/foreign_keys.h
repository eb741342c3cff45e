// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of other subnet managers.
#pragma once

#include <string_view>

namespace ember::emberc {

/// What the key `name` of NVIDIA's subnet manager is about, where EmberSM has no key of that name;
/// empty for a name that is not a key of it either. Source: NVIDIA's release notes and manuals of
/// MLNXSM and UFM, which list the names.
[[nodiscard]] std::string_view FeatureOfForeignKey(std::string_view name);

}  // namespace ember::emberc
