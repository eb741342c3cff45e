// SPDX-License-Identifier: Apache-2.0
// EmberSM: the matrix of partitions and ports in a plan.
#include "config/emberc/plan/membership.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "config/emberc/plan/page.h"
#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Plans ft2:4, eight hosts and six switches, under a partition file.
class Membership : public ::testing::Test {
protected:
    std::string Plan(const std::string& partitions, const std::string& what) {
        folder_.Write("partitions.conf", partitions);
        folder_.Write("conf", "partition_config_file partitions.conf\nallow_both_pkeys TRUE\n");
        const Answer answer =
            Emberc({"plan", "-f", "ft2:4", "-c", folder_.File("conf"), what, "-"});
        EXPECT_EQ(answer.status, 0) << answer.error;
        return answer.out;
    }
    json Facts(const std::string& partitions) {
        return json::parse(Plan(partitions, "--json"))["membership"];
    }
    std::string Page(const std::string& partitions) { return Plan(partitions, "--html"); }

    Folder folder_;
};

constexpr const char* kFile =
    "Default=0x7fff: ALL_SWITCHES=full, SELF=full;\n"
    "<b>=0x1: 0x100003=full, 0x100005, 0x100007;\n"
    "two=0x2, defmember=both: 0x100005, 0x100007;\n";

TEST_F(Membership, PutsPortsThatAreAlikeIntoOneRow) {
    const json facts = Facts(kFile);
    EXPECT_EQ(facts["configured"], true);
    ASSERT_EQ(facts["partitions"].size(), 3U);
    EXPECT_EQ(
        facts["partitions"][0],
        json({{"p_key", "0x0001"}, {"name", "<b>"}, {"line", 2}, {"full", 1}, {"limited", 2}}));
    // Every port is a limited member of the default partition, as under OpenSM.
    EXPECT_EQ(facts["partitions"][2]["full"], 7);  // Six switches and the manager.
    EXPECT_EQ(facts["partitions"][2]["limited"], 7);
    ASSERT_EQ(facts["kinds"].size(), 4U);
    EXPECT_EQ(facts["kinds"][0]["ports"], 7);
    EXPECT_EQ(facts["kinds"][0]["in"], json({{"0x7fff", "full"}}));
    EXPECT_EQ(facts["kinds"][1]["ports"], 4);
    EXPECT_EQ(facts["kinds"][1]["in"], json({{"0x7fff", "limited"}}));
    EXPECT_EQ(facts["kinds"][2]["ports"], 2);
    EXPECT_EQ(facts["kinds"][2]["in"],
              json({{"0x0001", "limited"}, {"0x0002", "both"}, {"0x7fff", "limited"}}));
}

TEST_F(Membership, IsATableOfThePageInWhichNamesAreEscaped) {
    const std::string page = Page(kFile);
    EXPECT_THAT(
        page, AllOf(HasSubstr("<table id=\"membership\">"),
                    HasSubstr("<th title=\"&lt;b&gt;, line 2: 1 full, 2 limited members\">"),
                    HasSubstr("title=\"limited member of &lt;b&gt;, line 2\">L</td>"),
                    HasSubstr("title=\"full and limited member of two, line 3\">B</td>"),
                    HasSubstr("<td>4: host 5 ... host 8</td>"), Not(HasSubstr(" are shown; the"))));
    EXPECT_THAT(Emberc({"plan", "-f", "ft2:4", "--html", "-"}).out,
                HasSubstr("None are configured: every port is a full member"));
}

TEST_F(Membership, HasSoManyRowsAndColumnsAndSaysHowManyThereAre) {
    std::string file = "Default=0x7fff: ALL_SWITCHES=full, SELF=full;\n";
    for (std::size_t i = 1; i <= kShownPartitions + 9; ++i) {
        file += fmt::format("p{0}=0x{0:x}: 0x100003=full;\n", i);
    }
    const std::string page = Page(file);
    EXPECT_THAT(page,
                AllOf(HasSubstr("40 of 50 partitions are shown"), HasSubstr(">p40<br/>"),
                      Not(HasSubstr(">p41<br/>")), Not(HasSubstr("kinds of ports are shown"))));
    MembershipMatrix matrix;
    matrix.partitions.push_back({.p_key = 1, .name = "p", .line = 1, .full = 0, .limited = 0});
    for (std::size_t i = 0; i < kShownKinds + 1; ++i) {
        matrix.kinds.push_back({.ports = i + 1,
                                .first = "first",
                                .last = "last",
                                .in = {ember::Membership::kLimited}});
    }
    matrix.kinds.front().in.front() = ember::Membership::kNone;
    EXPECT_THAT(MembershipTable(matrix),
                AllOf(HasSubstr("48 of 49 kinds of ports are shown"),
                      HasSubstr("<td class=\"bad\">1: first</td>"),
                      HasSubstr(">2: first, last</td>"), HasSubstr(">3: first ... last</td>")));
}

}  // namespace
}  // namespace ember::plan
