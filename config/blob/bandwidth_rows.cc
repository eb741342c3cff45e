// SPDX-License-Identifier: Apache-2.0
// EmberSM: the limits of bandwidth of a blob: what their rows must be.
#include "config/blob/bandwidth_rows.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/settings/settings.h"

namespace ember::option_files {
namespace {

/// An SL that is not named has no rate.
[[nodiscard]] bool AreSets(const schema::OptionFiles& from) {
    if (SizeOf(from.bw_sets()) > kMostBandwidthSets) return false;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.bw_sets()); ++i) {
        const BandwidthSet set = CoreRow(*from.bw_sets()->Get(i));
        if (set.named == 0) return false;
        for (std::size_t sl = 0; sl < set.rates.size(); ++sl) {
            if ((set.named >> sl & 1U) == 0 && set.rates[sl] != 0) return false;
        }
    }
    return true;
}

/// The default rule, of GUID 0, may come first.
[[nodiscard]] bool AreRules(const WireStructs<schema::BandwidthRule>* rules, std::size_t sets) {
    if (SizeOf(rules) > kMostListedGuids) return false;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rules); ++i) {
        const schema::BandwidthRule& rule = *rules->Get(i);
        if (rule.set() >= sets) return false;
        if (i > 0 && rule.guid() <= rules->Get(i - 1)->guid()) return false;
    }
    return true;
}

/// Of the groups their own files see that they are not too many.
[[nodiscard]] bool IsGroup(const schema::OptionFiles& from, std::uint16_t group) {
    if (group < kMostQosGroups) return group < SizeOf(from.qos_groups());
    if (group < kGroupOfTypes) {
        return group - kMostQosGroups < std::min(SizeOf(from.port_groups()), kMostPortGroups);
    }
    const unsigned types = group - unsigned{kGroupOfTypes};
    return types != 0 && (types & ~unsigned{qos_node_type::kAll}) == 0;
}

[[nodiscard]] bool AreGroupRules(const schema::OptionFiles& from, std::size_t sets) {
    if (SizeOf(from.bw_groups()) > kMostBandwidthGroups) return false;
    std::array<std::uint16_t, kMostBandwidthGroups> seen{};
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.bw_groups()); ++i) {
        const schema::BandwidthGroupRule& rule = *from.bw_groups()->Get(i);
        if (!IsGroup(from, rule.group()) || rule.set() >= sets) return false;
        const std::span<const std::uint16_t> before(seen.data(), i);
        if (std::find(before.begin(), before.end(), rule.group()) != before.end()) return false;
        seen[i] = rule.group();
    }
    return true;
}

}  // namespace

bool IsBandwidthPolicy(const schema::OptionFiles& from) {
    const std::size_t sets = SizeOf(from.bw_sets());
    return AreSets(from) && AreRules(from.bw_rules(), sets) &&
           AreRules(from.vport_bw_rules(), sets) && AreGroupRules(from, sets);
}

}  // namespace ember::option_files
