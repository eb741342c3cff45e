// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of torus_config, the file torus-2QoS.conf.
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/blob/torus_rows.h"
#include "config/emberc/option_files/contents.h"
#include "config/netlist/topologies.h"
#include "tests/config/emberc_run.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::LoadedTorus;

/// Every remark as "line:column code".
std::string RemarksOn(std::string_view text, LoadedTorus* torus = nullptr,
                      const emberc::SubnetFacts& subnet = {}) {
    Diagnostics diagnostics("file");
    LoadedTorus read = emberc::ParseTorusConfig(text, diagnostics, subnet);
    if (torus != nullptr) *torus = std::move(read);
    return PlacesAndWords(diagnostics);
}

/// The text that emberc shows of it.
std::string Shown(const LoadedTorus& torus) {
    std::string text;
    for (const emberc::TorusEntry& entry : EntriesOf(torus)) {
        text += AsLine(entry) + "\n";
    }
    return text;
}

constexpr std::string_view kSeed = "xp_link 1 2\nyp_link 1 3\nzp_link 1 4\n";

std::string With(std::string_view first, std::string_view rest = "") {
    return std::string(first) + "\n" + std::string(kSeed) + std::string(rest);
}

TEST(TorusConfig, ReadsShapeSeedsAndPorts) {
    LoadedTorus torus;
    EXPECT_EQ(RemarksOn("# a torus of two dimensions\n"
                        "torus 1 4 0x5m\n"
                        "yp_link 0x200000 0x200005  # y = 0 to y = 1\n"
                        "ym_link 0x200000 0x20000f\n"
                        "\tzp_link 0x200000 0x200001\r\n"
                        "\n"
                        "next_seed\n"
                        "yp_link 0x20000b 0x200010\n"
                        "ym_link 0x20000b 0x200006\n"
                        "zm_link 0x20000b 0x20000c\n"
                        "y_dateline -2\n"
                        "z_dateline 1\n"
                        "portgroup_max_ports 20\n"
                        "port_order 7 10 0 8",
                        &torus),
              "");
    EXPECT_EQ(torus.shape, (TorusShape{.radix = {1, 4, 5}, .open = 4, .group_ports = 20}));
    ASSERT_EQ(torus.seeds.size(), 2U);
    EXPECT_EQ(torus.seeds[0], (TorusSeed{.from = Guid{0x200000},
                                         .to = {kNoGuid, kNoGuid, Guid{0x20000F}, Guid{0x200005},
                                                kNoGuid, Guid{0x200001}},
                                         .place = {0, 0, 0}}));
    EXPECT_EQ(torus.seeds[1], (TorusSeed{.from = Guid{0x20000B},
                                         .to = {kNoGuid, kNoGuid, Guid{0x200006}, Guid{0x200010},
                                                Guid{0x20000C}, kNoGuid},
                                         .place = {0, 2, 4}}));
    EXPECT_EQ(torus.port_order, (std::vector<PortNumber>{PortNumber{7}, PortNumber{10},
                                                         PortNumber{0}, PortNumber{8}}));
    EXPECT_TRUE(option_files::IsTorus(torus.shape));
    for (const TorusSeed& seed : torus.seeds) {
        EXPECT_TRUE(option_files::IsSeed(seed, torus.shape));
    }
    LoadedTorus again;
    EXPECT_EQ(RemarksOn(Shown(torus), &again), "") << Shown(torus);
    EXPECT_EQ(again, torus) << "what is shown can be read";
}

TEST(TorusConfig, EachDimensionIsARingOrARow) {
    const auto open_of = [](std::string_view line) {
        LoadedTorus torus;
        EXPECT_EQ(RemarksOn(With(line), &torus), "") << line;
        return torus.shape.open;
    };
    EXPECT_EQ(open_of("torus 3 5 6"), 0);
    EXPECT_EQ(open_of("torus 3 5m 6M"), 6);
    EXPECT_EQ(open_of("mesh 3 5 6"), 7);
    EXPECT_EQ(open_of("mesh 3T 5t 6"), 4);
    EXPECT_EQ(open_of("mesh 3t 4 5"), open_of("torus 3 4M 5M")) << "as the manual has it";
    EXPECT_EQ(open_of("torus 2 5 2t"), 5) << "a ring of two is a row with double links";
}

TEST(TorusConfig, SaysWhereAMistakeIs) {
    const std::string torus = "torus 3 3 3";
    struct Row {
        std::string text;
        std::string_view remarks;
    };
    const Row rows[] = {
        {"", ""},
        {"# nothing\n", ""},
        {std::string(kSeed), "0:0 missing-entry"},
        {torus + "\n", "0:0 missing-entry"},
        {With("torus 3 3"), "1:9 missing-value"},
        {With("torus 3 3 3 3"), "1:13 trailing-text"},
        {With("torus 3 3 0"), "1:11 out-of-range"},
        {With("torus 3 256 3"), "1:9 out-of-range"},
        {With("torus 3 3x 3"), "1:9 bad-number"},
        {With("torus 3 m 3"), "1:9 bad-number"},
        {With("torus 200 200 200"), "1:7 out-of-range"},
        {"torus 1 1 1\nnext_seed\n", "1:7 out-of-range"},
        {With(torus, "mesh 3 3 3\n"), "5:1 duplicate-entry"},
        {With("Torus 3 3 3"), "0:0 missing-entry, 1:1 unknown-line"},
        {With(torus, "xplink 1 2\n"), "5:1 unknown-line"},
        {With(torus, "next_seed 2\n"),
         "5:1 missing-entry, 5:1 missing-entry, 5:1 missing-entry, "
         "5:11 trailing-text"},
        {With(torus, "xm_link 1\n"), "5:9 missing-value"},
        {With(torus, "xm_link 1 0\n"), "5:11 out-of-range"},
        {With(torus, "xm_link 1 zz\n"), "5:11 bad-number"},
        {With(torus, "xm_link 9 5\n"), "5:9 contradiction"},
        {With(torus, "xm_link 1 1\n"), "5:11 contradiction"},
        {With(torus, "xm_link 1 2\n"), "5:11 contradiction"},
        {With(torus, "xp_link 1 5\n"), "5:11 contradiction"},
        {With(torus, "xp_link 1 2\n"), "5:9 duplicate-entry"},
        {With("torus 3 3 1"), "4:9 no-effect"},
        {With("torus 3 4 3"), "2:9 missing-entry"},
        {With("torus 3 4m 3"), ""},
        {With("torus 2 3 3", "xm_link 1 2\n"), ""},
        {With("torus 2 3 3", "xm_link 1 5\n"), "5:11 contradiction"},
        {With(torus, "x_dateline\n"), "5:1 missing-value"},
        {With(torus, "x_dateline 3\n"), "5:12 out-of-range"},
        {With(torus, "x_dateline -3\n"), "5:12 out-of-range"},
        {With(torus, "x_dateline -2\n"), ""},
        {With(torus, "x_dateline 1x\n"), "5:12 bad-number"},
        {With(torus, "x_dateline 99999\n"), "5:12 out-of-range"},
        {With(torus, "x_dateline 1\nx_dateline 2\n"), "6:12 contradiction"},
        {With(torus, "portgroup_max_ports\n"), "5:1 missing-value"},
        {With(torus, "portgroup_max_ports 0\n"), "5:21 out-of-range"},
        {With(torus, "portgroup_max_ports 256\n"), "5:21 out-of-range"},
        {With(torus, "port_order\n"), "5:1 missing-value"},
        {With(torus, "port_order 1 255 x\n"), "5:14 out-of-range, 5:18 bad-number"},
        {With(torus, "port_order 1 2 1\n"), "5:16 duplicate-port"},
        {With(torus, "port_order 1\nport_order 2\n"), "6:1 duplicate-entry"},
        {With(torus, "max_changes 7\n"), "5:1 no-effect"},
        {With(torus, "max_changes -7\n"), "5:13 out-of-range"},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(RemarksOn(row.text), row.remarks) << row.text;
    }
}

TEST(TorusConfig, ALaterSeedIsCheckedAsTheFirst) {
    LoadedTorus torus;
    EXPECT_EQ(RemarksOn("next_seed\n" + With("torus 3 3 3", "next_seed\nxm_link 7 8\n"), &torus),
              "6:1 missing-entry, 6:1 missing-entry");
    EXPECT_EQ(torus.seeds.size(), 2U) << "next_seed before any link begins the first seed";
}

TEST(TorusConfig, NoSwitchOfABlobStandsTwiceAndNoRingOfFourIsHalfSaid) {
    const TorusShape shape{.radix = {4, 3, 1}};
    const TorusSeed good{.from = Guid{1},
                         .to = {Guid{2}, Guid{3}, Guid{4}, kNoGuid, kNoGuid, kNoGuid},
                         .place = {3, 2, 0}};
    ASSERT_TRUE(option_files::IsSeed(good, shape));
    const auto is_seed = [&](auto change) {
        TorusSeed seed = good;
        change(seed);
        return option_files::IsSeed(seed, shape);
    };
    EXPECT_FALSE(is_seed([](TorusSeed& seed) { seed.from = kNoGuid; }));
    EXPECT_FALSE(is_seed([](TorusSeed& seed) { seed.to[0] = kNoGuid; })) << "a ring of four";
    EXPECT_FALSE(is_seed([](TorusSeed& seed) { seed.to[2] = kNoGuid; })) << "no link of y";
    EXPECT_FALSE(is_seed([](TorusSeed& seed) { seed.to[4] = Guid{9}; })) << "z has one switch";
    EXPECT_FALSE(is_seed([](TorusSeed& seed) { seed.to[2] = Guid{1}; })) << "a link to itself";
    EXPECT_FALSE(is_seed([](TorusSeed& seed) { seed.to[2] = Guid{2}; })) << "two places";
    EXPECT_FALSE(is_seed([](TorusSeed& seed) { seed.place[0] = 4; }));
    EXPECT_FALSE(is_seed([](TorusSeed& seed) { seed.place[2] = 1; }));
    const auto is_torus = [](TorusShape one) { return option_files::IsTorus(one); };
    EXPECT_TRUE(is_torus(shape));
    EXPECT_FALSE(is_torus({.radix = {0, 3, 3}}));
    EXPECT_FALSE(is_torus({.radix = {2, 3, 3}})) << "two switches are no ring";
    EXPECT_TRUE(is_torus({.radix = {2, 3, 3}, .open = 1}));
    EXPECT_FALSE(is_torus({.radix = {3, 3, 3}, .open = 8}));
    EXPECT_FALSE(is_torus({.radix = {3, 3, 3}, .group_ports = 0}));
    EXPECT_FALSE(is_torus({.radix = {255, 255, 1}})) << "more than a subnet has";
}

TEST(TorusConfig, ComparesSeeds) {
    const std::string first = "torus 5 5 5\nxp_link 1 2\nyp_link 1 3\nzp_link 1 4\nnext_seed\n";
    EXPECT_EQ(RemarksOn(first + "xp_link 11 12\nyp_link 11 13\nzp_link 11 14\nx_dateline 2\n"), "")
        << "nothing on paper says where these stand";
    EXPECT_EQ(RemarksOn(first + "xp_link 2 12\nyp_link 2 13\nzp_link 2 14\nx_dateline -1\n"),
              "6:9 duplicate-switch")
        << "one switch, at one place: when it fails both are gone";
    EXPECT_EQ(RemarksOn(first + "xp_link 2 12\nyp_link 2 13\nzp_link 2 14\nx_dateline 1\n"),
              "6:9 contradiction");
    EXPECT_EQ(RemarksOn(first + "xm_link 11 1\nyp_link 11 13\nzp_link 11 14\n"),
              "6:12 contradiction")
        << "from (0, 0, 0) to (4, 0, 0), which the first seed has at (0, 0, 0)";
    EXPECT_EQ(RemarksOn(first + "xm_link 11 1\nyp_link 11 13\nzp_link 11 14\nx_dateline -1\n"),
              "6:12 duplicate-switch");
}

/// Switch x, y of this one has the NodeGUID 0x200000 + x + 3 y.
net::Netlist ThreeByThree() {
    return net::Torus(std::array{3U, 3U}, 1);
}

constexpr std::string_view kFirst = "xp_link 0x200000 0x200001\nyp_link 0x200000 0x200003\n";
constexpr std::string_view kSecond =
    "next_seed\nxp_link 0x200004 0x200005\nyp_link 0x200004 0x200007\n";

std::string SaidOn(const net::Netlist& fabric, std::string_view text, bool routes_as_one = true) {
    emberc::SubnetFacts subnet;
    subnet.routes_as_one = routes_as_one;
    subnet.fabric = &fabric;
    return RemarksOn(text, nullptr, subnet);
}

TEST(TorusConfig, SaysNothingOfAFabricThatIsTheTorus) {
    const net::Netlist fabric = ThreeByThree();
    const std::string torus = "torus 3 3 1\n" + std::string(kFirst);
    EXPECT_EQ(SaidOn(fabric, torus), "");
    EXPECT_EQ(SaidOn(fabric, torus + std::string(kSecond) + "x_dateline -1\ny_dateline -1\n"), "");
}

TEST(TorusConfig, SaysWhatTheFabricHasNot) {
    const net::Netlist fabric = ThreeByThree();
    const std::string torus = "torus 3 3 1\n" + std::string(kFirst);
    EXPECT_EQ(SaidOn(fabric, torus + "next_seed\nxp_link 0x7 0x200005\nyp_link 0x7 0x200007\n"),
              "5:9 not-in-fabric")
        << "once a seed";
    EXPECT_EQ(SaidOn(fabric, torus + std::string(kSecond)), "5:9 not-in-fabric")
        << "the fabric has it at (1, 1)";
    EXPECT_EQ(SaidOn(fabric, "torus 3 3 1\nxp_link 0x200000 0x20000f\nyp_link 0x200000 0x200003\n"),
              "1:1 not-in-fabric, 2:18 not-in-fabric")
        << "and no seed is left";
    EXPECT_EQ(SaidOn(fabric, "torus 3 3 1\nxp_link 0x200000 0x200004\nyp_link 0x200000 0x200003\n"),
              "1:1 not-in-fabric, 2:18 not-in-fabric")
        << "no cable joins them";
    EXPECT_EQ(SaidOn(fabric, "torus 3 5 1\n" + std::string(kFirst)), "1:1 not-in-fabric");
    EXPECT_EQ(SaidOn(fabric, "mesh 3 3 3\n" + std::string(kFirst) + "zp_link 0x200000 0x200004\n"),
              "1:1 not-in-fabric, 4:18 not-in-fabric");
}

TEST(TorusConfig, OfAPartOfTheFabricSaysNothingOfItsSize) {
    const net::Netlist fabric = ThreeByThree();
    EXPECT_EQ(SaidOn(fabric, "torus 3 5 1\n" + std::string(kFirst), false), "");
    EXPECT_EQ(
        SaidOn(fabric, "torus 3 5 1\nxp_link 0x200000 0x9\nyp_link 0x200000 0x200003\n", false),
        "2:18 not-in-fabric");
}

TEST(TorusConfig, CheckAndPlanSayWhatTheFabricIsInstead) {
    const Folder folder;
    folder.Write("torus", "torus 3 5 1\n" + std::string(kFirst));
    const std::string conf =
        folder.Write("opensm.conf", "qos TRUE\nrouting_engine torus-2QoS\ntorus_config torus\n");
    const std::string said =
        "torus:1:1: warning: torus-2QoS refuses the fabric: switches of the torus are missing, and "
        "no path round them is free of credit loops: 0x";
    const std::string has =
        "there are 15 places, and the fabric has 9 switches, whose cables form a torus of 3 x 3 "
        "[not-in-fabric]";
    const Answer check = Emberc({"check", conf, "--fabric", "torus:3x3:1"});
    EXPECT_EQ(check.status, 0);
    EXPECT_NE(check.error.find(said), std::string::npos) << check.error;
    EXPECT_NE(check.error.find(has), std::string::npos) << check.error;
    EXPECT_EQ(Emberc({"check", conf}).error.find("not-in-fabric"), std::string::npos);
    const Answer plan = Emberc({"plan", "-c", conf, "-f", "torus:3x3:1"});
    EXPECT_NE(plan.error.find(said), std::string::npos) << plan.error;
    EXPECT_NE(plan.error.find(has), std::string::npos) << plan.error;
}

}  // namespace
}  // namespace ember::test
