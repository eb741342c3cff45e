// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys that decide who manages, and what a manager remembers.
#include <gtest/gtest.h>

#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"

namespace ember::acts {
namespace {

/// A fabric with ours at host 4, and another at host 0, which ranks higher when priorities are
/// equal, for its GUID is the lower one.
struct TwoManagers {
    explicit TwoManagers(const Settings& settings, std::uint8_t priority_of_other = 0)
        : world(SmallTree()) {
        Settings plain;
        plain.sm_priority = priority_of_other;
        other = world.AddManager(0, 1, plain);
        ours = world.AddManager(4, 1, settings);
        world.RunFor(60 * kSecond);
    }
    [[nodiscard]] std::string Masters() {
        const bool we = world.sm(ours).role().is_master();
        const bool they = world.sm(other).role().is_master();
        if (we && they) return "both";
        return we ? "ours" : they ? "the other" : "nobody";
    }

    SimWorld world;
    std::size_t other = 0;
    std::size_t ours = 0;
};

std::string Masters(const Settings& settings) {
    return TwoManagers(settings).Masters();
}

/// Our trust in the other manager, which has a replication_key.
std::string TrustInTheOther(const Settings& settings) {
    TwoManagers two(settings, 9);
    Settings keyed = settings;
    keyed.sm_priority = 9;
    keyed.replication_key.clear();
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        EXPECT_EQ(keyed.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    two.world.sm(two.other).Configure(keyed);
    two.world.Wake(two.other);
    two.world.RunFor(30 * kSecond);
    return two.world.Heard(Note::kPeerProved, two.ours) != 0 ? "proved" : "foreign";
}

/// Our role after the death of a master that is configured otherwise.
std::string AfterAnother(const Settings& settings) {
    Settings ours = settings;
    ours.replication_key.clear();
    for (const char octet : std::string_view("drawn by chance, or nearly so")) {
        EXPECT_EQ(ours.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    TwoManagers two(ours, 9);
    Settings keyed = ours;
    keyed.sm_priority = 9;
    keyed.configuration.digest[0] ^= 1U;
    two.world.sm(two.other).Configure(keyed);
    two.world.Wake(two.other);
    two.world.RunFor(30 * kSecond);
    EXPECT_EQ(two.world.Heard(Note::kPeerConfiguredOtherwise, two.ours), 1U);
    two.world.Kill(two.other);
    two.world.RunFor(120 * kSecond);
    return two.world.sm(two.ours).role().is_master() ? "master" : "out";
}

/// Whether the other one, with the usual SM_Key, is heard.
std::string HearingTheOther(const Settings& settings) {
    TwoManagers two(settings);
    const bool refused = two.world.Heard(Note::kOtherSmKeyWrong, two.ours) != 0;
    return refused ? "its key is wrong" : two.Masters();
}

/// How often a standby asks its master.
std::string PauseOfPolls(const Settings& settings) {
    TwoManagers two(settings, 9);
    const ExchangeStatistics& statistics = two.world.sm(two.ours).exchange().statistics();
    const std::uint64_t before = statistics.GetsOf(AttributeId::kSmInfo);
    two.world.RunFor(60 * kSecond);
    const std::uint64_t polls = statistics.GetsOf(AttributeId::kSmInfo) - before;
    return fmt::format("each {} tenths", (600 + polls / 2) / polls);
}

/// How long a standby bears the silence of its master, in polls of 10 s.
std::string PatienceWithADeadMaster(const Settings& settings) {
    Settings polling = settings;
    polling.sminfo_polling_timeout = 10'000;
    TwoManagers two(polling, 9);
    EXPECT_EQ(two.Masters(), "the other");
    two.world.Kill(two.other);
    const std::uint64_t died_us = two.world.now_us();
    const auto took_over = [&] { return two.world.sm(two.ours).role().is_master(); };
    EXPECT_TRUE(two.world.RunUntil(took_over, 600 * kSecond));
    const std::uint64_t poll_us = 10 * kSecond;
    return fmt::format("{} polls", (two.world.now_us() - died_us) / poll_us);
}

std::string StateAfterStart(const Settings& settings) {
    SimWorld world(SmallTree());
    world.AddManager(settings);
    world.RunFor(20 * kSecond);
    return world.sm().role().state() == SmState::kNotActive ? "NOTACTIVE"
           : world.sm().role().is_master()                  ? "MASTER"
                                                            : "?";
}

/// A manager that was standby under one that gave out other LIDs, when that one is gone.
std::string LidsAfterStandby(const Settings& settings) {
    SimWorld world(SmallTree());
    world.AddManager(4, 1, settings);
    EXPECT_TRUE(world.RunUntilQuiet(60 * kSecond));
    const Lid first = LidOf(world, 2);
    Settings higher = settings;
    higher.sm_priority = 9;
    higher.order = Order::kGuid;
    higher.reassign_lids = true;
    const std::size_t other = world.AddManager(1, 1, higher);
    const auto handed_over = [&] {
        return world.sm(other).role().is_master() && world.sm(other).is_up() &&
               world.sm(0).role().state() == SmState::kStandby;
    };
    EXPECT_TRUE(world.RunUntil(handed_over, 120 * kSecond));
    const Lid second = LidOf(world, 2);
    EXPECT_NE(first, second);
    world.Kill(other);
    const auto back = [&] { return world.sm(0).role().is_master() && world.sm(0).is_up(); };
    EXPECT_TRUE(world.RunUntil(back, 300 * kSecond));
    const Lid third = LidOf(world, 2);
    return third == second ? "as the other left them" : third == first ? "as stored" : "new";
}

/// The LIDs that a manager finds were given out in another order.
std::string LidsAfterARestart(const Settings& settings) {
    Settings before = settings;
    before.order = Order::kGuid;
    before.reassign_lids = false;
    const auto world = BringUp(before);
    const Lid first = LidOf(*world, 2);
    world->Kill();
    world->Reconfigure(settings);
    world->Restart();
    EXPECT_TRUE(world->RunUntilUp(60 * kSecond));
    return LidOf(*world, 2) == first ? "kept" : "given anew";
}

/// Hosts that were asked to register again in a bring-up.
std::string AskedToRegister(const Settings& settings) {
    return Text(BringUp(settings)->sim().counters().reregistrations);
}

}  // namespace

std::vector<Row> RoleRows() {
    // clang-format off
    return {
        {"sm_priority", "9", &Masters, "the other", "ours"},
        {"sm_key", "0x5ec2e7", &HearingTheOther, "the other", "its key is wrong"},
        {"sm_peers", "0x1", &Masters, "the other", "both"},
        {"replication_key", "\"drawn by chance, or nearly so\"", &TrustInTheOther, "foreign", "proved"},
        {"standby_consistency", "strict", &AfterAnother, "master", "out"},
        {"ignore_other_sm", "TRUE", &Masters, "the other", "both"},
        {"sminfo_polling_timeout", "1000", &PauseOfPolls, "each 8 tenths", "each 10 tenths"},
        {"polling_retry_number", "10", &PatienceWithADeadMaster, "4 polls", "10 polls"},
        {"sm_inactive", "TRUE", &StateAfterStart, "MASTER", "NOTACTIVE"},
        {"honor_guid2lid_file", "TRUE", &LidsAfterStandby, "as the other left them", "as stored"},
        {"reassign_lids", "TRUE", &LidsAfterARestart, "kept", "given anew"},
        {"no_clients_rereg", "TRUE", &AskedToRegister, "8", "0"},
    };
    // clang-format on
}

}  // namespace ember::acts
