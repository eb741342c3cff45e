// SPDX-License-Identifier: Apache-2.0
// EmberSM: a simulated fabric of hosts whose partitions a test decides.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <vector>

#include "core/partitions/partitions.h"
#include "tests/support/gated_port.h"
#include "tests/support/partition_file.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

using PKeys = std::vector<std::uint16_t>;

/// A fabric of hosts with one port each.
class PartitionWorld {
public:
    explicit PartitionWorld(sim::Hardware hardware = {})
        : world_(net::FatTree2(4), {.hardware = hardware}) {
        settings_.sweep_interval = 1000;  // No sweep helps.
        for (std::uint32_t i = 0; i < world_.world().node_count(); ++i) {
            if (!world_.world().node(i).is_switch()) hosts_.push_back(i);
        }
    }
    /// Seats a manager behind a gate.
    void Seat(PartitionFile& file) {
        file.Fill(settings_);
        world_.AddManager(settings_);
        gate_.emplace(world_.attachment());
        world_.Interpose(*gate_);
        world_.Restart();
    }
    void Start(PartitionFile& file) {
        Seat(file);
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    }
    void Reconfigure(PartitionFile& file) {
        file.Fill(settings_);
        Reconfigure();
    }
    void Reconfigure() {
        world_.sm().Configure(settings_);
        world_.Wake();
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }

    [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }
    [[nodiscard]] std::uint32_t host(std::size_t at) const { return hosts_[at]; }
    [[nodiscard]] std::uint32_t RowOf(std::size_t at) { return world_.sim().RowOf(hosts_[at], 1); }
    [[nodiscard]] Guid GuidOf(std::size_t at) { return world_.world().port(RowOf(at)).guid; }
    /// The switch port in front of a host.
    [[nodiscard]] std::uint32_t GuardOf(std::size_t at) { return world_.world().Wired(RowOf(at)); }
    /// Without the empty entries behind the last one.
    [[nodiscard]] PKeys TableAt(std::uint32_t row) {
        PKeys p_keys;
        for (std::uint32_t block = 0;; ++block) {
            const std::span<const std::uint8_t> octets = world_.world().PKeyBlock(row, block);
            if (octets.empty()) break;
            for (std::size_t i = 0; i < octets.size(); i += 2) {
                p_keys.push_back(static_cast<std::uint16_t>(octets[i] << 8U | octets[i + 1]));
            }
        }
        while (!p_keys.empty() && p_keys.back() == kNoPKey) {
            p_keys.pop_back();
        }
        return p_keys;
    }
    [[nodiscard]] PKeys TableOf(std::size_t at) { return TableAt(RowOf(at)); }
    [[nodiscard]] unsigned EnforcementAt(std::uint32_t row) {
        return world_.world().port(row).info.Get(PortInfo::kPartitionEnforcement);
    }
    [[nodiscard]] PortState StateOf(std::size_t at) {
        return world_.world().port(RowOf(at)).info.Get(PortInfo::kPortState);
    }
    /// The membership of a host in a partition, by its tables.
    [[nodiscard]] Membership HasOf(std::size_t at, std::uint16_t base) {
        Membership found = Membership::kNone;
        for (const std::uint16_t p_key : TableOf(at)) {
            if (SamePartition(p_key, base)) {
                found = std::max(found, (p_key & kFullMembership) != 0 ? Membership::kFull
                                                                       : Membership::kLimited);
            }
        }
        return found;
    }
    /// Every host holds what `file` says, and its switch port the same.
    void ExpectTablesOf(const PartitionFile& file) {
        for (std::size_t i = 0; i < hosts(); ++i) {
            for (const auto& [base, members] : file.members()) {
                EXPECT_EQ(HasOf(i, base), file.Of(base, GuidOf(i))) << "host " << i;
            }
            PKeys own = TableOf(i);
            PKeys enforced = TableAt(GuardOf(i));
            std::erase(own, kNoPKey);
            EXPECT_EQ(own, enforced) << "host " << i;
            EXPECT_EQ(EnforcementAt(GuardOf(i)), 3U) << "host " << i;
        }
    }
    /// Loses what sets P_Keys at that host.
    void LosePKeySets(std::size_t host) {
        const Guid guid = GuidOf(host);
        gate_->lets_out = [this, guid](const Envelope& envelope) {
            const bool is_set = envelope.mad.header.attribute_id == AttributeId::kPKeyTable &&
                                envelope.mad.header.method == Method::kSet;
            if (!is_set) return true;
            const auto smp = std::bit_cast<DirectedSmp>(envelope.mad);
            const Fabric& fabric = world_.sm().fabric();
            DirectedPath path{};
            if (fabric.PathTo(fabric.FindPort(guid), path) != Status::kOk) return true;
            const auto way = path.used();
            return smp.header.hop_count != path.hops ||
                   !std::equal(way.begin(), way.end(), smp.initial_path.begin() + 1);
        };
    }

    SimWorld world_;
    Settings settings_ = BriskSettings();
    std::optional<GatedPort> gate_;

private:
    std::vector<std::uint32_t> hosts_;
};

}  // namespace ember::testing
