// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LFTs that switches are known to have, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/lft_arena.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/wire/smp.h"

namespace ember {

/// What the LFT of each switch is known to hold. A block is known after it was read or its Set was
/// acknowledged, and unknown from the moment a Set is sent. So a lost Set is repeated by the next
/// round, and a restart reads instead of writing.
class KnownLfts {
public:
    /// What is known of a switch's table as a whole.
    struct Row {
        Guid guid = kNoGuid;   ///< NodeGUID of its switch: a row that is used again starts anew.
        Lid top = kNoLid;      ///< LinearFDBTop that we set or found.
        bool read = false;     ///< Its blocks were read, or need not be.
        bool lacking = false;  ///< A block above its top was not acknowledged in this round.
    };
    struct Memory {
        std::span<std::uint8_t> entries;             ///< max_switches rows of LidStride().
        std::span<std::uint64_t> known_words;        ///< A bit per block: Words(limits).
        std::span<std::uint64_t> unconfirmed_words;  ///< Likewise.
        std::span<Row> rows;                         ///< max_switches.
    };
    /// Words of a set of blocks.
    [[nodiscard]] static constexpr std::size_t Words(const Limits& limits) {
        return BitSet::WordsFor(limits.max_switches * (LidStride(limits) / 64));
    }

    KnownLfts(const Memory& memory, const Limits& limits, const Fabric& fabric);
    KnownLfts(const KnownLfts&) = delete;
    KnownLfts& operator=(const KnownLfts&) = delete;

    /// Makes room for the LIDs of now, and forgets the table of each switch that is another, that
    /// was reset, or that another master may have programmed; `forgets_all`: of every switch.
    /// Returns true when none was forgotten.
    [[nodiscard]] bool BeginRound(bool forgets_all);

    /// Highest LID in use since BeginRound().
    [[nodiscard]] Lid top() const { return top_; }
    /// Blocks of each table up to that.
    [[nodiscard]] std::uint32_t blocks() const { return top_ == kNoLid ? 0 : LftBlocks(top_); }
    /// The switch is live, and its table is ours to write.
    [[nodiscard]] bool IsRouted(SwitchIndex at) const {
        return fabric_.IsLive(at) && !fabric_.node(fabric_.switch_row(at).node).is_left_out;
    }
    /// By SwitchIndex.
    [[nodiscard]] std::span<Row> rows() { return rows_.values(); }
    [[nodiscard]] Row& row(SwitchIndex at) { return rows_[at]; }
    [[nodiscard]] const Row& row(SwitchIndex at) const { return rows_[at]; }

    /// The table of a switch; valid where the block is known.
    [[nodiscard]] std::span<const std::uint8_t> operator[](SwitchIndex at) const {
        return entries_[at];
    }
    /// Its 64 entries from LID `block` * 64 on.
    [[nodiscard]] const std::uint8_t* Block(SwitchIndex at, std::uint32_t block) const {
        return entries_[at].data() + std::size_t{block} * 64;
    }
    /// All of them. Still while no table is read or written, and no round begins.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> tables() const {
        return entries_.read_only();
    }
    [[nodiscard]] bool IsKnown(SwitchIndex at, std::uint32_t block) const {
        return known_.Has(Raw(at) * blocks_per_row_ + block);
    }
    /// The same for all: the row of the switch * blocks_per_row() + the block.
    [[nodiscard]] BitSet known() const { return known_; }
    [[nodiscard]] std::size_t blocks_per_row() const { return blocks_per_row_; }
    /// The last Get or Set of the block was not answered: its entries may lead anywhere.
    [[nodiscard]] bool IsUnconfirmed(SwitchIndex at, std::uint32_t block) const {
        return unconfirmed_.Has(MarkOf(at, block));
    }
    /// The number of a block in sets that go by block first: all switches of block 0, and so on.
    [[nodiscard]] std::size_t MarkOf(SwitchIndex at, std::uint32_t block) const {
        return block * marks_per_block_ + Raw(at);
    }
    [[nodiscard]] std::size_t marks_per_block() const { return marks_per_block_; }

    /// A Set of the block is sent: until it is acknowledged, also when the round is given up, the
    /// switch may have the old content or the new.
    void NoteSent(SwitchIndex at, std::uint32_t block) {
        known_.Remove(Raw(at) * blocks_per_row_ + block);
        unconfirmed_.Add(MarkOf(at, block));
    }
    /// A Get or Set of the block got no answer, or was refused.
    void NoteUnanswered(SwitchIndex at, std::uint32_t block) {
        unconfirmed_.Add(MarkOf(at, block));
    }
    /// The switch has said that the block has this content.
    void Take(SwitchIndex at, std::uint32_t block, const SmpData& content);

private:
    void Forget(SwitchIndex at);

    const Fabric& fabric_;
    LftArena entries_;
    std::size_t used_rows_ = 0;  ///< Of these, the most that any round used.
    BitSet known_;
    BitSet unconfirmed_;
    Table<SwitchIndex, Row> rows_;
    std::size_t blocks_per_row_;
    std::size_t marks_per_block_;
    Lid top_ = kNoLid;
};

}  // namespace ember
