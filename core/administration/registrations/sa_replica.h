// SPDX-License-Identifier: Apache-2.0
// EmberSM: the registrations of another subnet manager, followed as they change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/registrations/sa_applier.h"
#include "core/base/bit_set.h"
#include "core/base/limits.h"

namespace ember {

/// Follows the journal that a master sends to its standbys: the tables here become as those there.
///
/// A journal begins with a copy of everything (sa_frames.h). Entries are applied to what the tables
/// hold already, and each row that the copy tells of is marked; when the copy is complete, rows
/// without a mark are removed. So the tables hold all that was ever told and is not known to have
/// ended, also when the master dies in the middle of a copy.
class SaReplica {
public:
    /// A bit for each row of each table.
    struct Memory {
        std::span<std::uint64_t> groups;  ///< WordsFor() Limits::max_groups, and so on.
        std::span<std::uint64_t> members;
        std::span<std::uint64_t> aliases;
        std::span<std::uint64_t> services;
        std::span<std::uint64_t> subscriptions;
    };
    /// Entries that one Step() applies, and rows that it looks at, at most.
    static constexpr int kEntriesAtOnce = 64;
    static constexpr int kRowsAtOnce = 4096;

    SaReplica(const Memory& memory, const SaApplier::Parts& parts);
    SaReplica(const SaReplica&) = delete;
    SaReplica& operator=(const SaReplica&) = delete;

    /// The next frame. Its octets stay until Step() returns false. kMalformed: it is none, or does
    /// not follow the last one; only a frame of number 0 does now. Asserts that no frame is at
    /// hand.
    Status Take(std::span<const std::byte> frame);
    /// A slice of it, below a millisecond. True: call again.
    bool Step(std::uint64_t now_us);
    /// The next frame is of another master, or none follows. The tables stay as they are.
    void Forget();

    /// The tables hold what the master's held when it closed the last frame that was taken.
    [[nodiscard]] bool is_whole() const { return is_whole_ && !applier_.is_overfull(); }
    /// The master's rows do not fit in the tables of this board.
    [[nodiscard]] bool is_overfull() const { return applier_.is_overfull(); }
    [[nodiscard]] std::uint64_t unusable() const { return applier_.unusable(); }

private:
    enum class Table : std::uint8_t {
        kMembers,
        kGroups,
        kAliases,
        kServices,
        kSubscriptions,
        kEnd
    };

    void Copy(const SaEntry& entry, std::uint64_t now_us);
    void FreeMlidFor(const GroupEntry& entry);
    void FreeAlias(Guid alias);
    [[nodiscard]] bool DropOneFor(SaEntryKind kind);
    void Mark(const SaEntry& entry);
    void DropSome();
    [[nodiscard]] static Table TableOf(SaEntryKind kind);
    [[nodiscard]] std::size_t BoundOf(Table table) const;
    [[nodiscard]] bool DropUnmarked(Table table, std::size_t row);

    SaTables tables_;
    SaApplier applier_;
    BitSet groups_;
    BitSet members_;
    BitSet aliases_;
    BitSet services_;
    BitSet subscriptions_;
    std::span<const std::byte> entries_;  ///< Of the frame at hand: those still to be applied.
    std::uint32_t generation_ = 0;
    std::uint32_t sequence_ = 0;  ///< The number of the next frame; 0: it begins a generation.
    bool is_whole_ = false;
    Table dropping_ = Table::kEnd;  ///< Rows without a mark are removed from this one.
    std::size_t row_ = 0;
};

}  // namespace ember
