// SPDX-License-Identifier: Apache-2.0
// EmberSM: the page of metrics is OpenMetrics, or the classic format, to the letter, and tells what
// `status` tells.
//
// Method: a strict reader on pages of subnets that are well, and that fell back; then number for
// number beside the answers in JSON, and one format beside the other.

#include "platform/linux/views/metrics.h"

#include <array>
#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>

#include "engines/catalogue.h"
#include "platform/linux/emberctl/pages.h"
#include "platform/linux/views/counters.h"
#include "platform/linux/views/metrics_table.h"
#include "platform/linux/views/status_json.h"
#include "tests/platform/linux/views/metrics_reader.h"
#include "tests/support/sim_world.h"

namespace ember {
namespace {

using ::testing::HasSubstr;
using testing::SimWorld;
using Labels = testing::MetricsReader::Labels;
using Json = nlohmann::ordered_json;
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
    static std::string PageOf(const StatusView& view,
                              MetricsFormat format = MetricsFormat::kOpenMetrics) {
        static std::array<char, kMaxMetricsBytes> room;
        FixedText text(room);
        AddMetrics(text, view, format);
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
    const testing::MetricsReader page(PageOf(view));
    const Json status = StatusOf(view);
    EXPECT_EQ(page.families(), Metrics().size());

    EXPECT_EQ(page.Text("embersm_build_info", {{"version", status["version"]}}), "1");
    EXPECT_EQ(page.Microseconds("embersm_uptime_seconds"), status["time"]["uptime_us"]);
    EXPECT_EQ(page.Number("embersm_up"), 1U);
    EXPECT_EQ(page.Number("embersm_bring_ups_total"), status["bring_ups"]);
    EXPECT_EQ(page.Number("embersm_condition", {{"embersm_condition", status["condition"]}}), 1U);
    EXPECT_EQ(page.Number("embersm_role", {{"embersm_role", status["role"]}}), 1U);
    EXPECT_EQ(page.Number("embersm_stage", {{"embersm_stage", status["stage"]}}), 1U);
    const Json& subnet = status["subnet"];
    for (const char* const name :
         {"nodes", "switches", "links", "end_ports", "top_lid", "kept_lids"}) {
        EXPECT_EQ(page.Number(std::string("embersm_") + name), subnet[name]) << name;
        EXPECT_GT(subnet[name], 0) << name;
    }
    for (const char* const what : {"unenforced", "unset"}) {
        EXPECT_EQ(page.Number("embersm_partition_gaps", {{"what", what}}),
                  subnet["partition_gaps"][what]);
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
    ForEachCount(kSaCounters, std::bit_cast<SaStatistics>(numbers),
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
    const testing::MetricsReader page(PageOf(view));
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

TEST_F(MetricsTest, SayTheSameInBothFormats) {
    SimWorld world(net::Ring(6, 1));
    Settings settings;
    settings.order = Order::kOpensm;
    ASSERT_EQ(settings.routing_engine.TryPush(EngineKind::kFtree), Status::kOk);
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntil([&] { return !world.sm().router().verdict().attempts.empty(); },
                               60 * testing::kSecond));
    const StatusView view = ViewOf(world.sm());
    const testing::MetricsReader page(PageOf(view));
    const std::string text = PageOf(view, MetricsFormat::kClassic);
    const testing::MetricsReader classic(text, MetricsFormat::kClassic);
    EXPECT_FALSE(page.LabelsOf("embersm_routing_refused").empty());
    EXPECT_EQ(classic.families(), Metrics().size());
    EXPECT_EQ(classic.samples(), page.samples());
    EXPECT_THAT(text, HasSubstr("# TYPE embersm_build_info gauge\n# HELP embersm_build_info "));
    EXPECT_THAT(text, HasSubstr("# TYPE embersm_traps_total counter\n"));
    EXPECT_THAT(text, HasSubstr("# TYPE embersm_role gauge\n"));
}

TEST_F(MetricsTest, AreWellFormedBeforeAnythingHappened) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    const testing::MetricsReader page(PageOf(ViewOf(world.sm())));
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
        // A histogram's samples have such names.
        EXPECT_FALSE(row.name.ends_with("_count") || row.name.ends_with("_sum")) << row.name;
    }
    const std::string page = ctl::MetricsAsMarkdown();
    for (const MetricRow& row : Metrics()) {
        EXPECT_THAT(page, HasSubstr("`" + std::string(row.name) + std::string(SuffixOf(row.type))));
    }
}

}  // namespace
}  // namespace ember
