// SPDX-License-Identifier: Apache-2.0
// EmberSM: the pictures of a plan: colors that alarm only where there is cause, labels apart.
#include <cmath>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

#include "config/emberc/plan/link_loads.h"
#include "config/emberc/plan/page.h"
#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

/// A plan's report and what it refers to.
struct Drawn {
    explicit Drawn(const net::Netlist& netlist)
        : plan(PlanOf(netlist, settings)),
          report(Measure(*plan, {.bisections = 10, .is_quiet = true})),
          page(RenderPage(*plan, report, 20)) {}

    Settings settings;
    std::unique_ptr<Planned> plan;
    Report report;
    std::string page;
};

/// The cables of the picture, by band of load.
std::vector<std::size_t> CablesByBand(const std::string& page) {
    std::vector<std::size_t> counts(kBands);
    const std::regex cable("<path d=\"M[^\"]* Q[^\"]*\" class=\"b([0-9]+)\"");
    for (std::sregex_iterator at(page.begin(), page.end(), cable), end; at != end; ++at) {
        ++counts.at(std::stoul((*at)[1]));
    }
    return counts;
}

std::size_t AboveFair(const std::vector<std::size_t>& bands) {
    std::size_t count = 0;
    for (std::size_t band = kFairBand + 1; band < bands.size(); ++band) {
        count += bands[band];
    }
    return count;
}

/// A label of a picture, as large as a browser would make it.
struct Label {
    std::size_t picture;
    double left, right, top, bottom;
    std::string text;

    [[nodiscard]] bool Touches(const Label& other) const {
        return picture == other.picture && left < other.right && other.left < right &&
               top < other.bottom && other.top < bottom;
    }
};

/// All labels of a page, from the coordinates of its pictures. In DejaVu Sans, the widest font of
/// the page's list, a digit of 12 units is 7.64 wide, and the letters of its words are less on
/// average.
std::vector<Label> LabelsOf(const std::string& page) {
    std::vector<Label> labels;
    std::size_t picture = 0;
    const std::regex part(
        "<svg|<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" class=\"([a-z ]+)\">([^<]*)</text>");
    for (std::sregex_iterator at(page.begin(), page.end(), part), end; at != end; ++at) {
        const std::smatch& found = *at;
        if (!found[1].matched) {
            ++picture;
            continue;
        }
        const std::string kind = found[3];
        const std::string text = std::regex_replace(found[4].str(), std::regex("&[a-z]+;"), "x");
        const double x = std::stod(found[1]);
        const double y = std::stod(found[2]);
        const double width = 7.64 * static_cast<double>(text.size());
        double left = x - width / 2;
        if (kind == "row") left = x - width;
        if (kind == "level") left = x;
        labels.push_back({picture, left, left + width, y - 9, y + 2.5, text});
    }
    return labels;
}

void ExpectLabelsApart(const std::string& page, std::size_t least) {
    const std::vector<Label> labels = LabelsOf(page);
    EXPECT_GE(labels.size(), least);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        for (std::size_t j = i + 1; j < labels.size(); ++j) {
            EXPECT_FALSE(labels[i].Touches(labels[j]))
                << labels[i].text << " prints over " << labels[j].text;
        }
    }
}

TEST(Picture, AlarmsAtNoCableOfAPerfectFabric) {
    for (const char* name : {"ft2:8", "ft3:8", "ft2:64", "ft3:16", "single:3"}) {
        SCOPED_TRACE(name);
        const Drawn drawn(Shape(name));
        const std::vector<std::size_t> cables = CablesByBand(drawn.page);
        EXPECT_EQ(AboveFair(cables), 0U);
        EXPECT_EQ(cables[0], 0U);
    }
}

TEST(Picture, AlarmsAtNoCableThatIsAsNarrowAsAllOthersByDesign) {
    // 4 hosts to 2 cables on every leaf: each link carries twice what a host's cable does.
    net::Netlist tree = net::FatTree2(8);
    for (const net::NetEnd& end : net::TrunksOf(tree)) {
        const std::uint32_t peer = tree.nodes[end.node].ports[end.port].peer;
        const net::NetNode& one = tree.nodes[end.node];
        const net::NetNode& spine = one.description.starts_with("leaf") ? tree.nodes[peer] : one;
        const bool goes = spine.description == "spine 3" || spine.description == "spine 4";
        if (goes) net::Unplug(tree, end);
    }
    const Drawn drawn(tree);
    EXPECT_NEAR(drawn.report.loads.saturation, 0.5, 0.1);
    EXPECT_EQ(AboveFair(CablesByBand(drawn.page)), 0U);
}

TEST(Picture, AlarmsWhereACableCarriesWhatOthersLost) {
    net::Netlist tree = net::FatTree2(8);
    const std::vector<net::NetEnd> trunks = net::TrunksOf(tree);
    for (std::size_t i = 0; i < 3; ++i) {  // Of four cables one is left.
        net::Unplug(tree, trunks[i]);
    }
    ASSERT_EQ(trunks[0].node, trunks[2].node);
    const Drawn drawn(tree);
    const std::vector<std::size_t> cables = CablesByBand(drawn.page);
    EXPECT_EQ(cables[kBands - 1], 1U);
    std::size_t links = 0;
    for (const LinkClass& row : drawn.report.classes) {
        links += row.bands[kBands - 1];
    }
    EXPECT_EQ(links, 2U);  // Both directions.
}

TEST(Picture, HasNoLabelThatPrintsOverAnother) {
    for (const char* name : {"ft3:4", "ft3:16", "ft2:64", "ft2:200", "torus:4x4x4", "ring:200",
                             "random:1,90,4", "dragonfly:8,4", "parallel:1:3", "single:3"}) {
        SCOPED_TRACE(name);
        ExpectLabelsApart(Drawn(Shape(name)).page, 4);
    }
}

TEST(Picture, TellsEveryBoxOfGroupsThatHaveRoom) {
    // 100 leaves and 50 spines in 25 boxes each.
    const std::string page = Drawn(net::FatTree2(100)).page;
    std::size_t sizes = 0;
    for (const Label& label : LabelsOf(page)) {
        if (label.text == "4" || label.text == "2") ++sizes;
    }
    EXPECT_GE(sizes, 50U);
}

TEST(Chart, TellsBothCountsOfNeighborsThatAreEquallyHigh) {
    // The links of ft3:36: 23,328 between leaves and middle switches, as many above.
    std::vector<Bar> bars(41);
    bars[39].count = 23328;
    bars[40].count = 23328;
    const std::string svg = BarChart(bars, "a chart", "x");
    ExpectLabelsApart(svg, 3);
    EXPECT_NE(svg.find(">23328<", svg.find(">23328<") + 1), std::string::npos) << svg;
}

TEST(Chart, KeepsLongLabelsOfManyBarsApart) {
    std::vector<Bar> bars;
    for (std::uint64_t i = 0; i < 100; ++i) {
        bars.push_back({std::to_string(1'000'000'000 + i), {}, i < 12 ? 123'456'789 + i : 0});
    }
    ExpectLabelsApart(BarChart(bars, "a chart", "x"), 10);
}

}  // namespace
}  // namespace ember::plan
