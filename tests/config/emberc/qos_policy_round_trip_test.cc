// SPDX-License-Identifier: Apache-2.0
// EmberSM: properties: what a qos_policy_file says arrives in Settings.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "config/blob/payload.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "config/emberc/option_files/contents_writer.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::LoadedQosPolicy;
using Ranges = LoadedQosPolicy::Ranges;

/// Up to three ranges, apart from each other.
Ranges AnyRanges(std::uint64_t from, std::uint64_t top) {
    Ranges ranges;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
        from += *rc::gen::inRange<std::uint64_t>(2, 9);
        const std::uint64_t to = from + *rc::gen::inRange<std::uint64_t>(0, 5);
        if (to > top) break;
        ranges.push_back({from, to});
        from = to;
    }
    return ranges;
}

/// A line for each range, or one for all.
std::string Lines(std::string_view word, const Ranges& ranges) {
    std::string text;
    const bool apart = *rc::gen::arbitrary<bool>();
    for (const QosRange& range : ranges) {
        text += text.empty() || apart ? fmt::format("\n{} : ", word) : ", ";
        text += range.from == range.to ? fmt::format("{:#x}", range.from)
                                       : fmt::format("{} - {:#x}", range.from, range.to);
    }
    return text + "\n";
}

struct Written {
    LoadedQosPolicy policy;
    std::string text;
};

void AddLevels(Written& to) {
    to.text += "qos-levels\n";
    for (int i = 0; i < *rc::gen::inRange(1, 5); ++i) {
        LoadedQosPolicy::Level level{.name = i == 0 ? "Default" : fmt::format("level {}", i)};
        level.sl = *rc::gen::inRange<std::uint8_t>(0, 16);
        to.text += fmt::format("qos-level\nname: {}\nsl: {}\n", level.name, level.sl);
        if (*rc::gen::arbitrary<bool>()) {
            level.mtu_limit = static_cast<Mtu>(*rc::gen::inRange<unsigned>(1, 6));
            to.text += fmt::format("mtu-limit: {}\n", static_cast<unsigned>(level.mtu_limit));
        }
        if (*rc::gen::arbitrary<bool>()) {
            level.rate_limit = static_cast<Rate>(*rc::gen::inRange<unsigned>(2, 25));
            to.text += fmt::format("rate-limit: {}\n", static_cast<unsigned>(level.rate_limit));
        }
        if (*rc::gen::arbitrary<bool>()) {
            level.packet_life = *rc::gen::inRange<std::uint8_t>(0, 64);
            to.text += fmt::format("packet-life: {}\n", level.packet_life);
        }
        if (*rc::gen::arbitrary<bool>()) {
            level.p_keys = AnyRanges(0x7FF0, 0x7FFF);
            to.text += Lines("pkey", level.p_keys);
        }
        to.text += "end-qos-level\n";
        to.policy.levels.push_back(std::move(level));
    }
    to.text += "end-qos-levels\n";
}

void AddGroups(Written& to) {
    to.text += "port-groups # all\n";
    for (int i = 0; i < *rc::gen::inRange(1, 5); ++i) {
        LoadedQosPolicy::Group group{.name = fmt::format("group {}", i)};
        to.text += fmt::format("port-group\n\tname: \"{}\"\n", group.name);
        group.guids = AnyRanges(0, ~std::uint64_t{0});
        to.text += Lines("port-guid", group.guids);
        if (*rc::gen::arbitrary<bool>()) {
            group.p_keys = AnyRanges(1, 0x7FFF);
            to.text += Lines("pkey", group.p_keys);
        }
        if (*rc::gen::arbitrary<bool>()) {
            group.node_types = qos_node_type::kSwitch | qos_node_type::kSelf;
            to.text += "node-type: SELF, switch\n";
        }
        if (*rc::gen::arbitrary<bool>()) {
            group.port_names = {{"leaf 1", 3}, {fmt::format("leaf {}", 2 + i), 1}};
            to.text += fmt::format("port-name: \"leaf {}/P1\", \"leaf 1/P3\"\n", 2 + i);
        }
        to.text += "end-port-group\n";
        to.policy.groups.push_back(std::move(group));
    }
    to.text += "end-port-groups\n";
}

void AddRules(Written& to) {
    to.text += "qos-match-rules\n";
    for (int i = 0; i < *rc::gen::inRange(0, 6); ++i) {
        LoadedQosPolicy::Rule rule;
        rule.line = 1 + static_cast<std::uint32_t>(std::ranges::count(to.text, '\n'));
        rule.level =
            static_cast<std::uint16_t>(*rc::gen::inRange<std::size_t>(0, to.policy.levels.size()));
        to.text += fmt::format("qos-match-rule\nuse: the rule {}\nqos-level-name: {}\n", i,
                               to.policy.levels[rule.level].name);
        const auto group = *rc::gen::inRange<std::size_t>(0, to.policy.groups.size());
        if (*rc::gen::arbitrary<bool>()) {
            rule.sources = {{group, group}};
            to.text += fmt::format("source: {}\n", to.policy.groups[group].name);
        } else {
            rule.destinations = {{group, group}};
            to.text += fmt::format("destination: {}\n", to.policy.groups[group].name);
        }
        if (*rc::gen::arbitrary<bool>()) {
            rule.service_ids = AnyRanges(0x10000, ~std::uint64_t{0});
            to.text += Lines("service-id", rule.service_ids);
        }
        if (*rc::gen::arbitrary<bool>()) {
            rule.p_keys = AnyRanges(1, 0x7FFF);
            to.text += Lines("pkey", rule.p_keys);
        }
        if (*rc::gen::arbitrary<bool>()) {
            rule.qos_classes = AnyRanges(0, 0xFFF);
            to.text += Lines("qos-class", rule.qos_classes);
        }
        to.text += "end-qos-match-rule\n";
        to.policy.rules.push_back(std::move(rule));
    }
    to.text += "end-qos-match-rules\n";
}

RC_GTEST_PROP(QosPolicyRoundTrip, TextBlobAndSettings, ()) {
    Written written;
    AddLevels(written);
    AddGroups(written);
    AddRules(written);
    Diagnostics diagnostics("file");
    emberc::OptionContents contents;
    contents.qos_policy = emberc::ParseQosPolicyFile(written.text, diagnostics, {});
    if (diagnostics.CountOf(emberc::Severity::kError) > 0) RC_FAIL(RenderText(diagnostics));
    RC_ASSERT(*contents.qos_policy == written.policy);

    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    RC_ASSERT(ReadPayload(copy.octets(), room.room(), settings).accepted());
    RC_ASSERT(settings.manager_tables.qos_rules.size() == written.policy.rules.size());
    const auto shown = emberc::ReadContents(payload);
    RC_ASSERT(shown.has_value());
    RC_ASSERT(*shown == contents);
    (void)emberc::ContentsAsText(*shown, true);
}

RC_GTEST_PROP(QosPolicyFile, NeverFailsOnAnyText, (const std::string& text)) {
    Diagnostics diagnostics("any");
    for (const std::string_view front :
         {"", "qos-ulps\nany, pkey ", "port-groups\nport-group\nport-name: ",
          "qos-levels\nqos-level\nname: ", "qos-match-rules\nqos-match-rule\nservice-id: 1-"}) {
        (void)emberc::ParseQosPolicyFile(std::string(front) + text, diagnostics, {});
    }
    (void)RenderText(diagnostics);
}

}  // namespace
}  // namespace ember::test
