// SPDX-License-Identifier: Apache-2.0
// EmberSM: every key, in the order of the schema.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "config/keys/added_keys.h"
#include "config/keys/quality_keys.h"
#include "config/keys/routing_keys.h"
#include "config/keys/service_keys.h"
#include "config/keys/subnet_keys.h"

namespace ember::emberc {

/// A heading of docs/configuration.md and the keys under it.
struct KeySection {
    std::string_view heading;
    std::span<const Key> keys;
};

/// All keys: the fields of table Settings in the schema's order. A new key is EmberSM's own and
/// goes to the end, as its field does.
inline constexpr std::array kKeySections = {
    KeySection{"Device, keys, LIDs", rows::kDeviceKeys},
    KeySection{"Link and port values", rows::kLinkKeys},
    KeySection{"Partitions", rows::kPartitionKeys},
    KeySection{"Sweeping and sending", rows::kSweepKeys},
    KeySection{"Role", rows::kRoleKeys},
    KeySection{"Routing", rows::kRoutingKeys},
    KeySection{"Quality of service", rows::kQosKeys},
    KeySection{"Congestion control", rows::kCongestionKeys},
    KeySection{"SA and multicast", rows::kAdministrationKeys},
    KeySection{"Logging, dumps, console, plug-ins", rows::kLoggingKeys},
    KeySection{"Performance manager", rows::kPerformanceKeys},
    KeySection{"NVIDIA's additions", rows::kNvidiaKeys},
    KeySection{"EmberSM's own", rows::kOwnKeys},
};

inline constexpr std::size_t kKeyCount = [] {
    std::size_t count = 0;
    for (const KeySection& section : kKeySections) {
        count += section.keys.size();
    }
    return count;
}();

/// The rows of all sections as `Row`, which is Key or what a Key has of it.
template <typename Row>
[[nodiscard]] consteval std::array<Row, kKeyCount> AllKeysAs() {
    std::array<Row, kKeyCount> all{};
    std::size_t at = 0;
    for (const KeySection& section : kKeySections) {
        for (const Key& key : section.keys) {
            all[at++] = static_cast<const Row&>(key);
        }
    }
    return all;
}

}  // namespace ember::emberc
