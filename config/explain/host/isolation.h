// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether a configuration keeps ports apart, in words.
#pragma once

#include <cstdint>
#include <string>

namespace ember::explain {

/// "8 partitions", the default one among them; or that there are none, which the words say aloud:
/// it is what a file that was forgotten looks like. The same words stand below a check, a blob that
/// was made or verified, and in the status of the subnet manager that runs it.
[[nodiscard]] inline std::string IsolationText(std::uint64_t partitions) {
    if (partitions == 0) return "NO partitions: every port may talk with every other";
    return std::to_string(partitions) + (partitions == 1 ? " partition" : " partitions");
}

}  // namespace ember::explain
