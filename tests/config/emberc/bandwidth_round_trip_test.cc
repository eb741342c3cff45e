// SPDX-License-Identifier: Apache-2.0
// EmberSM: property: what an enhanced_qos_policy_file says arrives in Settings, rate for rate.
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "config/blob/payload.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_writer.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

/// The rate that a rule gives each SL; nullopt: the rule does not name the SL.
using Said = std::array<std::optional<std::uint32_t>, 16>;
using Rules = std::map<std::uint64_t, Said>;  ///< By GUID; 0: the default rule.

/// A right side, and the names that it needs: "b7" has the rate 7.
std::string AnyRightSide(Said& said) {
    std::vector<std::string> items;
    const auto rate = [] { return *rc::gen::inRange<std::uint32_t>(0, 9); };
    if (*rc::gen::arbitrary<bool>()) {
        const std::uint32_t all = rate();
        said.fill(all);
        items.push_back(fmt::format("all:b{}", all));
    }
    std::array<bool, 16> is_named{};
    for (int i = *rc::gen::inRange(items.empty() ? 1 : 0, 5); i > 0; --i) {
        const auto sl = *rc::gen::inRange<std::size_t>(0, 16);
        if (is_named.at(sl)) continue;
        is_named.at(sl) = true;
        said.at(sl) = rate();
        const std::string item =
            fmt::format("{}{}:b{}", *rc::gen::arbitrary<bool>() ? "SL" : "", sl, *said.at(sl));
        // `all` may stand anywhere.
        items.insert(*rc::gen::arbitrary<bool>() ? items.begin() : items.end(), item);
    }
    return fmt::format("{}", fmt::join(items, *rc::gen::arbitrary<bool>() ? "," : " , "));
}

std::string AnySection(std::string_view word, Rules& rules) {
    std::string text = fmt::format("{}\n", word);
    for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
        const auto guid = *rc::gen::inRange<std::uint64_t>(0, 8);
        if (rules.contains(guid)) continue;
        const std::string right = AnyRightSide(rules[guid]);
        text += guid == 0 ? fmt::format("default = {}\n", right)
                          : fmt::format("{:#x}={}\n", guid, right);
    }
    return text;
}

Rules Arrived(std::span<const BandwidthRule> rows, std::span<const BandwidthSet> sets) {
    Rules rules;
    for (const BandwidthRule& row : rows) {
        const BandwidthSet& set = sets[row.set];
        Said& said = rules[Raw(row.guid)];
        for (std::size_t sl = 0; sl < said.size(); ++sl) {
            if ((set.named >> sl & 1U) != 0) said.at(sl) = set.rates.at(sl);
        }
    }
    return rules;
}

RC_GTEST_PROP(BandwidthRoundTrip, Rules, ()) {
    Rules rules;
    Rules virtual_rules;
    std::string text = AnySection("BW_RULES", rules) + AnySection("VPORT_BW_RULES", virtual_rules);
    text += "BW_NAMES\n";
    for (int i = 0; i < 9; ++i) {
        text += fmt::format("b{} = {}\n", i, i);
    }
    emberc::Diagnostics diagnostics("file");
    emberc::OptionContents contents;
    contents.bandwidths = emberc::ParseEnhancedQosPolicyFile(text, diagnostics, {});
    if (diagnostics.CountOf(emberc::Severity::kError) != 0) RC_FAIL(RenderText(diagnostics));

    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    RC_ASSERT(ReadPayload(copy.octets(), room.room(), settings).accepted());
    const ManagerTables& tables = settings.manager_tables;
    RC_ASSERT(tables.has_bandwidth);
    RC_ASSERT(Arrived(tables.bandwidth_rules, tables.bandwidth_sets) == rules);
    RC_ASSERT(Arrived(tables.bandwidth_virtual_rules, tables.bandwidth_sets) == virtual_rules);
    const auto shown = emberc::ReadContents(payload);
    RC_ASSERT(shown.has_value());
    RC_ASSERT(*shown == contents);
}

}  // namespace
}  // namespace ember::test
