// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports get the VL arbitration and SL to VL tables that the `qos_*` keys say.
//
// Goal:   after a bring-up, a change of keys and a restart the tables of all ports are as wanted,
//         with no datagram that is not needed; without `qos` none is touched; what a port does not
//         take is told, tried again, and costs no other port anything.
// Method: a simulated fabric whose tables are compared with what the test works out itself.
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "tests/support/gated_port.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint8_t kMask = 7;  // The simulated links have VLs 0 to 7.

class LaneScenario : public ::testing::Test {
protected:
    explicit LaneScenario(const sim::Hardware& hardware = {})
        : world_(net::FatTree2(4), OptionsOf(hardware)) {
        settings_.sweep_interval = 3600;
        settings_.scrub_interval = 0;  // The scrub reads tables too (scrub_tables_test.cc).
        settings_.qos = true;
        Put(LanePorts::kAny, &LaneSettings::high, {{1, 8}, {2, 9}});
        Put(LanePorts::kAny, &LaneSettings::low, {{0, 1}, {3, 3}, {12, 4}});
        Put(LanePorts::kSwitchExternal, &LaneSettings::low, {{5, 50}});
        PutMap(LanePorts::kAny, 1);
        PutMap(LanePorts::kSwitchExternal, 2);
        PutMap(LanePorts::kSwitch0, 3);
        Of(LanePorts::kAny).high_limit = 11;
    }
    static SimWorld::Options OptionsOf(const sim::Hardware& hardware) {
        SimWorld::Options options;
        options.hardware = hardware;
        return options;
    }
    LaneSettings& Of(LanePorts kind) { return settings_.lanes[Raw(kind)]; }
    void Put(LanePorts kind, VlWeights LaneSettings::*list, std::initializer_list<VlWeight> from) {
        (Of(kind).*list).clear();
        for (const VlWeight& entry : from) {
            ASSERT_EQ((Of(kind).*list).TryPush(entry), Status::kOk);
        }
    }
    /// SL i to VL first + i, modulo 15.
    void PutMap(LanePorts kind, std::uint8_t first) {
        Of(kind).sl_to_vl.clear();
        for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
            const auto vl = static_cast<std::uint8_t>((first + sl) % 15);
            ASSERT_EQ(Of(kind).sl_to_vl.TryPush(vl), Status::kOk);
        }
    }

    void Start() {
        world_.AddManager(settings_);
        gate_.emplace(world_.attachment());
        world_.Interpose(*gate_);
        world_.Restart();
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }
    /// Takes the settings over and waits until all is done.
    void Reconfigure() {
        world_.sm().Configure(settings_);
        world_.Wake();
        world_.RunFor(kSecond);
        ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    }
    [[nodiscard]] std::uint64_t Gets() { return Count(&ExchangeStatistics::GetsOf); }
    [[nodiscard]] std::uint64_t Sets() { return Count(&ExchangeStatistics::SetsOf); }
    [[nodiscard]] std::uint64_t Count(std::uint64_t (ExchangeStatistics::*of)(AttributeId) const) {
        const ExchangeStatistics& statistics = world_.sm().exchange().statistics();
        return (statistics.*of)(AttributeId::kVlArbitrationTable) +
               (statistics.*of)(AttributeId::kSlToVlMappingTable);
    }

    /// Pairs of VL and weight of block 1 (low) or 3 (high), as many as the hardware has: 8.
    [[nodiscard]] std::string Weights(std::uint32_t row, std::uint32_t block) {
        const std::span<const std::uint8_t> octets = world_.world().VlArbBlock(row, block);
        std::string text;
        for (std::size_t i = 0; i < 16; i += 2) {
            text += std::to_string(octets[i]) + ":" + std::to_string(octets[i + 1]) + " ";
        }
        return text;
    }
    /// The VL of SL 0 at a turn, when the others follow; else 99.
    [[nodiscard]] unsigned MapOf(std::uint32_t row, std::uint32_t in, std::uint32_t out) {
        const std::span<const std::uint8_t> octets = world_.world().SlToVl(row, in, out);
        const auto vl = [&](std::size_t sl) {
            return sl % 2 == 0 ? octets[sl / 2] >> 4U : octets[sl / 2] & 15U;
        };
        for (unsigned first = 0; first < 15; ++first) {
            bool fits = true;
            for (unsigned sl = 0; sl < 16; ++sl) {
                fits = fits && vl(sl) == ((first + sl) % 15 & kMask);
            }
            if (fits) return first;
        }
        return 99;
    }
    void ExpectSwitch(std::uint32_t at) {
        const sim::SimNode& node = world_.world().node(at);
        for (std::uint32_t out = 1; out <= node.port_count; ++out) {
            const std::uint32_t row = node.first_row + out;
            const PortInfo& info = world_.world().port(row).info;
            if (info.Get(PortInfo::kPortState) == PortState::kDown) continue;
            EXPECT_EQ(Weights(row, 1), swe_low_) << "port " << out;
            EXPECT_EQ(Weights(row, 3), high_) << "port " << out;
            EXPECT_EQ(info.Get(PortInfo::kVlHighLimit), high_limit_) << "port " << out;
            for (std::uint32_t in = 0; in <= node.port_count; ++in) {
                EXPECT_EQ(MapOf(node.first_row, in, out), swe_map_) << in << " to " << out;
            }
        }
    }
    void ExpectTables() {
        for (std::uint32_t at = 0; at < world_.world().node_count(); ++at) {
            const sim::SimNode& node = world_.world().node(at);
            if (node.is_switch()) {
                ExpectSwitch(at);
                continue;
            }
            EXPECT_EQ(Weights(node.first_row + 1, 1), low_) << "node " << at;
            EXPECT_EQ(Weights(node.first_row + 1, 3), high_) << "node " << at;
            EXPECT_EQ(MapOf(node.first_row + 1, 0, 0), 1U) << "node " << at;
            EXPECT_EQ(world_.world().port(node.first_row + 1).info.Get(PortInfo::kVlHighLimit),
                      high_limit_);
        }
    }
    void ExpectUntouched() {
        for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
            if (world_.world().port(row).guid == kNoGuid) continue;
            EXPECT_EQ(Weights(row, 1), "0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0 ");
        }
    }

    SimWorld world_;
    Settings settings_ = BriskSettings();
    std::optional<GatedPort> gate_;
    std::string high_ = "1:8 2:9 0:0 0:0 0:0 0:0 0:0 0:0 ";
    std::string low_ = "0:1 3:3 4:4 0:0 0:0 0:0 0:0 0:0 ";  // 12 is 4 on eight VLs.
    std::string swe_low_ = "5:50 0:0 0:0 0:0 0:0 0:0 0:0 0:0 ";
    unsigned swe_map_ = 2;
    unsigned high_limit_ = 11;
};

TEST_F(LaneScenario, ABringUpGivesEachPortItsTables) {
    Start();
    ExpectTables();
    EXPECT_EQ(world_.sm().lanes().outcome().failed, 0U) << world_.Notes();
}

TEST_F(LaneScenario, WithoutQosNoTableIsAskedFor) {
    settings_.qos = false;
    Start();
    EXPECT_EQ(Gets() + Sets(), 0U);
    ExpectUntouched();
}

TEST_F(LaneScenario, ANewFabricIsWrittenWithoutAQuestion) {
    Start();
    // 8 hosts: two blocks and a map. 6 switches, of which 20 ports have links, two blocks each;
    // maps from each of their ports and from port 0.
    std::uint64_t maps = 8;
    std::uint64_t blocks = 8 * 2;
    for (const sim::SimNode& node : world_.world().nodes()) {
        if (!node.is_switch()) continue;
        for (std::uint32_t out = 1; out <= node.port_count; ++out) {
            const PortInfo& info = world_.world().port(node.first_row + out).info;
            if (info.Get(PortInfo::kPortState) == PortState::kDown) continue;
            maps += node.port_count + 1U;
            blocks += 2;
        }
    }
    EXPECT_EQ(Sets(), maps + blocks);
    EXPECT_EQ(Gets(), 0U);
}

TEST_F(LaneScenario, ARestartReadsAndWritesNothing) {
    Start();
    const std::uint64_t written = Sets();
    world_.Reconfigure(settings_);
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Sets(), 0U);
    EXPECT_EQ(Gets(), written);
    ExpectTables();
}

TEST_F(LaneScenario, ARestartMendsWhatDiffers) {
    Start();
    const std::uint32_t row = world_.world().node(3).first_row + 1;
    world_.world().VlArbBlock(row, 3)[1] = 77;
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    EXPECT_EQ(Sets(), 1U);
    ExpectTables();
}

TEST_F(LaneScenario, AnotherSweepAsksForNothing) {
    Start();
    const std::uint64_t before = Gets() + Sets();
    world_.Cut(3, 1);
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(Gets() + Sets(), before);
    world_.Join(3, 1);
    world_.RunFor(5 * kSecond);
    EXPECT_LE(Gets() + Sets() - before, 20U) << "the host, and its switch port";
    ExpectTables();
}

TEST_F(LaneScenario, AChangeOfKeysIsWrittenToTheFabric) {
    Start();
    const std::uint64_t reads = Gets();
    Put(LanePorts::kSwitchExternal, &LaneSettings::low, {{6, 60}});
    PutMap(LanePorts::kSwitchExternal, 4);
    Of(LanePorts::kAny).high_limit = 12;
    Reconfigure();
    swe_low_ = "6:60 0:0 0:0 0:0 0:0 0:0 0:0 0:0 ";
    swe_map_ = 4;
    high_limit_ = 12;
    ExpectTables();
    EXPECT_EQ(Gets(), reads) << "what it has is known";
}

TEST_F(LaneScenario, AHostThatWasResetGetsItsTablesAgain) {
    Start();
    world_.world().VlArbBlock(world_.world().node(3).first_row + 1, 1)[0] = 9;
    world_.sim().Reboot(3, 3 * kSecond);
    world_.RunFor(8 * kSecond);
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectTables();
}

TEST_F(LaneScenario, APortThatDoesNotAnswerIsToldAndTriedAgainAndDelaysNoLinkForLong) {
    settings_.sweep_interval = 10;
    world_.AddManager(settings_);
    gate_.emplace(world_.attachment());
    world_.Interpose(*gate_);
    world_.Restart();
    gate_->lets_out = [](const Envelope& envelope) {
        const auto attribute = AttributeId{envelope.mad.header.attribute_id};
        return attribute != AttributeId::kVlArbitrationTable ||
               std::bit_cast<DirectedSmp>(envelope.mad).header.hop_count != 2;
    };
    ASSERT_TRUE(world_.RunUntilUp(10 * kSecond)) << world_.Notes();
    EXPECT_TRUE(world_.RunUntil([this] { return world_.sm().lanes().lacks(); }, 20 * kSecond));
    EXPECT_GE(world_.Heard(Note::kSetUnanswered), 1U) << world_.Notes();
    gate_->LoseNothing();
    ASSERT_TRUE(world_.RunUntil([this] { return !world_.sm().lanes().lacks(); }, 120 * kSecond))
        << world_.Notes();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond)) << world_.Notes();
    ExpectTables();
}

TEST_F(LaneScenario, LossesChangeNothing) {
    world_.AddManager(settings_);
    gate_.emplace(world_.attachment());
    world_.Interpose(*gate_);
    world_.Restart();
    gate_->Lose(10, 7);
    ASSERT_TRUE(world_.RunUntilUp(120 * kSecond)) << world_.Notes();
    ASSERT_TRUE(world_.RunUntil([this] { return !world_.sm().lanes().lacks(); }, 120 * kSecond));
    ASSERT_TRUE(world_.RunUntilQuiet(240 * kSecond)) << world_.Notes();
    ExpectTables();
}

sim::Hardware WithEnhancedPort0() {
    sim::Hardware hardware;
    hardware.all_enhanced_port0 = true;
    return hardware;
}

class EnhancedPort0 : public LaneScenario {
protected:
    EnhancedPort0() : LaneScenario(WithEnhancedPort0()) {}
};

TEST_F(EnhancedPort0, HasTablesOfItsOwn) {
    Start();
    ExpectTables();
    for (const sim::SimNode& node : world_.world().nodes()) {
        if (!node.is_switch()) continue;
        EXPECT_EQ(Weights(node.first_row, 1), low_);
        EXPECT_EQ(MapOf(node.first_row, 0, 0), 3U) << "qos_sw0_sl2vl";
        EXPECT_EQ(MapOf(node.first_row, 1, 0), 2U) << "from outside: qos_swe_sl2vl";
        EXPECT_EQ(world_.world().port(node.first_row).info.Get(PortInfo::kVlHighLimit), 11);
    }
}

class OptimizedMaps : public LaneScenario {
protected:
    /// The switch of node `at` can set its maps at once.
    void MakeAble() {
        settings_.use_optimized_slvl = true;
        for (sim::SimNode& node : world_.world().nodes()) {
            if (!node.is_switch()) continue;
            node.switch_info.Set(SwitchInfo::kOptimizedSlToVlMappingProgramming, std::uint8_t{1});
        }
    }
};

TEST_F(OptimizedMaps, TakeOneSetASwitch) {
    MakeAble();
    Start();
    ExpectTables();
    EXPECT_EQ(world_.sm().exchange().statistics().SetsOf(AttributeId::kSlToVlMappingTable),
              8U + 6U);
}

TEST_F(OptimizedMaps, AreAddedForPortsOfOtherVls) {
    MakeAble();
    const std::uint32_t host = world_.world().node(3).first_row + 1;
    world_.world().port(host).info.Set(PortInfo::kVlCap, VlCap::kVl0To1);
    Start();
    EXPECT_EQ(world_.sm().exchange().statistics().SetsOf(AttributeId::kSlToVlMappingTable),
              8U + 6U + 1U);
    for (std::uint32_t row = 0; row < world_.world().row_count(); ++row) {
        const PortInfo& info = world_.world().port(row).info;
        const sim::SimNode& node = world_.world().node_of(row);
        const std::uint32_t out = world_.world().port(row).number;
        if (!node.is_switch() || out == 0) continue;
        if (info.Get(PortInfo::kOperationalVls) != VlCap::kVl0To1) continue;
        const std::span<const std::uint8_t> map = world_.world().SlToVl(node.first_row, 1, out);
        EXPECT_EQ(map[0], 0x01) << "2 and 3, on two VLs";
    }
}

}  // namespace
}  // namespace ember::testing
