// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet whose ports have M_Keys.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "core/fabric/m_key.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

inline constexpr std::uint64_t kSecret = 0x5EC2E7;
inline constexpr std::uint64_t kNextSecret = 0xFE3D5A;
inline constexpr std::uint64_t kForeignKey = 0xF0E1;

[[nodiscard]] inline Settings Guarded(std::uint64_t secret = kSecret, bool per_port = true) {
    Settings settings = BriskSettings();
    settings.m_key = secret;
    settings.m_key_per_port = per_port;
    settings.m_key_protection_level = 2;
    settings.transaction_timeout = 20;
    return settings;
}

class MKeys : public ::testing::Test {
protected:
    MKeys() : world_(net::FatTree2(4)) {}

    /// Rows of ports that have an M_Key of their own, and a cable.
    [[nodiscard]] std::vector<std::uint32_t> EndPorts() {
        std::vector<std::uint32_t> rows;
        for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
            const sim::SimPort& port = world_.world().port(row);
            const bool is_switch = world_.world().node_of(row).is_switch();
            const bool is_host_port = !is_switch && port.number != 0;
            const bool has_cable = world_.world().Wired(row) != sim::kNoRow;
            if (is_switch ? port.number == 0 : is_host_port && has_cable) rows.push_back(row);
        }
        return rows;
    }
    [[nodiscard]] std::vector<std::uint32_t> Hosts() {
        std::vector<std::uint32_t> rows = EndPorts();
        std::erase_if(rows, [&](std::uint32_t row) {
            return world_.world().node_of(row).is_switch() || row == world_.attachment_row();
        });
        return rows;
    }
    [[nodiscard]] std::uint64_t KeyAt(std::uint32_t row) {
        return world_.world().port(row).info.Get(PortInfo::kMKey);
    }
    [[nodiscard]] std::uint64_t Violations() {
        std::uint64_t violations = 0;
        for (const std::uint32_t row : EndPorts()) {
            violations += world_.world().port(row).info.Get(PortInfo::kMKeyViolations);
        }
        return violations;
    }
    /// Ports with the key that `secret` gives them.
    [[nodiscard]] std::size_t CountKeysOf(std::uint64_t secret, bool per_port = true) {
        const std::vector<std::uint32_t> rows = EndPorts();
        return static_cast<std::size_t>(
            std::count_if(rows.begin(), rows.end(), [&](std::uint32_t row) {
                return KeyAt(row) == MKeyFrom({secret, per_port}, world_.world().port(row).guid);
            }));
    }
    void ExpectKeysOf(std::uint64_t secret, bool per_port = true) {
        EXPECT_EQ(CountKeysOf(secret, per_port), EndPorts().size()) << world_.Notes();
        EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    }
    void Start(const Settings& settings = Guarded()) {
        world_.AddManager(settings);
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    }
    /// Another subnet manager has given the port a key.
    void Lock(std::uint32_t row, std::uint64_t key, std::uint8_t level, std::uint16_t lease_s = 0) {
        PortInfo& info = world_.world().port(row).info;
        info.Set(PortInfo::kMKey, key);
        info.Set(PortInfo::kMKeyProtectBits, level);
        info.Set(PortInfo::kMKeyLeasePeriod, lease_s);
    }
    /// Goes on with new settings, as after a reload.
    void Reload(const Settings& settings) {
        world_.sm().Configure(settings);
        world_.Reconfigure(settings);
        world_.Wake();
    }

    SimWorld world_;
};

}  // namespace ember::testing
