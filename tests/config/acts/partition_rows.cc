// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of partitions.
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"

namespace ember::acts {
namespace {

constexpr std::uint32_t kHost = 3;  ///< Not the manager's.

std::span<std::uint8_t> TableOf(SimWorld& world) {
    return world.world().PKeyBlock(world.sim().RowOf(kHost, 1), 0);
}

/// The P_Keys of a host's port, from index 0 to the last one, in hexadecimal digits.
std::string Held(SimWorld& world) {
    const std::span<const std::uint8_t> octets = TableOf(world);
    std::string text;
    for (std::size_t i = 0; i < octets.size(); i += 2) {
        text += fmt::format("{:02x}{:02x} ", octets[i], octets[i + 1]);
    }
    while (text.ends_with("0000 ")) {
        text.resize(text.size() - 5);
    }
    return text;
}

std::string PKeysOfAHost(const Settings& settings) {
    return Held(*BringUp(settings));
}

/// Of a host whose port holds P_Key 0x8005 at index 3 already.
std::string PKeysOfAUsedHost(const Settings& settings) {
    SimWorld world(SmallTree());
    const std::span<std::uint8_t> table = TableOf(world);
    table[6] = 0x80;
    table[7] = 0x05;
    world.AddManager(settings);
    EXPECT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    return Held(world);
}

/// Bit 0: the switch port checks what it sends to a host; bit 1: what it receives.
std::string Enforcement(const Settings& settings) {
    const auto world = BringUp(settings);
    const Leaf leaf = FindLeaf(*world);
    return Text(InfoOf(*world, leaf.node, leaf.to_host).Get(PortInfo::kPartitionEnforcement));
}

}  // namespace

std::vector<Row> PartitionRows() {
    const std::vector<File> both = {
        {"site.conf", "Default=0x7fff: ALL=full;\nB=0x3: ALL=both, SELF=full;\n"}};
    const std::vector<File> two = {
        {"site.conf", "Default=0x7fff: ALL=limited, SELF=full;\nB=0x5: ALL=full;\n"}};
    constexpr std::string_view kBeside = "partition_config_file site.conf\n";
    return {
        {"partition_config_file", "site.conf", &PKeysOfAHost, "ffff ", "7fff 8005 ", "", two},
        {"part_enforce", "in", &Enforcement, "3", "2", kBeside, two},
        {"no_partition_enforcement", "TRUE", &Enforcement, "3", "0", kBeside, two},
        {"allow_both_pkeys", "TRUE", &PKeysOfAHost, "ffff 8003 ", "ffff 0003 8003 ", kBeside, both},
        {"keep_pkey_indexes", "FALSE", &PKeysOfAUsedHost, "7fff 0000 0000 8005 ", "7fff 8005 ",
         kBeside, two},
    };
}

}  // namespace ember::acts
