// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of settings that are lists: they arrive in their order, or are refused.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "config/blob/payload.h"
#include "config/emberc/keys.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Value;

TEST(RoundTrip, EnginesComeInTheOrderOfTheList) {
    const auto read = [](std::string_view list) {
        const Octets payload = PayloadOf("routing_engine " + std::string(list));
        const Aligned copy(payload);
        Settings settings;
        settings.routing_engine = {};
        settings.no_fallback = list.empty();
        EXPECT_TRUE(ReadPayload(copy.octets(), SharedRoom(), settings).accepted()) << list;
        return settings;
    };
    const Settings all = read("ftree,dor file updn, dnup minhop");
    const std::vector<EngineKind> expected = {EngineKind::kFtree, EngineKind::kDor,
                                              EngineKind::kFile,  EngineKind::kUpDn,
                                              EngineKind::kDnUp,  EngineKind::kMinHop};
    EXPECT_TRUE(std::equal(all.routing_engine.begin(), all.routing_engine.end(), expected.begin(),
                           expected.end()));
    EXPECT_FALSE(all.no_fallback);
    EXPECT_TRUE(read("updn,no_fallback").no_fallback);
    EXPECT_EQ(read("no_fallback,updn").routing_engine.size(), 1U);
    EXPECT_TRUE(read("(null)").routing_engine.empty());
}

TEST(RoundTrip, PeersComeInTheOrderOfTheList) {
    const Aligned copy(PayloadOf("sm_peers 0x20, 0x10 48\n"));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), SharedRoom(), settings).accepted());
    ASSERT_EQ(settings.sm_peers.size(), 3U);
    EXPECT_EQ(settings.sm_peers[0], Guid{0x20});
    EXPECT_EQ(settings.sm_peers[1], Guid{0x10});
    EXPECT_EQ(settings.sm_peers[2], Guid{0x30});
    const Aligned none(PayloadOf("sm_peers (null)\n"));
    ASSERT_TRUE(ReadPayload(none.octets(), SharedRoom(), settings).accepted());
    EXPECT_TRUE(settings.sm_peers.empty());
}

TEST(RoundTrip, LanesComeByKindOfPorts) {
    const std::array<std::string, kLanePortKinds> kinds = {"qos_", "qos_ca_", "qos_sw0_",
                                                           "qos_swe_", "qos_rtr_"};
    std::string text = "qos TRUE\n";
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        text += fmt::format(
            "{0}high_limit {1}\n{0}vlarb_high {1}:7,2:{1}\n{0}vlarb_low 3:{1}\n"
            "{0}sl2vl {1},1,2,3,4,5,6,7,8,9,10,11,12,13,14,0\n",
            kinds[i], i + 1);
    }
    const Aligned copy(PayloadOf(text));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), SharedRoom(), settings).accepted());
    for (std::uint8_t i = 0; i < kinds.size(); ++i) {
        const auto number = static_cast<std::uint8_t>(i + 1);
        const LaneSettings& lanes = settings.lanes[i];
        EXPECT_EQ(lanes.high_limit, number);
        ASSERT_EQ(lanes.high.size(), 2U);
        EXPECT_EQ(lanes.high[0], (VlWeight{number, 7}));
        EXPECT_EQ(lanes.high[1], (VlWeight{2, number}));
        ASSERT_EQ(lanes.low.size(), 1U);
        EXPECT_EQ(lanes.low[0], (VlWeight{3, number}));
        ASSERT_EQ(lanes.sl_to_vl.size(), kSlToVlEntries);
        EXPECT_EQ(lanes.sl_to_vl[0], number);
        EXPECT_EQ(lanes.sl_to_vl[14], 14);
    }
    const Aligned none(PayloadOf("qos TRUE\n"));
    ASSERT_TRUE(ReadPayload(none.octets(), SharedRoom(), settings).accepted());
    EXPECT_EQ(settings.lanes, Settings{}.lanes) << "what was there is forgotten";
}

TEST(RoundTrip, PeersThatCannotBeAreRefusedByTheSwitchToo) {
    const std::vector<std::vector<std::uint64_t>> lists = {
        {0}, {1, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}};
    for (const std::vector<std::uint64_t>& list : lists) {
        std::vector<Value> values = ValuesOf(emberc::DefaultConf());
        values.at(*emberc::FindKey("sm_peers")) = {
            .set = true, .text = {}, .list = {}, .guids = list};
        const Aligned copy(emberc::WritePayload(values));
        Settings settings;
        EXPECT_EQ(ReadPayload(copy.octets(), SharedRoom(), settings).field_out_of_range,
                  "sm_peers");
    }
}

TEST(RoundTrip, AnEngineThatIsThereTwiceIsRefusedByTheSwitchToo) {
    std::vector<Value> values = ValuesOf(emberc::DefaultConf());
    Value& engines = values.at(*emberc::FindKey("routing_engine"));
    engines = {.set = true, .text = {}, .list = {1, 2, 1}};
    const Aligned copy(emberc::WritePayload(values));
    Settings settings;
    EXPECT_EQ(ReadPayload(copy.octets(), SharedRoom(), settings).field_out_of_range,
              "routing_engine");
}

}  // namespace
}  // namespace ember::test
