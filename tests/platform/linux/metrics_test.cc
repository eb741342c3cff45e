// SPDX-License-Identifier: Apache-2.0
// EmberSM: the page of metrics is OpenMetrics to the letter, and tells what `status` tells.
//
// Method: a reader that takes nothing but what the specification (OpenMetrics 1.0, section 5) has
// for the types that are used, on pages of subnets that are well, that fell back, and that are too
// large; then number for number beside the answers in JSON.

#include "platform/linux/metrics.h"

#include <array>
#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <re2/re2.h>
#include <set>
#include <sstream>
#include <string>

#include "engines/catalogue.h"
#include "platform/linux/emberctl/pages.h"
#include "platform/linux/metrics_table.h"
#include "platform/linux/status_json.h"
#include "tests/support/sim_world.h"

namespace ember {
namespace {

using ::testing::HasSubstr;
using testing::SimWorld;
using Json = nlohmann::ordered_json;
using Labels = std::map<std::string, std::string>;

/// Samples by name and labels. Every line that is not as it must be is a failure.
class Reader {
public:
    explicit Reader(const std::string& page) {
        EXPECT_TRUE(page.ends_with("\n# EOF\n"));
        std::istringstream lines(page.substr(0, page.size() - std::string("# EOF\n").size()));
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("# ")) {
                Declare(line);
            } else {
                Take(line);
            }
        }
        Close();
    }

    [[nodiscard]] std::string Text(const std::string& name, const Labels& labels = {}) const {
        const auto found = samples_.find({name, labels});
        if (found == samples_.end()) ADD_FAILURE() << "there is no " << name;
        return found == samples_.end() ? "" : found->second;
    }
    [[nodiscard]] std::uint64_t Number(const std::string& name, const Labels& labels = {}) const {
        const std::string text = Text(name, labels);
        EXPECT_EQ(text.find('.'), std::string::npos) << name;
        return text.empty() ? 0 : std::stoull(text);
    }
    /// Seconds, as whole microseconds.
    [[nodiscard]] std::uint64_t Microseconds(const std::string& name,
                                             const Labels& labels = {}) const {
        std::string text = Text(name, labels);
        const std::size_t dot = text.find('.');
        if (dot == std::string::npos || text.size() - dot != 7) {
            ADD_FAILURE() << name << " has no six decimals: " << text;
            return 0;
        }
        return std::stoull(text.erase(dot, 1));
    }
    /// The labels of all samples of this name.
    [[nodiscard]] std::vector<Labels> LabelsOf(const std::string& name) const {
        std::vector<Labels> all;
        for (const auto& [key, value] : samples_) {
            if (key.first == name) all.push_back(key.second);
        }
        return all;
    }
    [[nodiscard]] std::size_t families() const { return families_.size(); }

private:
    void Declare(const std::string& line) {
        static const RE2 kMeta(R"(# (TYPE|UNIT|HELP) ([a-z_]+) (.+))");
        std::string keyword;
        std::string name;
        std::string rest;
        ASSERT_TRUE(RE2::FullMatch(line, kMeta, &keyword, &name, &rest)) << line;
        if (keyword == "TYPE") {
            Close();
            family_ = name;
            EXPECT_TRUE(families_.insert(family_).second) << family_ << " is declared twice";
            type_ = rest;
            EXPECT_TRUE(type_ == "gauge" || type_ == "counter" || type_ == "info" ||
                        type_ == "stateset")
                << line;
            return;
        }
        EXPECT_EQ(name, family_) << line;
        if (keyword == "UNIT") {
            EXPECT_TRUE(family_.ends_with("_" + rest)) << line;
        }
        if (keyword == "HELP") {
            static const RE2 kEscaped(R"((?:[^\\"]|\\n|\\\\|\\")+)");
            EXPECT_TRUE(RE2::FullMatch(rest, kEscaped)) << line;
            has_help_ = true;
        }
    }

    void Take(const std::string& line) {
        static const RE2 kSample(
            R"(([a-z_]+)(?:\{((?:[a-z_]+="(?:[^\\"\n]|\\[\\"n])*",?)+)\})? ([0-9]+(?:\.[0-9]+)?))");
        std::string name;
        std::string inside;
        std::string value;
        ASSERT_TRUE(RE2::FullMatch(line, kSample, &name, &inside, &value)) << line;
        const std::string suffix = type_ == "counter" ? "_total" : type_ == "info" ? "_info" : "";
        EXPECT_EQ(name, family_ + suffix) << line;
        const Labels labels = Split(inside);
        if (type_ == "info") {
            EXPECT_EQ(value, "1") << line;
        }
        if (type_ == "stateset") {
            EXPECT_TRUE(labels.contains(family_)) << line;
            EXPECT_TRUE(value == "0" || value == "1") << line;
            holding_ += value == "1" ? 1U : 0U;
        }
        EXPECT_TRUE(samples_.emplace(std::pair(name, labels), value).second)
            << line << " is there twice";
    }

    static Labels Split(const std::string& text) {
        Labels labels;
        static const RE2 kLabel(R"re(([a-z_]+)="((?:[^\\"]|\\.)*)"(?:,|$))re");
        re2::StringPiece left(text);
        std::string name;
        std::string value;
        while (RE2::Consume(&left, kLabel, &name, &value)) {
            EXPECT_TRUE(labels.emplace(name, value).second) << text;
        }
        EXPECT_TRUE(left.empty()) << text;
        EXPECT_FALSE(text.ends_with(",")) << text;
        return labels;
    }

    /// The family that ends here had a sentence, and its states exclude each other.
    void Close() {
        if (family_.empty()) return;
        EXPECT_TRUE(has_help_) << family_;
        if (type_ == "stateset") {
            EXPECT_EQ(holding_, 1U) << family_;
        }
        has_help_ = false;
        holding_ = 0;
    }

    std::string family_;
    std::string type_;
    bool has_help_ = false;
    std::size_t holding_ = 0;
    std::set<std::string> families_;
    std::map<std::pair<std::string, Labels>, std::string> samples_;
};

constexpr std::array kRows = {MemoryRow{"LFT arena, \"planned\"\\\n", 100}, MemoryRow{"other", 23}};

class MetricsTest : public ::testing::Test {
protected:
    StatusView ViewOf(const SubnetManager& sm) const {
        return {.sm = sm,
                .configuration = configuration_,
                .memory = kRows,
                .uptime_us = 61'000'007,
                .notes_lost = 5,
                .mailbox = &mailbox_};
    }
    static Json StatusOf(const StatusView& view) {
        static std::array<char, 65536> room;
        JsonWriter json(room);
        json.Open();
        AddStatus(json, view);
        AddMemory(json, view);
        json.Close();
        return Json::parse(json.text());
    }
    static std::string PageOf(const StatusView& view) {
        static std::array<char, kMaxMetricsBytes> room;
        FixedText text(room);
        AddMetrics(text, view);
        EXPECT_FALSE(text.full());
        return std::string(text.text());
    }

    ConfigurationReport configuration_;
    MailboxStatistics mailbox_{.sent = 11, .received = 12, .overrun = 13, .device_resets = 14};
};

TEST_F(MetricsTest, TellWhatStatusTellsNumberForNumber) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    const StatusView view = ViewOf(world.sm());
    const Reader page(PageOf(view));
    const Json status = StatusOf(view);
    EXPECT_EQ(page.families(), Metrics().size());

    EXPECT_EQ(page.Text("embersm_build_info", {{"version", status["version"]}}), "1");
    EXPECT_EQ(page.Microseconds("embersm_uptime_seconds"), status["time"]["uptime_us"]);
    EXPECT_EQ(page.Number("embersm_up"), 1U);
    EXPECT_EQ(page.Number("embersm_bring_ups_total"), status["bring_ups"]);
    EXPECT_EQ(page.Number("embersm_role", {{"embersm_role", status["role"]}}), 1U);
    EXPECT_EQ(page.Number("embersm_stage", {{"embersm_stage", status["stage"]}}), 1U);
    const Json& subnet = status["subnet"];
    for (const char* const name :
         {"nodes", "switches", "links", "end_ports", "top_lid", "kept_lids"}) {
        EXPECT_EQ(page.Number(std::string("embersm_") + name), subnet[name]) << name;
        EXPECT_GT(subnet[name], 0) << name;
    }
    const Json& routing = status["routing"];
    EXPECT_EQ(page.Text("embersm_routing_engine_info", {{"engine", routing["engine"]}}), "1");
    EXPECT_EQ(page.Number("embersm_routing_fallback"), 0U);
    EXPECT_TRUE(page.LabelsOf("embersm_routing_refused").empty());
    EXPECT_EQ(page.Number("embersm_routing_routes"), routing["routes"]);
    EXPECT_EQ(page.Number("embersm_routing_hops_max"), routing["max_hops"]);
    EXPECT_EQ(page.Microseconds("embersm_routing_compute_seconds"), routing["routing_us"]);
    EXPECT_EQ(page.Microseconds("embersm_routing_verify_seconds"), routing["verifying_us"]);
    for (const char* const kind : {"heavy", "targeted", "light"}) {
        EXPECT_EQ(page.Number("embersm_sweeps_total", {{"kind", kind}}), status["sweeps"][kind]);
    }
    const Json& smps = status["smps"];
    for (const auto& labels : page.LabelsOf("embersm_smps_total")) {
        EXPECT_EQ(page.Number("embersm_smps_total", labels), smps[labels.at("what")]);
    }
    EXPECT_GT(page.Number("embersm_smps_total", {{"what", "sent"}}), 100U);
    EXPECT_EQ(page.LabelsOf("embersm_smp_requests_total").size(), 2 * smps["by_attribute"].size());
    for (const auto& [name, counts] : smps["by_attribute"].items()) {
        EXPECT_EQ(
            page.Number("embersm_smp_requests_total", {{"attribute", name}, {"method", "Get"}}),
            counts["gets"]);
        EXPECT_EQ(
            page.Number("embersm_smp_requests_total", {{"attribute", name}, {"method", "Set"}}),
            counts["sets"]);
    }
    const Json& mailbox = status["mailbox"];
    EXPECT_EQ(page.LabelsOf("embersm_mailbox_total").size(), mailbox.size());
    for (const auto& labels : page.LabelsOf("embersm_mailbox_total")) {
        EXPECT_EQ(page.Number("embersm_mailbox_total", labels), mailbox[labels.at("what")]);
    }
    EXPECT_EQ(mailbox["overrun"], 13U);
    const Json& sa = status["administration"];
    EXPECT_TRUE(sa["serves"]);
    EXPECT_EQ(page.Number("embersm_sa_serves"), 1U);
    EXPECT_EQ(page.Number("embersm_sa_waiting"), sa["waiting"]);
    EXPECT_EQ(page.Number("embersm_sa_transfers"), sa["transfers"]);
    EXPECT_EQ(page.LabelsOf("embersm_sa_total").size() + 3, sa.size());
    for (const auto& labels : page.LabelsOf("embersm_sa_total")) {
        EXPECT_EQ(page.Number("embersm_sa_total", labels), sa[labels.at("what")]);
    }
    for (const auto& labels : page.LabelsOf("embersm_programming_last")) {
        EXPECT_EQ(page.Number("embersm_programming_last", labels),
                  status["programming"][labels.at("what")]);
    }
    for (const auto& labels : page.LabelsOf("embersm_discovery_last")) {
        EXPECT_EQ(page.Number("embersm_discovery_last", labels),
                  status["sweeps"][labels.at("what")]);
    }
    for (const char* const why : {"malformed", "unexpected"}) {
        EXPECT_EQ(page.Number("embersm_datagrams_dropped_total", {{"why", why}}),
                  status["datagrams"][why]);
    }
    EXPECT_EQ(page.Microseconds("embersm_bring_up_seconds"), status["time"]["bring_up_us"]);
    EXPECT_EQ(page.Microseconds("embersm_longest_step_seconds"), status["time"]["longest_step_us"]);
    for (const auto& [name, stage] : status["time"]["stages"].items()) {
        EXPECT_EQ(page.Microseconds("embersm_stage_seconds", {{"stage", name}}), stage["us"]);
        EXPECT_EQ(page.Number("embersm_stage_smps", {{"stage", name}}), stage["smps"]);
    }
    EXPECT_EQ(page.Number("embersm_memory_bytes", {{"table", R"(LFT arena, \"planned\"\\\n)"}}),
              100U);
    EXPECT_EQ(page.Number("embersm_memory_scratch_peak_bytes"), status["scratch_peak_bytes"]);
    EXPECT_EQ(page.Number("embersm_journal_notes_total"), status["journal"]["notes"]);
    EXPECT_EQ(page.Number("embersm_journal_lost_notes_total"), 5U);
    EXPECT_EQ(status["journal"]["lost"], 5);
}

TEST(StatusView, TellsOfEverythingThatTheAdministrationCounts) {
    std::array<std::uint64_t, sizeof(SaStatistics) / sizeof(std::uint64_t)> numbers{};
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
    std::map<std::string, std::uint64_t, std::less<>> told;
    std::vector<std::uint64_t> counts;
    ForEachSaCount(std::bit_cast<SaStatistics>(numbers),
                   [&](std::string_view name, std::uint64_t count) {
                       told.emplace(name, count);
                       counts.push_back(count);
                   });
    EXPECT_THAT(counts, ::testing::ElementsAreArray(numbers));
    EXPECT_EQ(told.size(), counts.size());
    EXPECT_EQ(told["questions"], 1U);
    EXPECT_EQ(told["port_busy"], numbers.size());
}

TEST_F(MetricsTest, TellWhyAndWhereAnEngineWasRefused) {
    const net::Netlist netlist = net::Ring(6, 1);  // No tree.
    SimWorld world(netlist);
    std::array<Guid, 1> root{};
    for (const net::NetNode& node : netlist.nodes) {
        if (node.is_switch()) root[0] = node.guid;
    }
    Settings settings;
    settings.order = Order::kOpensm;
    settings.lmc = 1;  // ftree knows only 0.
    settings.tables.roots = root;
    settings.tables.has_roots = true;
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kFtree), Status::kOk);
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kUpDn), Status::kOk);
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilUp(60 * testing::kSecond));
    const StatusView view = ViewOf(world.sm());
    const Reader page(PageOf(view));
    const Json routing = StatusOf(view)["routing"];

    EXPECT_EQ(page.Number("embersm_routing_fallback"), 1U);
    EXPECT_EQ(page.Text("embersm_routing_engine_info", {{"engine", "updn"}}), "1");
    EXPECT_EQ(page.Number("embersm_routing_verdict", {{"embersm_routing_verdict", "verified"}}),
              1U);
    const std::vector<Labels> refused = page.LabelsOf("embersm_routing_refused");
    ASSERT_EQ(refused.size(), 1U);
    ASSERT_EQ(routing["refused"].size(), 1U);
    EXPECT_EQ(refused[0].at("place"), "1");
    EXPECT_EQ(refused[0].at("engine"), "ftree");
    EXPECT_EQ(refused[0].at("guid"), routing["refused"][0].value("at", ""));
    const std::string why = routing["refused"][0]["reason"];
    EXPECT_TRUE(why.starts_with(refused[0].at("reason"))) << why;
    EXPECT_THAT(refused[0].at("reason"), HasSubstr("the engine cannot route this fabric: "));
}

TEST_F(MetricsTest, AreWellFormedBeforeAnythingHappened) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    const Reader page(PageOf(ViewOf(world.sm())));
    EXPECT_EQ(page.Number("embersm_up"), 0U);
    EXPECT_EQ(page.Text("embersm_routing_engine_info", {{"engine", ""}}), "1");
}

TEST(MetricsTable, HasNamesThatFitTheirTypesAndUnits) {
    std::set<std::string_view> names;
    for (const MetricRow& row : Metrics()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_TRUE(row.name.starts_with("embersm_")) << row.name;
        EXPECT_FALSE(row.name.ends_with("_total") || row.name.ends_with("_info")) << row.name;
        EXPECT_TRUE(row.unit.empty() || row.name.ends_with("_" + std::string(row.unit)))
            << row.name;
        EXPECT_TRUE(row.help.ends_with('.')) << row.name;
    }
    const std::string page = ctl::MetricsAsMarkdown();
    for (const MetricRow& row : Metrics()) {
        EXPECT_THAT(page, HasSubstr("`" + std::string(row.name) + std::string(SuffixOf(row.type))));
    }
}

}  // namespace
}  // namespace ember
