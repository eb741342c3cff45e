// SPDX-License-Identifier: Apache-2.0
// EmberSM: managers of one replication_key, and clients that register with their master.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

inline Settings Replicating(std::uint8_t priority) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.sminfo_polling_timeout = 300;
    settings.transaction_timeout = 50;
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    return settings;
}

class Replication : public ::testing::Test {
protected:
    explicit Replication(const SimWorld::Options& options = {})
        : world_(net::FatTree2(6), options) {}

    template <Limits kLimits = kSimSmall>
    void Add(std::uint32_t host, std::uint8_t priority) {
        world_.AddManager<kLimits>(host, 1, Replicating(priority));
    }
    bool Settle(std::size_t seat) {
        return world_.RunUntil(
            [&] {
                const SubnetManager& sm = world_.sm(seat);
                return sm.role().is_master() && sm.stage() == Stage::kResting && sm.is_up() &&
                       sm.multicast().status().is_settled;
            },
            60 * kSecond);
    }
    Groups& groups(std::size_t seat) { return world_.sm(seat).multicast().groups(); }
    Guid GuidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).guid;
    }
    void Join(std::size_t seat, std::uint64_t number, const std::vector<std::uint32_t>& hosts,
              std::uint32_t mlid = 20) {
        const Gid mgid{0xFF12A01C00000000ULL, number};
        if (groups(seat).Find(mgid) == kNoGroup) {
            const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
            const auto wanted = static_cast<MlidIndex>(mlid + number);
            ASSERT_TRUE(groups(seat).Create(mgid, values, {.wanted = wanted}).ok());
        }
        for (const std::uint32_t host : hosts) {
            Member who;
            who.port_guid = GuidOf(host);
            who.join_state = join_state::kFull;
            ASSERT_TRUE(groups(seat).Join(groups(seat).Find(mgid), who, world_.now_us()).ok());
        }
        world_.Wake(seat);
    }
    /// Groups of clients with their MLIDs, and their members, sorted.
    std::vector<std::string> Table(std::size_t seat) {
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < groups(seat).member_bound(); ++i) {
            const auto at = static_cast<MemberIndex>(i);
            if (!groups(seat).IsLive(at)) continue;
            const Member& member = groups(seat).member(at);
            const Group& group = groups(seat).group(member.group);
            lines.push_back(std::to_string(group.mgid.low) + " " + std::to_string(Raw(group.mlid)) +
                            " " + std::to_string(Raw(member.port_guid)) + " " +
                            std::to_string(member.join_state));
        }
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    bool WaitForReplica(std::size_t seat) {
        return world_.RunUntil([&] { return world_.Heard(Note::kReplicaWhole, seat) != 0; },
                               30 * kSecond);
    }
    bool TakesOver(std::size_t seat, std::uint64_t limit_us = 60 * kSecond) {
        return world_.RunUntil(
            [&] { return world_.sm(seat).role().is_master() && world_.sm(seat).is_up(); },
            limit_us);
    }
    std::uint64_t MftSets() {
        return world_.sim().counters().Sets(AttributeId::kMulticastForwardingTable);
    }
    std::string AllNotes() {
        std::string text;
        for (std::size_t i = 0; i < 2; ++i) {
            if (world_.alive(i)) text += world_.Notes(i);
        }
        return text;
    }

    SimWorld world_;
};

}  // namespace ember::testing
