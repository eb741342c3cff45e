// SPDX-License-Identifier: Apache-2.0
// EmberSM: who asks how much: shares and limits by source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/request.h"
#include "core/base/assert.h"
#include "core/base/ids.h"

namespace ember {

/// What is known of an end port that asks. Rows of the board's storage, Limits::max_sa_sources.
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
/// A fixed table of sets of four rows: a source has its set by its LID, and in it takes the place
/// of the one that has been silent for longest, never of one that is being answered. A source that
/// finds no place is served without a share of its own: the bounds of the whole still hold.
class SourceTable {
public:
    static constexpr std::size_t kWays = 4;
    /// Questions a second that one source may ask for long, and at once after a silence.
    static constexpr std::uint64_t kRate = 200'000;
    static constexpr std::uint64_t kBurst = 20'000;

    explicit SourceTable(std::span<SaSource> rows) : rows_(rows) {
        EMBER_ASSERT(!rows.empty() && rows.size() % kWays == 0);
    }

    /// The row of the end port with this base LID; kNoSource when all of its set are busy.
    [[nodiscard]] SourceIndex Meet(Lid lid, std::uint64_t now_us) {
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

    /// Counts a question, and says whether the rate allows it: each costs 1/kRate of a second, and
    /// kBurst of them may be owed.
    [[nodiscard]] bool MayAsk(SourceIndex at, std::uint64_t now_us) {
        if (at == kNoSource) return true;
        SaSource& row = rows_[Raw(at)];
        ++row.questions;
        const std::uint64_t now_ns = now_us * 1000;
        if (row.paid_until_ns > now_ns + kBurst * kCostNs) {
            ++row.turned_away;
            return false;
        }
        row.paid_until_ns = (row.paid_until_ns > now_ns ? row.paid_until_ns : now_ns) + kCostNs;
        return true;
    }

    /// nullptr for kNoSource.
    [[nodiscard]] SaSource* Find(SourceIndex at) const {
        return at == kNoSource ? nullptr : &rows_[Raw(at)];
    }
    [[nodiscard]] std::span<const SaSource> rows() const { return rows_; }

private:
    static constexpr std::uint64_t kCostNs = 1'000'000'000 / kRate;

    [[nodiscard]] std::size_t sets() const { return rows_.size() / kWays; }
    [[nodiscard]] SourceIndex IndexOf(const SaSource& row) const {
        return static_cast<SourceIndex>(&row - rows_.data());
    }

    std::span<SaSource> rows_;
};

}  // namespace ember
