// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a QoS level leaves of a path, alone and in PathRecords.
#include "core/administration/paths/level_limits.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>

#include "core/administration/paths/multi_path_records.h"
#include "tests/core/administration/paths/path_records_fixture.h"
#include "tests/core/administration/policy/policy_model.h"

namespace ember {
namespace {

using testing::Mask;
using testing::PolicyModel;
using testing::PolicyTables;
using P = PathRecord;

constexpr PathValues kWide{.mtu = Mtu::k4096, .rate = Rate::k40Gb, .life_time = 18};

TEST(LevelLimits, NarrowMtuAndRateAndNeverWiden) {
    PathValues values = kWide;
    Limit(QosLevel{}, true, values);
    EXPECT_EQ(values, kWide);
    Limit(QosLevel{.mtu_limit = Mtu::k1024, .rate_limit = Rate::k20Gb}, true, values);
    EXPECT_EQ(values, (PathValues{Mtu::k1024, Rate::k20Gb, 18}));
    Limit(QosLevel{.mtu_limit = Mtu::k2048, .rate_limit = Rate::k56Gb}, true, values);
    EXPECT_EQ(values, (PathValues{Mtu::k1024, Rate::k20Gb, 18}));
    values = {.mtu = Mtu::k256, .rate = Rate::k5Gb, .life_time = 18};  // Code 5, above k10Gb's 3.
    Limit(QosLevel{.rate_limit = Rate::k10Gb}, true, values);
    EXPECT_EQ(values.rate, Rate::k5Gb) << "rates compare by speed";
}

TEST(LevelLimits, ReplaceTheLifeTimeOfWhatLeavesItsPort) {
    PathValues values = kWide;
    Limit(QosLevel{.packet_life = 20}, true, values);
    EXPECT_EQ(values.life_time, 20);
    Limit(QosLevel{.packet_life = 0}, true, values);
    EXPECT_EQ(values.life_time, 0);
    Limit(QosLevel{.packet_life = 7}, true, values);
    EXPECT_EQ(values.life_time, 7);
    values.life_time = 0;
    Limit(QosLevel{.packet_life = 7}, false, values);
    EXPECT_EQ(values.life_time, 0);
}

TEST(LevelLimits, GiveTheServiceLevelUnlessAnotherIsAskedFor) {
    const QosLevel level{.sl = 3};
    EXPECT_EQ(SlUnder(nullptr, false, 9), 0);
    EXPECT_EQ(SlUnder(nullptr, true, 9), 9);
    EXPECT_EQ(SlUnder(&level, false, 9), 3);
    EXPECT_EQ(SlUnder(&level, true, 3), 3);
    EXPECT_EQ(SlUnder(&level, true, 9), kNoSl);
}

TEST(LevelLimits, AdmitThePKeysThatAreListed) {
    constexpr std::array<QosRange, 2> kRanges{QosRange{2, 4}, QosRange{0x7FFF, 0x7FFF}};
    EXPECT_TRUE(Admits({}, 0x8001));
    EXPECT_FALSE(Admits(kRanges, 0x8001));
    EXPECT_TRUE(Admits(kRanges, 0x8002));
    EXPECT_TRUE(Admits(kRanges, 0x0004));
    EXPECT_FALSE(Admits(kRanges, 0x0005));
    EXPECT_TRUE(Admits(kRanges, 0xFFFF));
}

/// Links are 4x SDR, 10 Gb/s, and 4096 octets.
class PathsUnderAPolicy : public testing::PathRecordsTest {
protected:
    void Load(const PolicyModel& model) {
        tables_.emplace(model);
        tables_->PutInto(net_.settings());
        ASSERT_EQ(net_.policy().Load(), Status::kOk);
    }
    /// All paths have this level.
    void LoadLevel(const PolicyModel::Level& level) { Load({.levels = {level}}); }
    /// Host 1 sends by level 1, all others by level 0.
    void LoadForHost1(const PolicyModel::Level& others, const PolicyModel::Level& host1) {
        const std::uint64_t guid = Raw(Host(1).guid);
        Load({.levels = {others, host1},
              .groups = {{.guids = {{guid, guid}}}},
              .rules = {{.level = 1, .sources = {0}}}});
    }
    std::optional<PolicyTables> tables_;
};

TEST_F(PathsUnderAPolicy, HaveTheValuesOfTheirLevel) {
    LoadLevel({.sl = 3,
               .mtu_limit = Mtu::k2048,
               .rate_limit = Rate::k5Gb,
               .packet_life = 12,
               .p_keys = {{0x7FFF, 0x7FFF}}});
    const PathRecord path = Between(0, 4).at(0);
    EXPECT_EQ(path.Get(P::kSl), 3);
    EXPECT_EQ(path.Get(P::kMtu), Mtu::k2048);
    EXPECT_EQ(path.Get(P::kRate), Rate::k5Gb);
    EXPECT_EQ(path.Get(P::kPacketLifeTime), 12);
    EXPECT_EQ(path.Get(P::kPKey), 0x7FFF) << "as listed";
    EXPECT_EQ(path.Get(P::kReversible), 1);
    EXPECT_EQ(Between(0, 0).at(0).Get(P::kPacketLifeTime), 0) << "it does not leave its port";
}

TEST_F(PathsUnderAPolicy, AreMeasuredByTheirLevelWhenValuesAreAskedFor) {
    LoadLevel({.sl = 3, .mtu_limit = Mtu::k2048, .packet_life = 12});
    PathRecord asked;
    asked.Set(P::kMtuSelector, Selector::kAbove);
    asked.Set(P::kMtu, Mtu::k1024);
    constexpr std::uint64_t kMtu = Mask(P::kHasMtu, P::kHasMtuSelector);
    EXPECT_EQ(Between(0, 4, kMtu, asked).at(0).Get(P::kMtu), Mtu::k2048);
    asked.Set(P::kMtu, Mtu::k2048);
    EXPECT_TRUE(Between(0, 4, kMtu, asked).empty());
    asked.Set(P::kMtuSelector, Selector::kExactly);
    asked.Set(P::kMtu, Mtu::k4096);
    EXPECT_TRUE(Between(0, 4, kMtu, asked).empty());
    asked.Set(P::kPacketLifeTimeSelector, Selector::kBelow);
    asked.Set(P::kPacketLifeTime, std::uint8_t{12});
    constexpr std::uint64_t kLife = Mask(P::kHasPacketLifeTime, P::kHasPacketLifeTimeSelector);
    EXPECT_EQ(Between(0, 4, kLife, asked).at(0).Get(P::kPacketLifeTime), 11);
    asked.Set(P::kPacketLifeTimeSelector, Selector::kAbove);
    EXPECT_TRUE(Between(0, 4, kLife, asked).empty());
    asked.Set(P::kSl, std::uint8_t{3});
    EXPECT_EQ(Between(0, 4, Mask(P::kHasSl), asked).size(), 1U);
    asked.Set(P::kSl, std::uint8_t{0});
    EXPECT_TRUE(Between(0, 4, Mask(P::kHasSl), asked).empty());
}

TEST_F(PathsUnderAPolicy, HaveAPKeyThatTheirLevelLists) {
    LoadLevel({.p_keys = {{1, 0x7FFE}}});
    EXPECT_TRUE(Between(0, 4).empty()) << "the ports share none of them";
    PathRecord asked;
    asked.Set(P::kPKey, std::uint16_t{0xFFFF});
    EXPECT_TRUE(Between(0, 4, Mask(P::kHasPKey), asked).empty());
    asked.Set(P::kRawTraffic, std::uint8_t{1});
    EXPECT_EQ(Between(0, 4, Mask(P::kHasRawTraffic), asked).size(), 1U) << "it has none";
    LoadLevel({.p_keys = {{1, 2}, {0x7FFF, 0x7FFF}}});
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kPKey), 0x7FFF) << "as listed";
    for (const unsigned p_key : {0x7FFFU, 0xFFFFU}) {
        asked.Set(P::kPKey, static_cast<std::uint16_t>(p_key));
        EXPECT_EQ(Between(0, 4, Mask(P::kHasPKey), asked).at(0).Get(P::kPKey), p_key);
    }
}

TEST_F(PathsUnderAPolicy, AreChosenByWhatTheQuestionSays) {
    Load({.levels = {{.sl = 0}, {.sl = 1}, {.sl = 2}, {.sl = 3}},
          .rules = {{.level = 1, .service_ids = {{0x10000, 0x1FFFF}}},
                    {.level = 2, .qos_classes = {{7, 7}}},
                    {.level = 3, .p_keys = {{0x7FFF, 0x7FFF}}}}});
    PathRecord asked;
    asked.Set(P::kServiceId, std::uint64_t{0x12345});
    asked.Set(P::kQosClass, std::uint16_t{7});
    asked.Set(P::kPKey, std::uint16_t{0xFFFF});
    const auto sl = [&](std::uint64_t mask) {
        return unsigned{Between(0, 4, mask, asked).at(0).Get(P::kSl)};
    };
    EXPECT_EQ(sl(0), 0U);
    EXPECT_EQ(sl(Mask(P::kHasPKey)), 3U);
    EXPECT_EQ(sl(Mask(P::kHasPKey, P::kHasQosClass)), 2U);
    EXPECT_EQ(sl(Mask(P::kHasPKey, P::kHasServiceIdHigh, P::kHasServiceIdLow)), 1U);
}

TEST_F(PathsUnderAPolicy, ReturnByTheLevelOfTheWayBack) {
    LoadForHost1({.sl = 0}, {.sl = 5, .mtu_limit = Mtu::k1024});
    EXPECT_EQ(Between(1, 4).at(0).Get(P::kMtu), Mtu::k1024);
    EXPECT_EQ(Between(1, 4).at(0).Get(P::kSl), 5);
    EXPECT_EQ(Between(4, 1).at(0).Get(P::kMtu), Mtu::k4096);
    EXPECT_EQ(Between(4, 1).at(0).Get(P::kReversible), 1);
    PathRecord asked;
    asked.Set(P::kMtuSelector, Selector::kExactly);
    asked.Set(P::kMtu, Mtu::k2048);
    constexpr std::uint64_t kMtu = Mask(P::kHasMtu, P::kHasMtuSelector);
    EXPECT_EQ(Between(4, 1, kMtu, asked).at(0).Get(P::kReversible), 0);
    asked.Set(P::kReversible, std::uint8_t{1});
    EXPECT_TRUE(Between(4, 1, kMtu | Mask(P::kHasReversible), asked).empty());
    asked.Set(P::kSl, std::uint8_t{0});
    EXPECT_EQ(Between(4, 1, Mask(P::kHasSl), asked).at(0).Get(P::kReversible), 0);
}

TEST_F(PathsUnderAPolicy, DoNotReturnByALevelWhosePacketsAreDropped) {
    LoadForHost1({.sl = 9}, {.sl = 5});
    auto& map = net_.settings().lanes[Raw(LanePorts::kAny)].sl_to_vl;
    for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
        ASSERT_EQ(map.TryPush(sl == 9 ? std::uint8_t{15} : std::uint8_t{0}), Status::kOk);
    }
    EXPECT_TRUE(Between(4, 1).empty()) << "by level 0, of service level 9";
    EXPECT_EQ(Between(1, 4).at(0).Get(P::kReversible), 0);
    PathRecord asked;
    asked.Set(P::kReversible, std::uint8_t{1});
    EXPECT_TRUE(Between(1, 4, Mask(P::kHasReversible), asked).empty());
    map[9] = 0;
    EXPECT_EQ(Between(1, 4).at(0).Get(P::kReversible), 1);
}

TEST_F(PathsUnderAPolicy, KeepTheServiceLevelOfTheRouting) {
    std::array<std::uint8_t, 256> octets{};
    RoutingLanes lanes{.path_sl = PathSl(octets), .lane_map = {}};
    net_.view().lanes = &lanes;
    PathSl& path_sl = lanes.path_sl;
    ASSERT_EQ(path_sl.Begin(PathSl::Form::kByDestination, net_.fabric().switch_bound(),
                            net_.fabric().top_lid()),
              Status::kOk);
    path_sl.Set({.lid = Host(4).lid}, 6);
    LoadLevel({.sl = 3, .mtu_limit = Mtu::k1024});
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kSl), 6) << "the level's is a hint";
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kMtu), Mtu::k1024);
    PathRecord asked;
    asked.Set(P::kSl, std::uint8_t{6});
    EXPECT_TRUE(Between(0, 4, Mask(P::kHasSl), asked).empty()) << "the level has another";
    asked.Set(P::kSl, std::uint8_t{3});
    EXPECT_TRUE(Between(0, 4, Mask(P::kHasSl), asked).empty()) << "the routing has another";
}

TEST_F(PathsUnderAPolicy, AreToldLikewiseByMultiPathRecord) {
    Load({.levels = {{.sl = 0}, {.sl = 4}},
          .rules = {{.level = 1, .service_ids = {{0x1200000000000005, 0x1200000000000005}}}}});
    using M = MultiPathRecord;
    MultiPathRecords source(net_.view(), net_.maker());
    std::array<std::uint8_t, sizeof(M) + 2 * M::kGidOctets> octets{};
    M asked;
    asked.Set(M::kSgidCount, std::uint8_t{1});
    asked.Set(M::kDgidCount, std::uint8_t{1});
    asked.Set(M::kServiceIdHigh, std::uint8_t{0x12});
    asked.Set(M::kServiceIdLow, std::uint64_t{5});
    std::copy(asked.octets().begin(), asked.octets().end(), octets.begin());
    const auto put_gid = [&](std::size_t at, Guid guid) {
        for (std::size_t i = 0; i < 8; ++i) {
            const std::size_t begin = sizeof(M) + at * M::kGidOctets;
            octets[begin + i] = static_cast<std::uint8_t>(testing::kPrefix >> (56 - 8 * i));
            octets[begin + 8 + i] = static_cast<std::uint8_t>(Raw(guid) >> (56 - 8 * i));
        }
    };
    put_gid(0, Host(0).guid);
    put_gid(1, Host(4).guid);
    const std::uint64_t ends = Mask(M::kHasSgidCount, M::kHasDgidCount);
    const auto sl = [&](std::uint64_t mask) {
        const auto answer = net_.AskSource(source, Method::kGetMulti, ends | mask, octets);
        EXPECT_EQ(answer.records.size(), 1U);
        return answer.records.empty() ? 99U : unsigned{answer.records[0].Get(P::kSl)};
    };
    EXPECT_EQ(sl(0), 0U);
    EXPECT_EQ(sl(Mask(M::kHasServiceIdHigh, M::kHasServiceIdLow)), 4U);
}

}  // namespace
}  // namespace ember
