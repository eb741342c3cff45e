// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys whose loss the user accepts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ember::emberc {

/// The options --allow, --deny and --without-partitions: keys whose effect is given up, and codes
/// of diagnostics.
struct Allowances {
    std::vector<std::string> keys;    ///< And codes whose warnings are allowed.
    std::vector<std::string> denied;  ///< Codes whose diagnostics are errors.
    /// False where no blob is written, as for a plan: what would be an error is a warning.
    bool refuses = true;

    [[nodiscard]] bool Has(std::string_view key) const {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    }
};

/// The key whose file --without-partitions leaves out. EmberSM acts on it: to allow its loss is to
/// go without partitions.
inline constexpr std::string_view kPartitionsKey = "partition_config_file";

}  // namespace ember::emberc
