// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of topo_policy_file and rch_policy_file: what is read, and every mistake with its
// place.
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "core/settings/qos_tables.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::LoadedChain;
using emberc::LoadedPortGroups;
using emberc::LoadedTopologies;

template <typename Loaded>
struct Parsed {
    Loaded loaded;
    std::string said;   ///< "line:column word" of each diagnostic, apart by commas.
    std::string first;  ///< The first of them.
};

template <typename Loaded>
Parsed<Loaded> Tell(Loaded loaded, Diagnostics& diagnostics) {
    Parsed<Loaded> parsed{
        .loaded = std::move(loaded), .said = PlacesAndWords(diagnostics), .first = {}};
    if (!diagnostics.all().empty()) parsed.first = diagnostics.all().front().text;
    return parsed;
}

const std::vector<LoadedPortGroups::Group> kGroups = {{.name = "ys_switches", .line = 1},
                                                      {.name = "other", .line = 5},
                                                      {.name = "ys hosts", .line = 9}};

Parsed<LoadedTopologies> Topologies(std::string_view text) {
    Diagnostics diagnostics("topologies");
    auto loaded = emberc::ParseTopoPolicyFile(text, diagnostics, {.policy_port_groups = kGroups});
    return Tell(std::move(loaded), diagnostics);
}

Parsed<LoadedChain> Chain(std::string_view text, std::uint8_t lmc = 0, bool is_balanced = true) {
    static const LoadedTopologies kTwo = {
        {{.row = {.id = 1}}, {.row = {.id = 5, .switches = 1, .end_ports = 2}}}};
    Diagnostics diagnostics("chain");
    auto loaded = emberc::ParseRchPolicyFile(
        text, diagnostics, {.lmc = lmc, .topologies = &kTwo, .is_balanced = is_balanced});
    return Tell(std::move(loaded), diagnostics);
}

/// Steps whose first is by minhop, in lines 1 to 4, and whose second has these lines from line 6.
Parsed<LoadedChain> Second(std::string_view lines, std::uint8_t lmc = 0) {
    return Chain(fmt::format("unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                             "unicast-step\n{}\nend-unicast-step\n",
                             lines),
                 lmc);
}

TEST(TopoPolicyFile, HasTopologiesById) {
    const auto parsed = Topologies(
        "topology\nid: 7\nsw-grp: ALL_SWITCHES\nhca-grp: all_cas\nend-topology\n"
        "# the part of the documents\n"
        "topology\n  sw-grp: ys_switches\n  id: 1\n  hca-grp: YS Hosts\nend-topology\n");
    EXPECT_EQ(parsed.said, "");
    ASSERT_EQ(parsed.loaded.topologies.size(), 2U);
    const auto& first = parsed.loaded.topologies[0];
    EXPECT_EQ(first.row, (PortTopology{.id = 1, .line = 7, .switches = 0, .end_ports = 2}));
    EXPECT_EQ(first.switches, "ys_switches");
    EXPECT_EQ(first.end_ports, "ys hosts");
    const auto& second = parsed.loaded.topologies[1];
    EXPECT_EQ(second.row.id, 7U);
    EXPECT_EQ(second.row.switches, kGroupOfTypes | qos_node_type::kSwitch);
    EXPECT_EQ(second.row.end_ports, kGroupOfTypes | qos_node_type::kCa);
    const auto entries = EntriesOf(parsed.loaded);
    EXPECT_EQ(AsLine(entries[0]), "topology 1 of line 7, sw-grp ys_switches, hca-grp ys hosts");
}

TEST(TopoPolicyFile, TellsEveryMistakeWithItsPlace) {
    const auto of = [](std::string_view lines) {
        return Topologies(fmt::format("topology\n{}\nend-topology\n", lines)).said;
    };
    EXPECT_EQ(of("id: 1"), "1:1 missing-entry, 1:1 missing-entry");
    EXPECT_EQ(of("id: 0\nsw-grp: ALL\nhca-grp: ALL"), "2:5 out-of-range");
    EXPECT_EQ(of("id: x\nsw-grp: ALL\nhca-grp: ALL"), "2:5 bad-number");
    EXPECT_EQ(of("id: 1\nid: 2\nsw-grp: ALL\nhca-grp: ALL"), "3:1 duplicate-key");
    EXPECT_EQ(of("id: 1\nsw-grp: nobody\nhca-grp: ALL"), "3:9 undefined-name");
    EXPECT_EQ(of("id: 1\nsw-grp: a:b\nhca-grp: ALL"), "3:10 bad-value");
    EXPECT_EQ(of("id: 1\nsw-grp:\nhca-grp: ALL"), "3:1 missing-value");
    EXPECT_EQ(of("id: 1\nsw-grp ALL\nhca-grp: ALL"), "3:1 missing-colon");
    EXPECT_EQ(of("id: 1\nsw-group: ALL\nsw-grp: ALL\nhca-grp: ALL"), "3:1 unknown-line");
    EXPECT_EQ(of("id: 1\nsw-grp: ALL_CAS\nhca-grp: ALL"), "3:9 never-matches");
    EXPECT_EQ(of("id: 1\nsw-grp: ALL\nhca-grp: ALL_SWITCHES"), "4:10 never-matches");
    EXPECT_EQ(of("id: 1\nsw-grp: ALL, other\nhca-grp: ALL"), "3:12 trailing-text");
    EXPECT_EQ(Topologies("id: 1\n").said, "1:1 unknown-line");
    EXPECT_EQ(Topologies("end-topology\n").said, "1:1 open-section");
    EXPECT_EQ(Topologies("topology\nid: 1\nsw-grp: ALL\nhca-grp: ALL\n").said, "1:1 open-section");
    const auto twice = Topologies(
        "topology\nid: 1\nsw-grp: ALL\nhca-grp: ALL\nend-topology\n"
        "topology\nid: 1\nsw-grp: ALL\nhca-grp: ALL\nend-topology\n");
    EXPECT_EQ(twice.said, "7:1 contradiction");
    EXPECT_EQ(twice.first, "line 1 begins a topology of this id");
}

TEST(RchPolicyFile, HasStepsInTheOrderOfTheirIds) {
    const auto parsed = Chain(
        "unicast-step\nid: 9\nuse: ftree routing for cluster 1\nengine: ftree\ntopology: 5\n"
        "path-bit: 3\nconfig: /etc/config/opensm2.cfg\nend-unicast-step\n"
        "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
        "unicast-step\nid: 10\nengine: updn\ntopology: 1\nfallback-to: 9\nend-unicast-step\n",
        2);
    EXPECT_EQ(parsed.said, "2:5 overruled");
    ASSERT_EQ(parsed.loaded.steps.size(), 3U);
    EXPECT_EQ(parsed.loaded.steps[0].row,
              (ChainStep{.id = 1, .line = 9, .engine = EngineKind::kMinHop}));
    EXPECT_EQ(parsed.loaded.steps[1].row,
              (ChainStep{
                  .id = 9, .line = 1, .topology = 2, .path_bit = 3, .engine = EngineKind::kFtree}));
    EXPECT_EQ(parsed.loaded.steps[1].config, "/etc/config/opensm2.cfg");
    EXPECT_EQ(
        parsed.loaded.steps[2].row,
        (ChainStep{
            .id = 10, .line = 13, .topology = 1, .fallback_of = 2, .engine = EngineKind::kUpDn}));
    EXPECT_EQ(AsLine(EntriesOf(parsed.loaded)[2]),
              "unicast-step 10 of line 13, updn, topology 1, fallback-to 9");
}

TEST(RchPolicyFile, TellsEveryMistakeWithItsPlace) {
    EXPECT_EQ(Second("id: 2").said, "5:1 missing-entry");
    EXPECT_EQ(Second("engine: updn").said, "5:1 missing-entry");
    EXPECT_EQ(Second("id: 0\nengine: updn").said, "6:5 out-of-range");
    EXPECT_EQ(Second("id: 1\nengine: updn").said, "6:5 contradiction");
    EXPECT_EQ(Second("id: 2\nengine: updown").said, "7:9 unknown-engine");
    EXPECT_EQ(Second("id: 2\nengine: updn minhop").said, "7:14 trailing-text");
    EXPECT_EQ(Second("id: 2\nengine: updn\ntopology: 4").said, "8:11 undefined-name");
    EXPECT_EQ(Second("id: 2\nengine: updn\npath-bit: 1").said, "8:11 conflict");
    EXPECT_EQ(Second("id: 2\nengine: updn\npath-bit: 1", 1).said, "");
    EXPECT_EQ(Second("id: 2\nengine: updn\npath-bit: 2", 1).said, "8:11 conflict");
    EXPECT_EQ(Second("id: 2\nengine: updn\npath-bit: 128", 7).said, "8:11 out-of-range");
    EXPECT_EQ(Second("id: 2\nengine: updn\nuse: a: b").said, "8:7 bad-value");
    EXPECT_EQ(Second("id: 2\nengine: updn\nuse:").said, "");
    EXPECT_EQ(Second("id: 2\nengine: updn\nrouting: x").said, "8:1 unknown-line");
    EXPECT_EQ(Chain("").said, "0:0 missing-entry");
}

TEST(RchPolicyFile, SaysWhyAnEngineIsNotForChains) {
    EXPECT_EQ(
        Second("id: 2\nengine: lash").first,
        "no step of a chain can have engine 'lash': it needs several virtual lanes, and steps "
        "share one without `chain_lanes TRUE`");
    EXPECT_EQ(
        Second("id: 2\nengine: file").first,
        "no step of a chain can have engine 'file': its tables are those of the whole subnet");
    for (const std::string_view engine : {"lash", "file", "torus-2QoS", "dfsssp"}) {
        EXPECT_EQ(Second(fmt::format("id: 2\nengine: {}", engine)).said,
                  "7:9 engine-not-available");
    }
    for (const std::string_view engine :
         {"minhop", "updn", "dnup", "dor", "ftree", "auto", "sssp", "nue", "pqft"}) {
        EXPECT_EQ(Second(fmt::format("id: 2\nengine: {}", engine)).said, "");
    }
}

TEST(RchPolicyFile, FirstStepIsForTheWholeFabric) {
    const auto first = [](std::string_view lines) {
        return Chain(fmt::format("unicast-step\nid: 3\nengine: updn\n{}\nend-unicast-step\n"
                                 "unicast-step\nid: 4\nengine: updn\nend-unicast-step\n",
                                 lines),
                     3)
            .said;
    };
    EXPECT_EQ(first("topology: 0"), "");
    EXPECT_EQ(first("topology: 5"), "4:11 conflict");
    EXPECT_EQ(first("path-bit: 1"), "4:11 conflict");
    EXPECT_EQ(Second("id: 2\nengine: updn\nfallback-to: 1\ntopology: 5").said, "9:11 conflict");
}

TEST(RchPolicyFile, FallbacksToNothingAreIgnored) {
    const auto unknown = Second("id: 2\nengine: updn\nfallback-to: 7");
    EXPECT_EQ(unknown.said, "8:14 no-effect");
    EXPECT_EQ(unknown.loaded.steps.size(), 1U);
    EXPECT_EQ(Second("id: 2\nengine: updn\nfallback-to: 2").said, "8:14 no-effect");
    const auto chained = Chain(
        "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
        "unicast-step\nid: 2\nengine: updn\nfallback-to: 1\nend-unicast-step\n"
        "unicast-step\nid: 3\nengine: updn\nfallback-to: 2\nend-unicast-step\n");
    EXPECT_EQ(chained.said, "13:14 no-effect");
    EXPECT_EQ(chained.loaded.steps.size(), 2U);
    // A fallback may have a lower id than its step, which is the first one then.
    const auto lower = Chain(
        "unicast-step\nid: 1\nengine: minhop\nfallback-to: 2\nend-unicast-step\n"
        "unicast-step\nid: 2\nengine: updn\nend-unicast-step\n");
    EXPECT_EQ(lower.said, "");
    EXPECT_EQ(lower.loaded.steps[0].row.fallback_of, 2U);
}

TEST(RchPolicyFile, FtreeWithSeveralLidsNeedsTheBalancedOrder) {
    constexpr std::string_view kFtree = "unicast-step\nid: 1\nengine: ftree\nend-unicast-step\n";
    EXPECT_EQ(Chain(kFtree, 1, true).said, "");
    EXPECT_EQ(Chain(kFtree, 0, false).said, "");
    EXPECT_EQ(Chain(kFtree, 1, false).said, "3:9 conflict");
}

TEST(RchPolicyFile, HasSixteenStepsAtMost) {
    std::string text;
    for (int i = 1; i <= 17; ++i) {
        text += fmt::format("unicast-step\nid: {}\nengine: minhop\nend-unicast-step\n", i);
        if (i == 16) {
            EXPECT_EQ(Chain(text).said, "");
        }
    }
    EXPECT_EQ(Chain(text).said, "0:0 too-large");
}

}  // namespace
}  // namespace ember::test
