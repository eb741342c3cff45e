// SPDX-License-Identifier: Apache-2.0
// EmberSM: signed blobs for tests of the process. Apart, because emberc's headers and the core's
// have a Field each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ember::test {

/// A blob whose root_guid_file had the GUIDs 1 to `count`.
[[nodiscard]] std::vector<std::byte> BlobWithRoots(std::uint64_t count, std::uint64_t counter);

/// A blob that has nothing but so many prefixes, 1 to `count`, of a prefix_routes_file.
[[nodiscard]] std::vector<std::byte> BlobWithPrefixes(std::uint64_t count, std::uint64_t counter);

/// A blob that has nothing but a QoS policy of one level, with service level `sl`.
[[nodiscard]] std::vector<std::byte> BlobWithLevel(std::uint8_t sl, std::uint64_t counter);

/// A blob that limits SL 1 of all hosts, as an enhanced_qos_policy_file does.
[[nodiscard]] std::vector<std::byte> BlobWithBandwidths(std::uint64_t counter);

/// The blob that this opensm.conf makes.
[[nodiscard]] std::vector<std::byte> BlobOfConf(std::string_view conf, std::uint64_t counter);

/// The public key that it is signed for, in PEM.
[[nodiscard]] std::string TrustedKeyPem();

}  // namespace ember::test
