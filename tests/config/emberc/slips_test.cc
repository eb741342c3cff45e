// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of slips of the pen: each is told once, named, and taken where nothing is at
// stake.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/emberc/configuration.h"
#include "config/emberc/keys.h"
#include "config/emberc/raw_text.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

using emberc::Configuration;
using emberc::Severity;

/// Diagnostics of a configuration but for notes: "file:line:column severity code".
std::string Said(const Configuration& read) {
    std::string said;
    for (const emberc::Diagnostics& report : read.reports) {
        for (const emberc::Diagnostic& one : report.all()) {
            if (one.severity == Severity::kNote) continue;
            said +=
                fmt::format("{}{}:{}:{}{} {}", said.empty() ? "" : ", ",
                            std::filesystem::path(report.file()).filename().string(),
                            one.place.line, one.place.column,
                            one.severity == Severity::kError ? "!" : "", emberc::WordOf(one.code));
        }
    }
    return said;
}

Configuration Read(const Folder& folder, std::string_view text) {
    return emberc::ReadConfiguration(folder.Write("c", text), text,
                                     {.allowances = {}, .default_files = false});
}

std::string Said(const Folder& folder, std::string_view text) {
    return Said(Read(folder, text));
}

std::uint64_t Number(const Configuration& read, std::string_view key) {
    return read.conf[*emberc::FindKey(key)].value.number;
}

TEST(Slips, BetweenAKeyAndItsValueAreTakenWithAWarning) {
    const Folder folder;
    for (const std::string line :
         {"lmc = 3", "lmc=3", "lmc: 3", "lmc : 3", "lmc:3", "lmc 3,", "lmc 3;",
          "lmc\xC2\xA0"
          "3",
          "\xC2\xA0lmc 3", "lmc “3”"}) {
        const Configuration read = Read(folder, line + "\n");
        EXPECT_EQ(Number(read, "lmc"), 3U) << line;
        EXPECT_TRUE(read.is_good) << line;
        EXPECT_EQ(CountOf(read.reports, Severity::kWarning), 1U) << line << " " << Said(read);
    }
    EXPECT_EQ(Said(folder, "lmc = 3\n"), "c:1:5 equals-sign");
    EXPECT_EQ(Said(folder, "lmc=3\n"), "c:1:4 equals-sign");
    EXPECT_EQ(Said(folder, "lmc: 3\n"), "c:1:4 stray-mark");
    EXPECT_EQ(Said(folder, "lmc 3,\n"), "c:1:6 stray-mark");
    EXPECT_EQ(Said(folder,
                   "lmc\xC2\xA0"
                   "3\n"),
              "c:1:4 lookalike");
    EXPECT_EQ(Said(folder, "qos_vlarb_low 0:1,\n"), "c:1:1 no-effect, c:1:18 stray-mark");
    EXPECT_EQ(Said(folder, "routing_engine updn,ftree,\n"), "c:1:26 stray-mark");
    EXPECT_EQ(Said(folder, "lmc =\n"), "c:1:1! missing-value");
    EXPECT_EQ(Said(folder, "lmc = 9\n"), "c:1:5 equals-sign, c:1:7! out-of-range");
    // A text may end as it likes.
    const Configuration text = Read(folder, "log_prefix a,\n");
    EXPECT_EQ(text.conf[*emberc::FindKey("log_prefix")].value.text, "a,");
    EXPECT_EQ(Said(text), "");
}

TEST(Slips, OfTypesettingAreToldOnceAndNamed) {
    const Folder folder;
    const Configuration read = Read(folder,
                                    "# “quoted”\nlmc\xC2\xA0"
                                    "1\nsm_priority\xC2\xA0"
                                    "4\n");
    EXPECT_EQ(Said(read), "c:2:4 lookalike");
    EXPECT_EQ(Number(read, "sm_priority"), 4U);
    emberc::Diagnostics report("file");
    EXPECT_EQ(emberc::Straightened("a\xC2\xA0“b”\n’c’ # ”\n\xE2\x82\xAC", report),
              "a \"b\"\n'c' # ”\n\xE2\x82\xAC");
    ASSERT_EQ(report.all().size(), 1U);
    EXPECT_EQ(report.all()[0].text,
              "a non-breaking space (U+00A0) is read as a blank; 1 more line has such characters");
    EXPECT_EQ(Said(folder,
                   "routing_engine torus\xE2\x80\x91"
                   "2QoS,updn\n"),
              "c:1:1 no-effect, c:1:21 lookalike");
    EXPECT_EQ(emberc::Straightened("\xE2\x80", report), "\xE2\x80");
    EXPECT_EQ(emberc::Straightened("", report), "");
    EXPECT_EQ(report.all().size(), 1U);
}

TEST(Slips, BehindTheLastWordOfAListAreNamedOnce) {
    const Folder folder;
    folder.Write("r", "0x5,\n0x6 , # spine\n0x7;\n");
    EXPECT_EQ(Said(folder, "routing_engine updn\nroot_guid_file r\n"), "r:1:4 stray-mark");
    folder.Write("r", "5,\n");
    EXPECT_EQ(Said(folder, "routing_engine updn\nroot_guid_file r\n"), "r:1:2 stray-mark");
    folder.Write("o", "0x5 1 2,\n");
    EXPECT_EQ(Said(folder, "routing_engine minhop\norder opensm\nport_search_ordering_file o\n"),
              "o:1:8 stray-mark");
    folder.Write("r", "0x5\n0x6 7,\n,\n");
    EXPECT_EQ(Said(folder, "routing_engine updn\nroot_guid_file r\n"),
              "r:2:5! trailing-text, r:2:6 stray-mark, r:3:1! bad-number");
}

TEST(Slips, InPartitionsAreNamed) {
    const Folder folder;
    const auto said = [&folder](std::string_view file) {
        folder.Write("p", file);
        return Said(folder, "partition_config_file p\n");
    };
    EXPECT_EQ(said("A=0x2:\xC2\xA0"
                   "0x1=full,\xC2\xA0"
                   "0x2;\n"),
              "p:1:7 lookalike");
    EXPECT_EQ(said("A=0x2,: 0x1;\n"), "p:1:7 stray-mark");
    EXPECT_EQ(said("A=0x2 0x1=full;\n"), "p:1:1! not-a-partition");
    EXPECT_EQ(said("A = 0x2 : 0x1 = full ;\n"), "");
    folder.Write("p", "A=0x2 0x1=full;\n");
    EXPECT_NE(RenderText(Read(folder, "partition_config_file p\n").reports.back())
                  .find("a colon is missing"),
              std::string::npos);
}

TEST(Slips, InAQosPolicyAreNamed) {
    const Folder folder;
    const auto said = [&folder](std::string_view file) {
        folder.Write("q", file);
        return Said(folder, "qos TRUE\nqos_policy_file q\n");
    };
    EXPECT_EQ(said("qos-ulps\ndefault 0\nend-qos-ulps\n"), "q:2:9! missing-colon");
    EXPECT_EQ(said("qos-ulps\ndefault = 0\nend-qos-ulps\n"), "q:2:9 equals-sign");
    EXPECT_EQ(said("qos-ulps:\ndefault: 0;\nend-qos-ulps\n"),
              "q:1:9 stray-mark, q:2:11 stray-mark");
    EXPECT_EQ(said("qos-ulps\ndefault\xC2\xA0: 0,\nend-qos-ulps\n"),
              "q:2:8 lookalike, q:2:12 stray-mark");
    const std::string levels =
        "qos-levels\nqos-level\nname = DEFAULT\nSL: 0\nPath-bit: 0\nend-qos-level\n"
        "end-qos-levels\n";
    EXPECT_EQ(said(levels),
              "q:3:6 equals-sign, q:4:1 unknown-key, q:5:1 unknown-key, "
              "q:5:1 no-effect");
    const std::string groups =
        "qos-ulps\ndefault: 0\nend-qos-ulps\nport-groups\nport-group\nname: “x”\n"
        "port-guid: 0x1,\n  0x2,\n";
    EXPECT_EQ(said(groups + "end-port-group\nend-port-groups\n"),
              "q:6:7 lookalike, q:8:6 stray-mark");
    EXPECT_EQ(said(groups + "use: x\nend-port-group\nend-port-groups\n"),
              "q:6:7 lookalike, q:8:6 stray-mark");
}

TEST(Slips, InPoliciesOfGroupsAndChainsAreTakenWithAWarning) {
    const Folder folder;
    folder.Write("g",
                 "port-group\nname = s\nport-guid: 0x1,\nend-port-group\n"
                 "port-group\nname h\nuse:\nport-guid: 0x2\nend-port-group\n");
    folder.Write("t", "topology\nis: 1\nSW-GRP: s\nhca-grp: h\nend-topology\n");
    folder.Write("r",
                 "unicast-step\nis: 1\nEngine: minhop\ntopology\xC2\xA0: 0\n"
                 "end-unicast-step\nunicast-step\nid: 2\nengine: minhop\ntopology: 1\nPath-bit: 1\n"
                 "end-unicast-step\n");
    const Configuration read =
        Read(folder, "lmc 1\npgrp_policy_file g\ntopo_policy_file t\nrch_policy_file r\n");
    EXPECT_EQ(Said(read),
              "g:2:1 missing-colon, g:3:15 stray-mark, g:6:1 missing-colon, t:2:1 unknown-key, "
              "t:3:1 unknown-key, r:2:1 unknown-key, r:3:1 unknown-key, r:4:9 lookalike, "
              "r:10:1 unknown-key");
    EXPECT_TRUE(read.is_good);
    ASSERT_TRUE(read.contents.chain);
    EXPECT_EQ(read.contents.chain->steps.size(), 2U);
}

TEST(Slips, OfKeysHaveTheKeyThatIsMeant) {
    const Folder folder;
    const auto text = [&folder](std::string_view line) {
        return RenderText(Read(folder, line).reports.front());
    };
    EXPECT_NE(text("priority 15\n").find("did you mean 'sm_priority'?"), std::string::npos);
    EXPECT_NE(text("log-level 3\n").find("did you mean 'log_flags'?"), std::string::npos);
    EXPECT_NE(text("priority=3\n").find("did you mean 'sm_priority'?"), std::string::npos);
    EXPECT_NE(text("maxsmps 3\n").find("did you mean 'max_wire_smps'?"), std::string::npos);
    EXPECT_NE(text("lcm 3\n").find("did you mean 'lmc'?"), std::string::npos);
    EXPECT_NE(text("sharp_enable 1\n").find("'sharp_enabled' is a key of NVIDIA's subnet manager"),
              std::string::npos)
        << text("sharp_enable 1\n");
    for (const std::string_view word : {"priority", "log_level", "engine", "roots", "partitions",
                                        "sweep", "timeout", "Pconfig", "guid2lid", "smkey"}) {
        EXPECT_TRUE(emberc::FindKey(emberc::KeyByMeaning(word))) << word;
    }
    EXPECT_EQ(emberc::KeyByMeaning("xyzzy"), "");
    EXPECT_EQ(emberc::KeyByMeaning("version"), "");
}

/// A file of other days, which no engine reads now.
TEST(StaleFiles, AreNotesWhateverIsWrongWithThem) {
    const Folder folder;
    folder.Write("torus", "tours 3 3\n");
    for (const std::string line : {"torus_config torus\n", "torus_config away\n",
                                   "routing_engine dor\nroot_guid_file away\n"}) {
        const std::string text = line.starts_with("r") ? line : "routing_engine updn\n" + line;
        const Configuration read = Read(folder, text);
        EXPECT_EQ(Said(read), "") << line;
        EXPECT_TRUE(read.is_good) << line;
        EXPECT_FALSE(read.contents.torus);
        const auto& all = read.reports.front().all();
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const emberc::Diagnostic& one) {
            return one.code == emberc::Code::kEngineNotListed && one.place.line == 2;
        })) << line;
    }
    // A file that an engine reads must be readable.
    EXPECT_EQ(Said(folder, "routing_engine updn\nroot_guid_file away\n"),
              "c:2:16! unreadable-file");
}

}  // namespace
}  // namespace ember::test
