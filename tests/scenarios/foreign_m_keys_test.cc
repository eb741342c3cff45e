// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports that have an M_Key of somebody else, and managers that have two.
//
// Goal:   a port with a foreign key is told and holds up no other, and is taken in when its
//         lease is over or its key is known; a standby takes over with the keys of its master.
// Method: agents that check every request by the M_Key as the IBA has it.
#include <array>
#include <gtest/gtest.h>

#include "tests/scenarios/m_keys_fixture.h"

namespace ember::testing {
namespace {

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
