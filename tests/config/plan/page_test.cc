// SPDX-License-Identifier: Apache-2.0
// EmberSM: the page of a plan: right numbers, nothing from outside, names that cannot break it.
#include "config/emberc/plan/page.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

std::string PageOf(const net::Netlist& netlist, std::size_t failures = 0) {
    const Settings settings;
    const auto plan = PlanOf(netlist, settings);
    Report report = Measure(*plan, {.bisections = 10, .is_quiet = true});
    report.fabric = "<b>net & \"list\"</b>";
    if (failures > 0) {
        report.failures = TryFailures(netlist, net::FirstSeat(netlist), settings, *plan,
                                      EveryFailure(netlist, false, failures));
    }
    return RenderPage(*plan, report, 20);
}

std::size_t CountOf(const std::string& page, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) {
        ++count;
    }
    return count;
}

/// Every tag that is opened is closed, in order.
void ExpectBalanced(const std::string& page) {
    std::vector<std::string> open;
    for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
        const std::size_t end = page.find('>', at);
        ASSERT_NE(end, std::string::npos);
        const bool closes = page[at + 1] == '/';
        const std::string tag = page.substr(at + (closes ? 2 : 1), end - at - (closes ? 2 : 1));
        const std::string name = tag.substr(0, tag.find_first_of(" /"));
        if (name == "meta" || name == "!DOCTYPE" || tag.ends_with("/")) continue;
        if (!closes) {
            open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty());
        ASSERT_EQ(open.back(), name);
        open.pop_back();
    }
    EXPECT_TRUE(open.empty());
}

TEST(Page, IsBalancedAndRefersToNothingOutside) {
    for (const char* name : {"ft3:4", "torus:3x3", "single:3", "ft2:64", "ring:200", "ft3:16"}) {
        SCOPED_TRACE(name);
        const std::string page = PageOf(Shape(name));
        ExpectBalanced(page);
        for (const char* outside :
             {"http:", "https:", "src=", "href=", "url(", "@import", "<script"}) {
            EXPECT_EQ(page.find(outside), std::string::npos) << outside;
        }
        EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
    }
}

TEST(Page, HasTheNumbersOfTheReport) {
    const std::string page = PageOf(net::ParallelLinks(1, 3), 1);
    EXPECT_NE(page.find("<b>0.5556</b><span>all-to-all saturation</span>"), std::string::npos);
    EXPECT_NE(page.find("<b>9</b><span>flows on the busiest link</span>"), std::string::npos);
    EXPECT_NE(page.find("<title>18 paths of 1 hops</title>"), std::string::npos);
    EXPECT_NE(page.find("left port 4 - right port 4"), std::string::npos);
    EXPECT_NE(page.find("routed by auto, verified"), std::string::npos);
    EXPECT_NE(page.find("<td>left port 4 - right port 4</td><td>link</td>"), std::string::npos);
}

TEST(Page, SaysHowManyFailuresItLeavesOut) {
    const Settings settings;
    const net::Netlist netlist = net::FatTree2(8);
    const auto plan = PlanOf(netlist, settings);
    Report report = Measure(*plan, {.bisections = 10, .is_quiet = true});
    report.failures = TryFailures(netlist, net::FirstSeat(netlist), settings, *plan,
                                  EveryFailure(netlist, true, 0));
    const std::string page = RenderPage(*plan, report, 5);
    EXPECT_NE(page.find("worst first: 5 of 12"), std::string::npos);
    EXPECT_EQ(CountOf(page, "<td>switch</td>"), 5U);
    EXPECT_NE(page.find("... 7 more; --all tells them"), std::string::npos);
    EXPECT_EQ(RenderPage(*plan, report, 20).find(" more; --all"), std::string::npos);
}

TEST(Page, EscapesNames) {
    net::Netlist netlist = net::FatTree2(4);
    for (net::NetNode& node : netlist.nodes) {
        node.description = "</title><script>alert('" + node.id + "')</script>\x01&\"";
    }
    const std::string page = PageOf(netlist, 3);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find('\x01'), std::string::npos);
    EXPECT_NE(page.find("&lt;b&gt;net &amp; &quot;list&quot;&lt;/b&gt;"), std::string::npos);
    ExpectBalanced(page);
    EXPECT_EQ(Escape("a<b>&\"'\n"), "a&lt;b&gt;&amp;&quot;&#39; ");
}

TEST(Page, DrawsSmallFabricsInFullAndLargeOnesInGroups) {
    const std::string small = PageOf(net::FatTree2(8));
    EXPECT_EQ(CountOf(small, "class=\"leaf\""), 8U);
    EXPECT_EQ(CountOf(small, "class=\"inner\""), 4U);
    EXPECT_EQ(CountOf(small, "<title>1 cables, at most"), 32U);
    EXPECT_EQ(small.find("Boxes with a number"), std::string::npos);
    const std::string large = PageOf(net::FatTree2(100));
    EXPECT_EQ(CountOf(large, "class=\"leaf\""), 25U);  // 100 leaves, four in a box.
    EXPECT_EQ(CountOf(large, "class=\"inner\""), 25U);
    EXPECT_NE(large.find("Boxes with a number"), std::string::npos);
}

TEST(Page, TellsWhyThereIsNoRouting) {
    Settings strict;
    strict.require_deadlock_free = true;
    strict.no_fallback = true;
    ASSERT_EQ(strict.routing_engine.TryPush(EngineKind::kMinHop), Status::kOk);
    const auto plan = PlanOf(Shape("torus:5"), strict);
    const std::string page = RenderPage(*plan, Measure(*plan, {.is_quiet = true}), 20);
    EXPECT_NE(page.find("<p class=\"verdict bad\" id=\"verdict\">NOT ROUTED"), std::string::npos);
    EXPECT_NE(page.find("minhop was refused: a credit loop is possible"), std::string::npos);
    EXPECT_EQ(page.find("all-to-all saturation"), std::string::npos);
    ExpectBalanced(page);
}

TEST(Chart, TellsTheCountOfTheHighestBar) {
    std::vector<Bar> bars(40, Bar{{}, {}, 5, false});
    bars[7].count = 123;
    bars[8].count = 122;
    const std::string svg = BarChart(bars, "a chart", "x");
    EXPECT_NE(svg.find(">123<"), std::string::npos);
    EXPECT_EQ(svg.find(">122<"), std::string::npos);
    EXPECT_NE(BarChart({}, "a chart", "x").find("Nothing"), std::string::npos);
}

}  // namespace
}  // namespace ember::plan
