// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys whose loss the user accepts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ember::emberc {

/// What --allow and --without-partitions say about keys that have no effect.
struct Allowances {
    std::vector<std::string> keys;
    /// False where no blob is written, as for a plan: what would be an error is a warning.
    bool refuses = true;

    [[nodiscard]] bool Has(std::string_view key) const {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    }
};

/// The key that --without-partitions allows, and with it those that count only beside it.
inline constexpr std::string_view kPartitionsKey = "partition_config_file";

}  // namespace ember::emberc
