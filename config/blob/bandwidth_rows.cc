// SPDX-License-Identifier: Apache-2.0
// EmberSM: the limits of bandwidth of a blob: what their rows must be.
#include "config/blob/bandwidth_rows.h"

#include <algorithm>
#include <array>

#include "core/base/bit_set.h"
#include "core/settings.h"

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

[[nodiscard]] bool AreGroupRules(const schema::OptionFiles& from, std::size_t sets) {
    if (SizeOf(from.bw_groups()) > kMostBandwidthGroups) return false;
    std::array<std::uint64_t, BitSet::WordsFor(kMostQosGroups + kMostPortGroups)> words{};
    const BitSet seen(words);
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.bw_groups()); ++i) {
        const schema::BandwidthGroupRule& rule = *from.bw_groups()->Get(i);
        // Of the groups their own files see that they are not too many.
        const bool is_qos_group = rule.group() < kMostQosGroups;
        const std::size_t row =
            is_qos_group ? rule.group() : rule.group() - std::size_t{kMostQosGroups};
        const bool is_group = is_qos_group
                                  ? row < SizeOf(from.qos_groups())
                                  : row < std::min(SizeOf(from.port_groups()), kMostPortGroups);
        if (!is_group || rule.set() >= sets || seen.Has(rule.group())) return false;
        seen.Add(rule.group());
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
