// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of emberc options: OpenSM's command line as an opensm.conf.
#include "config/emberc/opensm_options.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/emberc/commands.h"
#include "config/emberc/keys.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/opensm_options_table.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

using emberc::ConvertedOptions;

ConvertedOptions Convert(std::vector<std::string> words) {
    return emberc::ConvertOptions(words);
}

/// Lines that set a key.
std::string Lines(const std::string& text) {
    std::string lines;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = text.find('\n', at);
        if (text[at] != '#' && text[at] != '\n') lines += text.substr(at, end + 1 - at);
        at = end + 1;
    }
    return lines;
}

std::string LinesOf(std::vector<std::string> words) {
    const ConvertedOptions converted = Convert(std::move(words));
    std::string said;
    for (const auto& remark : converted.remarks) {
        if (remark.is_error) said += remark.option + ": " + remark.text + "\n";
    }
    return said + Lines(converted.text);
}

std::string Said(std::vector<std::string> words) {
    std::string said;
    for (const auto& remark : Convert(std::move(words)).remarks) {
        said += fmt::format("{} {}: {}\n", remark.is_error ? "error" : "note", remark.option,
                            remark.text);
    }
    return said;
}

/// The output of a command.
std::string OutputOf(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                               &::pclose);
    std::string out;
    std::array<char, 4096> part{};
    while (pipe && std::fgets(part.data(), part.size(), pipe.get()) != nullptr) {
        out += part.data();
    }
    return out;
}

TEST(OpensmOptions, BecomeKeys) {
    EXPECT_EQ(LinesOf({"opensm", "-R", "updn", "-a", "/roots", "-zA"}),
              "routing_engine updn\nconnect_roots TRUE\nuse_ucast_cache TRUE\n"
              "root_guid_file /roots\n");
    EXPECT_EQ(LinesOf({"/usr/sbin/opensm", "--routing_engine=updn,no_fallback", "-p15"}),
              "sm_priority 15\nrouting_engine updn,no_fallback\n");
    EXPECT_EQ(
        LinesOf({"-g", "2c90300000001", "--smkey", "0x10", "--subnet_prefix", "fec0000000000001"}),
        "guid 0x2c90300000001\nsm_key 0x10\nsubnet_prefix 0xfec0000000000001\n");
    EXPECT_EQ(LinesOf({"-d", "0", "-d3", "-l", "1", "-l", "2"}),
              "lmc 2\nignore_other_sm TRUE\ndisable_multicast TRUE\n");
    EXPECT_EQ(LinesOf({"-vv"}), "log_flags 0x0f\n");
    EXPECT_EQ(LinesOf({"-D", "0x43", "-v"}), "log_flags 0x87\n");
    EXPECT_EQ(LinesOf({"--port-sh"}), "port_shifting TRUE\n") << "a unique beginning will do";
}

TEST(OpensmOptions, AreEachToldOfWhereThereIsNoKey) {
    for (const std::string option : {"-o", "-B", "-h", "--version", "-d10"}) {
        EXPECT_TRUE(Convert({option}).is_good()) << option;
        EXPECT_EQ(
            Said({option}).find("note " + option.substr(0, option.starts_with("-d") ? 2 : 99)), 0U)
            << Said({option});
        EXPECT_EQ(LinesOf({option}), "") << option;
    }
    EXPECT_NE(Said({"-o"}).find("--once"), std::string::npos);
    EXPECT_NE(Said({"stray"}).find("note stray: "), std::string::npos);
    EXPECT_NE(Said({"-a", "roots"}).find("counts from the folder"), std::string::npos);
    for (const std::vector<std::string>& given : std::vector<std::vector<std::string>>{
             {"-e"}, {"-x"}, {"-f", "stdout"}, {"-f", "syslog"}}) {
        EXPECT_EQ(Said(given).find("counts from the folder"), std::string::npos)
            << given.front() << " names no file: " << Said(given);
    }
    const ConvertedOptions refused = Convert({"--congestion_control"});
    EXPECT_NE(refused.text.find("\n# congestion_control TRUE\n"), std::string::npos);
    EXPECT_EQ(refused.remarks.size(), 1U);
}

TEST(OpensmOptions, ThatOpensmDoesNotKnowAreErrorsWithTheNearest) {
    EXPECT_EQ(Said({"--routing-engin", "updn"}).find("error --routing-engin"), std::string::npos)
        << "a beginning with another hyphen";
    EXPECT_EQ(
        Said({"--rooting_engine", "updn"}),
        "error --rooting_engine: OpenSM has no such option; did you mean '--routing_engine'?\n"
        "note updn: it is no option: OpenSM passes over it\n");
    EXPECT_EQ(Said({"-b"}), "error -b: OpenSM has no such option\n");
    EXPECT_EQ(Said({"-R"}), "error -R: its value is missing\n");
    EXPECT_EQ(Said({"--qos=yes"}), "error --qos: it takes no value, and 'yes' is one\n");
    EXPECT_NE(Said({"--perfm"}).find("short for --perfmgr and --perfmgr_sweep_time_s"),
              std::string::npos)
        << Said({"--perfm"});
    EXPECT_NE(Said({"-l", "9"}).find("error -l: "), std::string::npos);
    EXPECT_NE(Said({"-a", "x\nlmc 7"}).find("cannot stand"), std::string::npos);
    EXPECT_EQ(Convert({"-l", "9", "-p", "1"}).text, "");
}

TEST(OpensmOptions, GoOnTopOfTheFileThatTheyName) {
    const Folder folder;
    const std::string base = folder.Write("base.conf", "lmc 3\nsm_priority 4\nlog_flags 0x1\n");
    const ConvertedOptions converted = Convert({"-F", base, "-p", "7", "-v"});
    ASSERT_TRUE(converted.is_good());
    EXPECT_EQ(Lines(converted.text), "lmc 3\nsm_priority 7\nlog_flags 0x03\n");
    EXPECT_NE(converted.text.find("# (overridden) sm_priority 4\n"), std::string::npos);
    EXPECT_FALSE(Convert({"-F", folder.File("none")}).is_good());
}

/// Every option of the installed opensm is known, and takes a value where its help says so.
TEST(OpensmOptions, AreAllThatOpensmHelps) {
    const std::string help = OutputOf("opensm --help 2>&1");
    if (help.find("--routing_engine") == std::string::npos)
        GTEST_SKIP() << "there is no opensm here";
    const std::regex option("(^|\n)--([A-Za-z][\\w-]*)(, -([A-Za-z?]))?([^\n]*)");
    int seen = 0;
    for (auto it = std::sregex_iterator(help.begin(), help.end(), option);
         it != std::sregex_iterator(); ++it) {
        const std::string name = (*it)[2];
        const std::string letter = (*it)[4];
        const bool has_value = (*it)[5].str().find_first_of("<[") != std::string::npos;
        const auto* const row =
            std::find_if(emberc::kOpensmOptions.begin(), emberc::kOpensmOptions.end(),
                         [&](const emberc::OpensmOption& one) { return one.name == name; });
        ASSERT_NE(row, emberc::kOpensmOptions.end()) << name;
        EXPECT_EQ(row->has_value, has_value) << name;
        const bool shares_letter = name == "dimn_ports_file";  // Of the option that replaced it.
        if (!letter.empty() && !shares_letter)
            EXPECT_EQ(std::string(1, row->letter), letter) << name;
        if (!row->key.empty()) EXPECT_TRUE(emberc::FindKey(row->key)) << row->key;
        ++seen;
    }
    EXPECT_GE(seen, 60);
}

/// Method: opensm itself writes down what an option does to its configuration.
TEST(OpensmOptions, MeanWhatOpensmWritesDown) {
    const Folder folder;
    const auto conf_of = [&](const std::string& options) {
        const std::string path = folder.File("oracle.conf");
        std::remove(path.c_str());
        static_cast<void>(
            OutputOf("env -u OSM_TMP_DIR opensm " + options + " -c " + path + " 2>&1"));
        std::map<std::string, std::string> keys;
        std::istringstream text(folder.Read("oracle.conf"));
        std::string line;
        while (std::getline(text, line)) {
            const std::size_t blank = line.find(' ');
            if (line.empty() || line[0] == '#' || blank == std::string::npos) continue;
            keys[line.substr(0, blank)] = line.substr(blank + 1);
        }
        return keys;
    };
    const auto before = conf_of("");
    if (before.empty()) GTEST_SKIP() << "there is no opensm here";
    const std::set<std::string> elsewhere = {"config",
                                             "create-config",
                                             "version",
                                             "help",
                                             "?",
                                             "pidfile",
                                             "console",
                                             "console-port",
                                             "daemon",
                                             "once",
                                             "cc_key",
                                             "cckey",
                                             "congestion-control",
                                             "congestion_control",
                                             "debug"};
    int compared = 0;
    for (const emberc::OpensmOption& row : emberc::kOpensmOptions) {
        if (elsewhere.contains(std::string(row.name))) continue;
        const std::string value = row.key == "part_enforce"     ? "out"
                                  : row.key == "routing_engine" ? "updn,ftree"
                                  : row.name.ends_with("file") || row.name.ends_with("config") ||
                                          row.name.ends_with("guids") || row.name.ends_with("dir")
                                      ? "/some/file"
                                  : row.name == "timeout" ? "100"
                                                          : "3";
        const bool is_short = row.name == "V" || row.name == "D";
        std::vector<std::string> words = {(is_short ? "-" : "--") + std::string(row.name)};
        if (row.has_value) words.push_back(value);
        auto after = conf_of(fmt::format("{}", fmt::join(words, " ")));
        // The two keys of an older and a newer way to say the same.
        if (after["no_partition_enforcement"] == "TRUE") after["part_enforce"] = "off";
        after.erase("no_partition_enforcement");
        emberc::Diagnostics ours("ours");
        emberc::Diagnostics theirs("theirs");
        const emberc::Conf conf = emberc::ReadKeys(Convert(words).text, ours);
        for (const auto& [key, text] : after) {
            const auto old = before.find(key);
            if (old != before.end() && old->second == text) continue;
            const auto at = emberc::FindKey(key);
            ASSERT_TRUE(at) << key;
            const emberc::Conf oracle = emberc::ReadKeys(key + " " + text + "\n", theirs);
            EXPECT_TRUE(conf[*at].written) << words[0];
            EXPECT_EQ(conf[*at].value, oracle[*at].value) << words[0] << " " << key;
            ++compared;
        }
        const auto written = std::count_if(conf.begin(), conf.end(),
                                           [](const emberc::Setting& one) { return one.written; });
        EXPECT_EQ(written, row.name == "V" ? 2 : 1) << words[0];
    }
    EXPECT_GE(compared, 45);
}

TEST(OpensmOptions, AreACommandWhoseFileCheckTakes) {
    const Folder folder;
    folder.Write("roots", "0x1\n");
    const Answer done = Emberc({"options", "-o", folder.File("new.conf"), "--", "opensm", "-R",
                                "updn", "-a", "roots", "-o", "--sweep", "30"});
    EXPECT_EQ(done.status, 0) << done.error;
    EXPECT_NE(done.error.find("emberc: note: -o: "), std::string::npos) << done.error;
    EXPECT_EQ(Lines(folder.Read("new.conf")),
              "sweep_interval 30\nrouting_engine updn\nroot_guid_file roots\n");
    const Answer checked = Emberc({"check", "--no-default-files", folder.File("new.conf")});
    EXPECT_EQ(checked.status, 0) << checked.error << checked.out;
    const Answer printed = Emberc({"options", "--", "-l", "2"});
    EXPECT_EQ(Lines(printed.out), "lmc 2\n") << printed.error;
    const Answer wrong = Emberc({"options", "-o", folder.File("none"), "--", "--foo"});
    EXPECT_EQ(wrong.status, emberc::kInputIsWrong);
    EXPECT_NE(wrong.error.find("emberc: error: --foo: "), std::string::npos) << wrong.error;
    EXPECT_EQ(folder.Read("none"), "");
}

}  // namespace
}  // namespace ember::test
