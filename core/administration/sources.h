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
    /// What a source may ask at once after a silence: as much as in the tenth part of a second.
    static constexpr std::uint64_t kBurstNs = 100'000'000;

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

    /// Counts a question, and says whether the rate allows it: `most` a second for long, 0 any
    /// number. Each costs 1/most of a second, and kBurstNs of that may be owed.
    [[nodiscard]] bool MayAsk(SourceIndex at, std::uint32_t most, std::uint64_t now_us) {
        if (at == kNoSource) return true;
        SaSource& row = rows_[Raw(at)];
        ++row.questions;
        if (most == 0) return true;
        const std::uint64_t now_ns = now_us * 1000;
        if (row.paid_until_ns > now_ns + kBurstNs) {
            ++row.turned_away;
            return false;
        }
        row.paid_until_ns =
            (row.paid_until_ns > now_ns ? row.paid_until_ns : now_ns) + 1'000'000'000 / most;
        return true;
    }

    /// nullptr for kNoSource.
    [[nodiscard]] SaSource* Find(SourceIndex at) const {
        return at == kNoSource ? nullptr : &rows_[Raw(at)];
    }
    [[nodiscard]] std::span<const SaSource> rows() const { return rows_; }

private:
    [[nodiscard]] std::size_t sets() const { return rows_.size() / kWays; }
    [[nodiscard]] SourceIndex IndexOf(const SaSource& row) const {
        return static_cast<SourceIndex>(&row - rows_.data());
    }

    std::span<SaSource> rows_;
};

}  // namespace ember
