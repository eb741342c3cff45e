// SPDX-License-Identifier: Apache-2.0
// EmberSM: the QoS policy: which level a path has.
#include "core/administration/policy/qos_policy.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/assert.h"

namespace ember {
namespace {

/// The ranges of one kind of a rule: `skip` stand before them.
[[nodiscard]] std::span<const QosRange> Part(const ManagerTables& tables, const QosRule& rule,
                                             std::size_t skip, std::size_t count) {
    EMBER_ASSERT(rule.first + skip + count <= tables.qos_rule_ranges.size());
    return tables.qos_rule_ranges.subspan(rule.first + skip, count);
}
[[nodiscard]] std::span<const QosRange> Sources(const ManagerTables& tables, const QosRule& rule) {
    return Part(tables, rule, 0, rule.sources);
}
[[nodiscard]] std::span<const QosRange> Destinations(const ManagerTables& tables,
                                                     const QosRule& rule) {
    return Part(tables, rule, rule.sources, rule.destinations);
}
[[nodiscard]] std::span<const QosRange> ServiceIds(const ManagerTables& tables,
                                                   const QosRule& rule) {
    return Part(tables, rule, std::size_t{rule.sources} + rule.destinations, rule.service_ids);
}
[[nodiscard]] std::span<const QosRange> PKeys(const ManagerTables& tables, const QosRule& rule) {
    return Part(tables, rule, std::size_t{rule.sources} + rule.destinations + rule.service_ids,
                rule.p_keys);
}
[[nodiscard]] std::span<const QosRange> QosClasses(const ManagerTables& tables,
                                                   const QosRule& rule) {
    return Part(tables, rule, RangesOf(rule) - std::size_t{rule.qos_classes}, rule.qos_classes);
}

/// Whether one of the groups is in one of the ranges. No ranges: the rule does not ask.
[[nodiscard]] bool Takes(std::span<const QosRange> ranges, const BitSet& groups) {
    if (ranges.empty()) return true;
    for (const QosRange& range : ranges) {
        EMBER_ASSERT(range.to < kMostQosGroups);
        const auto end = static_cast<std::size_t>(range.to);
        for (auto group = static_cast<std::size_t>(range.from); group <= end; ++group) {
            if (groups.Has(group)) return true;
        }
    }
    return false;
}

[[nodiscard]] std::uint32_t Folded(Guid guid) {
    return static_cast<std::uint32_t>(Raw(guid) ^ Raw(guid) >> 32U);
}

}  // namespace

std::size_t QosPolicy::CountRanges() const {
    std::size_t count = 0;
    for (const QosRule& rule : tables().qos_rules) {
        count += std::size_t{rule.service_ids} + rule.p_keys + rule.qos_classes;
    }
    return count;
}

Status QosPolicy::Load() {
    is_in_force_ = false;
    FollowSweep();  // The sets of ports are of another policy.
    if (!settings_.qos || tables().qos_levels.empty()) return Status::kOk;
    words_ = BitSet::WordsFor(rule_count());
    // A policy without rules needs no memory: all paths have level 0.
    if (words_ != 0) {
        const std::size_t bounds = RuleIndex::StretchesFor(CountRanges()) + kValueKinds - 1;
        if (kMostPortSets * words_ * 2 > memory_.port_sets.size()) return Status::kFull;
        if (bounds > memory_.bounds.size()) return Status::kFull;
        EMBER_ASSERT(words_ <= kMostWords);
        EMBER_ASSERT((bounds + kValueKinds) * words_ <= memory_.value_sets.size());
        BuildIndexes();
    }
    is_in_force_ = true;
    return Status::kOk;
}

void QosPolicy::BuildIndexes() {
    std::span<std::uint64_t> bounds = memory_.bounds;
    std::span<std::uint64_t> sets = memory_.value_sets;
    const auto build = [&](RuleIndex& index, const auto& part_of) {
        const auto ranges_of = [&](std::size_t rule) {
            return part_of(tables(), tables().qos_rules[rule]);
        };
        std::size_t ranges = 0;
        for (std::size_t rule = 0; rule < rule_count(); ++rule) {
            ranges += ranges_of(rule).size();
        }
        const std::size_t stretches = RuleIndex::StretchesFor(ranges);
        const std::size_t words = (stretches + 1) * words_;
        EMBER_ASSERT(stretches <= bounds.size());
        EMBER_ASSERT(words <= sets.size());
        index.Build(bounds.first(stretches), sets.first(words), words_, rule_count(), ranges_of);
        bounds = bounds.subspan(stretches);
        sets = sets.subspan(words);
    };
    // Not the addresses of the functions: the gate `stack` follows no call through a pointer.
    build(service_ids_, [](const auto&... of_rule) { return ServiceIds(of_rule...); });
    build(p_keys_, [](const auto&... of_rule) { return PKeys(of_rule...); });
    build(qos_classes_, [](const auto&... of_rule) { return QosClasses(of_rule...); });
}

void QosPolicy::FollowSweep() {
    port_sets_ = 0;
    ++stamp_;
    if (stamp_ != 0) return;
    std::fill(memory_.ports.begin(), memory_.ports.end(), PortMark{});
    stamp_ = 1;  // After 2^16 times old stamps would hold again.
}

QosChoices QosPolicy::ChoicesOf(const QosQuestion& question) {
    EMBER_ASSERT(!is_in_force_ || !tables().qos_levels.empty());
    if (!is_in_force_) return {};
    if (words_ == 0) {
        const QosChoice choice{.level = tables().qos_levels.data()};
        return {.forth = choice, .back = choice};
    }
    if (port_sets_ + 2 > kMostPortSets) FollowSweep();  // Both ports' sets have room.
    const std::uint64_t* const source = SetsOf(question.source);
    const std::uint64_t* const destination = SetsOf(question.destination);
    const ValueSets values = SetsOf(question.values);
    return {.forth = First(source, destination + words_, values),
            .back = First(destination, source + words_, values)};
}

/// The first rule that is in all five sets.
QosChoice QosPolicy::First(const std::uint64_t* sources, const std::uint64_t* destinations,
                           const ValueSets& values) const {
    for (std::size_t i = 0; i < words_; ++i) {
        const std::uint64_t fit =
            sources[i] & destinations[i] & values[0][i] & values[1][i] & values[2][i];
        if (fit == 0) continue;
        const std::size_t rule = i * 64 + static_cast<std::size_t>(std::countr_zero(fit));
        EMBER_ASSERT(rule < rule_count());
        return {.level = &tables().qos_levels[tables().qos_rules[rule].level], .rule = rule};
    }
    return {.level = tables().qos_levels.data()};
}

QosPolicy::ValueSets QosPolicy::SetsOf(const QosValues& values) const {
    return {values.has_service_id ? service_ids_.Of(values.service_id) : service_ids_.OfNone(),
            values.has_p_key ? p_keys_.Of(values.p_key & kPKeyBase) : p_keys_.OfNone(),
            values.has_qos_class ? qos_classes_.Of(values.qos_class) : qos_classes_.OfNone()};
}

const std::uint64_t* QosPolicy::SetsOf(PortIndex at) {
    const Port& port = fabric_.port(at);
    const std::size_t row = Raw(port.lid);
    EMBER_ASSERT(port.lid != kNoLid);
    EMBER_ASSERT(row < memory_.ports.size());
    PortMark& mark = memory_.ports[row];
    const std::uint32_t guid = Folded(port.guid);
    if (mark.stamp != stamp_ || mark.guid != guid) {
        std::array<std::uint64_t, 2 * kMostWords> words{};
        const auto sets = std::span(words).first(words_ * 2);
        MakeSets(at, sets);
        mark = {.guid = guid, .set = Keep(sets), .stamp = stamp_};
    }
    EMBER_ASSERT(mark.set < port_sets_);
    return PortSets(mark.set).data();
}

/// The number under which these sets are kept.
std::uint16_t QosPolicy::Keep(std::span<const std::uint64_t> sets) {
    EMBER_ASSERT(sets.size() == words_ * 2);
    for (std::size_t i = 0; i < port_sets_; ++i) {
        const auto kept = PortSets(i);
        if (std::equal(kept.begin(), kept.end(), sets.begin()))
            return static_cast<std::uint16_t>(i);
    }
    EMBER_ASSERT(port_sets_ < kMostPortSets);
    const auto room = PortSets(port_sets_);
    std::copy(sets.begin(), sets.end(), room.begin());
    return static_cast<std::uint16_t>(port_sets_++);
}

void QosPolicy::MakeSets(PortIndex at, std::span<std::uint64_t> sets) const {
    std::array<std::uint64_t, BitSet::WordsFor(kMostQosGroups)> words{};
    const BitSet groups(words);
    port_groups_.FindGroups(at, groups);
    std::fill(sets.begin(), sets.end(), 0);
    const BitSet as_source(sets.first(words_));
    const BitSet as_destination(sets.subspan(words_));
    for (std::size_t i = 0; i < rule_count(); ++i) {
        const QosRule& rule = tables().qos_rules[i];
        if (Takes(Sources(tables(), rule), groups)) as_source.Add(i);
        if (Takes(Destinations(tables(), rule), groups)) as_destination.Add(i);
    }
}

}  // namespace ember
