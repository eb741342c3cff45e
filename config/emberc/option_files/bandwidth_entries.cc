// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an enhanced_qos_policy_file says, for people.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

namespace ember::emberc {
namespace {

/// "0x2c90000000025 = 1:25, 3:50": rates in Mbit/s in the place of their names. An SL that is as
/// most others is not told apart.
std::string Written(const BandwidthSet& limits) {
    constexpr std::uint16_t kEvery = 0xFFFF;
    std::string text;
    std::uint32_t usual = 0;
    std::ptrdiff_t most = 0;
    if (limits.named == kEvery) {
        for (const std::uint32_t rate : limits.rates) {
            const auto count = std::count(limits.rates.begin(), limits.rates.end(), rate);
            if (count <= most) continue;
            most = count;
            usual = rate;
        }
        text = fmt::format("all:{}", usual);
    }
    for (std::size_t sl = 0; sl < kBandwidthSls; ++sl) {
        const bool is_usual = limits.named == kEvery && limits.rates.at(sl) == usual;
        if ((limits.named >> sl & 1U) == 0 || is_usual) continue;
        text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", sl, limits.rates.at(sl));
    }
    return text;
}

}  // namespace

std::string AsLine(const BandwidthEntry& entry) {
    return entry.line;
}

std::vector<BandwidthEntry> EntriesOf(const LoadedBandwidths& loaded) {
    std::vector<BandwidthEntry> entries;
    const auto add = [&entries](std::string_view section, const auto& rules) {
        for (const LoadedBandwidths::Rule& rule : rules) {
            const std::string whom = rule.guid == kNoGuid ? "default" : Hex(rule.guid);
            entries.push_back(
                {fmt::format("{}: {} = {} Mbit/s", section, whom, Written(rule.limits))});
        }
    };
    add("BW_RULES", loaded.rules);
    for (const LoadedBandwidths::GroupRule& rule : loaded.groups) {
        entries.push_back(
            {fmt::format("BW_RULES: {} = {} Mbit/s", rule.name, Written(rule.limits))});
    }
    add("VPORT_BW_RULES", loaded.virtual_rules);
    return entries;
}

}  // namespace ember::emberc
