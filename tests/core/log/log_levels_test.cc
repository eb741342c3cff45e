// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of which notes a log keeps.

#include "core/log/log_levels.h"

#include <gtest/gtest.h>
#include <string_view>

namespace ember {
namespace {

TEST(LogLevels, AreASeverityForAllAndOthersByTheFrontOfCodes) {
    const Result<LogLevels> parsed = LogLevelsOf("warning,sweep-light=debug,link=error");
    ASSERT_TRUE(parsed.ok());
    const LogLevels levels = parsed.value();
    EXPECT_EQ(levels.minimum(), Severity::kWarning);
    EXPECT_TRUE(levels.Keeps(Note::kLightSweepStarted)) << "debug";
    EXPECT_FALSE(levels.Keeps(Note::kHeavySweepStarted)) << "info, and another front";
    EXPECT_FALSE(levels.Keeps(Note::kLinkLost)) << "a warning";
    EXPECT_TRUE(levels.Keeps(Note::kNodeLost));
    EXPECT_TRUE(levels.Keeps(Note::kOwnPortDown));
    EXPECT_GE(levels.exceptions(), 3U);
}

TEST(LogLevels, AreInfoForAllWhereOnlySomeAreNamed) {
    const Result<LogLevels> parsed = LogLevelsOf("node-found=debug");
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value().minimum(), Severity::kInfo);
    EXPECT_TRUE(parsed.value().Keeps(Note::kNodeFound));
    EXPECT_TRUE(parsed.value().Keeps(Note::kNodesFound));
    EXPECT_EQ(parsed.value().exceptions(), 1U);
}

TEST(LogLevels, TakeTheLastThatFits) {
    const LogLevels levels = LogLevelsOf("debug,link=error,link-up=info").value();
    EXPECT_TRUE(levels.Keeps(Note::kLinkUp));
    EXPECT_FALSE(levels.Keeps(Note::kLinkLost));
    EXPECT_TRUE(LogLevelsOf("link-up=error,link=debug").value().Keeps(Note::kLinkUp));
}

TEST(LogLevels, AreExactlyTheSeveritiesWithoutWords) {
    for (const Severity severity :
         {Severity::kDebug, Severity::kInfo, Severity::kWarning, Severity::kError}) {
        const LogLevels levels(severity);
        EXPECT_EQ(levels.exceptions(), 0U);
        for (const Sentence& sentence : kSentences) {
            EXPECT_EQ(levels.Keeps(sentence.note), sentence.severity >= severity);
        }
    }
}

TEST(LogLevels, RefuseWhatIsNoLevelAndWhatIsNoFrontOfACode) {
    for (const std::string_view text :
         {"", "loud", "info,", ",info", "info,warning", "link=debug,info", "link=", "link=loud",
          "=debug", "info,lin=debug", "lynx=debug", "info, link=debug", "link-up-=debug",
          "info,link=debug,"}) {
        EXPECT_FALSE(LogLevelsOf(text).ok()) << text;
    }
}

}  // namespace
}  // namespace ember
