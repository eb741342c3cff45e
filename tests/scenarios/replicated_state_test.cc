// SPDX-License-Identifier: Apache-2.0
// EmberSM: a standby knows what its master knows of the subnet, besides registrations.
//
// Goal:   after a takeover, also by a manager that has no store of its own, ports that were away
//         get their LIDs back, ports with a key of before are reached, links in quarantine stay
//         there, and no pair has another service level.
// Method: two managers on simulated hardware; the master is killed, what the standby knows has come
//         over the wire alone. Where that could be chance, the same without replication_key.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kSecret = 0x5EC2E75EC2E7;
constexpr std::uint64_t kNextSecret = 0xFE3D5AFE3D5A;

Settings Replicating(std::uint8_t priority, bool has_key = true) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.sminfo_polling_timeout = 300;
    settings.transaction_timeout = 50;
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        if (!has_key) break;
        EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    return settings;
}

Settings WithMKey(Settings settings, std::uint64_t secret) {
    settings.m_key = secret;
    settings.m_key_protection_level = 2;
    return settings;
}

/// A tapped port: every replication message that comes is searched for some octets.
class Tap final : public MadPort {
public:
    Tap(MadPort& port, std::uint64_t wanted) : port_(port), wanted_(wanted) {}
    Status Send(const Envelope& envelope) override { return port_.Send(envelope); }
    Status Receive(Envelope& envelope) override {
        const Status status = port_.Receive(envelope);
        if (status != Status::kOk || envelope.mad.header.mgmt_class != kReplicationClass) {
            return status;
        }
        ++messages;
        const auto octets = std::as_bytes(std::span(&envelope.mad, 1));
        const auto wanted = std::as_bytes(std::span(&wanted_, 1));
        const auto at = std::search(octets.begin(), octets.end(), wanted.begin(), wanted.end());
        if (at != octets.end()) ++found;
        return status;
    }
    std::uint64_t messages = 0;
    std::uint64_t found = 0;

private:
    MadPort& port_;
    Be<std::uint64_t> wanted_;
};

class ReplicatedSubnet : public ::testing::Test {
protected:
    explicit ReplicatedSubnet(const net::Netlist& netlist = net::FatTree2(6)) : world_(netlist) {}

    void Begin(const Settings& master, const Settings& standby, std::uint32_t at = 3) {
        world_.AddManager(0, 1, master);
        ASSERT_TRUE(Settle(0)) << world_.Notes(0);
        world_.AddManager(at, 1, standby);
        world_.RunFor(20 * kSecond);
        ASSERT_TRUE(world_.sm(0).role().is_master());
    }
    bool Settle(std::size_t seat) {
        return world_.RunUntil(
            [&] {
                const SubnetManager& sm = world_.sm(seat);
                return sm.role().is_master() && sm.stage() == Stage::kResting && sm.is_up();
            },
            60 * kSecond);
    }
    void TakeOver() {
        world_.Kill(0);
        ASSERT_TRUE(Settle(1)) << world_.Notes(1);
    }
    std::uint32_t RowOf(std::uint32_t host) { return world_.sim().RowOf(host, 1); }
    PortInfo& InfoOf(std::uint32_t host) { return world_.world().port(RowOf(host)).info; }
    Lid LidOf(std::uint32_t host) { return InfoOf(host).Get(PortInfo::kLid); }
    /// The cable is out, and the port has forgotten its LID.
    void Unplug(std::uint32_t host) {
        world_.Cut(host, 1);
        world_.RunFor(3 * kSecond);
        InfoOf(host).Set(PortInfo::kLid, kNoLid);
    }
    void Plug(std::uint32_t host) {
        world_.Join(host, 1);
        world_.RunFor(5 * kSecond);
    }

    SimWorld world_;
};

TEST_F(ReplicatedSubnet, PortsThatWereAwayGetTheirLidsBack) {
    Begin(Replicating(9), Replicating(3));
    const Lid of_eight = LidOf(8);
    const Lid of_nine = LidOf(9);
    ASSERT_LT(of_eight, of_nine);
    Unplug(8);
    Unplug(9);
    TakeOver();
    Plug(9);
    EXPECT_EQ(LidOf(9), of_nine) << world_.Notes(1);
    Plug(8);
    EXPECT_EQ(LidOf(8), of_eight) << world_.Notes(1);
    EXPECT_EQ(world_.Judge(1), "");
}

TEST_F(ReplicatedSubnet, WithoutTheKeyTheyGetOthers) {
    Begin(Replicating(9, false), Replicating(3, false));
    const Lid of_nine = LidOf(9);
    Unplug(8);
    Unplug(9);
    TakeOver();
    Plug(9);
    EXPECT_NE(LidOf(9), of_nine) << "else the test above proves nothing";
}

/// Our own store tells of a time in which we were master, and is older.
TEST_F(ReplicatedSubnet, WhatWasReplicatedCountsBeforeOurOwnStore) {
    world_.Cut(10, 1);
    world_.Cut(11, 1);
    Begin(Replicating(9), Replicating(3));
    TakeOver();
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond));
    world_.Restart(0);  // Ranks higher, and is handed the subnet.
    ASSERT_TRUE(world_.RunUntil([&] { return world_.sm(0).role().is_master(); }, 60 * kSecond));
    ASSERT_TRUE(Settle(0));
    world_.Restart(1);
    Plug(10);
    Plug(11);
    const Lid of_ten = LidOf(10);
    const Lid of_eleven = LidOf(11);
    ASSERT_LT(of_ten, of_eleven);
    world_.RunFor(20 * kSecond);
    Unplug(10);
    Unplug(11);
    TakeOver();
    Plug(11);
    EXPECT_EQ(LidOf(11), of_eleven) << world_.Notes(1);
    Plug(10);
    EXPECT_EQ(LidOf(10), of_ten) << world_.Notes(1);
}

/// A port that was away while the key changed has the key of before.
TEST_F(ReplicatedSubnet, APortWithTheKeyOfBeforeIsReached) {
    const Settings before = WithMKey(Replicating(9), kSecret);
    const Settings after = WithMKey(Replicating(9), kNextSecret);
    world_.AddManager(0, 1, before);
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes(0);
    Unplug(8);
    world_.sm(0).Configure(after);
    world_.Reconfigure(after);
    world_.Wake(0);
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes(0);
    const std::size_t seat = world_.AddManager(3, 1, WithMKey(Replicating(3), kNextSecret));
    Tap tap(world_.attachment(seat), kSecret);
    world_.Interpose(tap, seat);
    world_.Restart(seat);
    world_.RunFor(20 * kSecond);
    const MKeyRules& rules = world_.sm(1).m_keys().rules();
    ASSERT_EQ(rules.size(), 2U) << world_.Notes(1);
    EXPECT_EQ(rules[0], (MKeyRule{kNextSecret, false}));
    EXPECT_EQ(rules[1], (MKeyRule{kSecret, false}));
    EXPECT_GT(tap.messages, 100U);
    EXPECT_EQ(tap.found, 0U) << "no secret is on the wire";
    TakeOver();
    Plug(8);
    EXPECT_EQ(InfoOf(8).Get(PortInfo::kMKey), kNextSecret) << world_.Notes(1);
    EXPECT_EQ(InfoOf(8).Get(PortInfo::kPortState), PortState::kActive);
}

class ReplicatedQuarantine : public ReplicatedSubnet {
protected:
    Settings Flapping(std::uint8_t priority) {
        Settings settings = Replicating(priority);
        settings.flapping_link_count = 3;
        settings.flapping_link_window = 60;
        settings.flapping_link_hold = 40;
        return settings;
    }
    /// A cable between two switches.
    std::uint32_t Trunk() {
        for (std::uint32_t i = 0; i < world_.world().node_count(); ++i) {
            const sim::SimNode& node = world_.world().node(i);
            for (std::uint32_t p = 1; node.is_switch() && p <= node.port_count; ++p) {
                const std::uint32_t beyond = world_.world().Beyond(node.first_row + p);
                if (beyond == sim::kNoRow || !world_.world().node_of(beyond).is_switch()) continue;
                return node.first_row + p;
            }
        }
        return sim::kNoRow;
    }
    void Flap(std::uint32_t row) {
        for (int i = 0; i < 3; ++i) {
            world_.sim().Do(sim::FabricSim::Action::kCut, row);
            world_.RunFor(500 * kMs);
            world_.sim().Do(sim::FabricSim::Action::kJoin, row);
            world_.RunFor(500 * kMs);
        }
    }
    std::size_t Quarantined(std::size_t seat) {
        return world_.sm(seat).flapping().CountOf(LinkVerdict::kQuarantined);
    }
    PortState StateOf(std::uint32_t row) {
        return world_.world().port(row).info.Get(PortInfo::kPortState);
    }
};

TEST_F(ReplicatedQuarantine, ALinkStaysLeftOutUntilItsTimeIsOver) {
    Begin(Flapping(9), Flapping(3));
    const std::uint32_t row = Trunk();
    Flap(row);
    ASSERT_EQ(Quarantined(0), 1U) << world_.Notes(0);
    world_.RunFor(2 * kSecond);
    EXPECT_EQ(Quarantined(1), 1U) << "known while the master lives";
    TakeOver();
    EXPECT_EQ(Quarantined(1), 1U) << world_.Notes(1);
    EXPECT_EQ(StateOf(row), PortState::kInitialize);
    world_.RunFor(45 * kSecond);
    EXPECT_EQ(Quarantined(1), 0U) << world_.Notes(1);
    EXPECT_EQ(StateOf(row), PortState::kActive);
    EXPECT_EQ(world_.Judge(1), "");
}

TEST_F(ReplicatedQuarantine, OneThatEndedIsOverThereToo) {
    Begin(Flapping(9), Flapping(3));
    Flap(Trunk());
    world_.RunFor(2 * kSecond);
    ASSERT_EQ(Quarantined(1), 1U);
    world_.RunFor(45 * kSecond);
    ASSERT_EQ(Quarantined(0), 0U);
    EXPECT_EQ(Quarantined(1), 0U);
}

TEST_F(ReplicatedQuarantine, OneThatComesLateIsToldOfIt) {
    world_.AddManager(0, 1, Flapping(9));
    ASSERT_TRUE(Settle(0));
    Flap(Trunk());
    ASSERT_EQ(Quarantined(0), 1U) << world_.Notes(0);
    world_.AddManager(3, 1, Flapping(3));
    world_.RunFor(10 * kSecond);
    EXPECT_EQ(Quarantined(1), 1U);
}

class ReplicatedLanes : public ReplicatedSubnet {
protected:
    ReplicatedLanes() : ReplicatedSubnet(net::Ring(8, 1)) {}
    Settings Laned(std::uint8_t priority) {
        Settings settings = Replicating(priority);
        settings.qos = true;
        EXPECT_EQ(settings.routing_engine.TryPush(EngineKind::kDfsssp), Status::kOk);
        return settings;
    }
    /// The service level of each pair of a switch and a LID.
    std::vector<std::uint8_t> Levels(std::size_t seat) {
        std::vector<std::uint8_t> levels;
        const SubnetManager& sm = world_.sm(seat);
        std::map<Guid, SwitchIndex> switches;
        ForEachSwitch(sm.fabric(), [&](SwitchIndex at, const Switch& row) {
            switches[sm.fabric().node(row.node).guid] = at;
        });
        for (const auto& [guid, from] : switches) {
            for (std::uint32_t lid = 1; lid <= Raw(sm.fabric().top_lid()); ++lid) {
                const PortIndex at = sm.fabric().PortByLid(static_cast<Lid>(lid));
                if (at == kNoPortIndex) continue;
                const Port& port = sm.fabric().port(at);
                const Node& owner = sm.fabric().node(port.node);
                const SwitchIndex to =
                    owner.type == NodeType::kSwitch
                        ? owner.switch_index
                        : sm.fabric().node(sm.fabric().port(port.peer).node).switch_index;
                levels.push_back(sm.router().programmed_lanes().path_sl.Of(
                    {.from = from, .to = to, .lid = static_cast<Lid>(lid)}));
            }
        }
        return levels;
    }
};

TEST_F(ReplicatedLanes, NoPairHasAnotherServiceLevelAfterATakeover) {
    Begin(Laned(9), Laned(3));
    ASSERT_EQ(world_.sm(0).router().programmed_lanes().count, 2U) << world_.Notes(0);
    const std::vector<std::uint8_t> before = Levels(0);
    ASSERT_NE(std::count(before.begin(), before.end(), 1), 0);
    world_.sim().ClearCounters();
    TakeOver();
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(Levels(1), before);
    EXPECT_EQ(world_.sim().counters().Sets(AttributeId::kSlToVlMappingTable), 0U);
    EXPECT_EQ(world_.sim().counters().Sets(AttributeId::kLinearForwardingTable), 0U);
}

}  // namespace
}  // namespace ember::testing
