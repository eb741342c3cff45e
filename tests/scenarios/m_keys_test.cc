// SPDX-License-Identifier: Apache-2.0
// EmberSM: M_Keys of which each port has its own, their change, and ports that have another.
//
// Goal:   no port is open while its link is ACTIVE, and none is locked out by a restart, a lost
//         answer, half a change, a moved cable or a master that dies.
// Method: agents that check every request by the M_Key as the IBA has it.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "core/fabric/m_key.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kSecret = 0x5EC2E7;
constexpr std::uint64_t kNextSecret = 0xFE3D5A;
constexpr std::uint64_t kForeignKey = 0xF0E1;

[[nodiscard]] Settings Guarded(std::uint64_t secret = kSecret, bool per_port = true) {
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

TEST_F(MKeys, EachPortHasItsOwn) {
    Start();
    ExpectKeysOf(kSecret);
    std::set<std::uint64_t> keys;
    for (const std::uint32_t row : EndPorts()) {
        keys.insert(KeyAt(row));
        EXPECT_NE(KeyAt(row), kSecret);
        EXPECT_EQ(world_.world().port(row).info.Get(PortInfo::kMKeyProtectBits), 2);
    }
    EXPECT_EQ(keys.size(), EndPorts().size());
    EXPECT_EQ(Violations(), 0U);
}

TEST_F(MKeys, NoLinkIsActiveWhoseEndsAreOpen) {
    world_.AddManager(Guarded());
    std::size_t open = 0;
    std::size_t active = 0;
    const auto look = [&] {
        for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
            const PortInfo& info = world_.world().port(row).info;
            if (world_.world().port(row).number == 0) continue;  // It has no link.
            if (info.Get(PortInfo::kPortState) != PortState::kActive) continue;
            ++active;
            const std::uint32_t guard = world_.world().ManagementRow(row);
            if (KeyAt(guard) == 0) ++open;
        }
        return world_.sm().is_up();
    };
    ASSERT_TRUE(world_.RunUntil(look, 30 * kSecond)) << world_.Notes();
    EXPECT_GT(active, 0U);
    EXPECT_EQ(open, 0U);
}

TEST_F(MKeys, ARestartFindsGuardedPorts) {
    Start();
    for (int i = 0; i < 2; ++i) {
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
        ExpectKeysOf(kSecret);
    }
    EXPECT_EQ(Violations(), 0U) << "every question bore the right key";
}

TEST_F(MKeys, WithoutItsStoreTheSubnetIsReachedWhenTheLeaseIsOver) {
    Settings settings = Guarded();
    settings.m_key_lease_period = 3;
    Start(settings);
    world_.Kill();
    world_.store().Forget(StoreSlot::kMKeys);
    world_.Restart();
    world_.RunFor(kSecond);
    EXPECT_FALSE(world_.sm().is_up());
    const auto has_all = [&] {
        return world_.sm().fabric().node_count() == world_.world().node_count();
    };
    ASSERT_TRUE(world_.RunUntil(has_all, 120 * kSecond)) << world_.Notes();
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
}

TEST_F(MKeys, ADamagedStoreIsToldAndOneKeyForAllNeedsNone) {
    Start(Guarded(kSecret, false));
    ExpectKeysOf(kSecret, false);
    world_.Kill();
    world_.store().Damage(StoreSlot::kMKeys);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret, false);
    EXPECT_EQ(world_.Heard(Note::kStoreMalformed), 1U);
}

TEST_F(MKeys, APortIsNotGivenAKeyBeforeTheStoreHasItsSecret) {
    world_.AddManager(Guarded());
    world_.store().SetBusy(200);
    std::size_t early = 0;
    const auto look = [&] {
        const bool is_saved = !world_.store().octets(StoreSlot::kMKeys).empty();
        if (!is_saved) early = std::max(early, CountKeysOf(kSecret));
        return world_.sm().is_up();
    };
    ASSERT_TRUE(world_.RunUntil(look, 30 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.store().busy(), 0U);
    EXPECT_EQ(early, 0U);
}

TEST_F(MKeys, PortsAreGuardedThoughTheStoreIsBroken) {
    world_.AddManager(Guarded());
    world_.store().SetBroken(true);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
    EXPECT_GE(world_.Heard(Note::kStoreFailed), 1U);
}

TEST_F(MKeys, AChangeTouchesNoLinkAndMeetsNoPortWithTheWrongKey) {
    Start();
    const std::uint64_t epoch = world_.world().link_epoch();
    Reload(Guarded(kNextSecret));
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kNextSecret);
    EXPECT_EQ(world_.world().link_epoch(), epoch);
    EXPECT_EQ(Violations(), 0U);
    EXPECT_EQ(world_.Heard(Note::kMKeysChanged), 1U);
    EXPECT_EQ(world_.Heard(Note::kMKeyTakenOver), 0U);
    // From one key for all, and back.
    Reload(Guarded(kNextSecret, false));
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kNextSecret, false);
    Reload(Guarded());
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
    EXPECT_EQ(Violations(), 0U);
}

TEST_F(MKeys, KeysAreTakenAwayAgain) {
    Start();
    Settings open = Guarded(0, false);
    open.m_key_protection_level = 0;
    Reload(open);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(0, false);
}

TEST_F(MKeys, AChangeSurvivesLostAnswers) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SimWorld::Options options;
        options.faults.seed = seed;
        SimWorld world(net::FatTree2(4), options);
        world.AddManager(Guarded());
        ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
        world.sim().faults().loss = 15 * sim::kPercent;
        world.sm().Configure(Guarded(kNextSecret));
        world.Wake();
        world.RunFor(20 * kSecond);
        world.sim().faults().loss = 0;
        ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond)) << seed << "\n" << world.Notes();
        EXPECT_EQ(world.Judge(), "") << seed;
        for (std::uint32_t row = 0; row < world.world().row_count(); ++row) {
            const PortInfo& info = world.world().port(row).info;
            if (info.Get(PortInfo::kLid) == kNoLid) continue;
            EXPECT_EQ(info.Get(PortInfo::kMKey),
                      MKeyFrom({kNextSecret, true}, world.world().port(row).guid))
                << seed << " row " << row;
        }
    }
}

/// Stops a change in its middle, and starts again with one of the two secrets.
class HalfAChange : public MKeys, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(HalfAChange, IsEndedByTheNextStart) {
    Start();
    Settings slow = Guarded(kNextSecret);
    slow.max_wire_smps = 1;
    Reload(slow);
    const auto is_half_done = [&] { return CountKeysOf(kNextSecret) >= EndPorts().size() / 2; };
    ASSERT_TRUE(world_.RunUntil(is_half_done, 30 * kSecond)) << world_.Notes();
    EXPECT_LT(CountKeysOf(kNextSecret), EndPorts().size()) << "it is not over yet";
    world_.Kill();
    world_.Reconfigure(Guarded(GetParam()));
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(GetParam());
}
INSTANTIATE_TEST_SUITE_P(BothWays, HalfAChange, ::testing::Values(kSecret, kNextSecret));

TEST_F(MKeys, ThoseBeforeAreRememberedOverARestart) {
    Start(Guarded(1));
    for (const std::uint64_t secret : {std::uint64_t{2}, std::uint64_t{3}}) {
        world_.Kill();
        world_.Reconfigure(Guarded(secret));
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
        ExpectKeysOf(secret);
    }
    const std::uint32_t host = Hosts().front();
    Lock(host, MKeyFrom({1, true}, world_.world().port(host).guid), 2);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(3);
}

TEST_F(MKeys, AHostThatMissedAChangeIsTakenIn) {
    Start();
    const std::uint32_t host = Hosts().back();
    const std::uint32_t node = world_.world().port(host).node;
    world_.Cut(node, world_.world().port(host).number);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    Reload(Guarded(kNextSecret));
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(KeyAt(host), MKeyFrom({kSecret, true}, world_.world().port(host).guid));
    world_.Join(node, world_.world().port(host).number);
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(kNextSecret);
}

TEST_F(MKeys, AHostIsKnownAgainWhereItIsPluggedInNext) {
    Start();
    const std::vector<std::uint32_t> hosts = Hosts();
    // The exits change places, so that each host stands where the other one was.
    world_.sim().SwapCables(world_.world().Wired(hosts.front()),
                            world_.world().Wired(hosts.back()));
    world_.RunFor(5 * kSecond);
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
}

TEST_F(MKeys, AHostWithoutPowerComesBackWithoutAKeyAndGetsItAgain) {
    Start();
    const std::uint32_t host = Hosts().front();
    world_.sim().Reboot(world_.world().port(host).node, 100 * kMs);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectKeysOf(kSecret);
}

/// Protection levels of a host that has a key of which no rule of ours knows.
class Foreigner : public MKeys, public ::testing::WithParamInterface<int> {
protected:
    /// A host comes back with the key of another subnet manager.
    std::uint32_t Arrive(std::uint16_t lease_s = 0) {
        const std::uint32_t host = Hosts().front();
        const std::uint32_t node = world_.world().port(host).node;
        world_.Cut(node, world_.world().port(host).number);
        EXPECT_TRUE(world_.RunUntilQuiet(60 * kSecond));
        Lock(host, kForeignKey, static_cast<std::uint8_t>(GetParam()), lease_s);
        world_.Join(node, world_.world().port(host).number);
        return host;
    }
};

TEST_P(Foreigner, IsToldAndTheOthersGoOn) {
    Start();
    Reload(Guarded(kNextSecret));  // So that there is more than one key to try.
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    const std::uint32_t host = Arrive();
    world_.RunFor(20 * kSecond);
    const bool is_readable = GetParam() == 0;
    EXPECT_EQ(KeyAt(host) != kForeignKey, is_readable) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kMKeyTakenOver) != 0, is_readable);
    EXPECT_EQ(world_.Heard(Note::kMKeyForeign) != 0, GetParam() == 1) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kMKeysRefused) != 0, GetParam() >= 2) << world_.Notes();
    EXPECT_TRUE(world_.sm().is_up());
    EXPECT_GE(CountKeysOf(kNextSecret), EndPorts().size() - 1);
    // Its switch and its neighbors are managed as before.
    const std::uint32_t other = Hosts()[1];
    const std::uint32_t node = world_.world().port(other).node;
    world_.Cut(node, world_.world().port(other).number);
    world_.RunFor(5 * kSecond);
    world_.Join(node, world_.world().port(other).number);
    world_.RunFor(10 * kSecond);
    EXPECT_EQ(world_.world().port(other).info.Get(PortInfo::kPortState), PortState::kActive)
        << world_.Notes();
}

TEST_P(Foreigner, IsTakenInWhenItsLeaseIsOver) {
    Start();
    const std::uint32_t host = Arrive(2);
    const auto is_ours = [&] { return CountKeysOf(kSecret) == EndPorts().size(); };
    ASSERT_TRUE(world_.RunUntil(is_ours, 300 * kSecond)) << world_.Notes();
    ASSERT_TRUE(world_.RunUntilQuiet(120 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.world().port(host).info.Get(PortInfo::kPortState), PortState::kActive);
    ExpectKeysOf(kSecret);
}
INSTANTIATE_TEST_SUITE_P(AllLevels, Foreigner, ::testing::Range(0, 4));

TEST_F(MKeys, TheFilesOfOpensmOpenAHost) {
    const std::uint32_t host = world_.sim().RowOf(3, 1);
    const Guid guid = world_.world().port(host).guid;
    const std::uint32_t exit = world_.world().Wired(host);
    const std::array keys = {PortMKey{guid, kForeignKey}};
    const std::array neighbors = {
        Neighbor{world_.world().port(world_.world().ManagementRow(exit)).guid,
                 PortNumber{world_.world().port(exit).number}, guid}};
    Settings settings = Guarded();
    settings.manager_tables.m_keys = keys;
    settings.manager_tables.neighbors = neighbors;
    Lock(host, kForeignKey, 2);
    Start(settings);
    ExpectKeysOf(kSecret);
}

TEST_F(MKeys, WithoutLookUpAReadableKeyIsNotUsed) {
    Settings settings = Guarded();
    settings.m_key_lookup = false;
    const std::uint32_t host = world_.sim().RowOf(3, 1);
    Lock(host, kForeignKey, 0);
    world_.AddManager(settings);
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(KeyAt(host), kForeignKey);
    EXPECT_EQ(CountKeysOf(kSecret), EndPorts().size() - 1);
}

/// A standby cannot ask its way by itself: it is given the file of the master.
class TwoGuards : public MKeys {
protected:
    [[nodiscard]] static Settings Polling(std::uint64_t secret = kSecret) {
        Settings settings = Guarded(secret);
        settings.sminfo_polling_timeout = 500;
        return settings;
    }
    void Meet() {
        world_.AddManager(0, 1, Polling());
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond));
        world_.AddManager(5, 1, Polling());
        ASSERT_EQ(
            world_.store(1).Save(StoreSlot::kMKeys, world_.store(0).octets(StoreSlot::kMKeys)),
            Status::kOk);
        world_.RunFor(20 * kSecond);
    }
};

TEST_F(TwoGuards, TheStandbyTriesTheNewKeyWhenThatOfTheMasterIsChanged) {
    Meet();
    const std::size_t master = world_.master();
    const std::size_t standby = 1 - master;
    ASSERT_EQ(world_.sm(standby).role().state(), SmState::kStandby);
    for (const std::size_t seat : {standby, master}) {
        world_.sm(seat).Configure(Polling(kNextSecret));
        world_.Wake(seat);
        world_.RunFor(10 * kSecond);
    }
    EXPECT_EQ(world_.masters(), 1U);
    EXPECT_EQ(world_.master(), master);
    EXPECT_EQ(world_.Heard(Note::kMasterSilent, standby), 0U) << world_.Notes(standby);
    EXPECT_EQ(CountKeysOf(kNextSecret), EndPorts().size()) << world_.Notes(master);
}

TEST_F(TwoGuards, TheStandbyTakesOver) {
    Meet();
    const std::size_t first = 0;
    const std::size_t second = 1;
    EXPECT_EQ(world_.masters(), 1U) << world_.Notes(second);
    const std::size_t master = world_.master();
    world_.Kill(master);
    const std::size_t heir = master == first ? second : first;
    const auto is_up = [&] { return world_.sm(heir).is_up(); };
    ASSERT_TRUE(world_.RunUntil(is_up, 120 * kSecond)) << world_.Notes(heir);
    EXPECT_EQ(CountKeysOf(kSecret), EndPorts().size());
    EXPECT_EQ(world_.Judge(heir), "") << world_.Notes(heir);
}

TEST_F(MKeys, AStrangersAttemptsAreToldByTheirTarget) {
    Start();
    sim::Attachment& port = world_.sim().AttachClient(3, 1);
    const std::uint32_t target = Hosts().back();
    const Lid lid = world_.world().port(target).info.Get(PortInfo::kLid);
    Envelope envelope;
    envelope.peer = lid;
    SmpRequest request;
    request.method = Method::kSet;
    request.attribute = AttributeId::kPortInfo;
    request.modifier = 1;
    request.m_key = 0xBAD;
    request.id = TransactionId{77};
    envelope.mad = MakeLidRouted(request);
    ASSERT_EQ(port.Send(envelope), Status::kOk);
    world_.RunFor(2 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kTrapMKey), 1U) << world_.Notes();
    EXPECT_EQ(Violations(), 1U) << "and the repress bore the right key";
    ExpectKeysOf(kSecret);
}

}  // namespace
}  // namespace ember::testing
