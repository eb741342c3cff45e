// SPDX-License-Identifier: Apache-2.0
// EmberSM: what each service level of a port may send, by enhanced_qos_policy_file.
#include "core/bandwidth/bandwidth_policy.h"

#include <algorithm>
#include <array>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/settings/chain_rows.h"
#include "core/settings/qos_tables.h"

namespace ember {

BandwidthSetIndex BandwidthPolicy::Find(Rules rules, Guid guid) {
    const auto found = std::partition_point(
        rules.begin(), rules.end(),
        [guid](const BandwidthRule& rule) { return Raw(rule.guid) < Raw(guid); });
    const bool is_there = found != rules.end() && found->guid == guid;
    return is_there ? BandwidthSetIndex{found->set} : kNoBandwidthSet;
}

bool BandwidthPolicy::IsHost(PortIndex at) const {
    return fabric_.node(fabric_.port(at).node).type != NodeType::kSwitch;
}

/// Adds the groups of the port as rules name them.
void BandwidthPolicy::FindGroups(PortIndex at, const BitSet& groups) const {
    EMBER_ASSERT(groups.words().size() * 64 >= kMostQosGroups + kMostPortGroups);
    static_assert(kMostQosGroups % 64 == 0, "the two kinds of groups share no word");
    groups_.FindGroups(at, groups);
    if (tables().port_groups.empty()) return;
    PortGroupPolicy::NameFacts facts;
    policy_groups_.LookAtName(fabric_.port(at).node, facts);
    policy_groups_.FindGroups(at, facts, BitSet(groups.words().subspan(kMostQosGroups / 64)));
}

BandwidthSetIndex BandwidthPolicy::FindSet(PortIndex at) const {
    EMBER_ASSERT(IsEndPort(fabric_, fabric_.port(at)));
    if (!is_in_force()) return kNoBandwidthSet;
    const BandwidthSetIndex own = Find(tables().bandwidth_rules, fabric_.port(at).guid);
    if (own != kNoBandwidthSet || tables().bandwidth_groups.empty()) return own;
    std::array<std::uint64_t, BitSet::WordsFor(kMostQosGroups + kMostPortGroups)> words{};
    const BitSet groups(words);
    FindGroups(at, groups);
    const std::uint8_t type = TypeBit(fabric_.node(fabric_.port(at).node).type);
    const auto is_in = [&](const BandwidthGroupRule& row) {
        if (row.group < kGroupOfTypes) return groups.Has(row.group);
        return (row.group & type) != 0;
    };
    const auto rule =
        std::find_if(tables().bandwidth_groups.begin(), tables().bandwidth_groups.end(), is_in);
    const bool is_there = rule != tables().bandwidth_groups.end();
    return is_there ? BandwidthSetIndex{rule->set} : kNoBandwidthSet;
}

/// An SL has the rate of `own` where that names it, else that of `others`.
BandwidthRates BandwidthPolicy::Merge(BandwidthSetIndex own, BandwidthSetIndex others) const {
    BandwidthRates rates{};
    for (const BandwidthSetIndex index : {others, own}) {
        if (index == kNoBandwidthSet) continue;
        EMBER_ASSERT(Raw(index) < tables().bandwidth_sets.size());
        const BandwidthSet& set = tables().bandwidth_sets[Raw(index)];
        for (std::size_t sl = 0; sl < rates.size(); ++sl) {
            if ((set.named >> sl & 1U) != 0) rates[sl] = set.rates[sl];
        }
    }
    return rates;
}

BandwidthRates BandwidthPolicy::RatesOf(PortIndex at, BandwidthSetIndex set) const {
    if (!is_in_force()) return {};
    const Rules rules = tables().bandwidth_rules;
    return Merge(set, IsHost(at) ? Find(rules, kNoGuid) : kNoBandwidthSet);
}

BandwidthRates BandwidthPolicy::RatesOfVirtualPort0(PortIndex at) const {
    if (!is_in_force()) return {};
    const Rules rules = tables().bandwidth_virtual_rules;
    const bool has_default = IsHost(at) && !settings_.enhanced_qos_vport0_unlimit_default_rl;
    return Merge(Find(rules, fabric_.port(at).guid),
                 has_default ? Find(rules, kNoGuid) : kNoBandwidthSet);
}

BandwidthRates BandwidthPolicy::RatesOfVirtualPort(Guid alias) const {
    EMBER_ASSERT(alias != kNoGuid);
    if (!is_in_force()) return {};
    const Rules rules = tables().bandwidth_virtual_rules;
    return Merge(Find(rules, alias), Find(rules, kNoGuid));
}

}  // namespace ember
