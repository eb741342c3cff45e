// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast forwarding tables of all switches, as wanted and as programmed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/multicast/groups.h"
#include "core/wire/multicast_forwarding_table.h"

namespace ember {

/// MulticastForwardingTables in one arena. A block, which one Set writes, holds the masks of 32
/// MLIDs (its BlockNum) for 16 ports (its position). IBA vol. 1, 14.2.5.12.
///
/// A switch has as many positions as its ports need, in a run, so a switch of 36 ports does not pay
/// for one of 254. The blocks of all switches with one BlockNum lie together, so those with a
/// BlockNum above the MLIDs in use are never touched.
///
/// There are two copies of each block: `wanted`, as the trees ask for it, and `programmed`, as the
/// switch has it. `programmed` counts only where IsKnown() says so.
class MftTables {
public:
    static constexpr std::size_t kEntries = MulticastForwardingTable::kEntries;  ///< Of a block.
    static constexpr std::size_t kPorts = MulticastForwardingTable::kPortsPerPosition;
    using Block = std::array<std::uint16_t, kEntries>;  ///< A mask of ports for each MLID.

    /// The positions of a switch.
    struct Run {
        Guid guid = kNoGuid;  ///< NodeGUID: a row of the fabric may be used again.
        std::uint32_t first = 0;
        std::uint8_t count = 0;
    };
    struct Memory {
        std::span<Block> wanted;                 ///< BlocksFor().
        std::span<Block> programmed;             ///< Likewise.
        std::span<std::uint64_t> known_words;    ///< A bit per block: WordsFor().
        std::span<std::uint64_t> differs_words;  ///< Likewise.
        std::span<Run> runs;                     ///< max_switches.
        std::span<SwitchIndex> owners;           ///< PositionsFor().
    };

    /// Positions of a switch with so many external ports.
    [[nodiscard]] static constexpr std::uint8_t PositionsOf(std::uint8_t port_count) {
        return static_cast<std::uint8_t>(port_count / kPorts + 1);  // Port 0 takes one too.
    }
    /// Positions that suffice for any subnet within these limits.
    [[nodiscard]] static constexpr std::size_t PositionsFor(const Limits& limits) {
        return limits.max_ports / kPorts + limits.max_switches;
    }
    [[nodiscard]] static constexpr std::size_t BlocksFor(const Limits& limits) {
        return PositionsFor(limits) * (limits.max_mlids / kEntries);
    }
    [[nodiscard]] static constexpr std::size_t WordsFor(const Limits& limits) {
        return BitSet::WordsFor(BlocksFor(limits));
    }

    MftTables(const Memory& memory, const Limits& limits)
        : wanted_(memory.wanted),
          programmed_(memory.programmed),
          known_(memory.known_words),
          differs_(memory.differs_words),
          runs_(memory.runs),
          owners_(memory.owners),
          positions_(PositionsFor(limits)),
          block_nums_(limits.max_mlids / kEntries) {
        EMBER_ASSERT(wanted_.size() >= positions_ * block_nums_);
        EMBER_ASSERT(programmed_.size() >= positions_ * block_nums_);
        EMBER_ASSERT(memory.known_words.size() >= WordsFor(limits));
        EMBER_ASSERT(memory.differs_words.size() >= WordsFor(limits));
        EMBER_ASSERT(runs_.size() >= limits.max_switches);
        EMBER_ASSERT(owners_.size() >= positions_);
    }
    MftTables(const MftTables&) = delete;
    MftTables& operator=(const MftTables&) = delete;

    /// Gives every live switch a run. A switch without one, or with the run of another switch,
    /// starts with empty masks, and its table is not known. True when the free positions were
    /// scattered, so that all switches got new runs and start anew.
    bool Fit(const Fabric& fabric);

    /// The positions of a switch; none before Fit().
    [[nodiscard]] const Run& run(SwitchIndex at) const { return runs_[at]; }
    /// The switch of a position; kNoSwitch: the position is free.
    [[nodiscard]] SwitchIndex OwnerOf(std::size_t position) const { return owners_[position]; }
    /// The highest position in use, plus one.
    [[nodiscard]] std::size_t position_bound() const { return bound_; }
    /// Number of BlockNums: a 32nd of max_mlids.
    [[nodiscard]] std::size_t block_num_count() const { return block_nums_; }
    /// The highest index of a block, plus one.
    [[nodiscard]] std::size_t block_bound() const { return positions_ * block_nums_; }

    // The index of a block, by its BlockNum and its position among those of all switches.
    [[nodiscard]] std::size_t BlockAt(std::size_t block_num, std::size_t position) const {
        return block_num * positions_ + position;
    }
    [[nodiscard]] std::size_t BlockNumOf(std::size_t block) const { return block / positions_; }
    [[nodiscard]] std::size_t PositionOf(std::size_t block) const { return block % positions_; }
    /// The position of a block as its switch numbers it.
    [[nodiscard]] std::uint8_t OwnPositionOf(std::size_t block) const {
        const std::size_t position = PositionOf(block);
        EMBER_ASSERT(position >= runs_[owners_[position]].first);
        return static_cast<std::uint8_t>(position - runs_[owners_[position]].first);
    }

    [[nodiscard]] const Block& wanted(std::size_t block) const { return wanted_[block]; }
    [[nodiscard]] const Block& programmed(std::size_t block) const { return programmed_[block]; }
    [[nodiscard]] std::uint16_t WantedMask(MlidIndex mlid, std::size_t position) const {
        return wanted_[BlockAt(Raw(mlid) / kEntries, position)][Raw(mlid) % kEntries];
    }
    [[nodiscard]] std::uint16_t ProgrammedMask(MlidIndex mlid, std::size_t position) const {
        return programmed_[BlockAt(Raw(mlid) / kEntries, position)][Raw(mlid) % kEntries];
    }
    /// The mask that the switch has, if that is known; else the wanted one.
    [[nodiscard]] std::uint16_t PresentMask(MlidIndex mlid, std::size_t position) const {
        const bool is_known = IsKnown(BlockAt(Raw(mlid) / kEntries, position));
        return is_known ? ProgrammedMask(mlid, position) : WantedMask(mlid, position);
    }
    /// Sets a wanted mask.
    void Want(MlidIndex mlid, std::size_t position, std::uint16_t mask) {
        EMBER_ASSERT(Raw(mlid) / kEntries < block_nums_);
        EMBER_ASSERT(position < bound_);
        const std::size_t block = BlockAt(Raw(mlid) / kEntries, position);
        wanted_[block][Raw(mlid) % kEntries] = mask;
        NoteUse(block);
        Compare(block);
    }

    /// True when `programmed` is what the switch has.
    [[nodiscard]] bool IsKnown(std::size_t block) const { return known_.Has(block); }
    /// The content of the block in the switch is not known any more.
    void Forget(std::size_t block) {
        known_.Remove(block);
        Compare(block);
    }
    /// The switch is known to have this content.
    void Learn(std::size_t block, const Block& content) {
        EMBER_ASSERT(block < block_bound());
        programmed_[block] = content;
        NoteUse(block);
        known_.Add(block);
        Compare(block);
    }
    /// Forget() for all blocks of a switch.
    void ForgetSwitch(SwitchIndex at);
    /// Learn() for all blocks of a switch, with empty masks.
    void LearnEmpty(SwitchIndex at);

    /// The first block from `from` on whose known content is not the wanted one, or whose content
    /// is not known and wanted not to be empty; block_bound(): none.
    [[nodiscard]] std::size_t NextDifference(std::size_t from) const;

private:
    /// The block is not as it was at the start any more.
    void NoteUse(std::size_t block) { used_nums_ = std::max(used_nums_, BlockNumOf(block) + 1); }
    void Compare(std::size_t block);
    void SetKnown(const Run& run, bool is_known);
    void ForgetRun(const Run& run);
    [[nodiscard]] bool Place(SwitchIndex at, const Node& node);

    std::span<Block> wanted_;
    std::span<Block> programmed_;
    BitSet known_;
    BitSet differs_;
    Table<SwitchIndex, Run> runs_;
    std::span<SwitchIndex> owners_;
    std::size_t positions_;
    std::size_t block_nums_;
    std::size_t used_nums_ = 0;  ///< Blocks with this BlockNum or a higher one were always empty.
    std::size_t bound_ = 0;
};

}  // namespace ember
