// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what emberc says of the time that passes before a standby takes over.
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "config/emberc/diagnostics.h"
#include "config/emberc/opensm_conf.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

/// The diagnostic about sminfo_polling_timeout; empty: none.
std::string SaidOfPolls(std::string_view text) {
    emberc::Diagnostics diagnostics("site.conf");
    static_cast<void>(emberc::ParseOpensmConf(text, diagnostics));
    std::string said;
    for (const emberc::Diagnostic& one : diagnostics.all()) {
        if (one.code == emberc::Code::kPinnedDefault) said += one.text;
    }
    return said;
}

TEST(CheckPolls, TellsWhenAStandbyTakesOverByTheLinesThatOpensmWrites) {
    EXPECT_EQ(SaidOfPolls("sminfo_polling_timeout 10000\npolling_retry_number 4\n"),
              "by this line a standby takes over 50.0 s after the master's last word or later; "
              "without it, as EmberSM polls by itself, after 4 s, and 1.2 s where replication_key "
              "is set");
    EXPECT_EQ(SaidOfPolls("sminfo_polling_timeout 10000\npolling_retry_number 1\n").substr(0, 43),
              "by this line a standby takes over 20.0 s af");
}

TEST(CheckPolls, SaysNothingOfPollsThatAreAsFastAsItsOwn) {
    EXPECT_EQ(SaidOfPolls("sminfo_polling_timeout 800\npolling_retry_number 4\n"), "");
    EXPECT_EQ(SaidOfPolls("polling_retry_number 4\n"), "");
    EXPECT_NE(SaidOfPolls("sminfo_polling_timeout 1000\npolling_retry_number 4\n"), "");
}

}  // namespace
}  // namespace ember::test
