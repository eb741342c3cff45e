// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of other subnet managers.
#pragma once

#include <string_view>

namespace ember::emberc {

/// The feature that the key `name` of NVIDIA's subnet manager is about, where EmberSM has no key of
/// that name; empty for a name that is not a key of it either. Source: NVIDIA's release notes and
/// manuals of MLNXSM and UFM, which list the names.
[[nodiscard]] std::string_view FeatureOfForeignKey(std::string_view name);

/// The key of that list that is nearest to a name, or nothing. Families of keys are not looked at.
[[nodiscard]] std::string_view NearestForeignKey(std::string_view name);

/// The engine that is nearest to one of NVIDIA's manager, by their words in routing_engine; empty
/// where it has none of that name, or has it from OpenSM.
[[nodiscard]] std::string_view NearestToForeignEngine(std::string_view word);

/// A line of that key asks for nothing: its value is 0, FALSE or (null), in whatever spelling, or
/// what NVIDIA's manager writes for it while it is not set.
[[nodiscard]] bool AsksForNothing(std::string_view name, std::string_view value);

}  // namespace ember::emberc
