// SPDX-License-Identifier: Apache-2.0
// EmberSM: shares and rates by source: how much each port may ask.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/transactions/request.h"
#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// An end port that asks. Rows of the board's storage, Limits::max_sa_sources.
struct SaSource {
    Lid lid = kNoLid;  ///< Its base LID; kNoLid: the row is free.
    std::uint16_t waiting = 0;
    std::uint16_t transfers = 0;
    std::uint64_t last_us = 0;
    std::uint64_t paid_until_ns = 0;  ///< See SourceTable::MayAsk().
    std::uint64_t questions = 0;
    std::uint64_t turned_away = 0;  ///< Beyond its rate or its share.
    std::uint64_t wrong_keys = 0;
};

/// The sources that asked last, and what each may still ask.
///
/// A fixed table of sets of four rows. The LID of a source names its set. A new source takes the
/// row of the source in its set that was silent for longest, but not of one that is being answered.
/// All sources without a row share one: that of kNoSource.
class SourceTable {
public:
    static constexpr std::size_t kWays = 4;
    /// The burst of a source after a silence: as much as in a second. Programs that start on all
    /// cores of a host ask so.
    static constexpr std::uint64_t kBurstNs = 1'000'000'000;
    /// The rate that all sources share beyond the rate of each, in such rates.
    static constexpr std::uint64_t kSpare = 5;

    explicit SourceTable(std::span<SaSource> rows) : rows_(rows) {
        EMBER_ASSERT(!rows.empty() && rows.size() % kWays == 0);
    }

    /// The row of the end port with this base LID; kNoSource when all of its set are busy.
    [[nodiscard]] SourceIndex Meet(Lid lid, std::uint64_t now_us) {
        EMBER_ASSERT(lid != kNoLid);  // Which marks a free row.
        SaSource* const set = rows_.data() + Raw(lid) * std::size_t{0x9E37} % sets() * kWays;
        SaSource* oldest = nullptr;
        for (SaSource* row = set; row != set + kWays; ++row) {
            if (row->lid == lid) {
                row->last_us = now_us;
                return IndexOf(*row);
            }
            if (row->waiting != 0 || row->transfers != 0) continue;
            if (oldest == nullptr || row->last_us < oldest->last_us) oldest = row;
        }
        if (oldest == nullptr) return kNoSource;
        *oldest = SaSource{.lid = lid, .last_us = now_us};
        return IndexOf(*oldest);
    }

    /// Counts a question, and says whether the rate allows it: `most` a second in the long run; 0:
    /// any number. Each costs 1/most of a second, and kBurstNs of that may be owed. A source that
    /// has used this up may draw on what all sources have in common, kSpare times as much: a source
    /// that asks fast while the others are silent is not refused.
    [[nodiscard]] bool MayAsk(SourceIndex at, std::uint32_t most, std::uint64_t now_us) {
        SaSource& row = Of(at);
        ++row.questions;
        if (most == 0) return true;
        const std::uint64_t cost_ns = 1'000'000'000 / most;
        const std::uint64_t now_ns = now_us * 1000;
        if (Pays(row.paid_until_ns, cost_ns, now_ns)) return true;
        if (Pays(spare_paid_until_ns_, cost_ns / kSpare, now_ns)) return true;
        ++row.turned_away;
        return false;
    }

    /// The row of a source; for kNoSource the row shared by those that have none.
    [[nodiscard]] SaSource& Of(SourceIndex at) {
        EMBER_ASSERT(at == kNoSource || Raw(at) < rows_.size());
        return at == kNoSource ? others_ : rows_[Raw(at)];
    }
    [[nodiscard]] std::span<const SaSource> rows() const { return rows_; }

private:
    [[nodiscard]] static bool Pays(std::uint64_t& until_ns, std::uint64_t cost_ns,
                                   std::uint64_t now_ns) {
        if (until_ns > now_ns + kBurstNs) return false;
        until_ns = std::max(until_ns, now_ns) + cost_ns;
        return true;
    }
    [[nodiscard]] std::size_t sets() const { return rows_.size() / kWays; }
    [[nodiscard]] SourceIndex IndexOf(const SaSource& row) const {
        EMBER_ASSERT(&row >= rows_.data() && &row < rows_.data() + rows_.size());
        return static_cast<SourceIndex>(&row - rows_.data());
    }

    std::span<SaSource> rows_;
    SaSource others_;
    std::uint64_t spare_paid_until_ns_ = 0;
};

}  // namespace ember
