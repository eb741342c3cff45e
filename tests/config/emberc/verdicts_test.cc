// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a site says about kinds of diagnostics: --allow, --deny, comments, -v.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/emberc/commands.h"
#include "config/emberc/diagnostic_codes.h"
#include "config/emberc/keys.h"
#include "config/emberc/raw_text.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

using emberc::kInputIsWrong;

/// A file with one warning (not-acted-on) and one note (not-acted-on, of a log file).
constexpr std::string_view kFile = "perfmgr TRUE\nlog_file /x\n";

Answer Check(const Folder& folder, std::string_view text, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"check", "--no-default-files",
                                      folder.Write("site.conf", text)};
    words.insert(words.end(), more.begin(), more.end());
    return Emberc(words);
}

bool Says(const Answer& answer, std::string_view what) {
    return (answer.error + answer.out).find(what) != std::string::npos;
}

TEST(Verdicts, AllowAWarningUnderStrict) {
    const Folder folder;
    EXPECT_EQ(Check(folder, kFile, {"--strict"}).status, kInputIsWrong);
    const Answer allowed = Check(folder, kFile, {"--strict", "--allow", "not-acted-on"});
    EXPECT_EQ(allowed.status, 0) << allowed.error << allowed.out;
    EXPECT_TRUE(Says(allowed, "0 errors, 0 warnings, 1 note (-v shows them), 1 allowed\n"))
        << allowed.out;
    EXPECT_EQ(allowed.error, "");
    const Answer shown = Check(folder, kFile, {"-v", "--allow", "not-acted-on"});
    EXPECT_TRUE(Says(shown, "site.conf:1:1: allowed: EmberSM does not act on 'perfmgr'"))
        << shown.error;
    EXPECT_TRUE(Says(shown, "1 note, 1 allowed\n")) << shown.out;
}

TEST(Verdicts, AllowNoError) {
    const Folder folder;
    EXPECT_EQ(Check(folder, "lmc 9\n", {"--allow", "out-of-range"}).status, kInputIsWrong);
}

TEST(Verdicts, DenyBeforeTheyAllow) {
    const Folder folder;
    const Answer denied =
        Check(folder, kFile, {"--deny", "not-acted-on", "--allow", "not-acted-on"});
    EXPECT_EQ(denied.status, kInputIsWrong);
    EXPECT_TRUE(Says(denied, "2 errors, 0 warnings")) << denied.out;
    EXPECT_EQ(Check(folder, kFile, {"--deny", "octal"}).status, 0);
}

TEST(Verdicts, KnowCodesAndKeysAndTheNearest) {
    const Folder folder;
    const Answer code = Check(folder, kFile, {"--allow", "not-acted-upon"});
    EXPECT_EQ(code.status, emberc::kUsageIsWrong);
    EXPECT_TRUE(Says(code, "there is no code 'not-acted-upon'; did you mean 'not-acted-on'?"))
        << code.error;
    const Answer denied = Check(folder, kFile, {"--deny", "octel"});
    EXPECT_EQ(denied.status, emberc::kUsageIsWrong);
    EXPECT_TRUE(Says(denied, "did you mean 'octal'?")) << denied.error;
    EXPECT_EQ(Check(folder, kFile, {"--deny", "perfmgr"}).status, emberc::kUsageIsWrong);
    EXPECT_TRUE(Says(Check(folder, kFile, {"--allow", "perfmgt"}), "did you mean 'perfmgr'?"));
    for (const emberc::CodeRow& row : emberc::kCodes) {
        EXPECT_FALSE(emberc::FindKey(row.word)) << row.word << ": --allow takes both";
    }
}

TEST(Verdicts, StandInCommentsOfAFileAndHoldForIt) {
    const Folder folder;
    const std::string file = "# emberc: allow not-acted-on\n" + std::string(kFile);
    EXPECT_EQ(Check(folder, file, {"--strict"}).status, 0);
    EXPECT_EQ(
        Check(folder, std::string(kFile) + "\t#emberc: allow octal, not-acted-on", {"--strict"})
            .status,
        0);
    EXPECT_EQ(Check(folder, file, {"--deny", "not-acted-on"}).status, kInputIsWrong);
    EXPECT_EQ(
        Check(folder, "lmc 1 # emberc: allow not-acted-on\n" + std::string(kFile), {"--strict"})
            .status,
        kInputIsWrong)
        << "behind a key it is any comment";
    // Of two files, one.
    folder.Write("order", "# emberc: allow duplicate-entry\n0x1\n0x1\n");
    folder.Write("roots", "0x1\n0x1\n");
    const std::string both = "routing_engine updn\norder opensm\nguid_routing_order_file order\n";
    EXPECT_EQ(Check(folder, both, {"--strict"}).status, 0);
    EXPECT_EQ(Check(folder, both + "root_guid_file roots\n", {"--strict"}).status, kInputIsWrong);
}

TEST(Verdicts, InCommentsAreReadStrictly) {
    const Folder folder;
    const Answer code = Check(folder, "lmc 1\n# emberc: allow octal oktal\n");
    EXPECT_EQ(code.status, kInputIsWrong);
    EXPECT_TRUE(Says(code,
                     "site.conf:2:23: error: there is no code 'oktal'; did you mean "
                     "'octal'? [unknown-code]"))
        << code.error;
    EXPECT_TRUE(Says(Check(folder, "# emberc: alow octal\n"), "1:11: error: 'emberc: alow'"));
    EXPECT_TRUE(Says(Check(folder, "# emberc: allow\n"), "names no code"));
    EXPECT_EQ(Check(folder, "# told emberc: allow x\n").status, 0);
}

TEST(Verdicts, LeaveNotesToThoseWhoAsk) {
    const Folder folder;
    const Answer brief = Check(folder, kFile);
    EXPECT_FALSE(Says(brief, "log_file")) << brief.error;
    EXPECT_TRUE(Says(brief, "site.conf: 0 errors, 1 warning, 1 note (-v shows them)\n"));
    EXPECT_TRUE(Says(Check(folder, kFile, {"-v"}), ": note: EmberSM does not act on 'log_file'"));
    const Answer json = Check(folder, kFile, {"--json", "--allow", "not-acted-on"});
    const auto report = nlohmann::json::parse(json.out);
    EXPECT_EQ(report["notes"], 1);
    EXPECT_EQ(report["allowed"], 1);
    EXPECT_EQ(report["diagnostics"].size(), 2U);
    EXPECT_EQ(report["diagnostics"][0]["severity"], "allowed");
}

}  // namespace
}  // namespace ember::test
