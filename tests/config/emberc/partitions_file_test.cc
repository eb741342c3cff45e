// SPDX-License-Identifier: Apache-2.0
// EmberSM: partitions.conf: what it says, and what is said of its mistakes.
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/files.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "tests/config/partition_net.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::PartitionConf;
using emberc::Severity;

/// A file, read.
struct ReadFile {
    PartitionConf conf;
    Diagnostics report{"partitions.conf"};
    std::string codes;  ///< "line:column code", errors with a '!', apart by blanks; no sizes.
};

ReadFile Read(std::string_view text, bool both = false) {
    ReadFile file;
    file.conf = emberc::ParsePartitionsFile(text, file.report, {.both_p_keys = both});
    file.report.Sort();
    for (const emberc::Diagnostic& one : file.report.all()) {
        if (one.code == emberc::Code::kPartitionSizes) continue;
        file.codes += fmt::format("{}{}:{}{} {}", file.codes.empty() ? "" : " ", one.place.line,
                                  one.place.column, one.severity == Severity::kError ? "!" : "",
                                  WordOf(one.code));
    }
    return file;
}

/// The codes of the diagnostics of `text`.
std::string Codes(std::string_view text) {
    return Read(text).codes;
}

/// The file printed again, without the default partition as it is where no line says otherwise.
std::string Shown(std::string_view text, bool both = false) {
    const ReadFile file = Read(text, both);
    EXPECT_EQ(file.report.CountOf(Severity::kError), 0U) << RenderText(file.report);
    std::string lines;
    for (const emberc::PartitionLine& line : EntriesOf(file.conf)) {
        if (line.text == "Default=0x7fff: NONE;" || line.text == "Default=0x7fff: ALL=limited;" ||
            line.text == "Default=0x7fff: SELF=full;") {
            continue;
        }
        lines += AsLine(line) + "\n";
    }
    return lines;
}

TEST(PartitionsFile, ReadsTheWholeGrammar) {
    EXPECT_EQ(Shown("A=2: 0x11, 18=full;"),
              "A=0x0002: NONE;\nA=0x0002: 0x0000000000000011=limited;\n"
              "A=0x0002: 0x0000000000000012=full;\n");
    EXPECT_EQ(Shown("A=2,defmember=full,indx0: 0x1, 0x2=limited;"),
              "A=0x0002: NONE;\nA=0x0002,indx0: 0x0000000000000001=full;\n"
              "A=0x0002,indx0: 0x0000000000000002=limited;\n");
    EXPECT_EQ(
        Shown("A b c = 0x300 , sl = 3 :\n# comment ; :\n\tSELF = full # ;\n , ALL_CAS\n ;\n"),
        "A b c=0x0300,sl=3: NONE;\nA b c=0x0300: SELF=full;\nA b c=0x0300: ALL_CAS=limited;\n");
    EXPECT_EQ(Shown("0x10: ALL_ROUTERS; =17: ALL_SWITCHES=full;"),
              "=0x0010: NONE;\n=0x0010: ALL_ROUTERS=limited;\n"
              "=0x0011: NONE;\n=0x0011: ALL_SWITCHES=full;\n");
    EXPECT_EQ(Shown("A=2: 0x1; A: 0x2; =2: 0x3=full;"),
              "A=0x0002: NONE;\nA=0x0002: 0x0000000000000001=limited;\n"
              "A=0x0002: 0x0000000000000002=limited;\nA=0x0002: 0x0000000000000003=full;\n");
    EXPECT_EQ(Shown("A=2: 0x1=both;", true),
              "A=0x0002: NONE;\nA=0x0002: 0x0000000000000001=both;\n");
    EXPECT_EQ(Shown("Default: 0x1=full;"), "Default=0x7fff: 0x0000000000000001=full;\n");
    EXPECT_EQ(Shown("A=2: NONE; A=2: 0x1,;"),
              "A=0x0002: NONE;\nA=0x0002: 0x0000000000000001=limited;\n");
}

TEST(PartitionsFile, PrintsMembersInTheOrderInWhichTheyOverruleEachOther) {
    EXPECT_EQ(Shown("A=2: ALL_CAS=full, 0x5=limited, ALL_ROUTERS=full, 0x3=limited;"),
              "A=0x0002: NONE;\nA=0x0002: ALL_CAS=full;\nA=0x0002: 0x0000000000000005=limited;\n"
              "A=0x0002: ALL_ROUTERS=full;\nA=0x0002: 0x0000000000000003=limited;\n");
    EXPECT_EQ(Shown("A=2: 0x5=full, SELF=full, ALL=full;"),
              "A=0x0002: NONE;\nA=0x0002: ALL=full;\n");
}

TEST(PartitionsFile, GivesFreePKeysInTheOrderOfTheFile) {
    const ReadFile file = Read("A: 0x1; B=2: 0x1; C: 0x1; A: 0x2; : 0x1;");
    EXPECT_EQ(file.codes, "1:1 generated-key 1:19 generated-key 1:35 generated-key");
    std::string names;
    for (const PartitionConf::Partition& one : file.conf.partitions) {
        names += fmt::format("{}={} ", one.name, one.p_key);
    }
    EXPECT_EQ(names, "A=1 B=2 C=3 =4 Default=32767 ");
}

TEST(PartitionsFile, MakesTheBroadcastGroupOfAnIpPartition) {
    EXPECT_EQ(Shown("A=2,ipoib: 0x1;"),
              "A=0x0002: NONE;\nA=0x0002,ipoib,mtu=4,rate=3,sl=0,scope=2,Q_Key=0xb1b: NONE;\n"
              "A=0x0002: 0x0000000000000001=limited;\n");
    EXPECT_EQ(
        Shown("A=2,ipoib,mtu=5,rate=7,sl=3,Q_Key=7,TClass=2,FlowLabel=3,scope=2,scope=14: 1;"),
        "A=0x0002,sl=3: NONE;\n"
        "A=0x0002,ipoib,mtu=5,rate=7,sl=3,scope=2,Q_Key=0x7,TClass=2,FlowLabel=0x3: NONE;\n"
        "A=0x0002,ipoib,mtu=5,rate=7,sl=3,scope=14,Q_Key=0x7,TClass=2,FlowLabel=0x3: NONE;\n"
        "A=0x0002: 0x0000000000000001=limited;\n");
    const ReadFile file = Read("A=2,ipoib: 0x1;");
    ASSERT_EQ(file.conf.groups.size(), 1U);
    EXPECT_EQ(file.conf.groups.front().mgid, (Gid{0xFF12401B80020000, 0xFFFFFFFF}));
    EXPECT_EQ(file.conf.groups.front().line, 1U);
}

TEST(PartitionsFile, MakesOtherGroupsWhichInheritTheFlagsOfTheirDefinition) {
    EXPECT_EQ(
        Shown("A=2,ipoib,mtu=5:\nmgid=ff12:401b::16,sl=1 # IGMP\n mgid = ff12::5 , Q_Key = 9\n"
              "mgid=ff12:401b:8002::17\nmgid=ff12::6,scope=3,scope=5\n0x1;"),
        "A=0x0002: NONE;\nA=0x0002,ipoib,mtu=5,rate=3,sl=0,scope=2,Q_Key=0xb1b: NONE;\n"
        "A=0x0002: mgid=ff12::5,mtu=5,rate=3,sl=0,scope=2,Q_Key=0x9;\n"
        "A=0x0002: mgid=ff12:401b:8002::16,mtu=5,rate=3,sl=1,scope=2,Q_Key=0xb1b;\n"
        "A=0x0002: mgid=ff12:401b:8002::17,mtu=5,rate=3,sl=0,scope=2,Q_Key=0xb1b;\n"
        "A=0x0002: mgid=ff13::6,mtu=5,rate=3,sl=0,scope=3;\n"
        "A=0x0002: mgid=ff15::6,mtu=5,rate=3,sl=0,scope=5;\n"
        "A=0x0002: 0x0000000000000001=limited;\n");
    EXPECT_EQ(Codes("A=2,ipoib: 1\nmgid=ff12:401b::16\nmgid=ff12:601b::16\n;"), "");
    EXPECT_EQ(Codes("A=2,ipoib: 1;A=2:mgid=ff12:401b::ffff:ffff,mtu=4;"), "")
        << "the broadcast group itself";
    EXPECT_EQ(Codes("A=2:1,mgid=ff12:401b::16,sl=1;A=2,ipoib,mtu=5: NONE;"), "")
        << "an IP group has the MTU of its broadcast group, wherever that is made";
}

TEST(PartitionsFile, HasADefaultPartitionWhateverItSays) {
    const ReadFile file = Read("A=2: 0x1;");
    ASSERT_EQ(file.conf.classes.size(), 2U);
    EXPECT_EQ(file.conf.classes[0], (PartitionClass{.p_key = 0x7FFF,
                                                    .ports = PortClass::kAll,
                                                    .membership = Membership::kLimited,
                                                    .turn = 1}));
    EXPECT_EQ(file.conf.classes[1], (PartitionClass{.p_key = 0x7FFF,
                                                    .ports = PortClass::kSelf,
                                                    .membership = Membership::kFull,
                                                    .turn = 2}));
    PartitionNet net(Read("Default=0x7fff: 0x100003=full;").conf);
    EXPECT_EQ(net.PKeys(Guid{0x100001}), std::set<std::uint16_t>{0xFFFF}) << "the SM";
    EXPECT_EQ(net.PKeys(Guid{0x100003}), std::set<std::uint16_t>{0xFFFF});
    EXPECT_EQ(net.PKeys(Guid{0x100005}), std::set<std::uint16_t>{0x7FFF});
}

struct Case {
    std::string_view text;
    std::string_view codes;
};

void Expect(std::span<const Case> cases) {
    EXPECT_FALSE(cases.empty());
    for (const Case& one : cases) {
        const ReadFile file = Read(one.text);
        EXPECT_EQ(file.codes, one.codes) << one.text << "\n" << RenderText(file.report);
    }
}

TEST(PartitionsFile, RefusesWhatMakesOpensmDropAllPartitions) {
    constexpr std::array kCases = {
        Case{"", "0:0! empty-file"},
        Case{"# A=2: ALL;\n", "0:0! empty-file"},
        Case{"A=2 0x1;", "1:1! not-a-partition"},
        Case{"A=2\n: 0x1;", "1:1! not-a-partition"},
        Case{"A=2: 0x1\nB=3: 0x2;", "2:1! missing-semicolon"},
        Case{"A=2 : defmember=full : 0x1;", "1:7! missing-semicolon"},
        Case{"A=2: all;", "1:6! not-a-member"},
        Case{"A=2: SELFISH;", "1:6! not-a-member"},
        Case{"A=2: ALL_;", "1:6! not-a-member"},
        Case{"A=2: mg=1;", "1:6! not-a-member"},
        Case{"A=2: 0x12zz;", "1:6! bad-number"},
        Case{"A=2: 0002c90300001234;", "1:6! bad-number"},
        Case{"A=2: 0x1 0x2;", "1:6! bad-number"},
        Case{"A=2: 0;", "1:6! out-of-range"},
        Case{"A=0x: 1;", "1:3! bad-number"},
        Case{"A=: 1;", "1:3! missing-value"},
        Case{"7fff: 1;", "1:1! bad-number"},
        Case{"A=2=3: 1;", "1:3! bad-number"},
    };
    Expect(kCases);
}

TEST(PartitionsFile, WarnsOfWhatOpensmAloneStumblesOver) {
    constexpr std::array kCases = {
        Case{"A=2: 1;\r\nB=3: 1;\r\n", "1:8 control-character"},
        Case{"A=2: 1;; B=3: 1;", "1:8 empty-statement"},
        Case{";\nA=2: 1;", "1:1 empty-statement"},
        Case{"A=2: ALL_VCAS;", "1:6 no-effect"},
        Case{"A=2: 1\nmgid=ff12::5;", "2:1 missing-value"},
    };
    Expect(kCases);
    const std::string wide = "A=2: 1" + std::string(4087, ' ') + ";";
    EXPECT_EQ(Codes(wide), "1:4094! line-too-long");
    EXPECT_EQ(Codes("A=2: 1" + std::string(4086, ' ') + ";"), "");
}

TEST(PartitionsFile, RefusesWhatOpensmReadsOtherwiseThanItStands) {
    constexpr std::array kCases = {
        Case{"A=2: =full;", "1:6! not-a-member"},
        Case{"A=2: 1=FULL;", "1:8! not-a-membership"},
        Case{"A=2: 1=fulll;", "1:8! not-a-membership"},
        Case{"A=2: 1=;", "1:8! not-a-membership"},
        Case{"A=2: 1=full=2;", "1:8! not-a-membership"},
        Case{"A=2,defmember=ful x: 1;", "1:15! not-a-membership"},
        Case{"A=2,defmember: 1;", "1:5! not-a-membership"},
        Case{"A=2: -3;", "1:6! out-of-range"},
        Case{"A=0: 1;", "1:3! out-of-range"},
        Case{"A=0x8000: 1;", "1:3! out-of-range"},
        Case{"A=0x10004: 1;", "1:3! out-of-range"},
        Case{"A=-1: 1;", "1:3! out-of-range"},
        Case{"A=2,bogus: 1;", "1:5! unknown-flag"},
        Case{"A=2,IPOIB: 1;", "1:5! unknown-flag"},
        Case{"A=2,ind: 1;", "1:5! unknown-flag"},
        Case{"A=2,ipoib,: 1;", "1:11 stray-mark"},
        Case{"A=2,ipoib=1: 1;", "1:11! bad-value"},
        Case{"A=2,s=1: 1;", "1:5! unknown-flag"},
        Case{"A=2,ipoib,mtu=6: 1;", "1:15! out-of-range"},
        Case{"A=2,ipoib,mtu=0: 1;", "1:15! out-of-range"},
        Case{"A=2,ipoib,rate=1: 1;", "1:16! out-of-range"},
        Case{"A=2,ipoib,rate=27: 1;", "1:16! out-of-range"},
        Case{"A=2,ipoib,sl=16: 1;", "1:14! out-of-range"},
        Case{"A=2,ipoib,scope=16: 1;", "1:17! out-of-range"},
        Case{"A=2,ipoib,TClass=256: 1;", "1:18! out-of-range"},
        Case{"A=2,ipoib,FlowLabel=0x100000: 1;", "1:21! out-of-range"},
        Case{"A=2,ipoib,Q_Key=0: 1;", "1:17! out-of-range"},
        Case{"A=2,ipoib,mtu: 1;", "1:11! missing-value"},
        Case{"A=2,ipoib,mtu=4,mtu=5: 1;", "1:21! contradiction"},
        Case{"A\"=2: 1;", "1:1! not-a-name"},
    };
    Expect(kCases);
    EXPECT_EQ(Codes(std::string(65, 'a') + "=2: 1;"), "1:1! too-long");
}

TEST(PartitionsFile, RefusesWhatContradictsItself) {
    constexpr std::array kCases = {
        Case{"A=2: 1=full, 1;", "1:14! contradiction"},
        Case{"A=2: ALL_CAS=full;\nA=2: ALL_CAS;", "2:6! contradiction"},
        Case{"A=5: 1; B: 1; C=1: 2;", "1:9 generated-key 1:17! contradiction"},
        Case{"A=2: 1; B=2: 2; B: 3;", "1:9 no-effect 1:17! contradiction"},
        Case{"A=2: 1; A=3: 2; A: 3;", "1:17! contradiction"},
        Case{"A=2,sl=1: 1; A=2,sl=2: 3;", "1:18! contradiction"},
        Case{"Default=0x7fff: ALL=limited;", "1:17! self-limited"},
        Case{"Default=0x7fff: SELF=limited;", "1:17! self-limited"},
        Case{"\nDefault=0x7fff: ALL_CAS;", "2:17! self-limited"},
        Case{"Default=0x7fff: ALL=limited, 0x5=full;", ""},
        Case{"Default=0x7fff: ALL=limited, SELF=full;", ""},
        Case{"Default=0x7fff: ALL_ROUTERS;", ""},
    };
    Expect(kCases);
}

TEST(PartitionsFile, WarnsOfWhatIsProbablyNotMeant) {
    constexpr std::array kCases = {
        Case{"A=0x8003: 1;", "1:3 membership-bit"},
        Case{"A=010: 1;", "1:3 octal"},
        Case{"A=2: 2003000012345678;", "1:6 decimal-guid"},
        Case{"A=2: 1, 1;", "1:9 duplicate-entry"},
        Case{"A=2: 1; B=2: 2;", "1:9 no-effect"},
        Case{"A=2: ;", "1:3 no-effect"},
        Case{"A=2: NONE;", "1:3 no-effect"},
        Case{"A=2,mtu=5: 1;", "1:5 no-effect"},
        Case{"A=2: 1,,2;", "1:8 missing-value"},
        Case{"A=2: 1\n", "1:1 missing-semicolon"},
        Case{"A=2: 1", "1:1! missing-semicolon"},
        Case{"A=2: 1=both;", "1:8 no-effect"},
        Case{"A=2: 1=full,\n ALL;", "2:2 overruled"},
        Case{"A=2: 1=full, ALL_CAS;", "1:14 overruled"},
        Case{"A=2: SELF=full, ALL;", "1:17 overruled"},
        Case{"A=2: ALL=full, 1=full, SELF;", "1:24 overruled"},
        Case{"A=2: ALL_SWITCHES=full, ALL_CAS;", ""},
        Case{"A=2: 1=full, ALL=full;", ""},
        Case{"A=2: A;", "1:6 abbreviation"},
        Case{"A=2: S=f;", "1:6 abbreviation 1:8 abbreviation"},
        Case{"A=2,ip,def=lim: 1;", "1:5 abbreviation 1:8 abbreviation 1:12 abbreviation"},
    };
    Expect(kCases);
}

TEST(PartitionsFile, RefusesGroupsThatOpensmLeavesOut) {
    constexpr std::array kCases = {
        Case{"A=2: 1\nmgid=1234::5\n;", "2:6! bad-number"},
        Case{"A=2: 1\nmgid=zzz\n;", "2:6! bad-number"},
        Case{"A=2: 1\nmgid\n;", "2:1! bad-number"},
        Case{"A=2: 1\nmgid=ff12::5 sl=2\n;", "2:6! bad-number"},
        Case{"A=2: 1\nmgid=ff12::5,0x2\n;", "2:14! unknown-flag"},
        Case{"A=2: 1\nmgid=ff12::5,ipoib\n;", "2:14! unknown-flag"},
        Case{"A=2: 1\nmgid=ff12:401b::1\n;", "2:1! bad-group"},
        Case{"A=2,ipoib: 1\nmgid=ff13:401b::1,scope=3\n;", "2:1! bad-group"},
        Case{"A=2,ipoib: 1\nmgid=ff12:401b::1,mtu=5\n;", "2:1! bad-group"},
        Case{"A=2,ipoib: 1\nmgid=ff12:601b::1,rate=6\n;", "2:1! bad-group"},
        Case{"A=2,ipoib: 1\nmgid=ff12:401b:3::2\n;", "2:1! bad-group"},
        Case{"A=2,ipoib: 1\nmgid=ff12:401b:2::2\n;", "2:1! bad-group"},
        Case{"A=2,ipoib: 1\nmgid=ff12:401b:ffff::2\n;", "2:1! bad-group"},
        Case{"A=2: 1\nmgid=ff12:a01b::4\n;", "2:1! bad-group"},
        Case{"A=2: 1\nmgid=ff22::4\n;", "2:1! bad-group"},
        Case{"A=2: 1\nmgid=ff15::4\n;", "2:1! bad-group"},
        Case{"A=2: 1\nmgid=ff15::4,scope=5\n;", ""},
        Case{"A=2,ipoib,scope=5: 1;", "1:1 bad-group"},
        Case{"A=2: 1\nmgid=ff12::5\nmgid=ff12::5\n;", "3:1 duplicate-entry"},
        Case{"A=2: 1\nmgid=ff12::5\nmgid=ff12::5,mtu=3\n;", "3:1! contradiction"},
        Case{"A=2: 1\nmgid=ff12::5\n;B=3: 1\nmgid=ff12::5\n;", "4:1! contradiction"},
        Case{"A=2,ipoib: 1;A=2,ipoib: 2;", ""},
        Case{"A=2,ipoib: 1;A=2,ipoib,mtu=5: 2;", "1:14! contradiction"},
    };
    Expect(kCases);
}

TEST(PartitionsFile, TellsLineColumnAndWhatOpensmWouldDo) {
    EXPECT_EQ(RenderText(Read("A=2: 0x1,\n\t0x2=Full;\n").report),
              "partitions.conf:2:6: error: \"Full\" is neither full nor limited nor both; did you "
              "mean 'full'?; OpenSM would take limited, or full where nothing stands "
              "[not-a-membership]\n    \t0x2=Full;\n    \t    ^~~~\n");
}

/// With EMBER_UPDATE_GOLDEN set the expected text is written instead; review it in the diff.
TEST(PartitionsFile, SaysWordForWordWhatItSaid) {
    const std::string folder = std::string(EMBER_SOURCE_DIR) + "/tests/golden/emberc/";
    std::string said;
    for (const std::string name :
         {"partitions.conf", "partitions_mistakes.conf", "partitions_crowded.conf"}) {
        Diagnostics report(name);
        (void)emberc::ParsePartitionsFile(emberc::ReadText(folder + "option_files/" + name), report,
                                          {});
        report.Sort();
        said += RenderText(report);
    }
    const bool update = std::getenv("EMBER_UPDATE_GOLDEN") != nullptr;
    if (update) emberc::WriteText(folder + "partitions.txt", said, emberc::Access::kEverybody);
    EXPECT_EQ(said, emberc::ReadText(folder + "partitions.txt"));
    EXPECT_FALSE(update) << "the expected text was written, nothing was compared";
}

TEST(PartitionsFile, HoldsNoMorePartitionsThanTheCoreTakes) {
    std::string text;
    for (std::size_t p_key = 1; p_key < kMostPartitions; ++p_key) {
        text += fmt::format("={0}: {0};\n", p_key);
    }
    EXPECT_EQ(Codes(text), "") << "with the default one";
    EXPECT_EQ(Codes(text + "=5000: 1;\n"), "4096:2! too-large");
}

/// Partitions 1 to `count`, each with these members.
std::string Crowd(std::size_t count, std::string_view members) {
    std::string text;
    for (std::size_t p_key = 1; p_key <= count; ++p_key) {
        text += fmt::format("={}: {};\n", p_key, members);
    }
    return text;
}

TEST(PartitionsFile, NamesAPortThatCannotHoldAllItsPKeys) {
    // All ports are in the default partition, as no line says otherwise.
    EXPECT_EQ(Codes(Crowd(127, "0x1")), "");
    EXPECT_EQ(Codes(Crowd(128, "0x1")), "128:1 too-many-p-keys");
    const ReadFile file = Read(Crowd(150, "0x1, 0x2, 0x3"));
    EXPECT_EQ(file.codes, "128:1 too-many-p-keys") << "once, not for each port";
    const auto& all = file.report.all();
    const auto said = std::find_if(all.begin(), all.end(), [](const auto& one) {
        return one.code == emberc::Code::kTooManyPKeys;
    });
    ASSERT_NE(said, all.end());
    EXPECT_EQ(said->text,
              "port 0x1 would hold 151 P_Keys (the first of 3 such ports); of a port 128 are "
              "managed, and its partitions beyond them are left out");
    EXPECT_EQ(said->source, "=128: 0x1, 0x2, 0x3;");
    const ReadFile every = Read(Crowd(200, "ALL, 0x7"));
    EXPECT_EQ(every.codes, "129:1 too-many-p-keys") << "the default one is the last";
    EXPECT_EQ(emberc::FindCrowded(every.conf, false).port, kNoGuid);
    EXPECT_EQ(emberc::FindCrowded(every.conf, false).count, 1U);
    EXPECT_EQ(emberc::FindCrowded(every.conf, false).p_keys, 201U);
    EXPECT_EQ(Read(Crowd(100, "0x1=both"), true).codes, "64:1 too-many-p-keys");
    EXPECT_EQ(Read(Crowd(63, "0x1=both"), true).codes, "");
}

TEST(PartitionsFile, SaysWhatItTakes) {
    const ReadFile file = Read("A=2,ipoib: 0x1, ALL;\nB=3: 0x1, 0x2;\n");
    EXPECT_EQ(emberc::SizesOf(file.conf).most_of_a_port, 3U);
    ASSERT_FALSE(file.report.all().empty());
    EXPECT_EQ(
        file.report.all().front().text,
        "3 partitions, 2 named ports, 3 keywords, 1 groups take 153 octets of the blob; a port "
        "is in 3 of the partitions at most");
    const std::string shown = emberc::ContentsAsText({.partitions = file.conf}, false);
    EXPECT_EQ(shown.substr(0, shown.find('\n')), "# partition_config_file: 9 lines");
}

}  // namespace
}  // namespace ember::test
