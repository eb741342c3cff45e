// SPDX-License-Identifier: Apache-2.0
// EmberSM: which rules of the QoS policy take a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/settings/qos_tables.h"

namespace ember {

/// For one kind of value (service ID, P_Key or QoS class): the set of rules that take it, as bits
/// by the number of the rule.
///
/// Where a range begins or ends, the set changes, and nowhere else. So there is a set for each
/// stretch between two such bounds, and the set of a value is found by halving the bounds: ten
/// steps for 500 ranges, whatever the number of rules.
class RuleIndex {
public:
    /// Stretches that `ranges` ranges can make; the set for no value comes beside them.
    [[nodiscard]] static constexpr std::size_t StretchesFor(std::size_t ranges) {
        return 2 * ranges + 1;
    }

    RuleIndex() = default;

    /// Makes the index of rules 0..rule_count-1, of which `ranges_of(rule)` are the ranges: they
    /// ascend and do not meet, and a rule without any takes every value. `bounds`
    /// has StretchesFor() all of them, `sets` room for a set more, each of `words` words. In time
    /// proportional to stretches and rules, but for the sorting of bounds.
    template <typename RangesOf>
    void Build(std::span<std::uint64_t> bounds, std::span<std::uint64_t> sets, std::size_t words,
               std::size_t rule_count, const RangesOf& ranges_of) {
        EMBER_ASSERT(rule_count <= words * 64);
        words_ = words;
        sets_ = sets;
        std::fill(sets_.begin(), sets_.end(), 0);
        Collect(bounds, rule_count, ranges_of);
        for (std::size_t rule = 0; rule < rule_count; ++rule) {
            const std::span<const QosRange> ranges = ranges_of(rule);
            if (ranges.empty()) {
                Toggle(0, rule);
                Toggle(1, rule);
            }
            for (const QosRange& range : ranges) {
                Toggle(1 + StretchOf(range.from), rule);
                if (range.to != kTopValue) Toggle(1 + StretchOf(range.to + 1), rule);
            }
        }
        Accumulate();
    }

    /// The rules that take `value`.
    [[nodiscard]] const std::uint64_t* Of(std::uint64_t value) const {
        return &sets_[(1 + StretchOf(value)) * words_];
    }
    /// The rules that fit a question without such a value: those that name none.
    [[nodiscard]] const std::uint64_t* OfNone() const { return sets_.data(); }

private:
    static constexpr std::uint64_t kTopValue = ~std::uint64_t{0};

    /// Sets bounds_: where stretches begin, ascending, 0 first.
    template <typename RangesOf>
    void Collect(std::span<std::uint64_t> bounds, std::size_t rule_count,
                 const RangesOf& ranges_of) {
        std::size_t count = 0;
        const auto add = [&bounds, &count](std::uint64_t bound) {
            EMBER_ASSERT(count < bounds.size());
            bounds[count++] = bound;
        };
        add(0);
        for (std::size_t rule = 0; rule < rule_count; ++rule) {
            for (const QosRange& range : ranges_of(rule)) {
                add(range.from);
                if (range.to != kTopValue) add(range.to + 1);
            }
        }
        bounds_ = bounds.first(count);
        // The library's sort() recurses, and this does not.
        std::make_heap(bounds_.begin(), bounds_.end());
        std::sort_heap(bounds_.begin(), bounds_.end());
        const auto end = std::unique(bounds_.begin(), bounds_.end());
        bounds_ = bounds_.first(static_cast<std::size_t>(end - bounds_.begin()));
        EMBER_ASSERT((bounds_.size() + 1) * words_ <= sets_.size());
    }

    /// The stretch that `value` lies in.
    [[nodiscard]] std::size_t StretchOf(std::uint64_t value) const {
        const auto behind = std::upper_bound(bounds_.begin(), bounds_.end(), value);
        EMBER_ASSERT(behind != bounds_.begin());  // The first stretch begins with 0.
        return static_cast<std::size_t>(behind - bounds_.begin()) - 1;
    }
    /// From this set on, until it is toggled again, the rule is in or out.
    void Toggle(std::size_t set, std::size_t rule) {
        EMBER_ASSERT(set * words_ + rule / 64 < sets_.size());
        sets_[set * words_ + rule / 64] ^= std::uint64_t{1} << (rule % 64);
    }
    void Accumulate() {
        for (std::size_t i = 2 * words_; i < (bounds_.size() + 1) * words_; ++i) {
            sets_[i] ^= sets_[i - words_];
        }
    }

    std::span<std::uint64_t> bounds_;
    std::span<std::uint64_t> sets_;  ///< For no value, then of each stretch.
    std::size_t words_ = 0;
};

}  // namespace ember
