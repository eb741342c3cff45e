// SPDX-License-Identifier: Apache-2.0
// EmberSM: a host that leaves and comes back with another GUID, again and again.
//
// Goal:   it does not raise the highest LID for ever, whatever it runs through and however often
//         the manager starts anew; honest hosts that are off meanwhile have their LIDs when they
//         come back.
// Method: one host of a simulated ring is unplugged and gets a new GUID dozens of times, in front
//         of a manager with a routing chain, one that is restarted, and one whose standby takes
//         over.
#include <cstdint>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/lids/kept_share.h"
#include "core/settings/qos_tables.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class ReturningGuids : public ::testing::Test {
protected:
    /// Ten switches and 50 hosts: 60 LIDs.
    static constexpr std::uint32_t kLids = 60;
    static constexpr std::uint32_t kMost = kLids + kKeptArrivals + 2;

    ReturningGuids() : world_(net::Ring(10, 5)) {
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            if (!world_.world().node(node).is_switch()) hosts_.push_back(node);
        }
        liar_ = hosts_.back();
    }
    /// The host is away for three seconds and is another one then.
    void ComeBack(std::uint64_t guid) {
        world_.Cut(liar_, 1);
        world_.RunFor(3 * kSecond);
        sim::SimNode& node = world_.world().node(liar_);
        node.guid = Guid{guid};
        node.info.Set(NodeInfo::kNodeGuid, Guid{guid});
        sim::SimPort& port = world_.world().port(world_.sim().RowOf(liar_, 1));
        port.guid = Guid{guid + 1};
        port.info.Set(PortInfo::kLid, kNoLid);
        world_.Join(liar_, 1);
        world_.RunFor(5 * kSecond);
    }
    [[nodiscard]] Lid LidOf(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).info.Get(PortInfo::kLid);
    }
    [[nodiscard]] std::uint32_t TopLid(std::size_t seat = 0) {
        return Raw(world_.sm(seat).fabric().top_lid());
    }

    SimWorld world_;
    std::vector<std::uint32_t> hosts_;
    std::uint32_t liar_ = 0;
};

TEST_F(ReturningGuids, DoNotRaiseTheHighestLidUnderAChain) {
    const std::vector<PortTopology> topologies = {
        {.id = 1,
         .switches = kGroupOfTypes | qos_node_type::kSwitch,
         .end_ports = kGroupOfTypes | qos_node_type::kCa}};
    const std::vector<ChainStep> steps = {{.id = 1, .engine = EngineKind::kMinHop},
                                          {.id = 2, .topology = 1, .engine = EngineKind::kUpDn}};
    Settings settings = BriskSettings();
    settings.manager_tables.topologies = topologies;
    settings.manager_tables.chain_steps = steps;
    world_.AddManager(settings);
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    ASSERT_EQ(TopLid(), kLids);
    std::uint32_t top = 0;
    for (std::uint64_t turn = 0; turn < 30; ++turn) {
        ComeBack(0xBAD0000 + turn * 4);
        ASSERT_LE(TopLid(), kMost) << turn;
        top = std::max(top, TopLid());
    }
    EXPECT_GE(top, 64U) << "rows got longer while the manager ran";
    EXPECT_EQ(world_.sm().router().verdict().engine, kChainWord);
    EXPECT_EQ(world_.Judge(), "");
}

TEST_F(ReturningGuids, DoNotRaiseItOverRestartsAndHonestHostsHaveTheirLids) {
    world_.AddManager(BriskSettings());
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    const std::uint32_t off = hosts_[7];  // Alone at its port all the time.
    const Lid was = LidOf(off);
    world_.Cut(off, 1);
    world_.world().port(world_.sim().RowOf(off, 1)).info.Set(PortInfo::kLid, kNoLid);
    for (std::uint64_t turn = 0; turn < 24; ++turn) {
        ComeBack(0xBAD0000 + turn * 4);
        ASSERT_LE(TopLid(), kMost) << turn;
        if (turn % 3 == 0) {
            world_.Restart();
            ASSERT_TRUE(world_.RunUntilUp(30 * kSecond)) << world_.Notes();
        }
    }
    world_.Join(off, 1);
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    EXPECT_EQ(LidOf(off), was);
    EXPECT_LE(TopLid(), kMost);
}

/// The standby knows which GUIDs its master would forget next.
TEST_F(ReturningGuids, DoNotRaiseItOverTakeovers) {
    Settings settings = BriskSettings();
    settings.sminfo_polling_timeout = 300;
    settings.transaction_timeout = 50;
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        ASSERT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    world_.AddManager(hosts_[0], 1, settings);
    world_.AddManager(hosts_[1], 1, settings);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    for (std::uint64_t turn = 0; turn < 24; ++turn) {
        ComeBack(0xBAD0000 + turn * 4);
        const std::size_t master = world_.master();
        ASSERT_LE(TopLid(master), kMost) << turn;
        if (turn % 4 != 3) continue;
        const auto maps_are_alike = [this, master] {
            const auto mine = world_.sm(master).lid_map().entries();
            const auto other = world_.sm(1 - master).lid_map().entries();
            return mine.size() == other.size();
        };
        ASSERT_TRUE(world_.RunUntil(maps_are_alike, 30 * kSecond)) << turn;
        world_.Kill(master);
        const std::size_t heir = 1 - master;
        ASSERT_TRUE(world_.RunUntil([&] { return world_.sm(heir).is_up(); }, 60 * kSecond)) << turn;
        EXPECT_LE(TopLid(heir), kMost) << turn;
        world_.Restart(master);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << turn;
    }
}

}  // namespace
}  // namespace ember::testing
