// SPDX-License-Identifier: Apache-2.0
// EmberSM: what differs from a routing that was proved: cables, distances and entries.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"

namespace ember {

/// A port of a switch behind which there was another switch than there is now.
struct LinkChange {
    SwitchIndex at = kNoSwitch;
    PortNumber port = kNoPort;
    SwitchIndex was = kNoSwitch;  ///< kNoSwitch: none.
    SwitchIndex is = kNoSwitch;   ///< Likewise.
};

/// A set of pairs (from, to) of switches, one bit each.
class SwitchPairs {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(limits.max_switches * WordsFor(limits.max_switches));
    }

    /// Empty, for switches 0..bound - 1.
    void Begin(std::size_t bound, Arena& scratch) {
        const std::size_t words = WordsFor(bound);
        pairs_ = {scratch.Take<std::uint64_t>(bound * words), {.rows = bound, .stride = words}};
    }

    void Add(SwitchIndex from, SwitchIndex to) const {
        pairs_[from][Raw(to) / 64U] |= std::uint64_t{1} << (Raw(to) % 64U);
    }
    /// With every switch, and beyond the bound as far as the words go.
    void AddAll(SwitchIndex from) const {
        const auto row = pairs_[from];
        std::fill(row.begin(), row.end(), ~std::uint64_t{0});
    }
    [[nodiscard]] bool Has(SwitchIndex from, SwitchIndex to) const {
        return (pairs_[from][Raw(to) / 64U] >> (Raw(to) % 64U) & 1U) != 0;
    }
    /// Bit t % 64 of word t / 64 says whether (from, t) is one of them.
    [[nodiscard]] std::span<const std::uint64_t> of(SwitchIndex from) const { return pairs_[from]; }

private:
    [[nodiscard]] static constexpr std::size_t WordsFor(std::size_t switches) {
        return (switches + 63) / 64;
    }

    Matrix<SwitchIndex, std::uint64_t> pairs_;
};

/// Calls `visit(SwitchIndex)` for every bit of a row of SwitchPairs that is below `bound`.
template <typename Visit>
void ForEachSwitchIn(std::span<const std::uint64_t> row, std::size_t bound, Visit visit) {
    for (std::size_t word = 0; word < row.size(); ++word) {
        for (std::uint64_t rest = row[word]; rest != 0; rest &= rest - 1) {
            const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
            if (at < bound) visit(static_cast<SwitchIndex>(at));
        }
    }
}

/// Which entries of the forwarding tables were written while they were mended. The proof of changes
/// alone (MendProof) relies on it, so it counts only when the engine vouches for it: the engine
/// calls Open() before it writes its first entry and from then on notes each. A full log is no log.
class ChangeLog {
public:
    struct Entry {
        SwitchIndex at = kNoSwitch;
        Lid lid = kNoLid;
    };

    /// As many as there are LIDs, and some thousands: a cable of a full fat tree carries far less.
    [[nodiscard]] static constexpr std::size_t Room(const Limits& limits) {
        return std::max<std::size_t>(limits.max_lid, 4096);
    }
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Entry>(Room(limits));
    }

    constexpr ChangeLog() = default;
    /// Not open; room for `storage`.
    explicit constexpr ChangeLog(std::span<Entry> storage) : storage_(storage) {}

    /// From now on every entry that is written is noted.
    void Open() { is_open_ = true; }
    void Note(SwitchIndex at, Lid lid) {
        if (count_ == storage_.size()) {
            is_full_ = true;
            return;
        }
        storage_[count_++] = {at, lid};
    }

    /// The log was kept, and everything found room.
    [[nodiscard]] bool is_whole() const { return is_open_ && !is_full_; }
    [[nodiscard]] std::span<const Entry> entries() const { return storage_.first(count_); }

private:
    std::span<Entry> storage_;
    std::size_t count_ = 0;
    bool is_open_ = false;
    bool is_full_ = false;
};

}  // namespace ember
