// SPDX-License-Identifier: Apache-2.0
// EmberSM: the multicast forwarding tables of all switches: as they shall be, and as they are.
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
#include "core/fabric/groups.h"
#include "core/wire/multicast_forwarding_table.h"

namespace ember {

/// MulticastForwardingTables in one arena. A switch has as many positions (of 16 ports each) as its
/// ports need, in a run, so a switch of 36 ports does not pay for one of 254; the octets of a block
/// of 32 MLIDs lie together, so blocks that nobody uses are never touched.
///
/// Every block at every position is a *leaf*: what one Set writes. There are two copies: `wanted`,
/// which the trees ask for, and `programmed`, which the switch is known to have; that counts only
/// where IsKnown() says so.
class MftTables {
public:
    static constexpr std::size_t kEntries = MulticastForwardingTable::kEntries;
    static constexpr std::size_t kPorts = MulticastForwardingTable::kPortsPerPosition;
    using Leaf = std::array<std::uint16_t, kEntries>;  ///< A mask of ports for each MLID.

    /// Where the positions of a switch are.
    struct Run {
        Guid guid = kNoGuid;  ///< Of whom: a row of the fabric may be used again.
        std::uint32_t first = 0;
        std::uint8_t count = 0;
    };
    struct Memory {
        std::span<Leaf> wanted;                  ///< LeavesFor().
        std::span<Leaf> programmed;              ///< Likewise.
        std::span<std::uint64_t> known_words;    ///< One bit a leaf: WordsFor().
        std::span<std::uint64_t> differs_words;  ///< Likewise.
        std::span<Run> runs;                     ///< max_switches.
        std::span<SwitchIndex> owners;           ///< PositionsFor().
    };

    [[nodiscard]] static constexpr std::uint8_t PositionsOf(std::uint8_t port_count) {
        return static_cast<std::uint8_t>(port_count / kPorts + 1);  // Port 0 takes one too.
    }
    /// Enough for any subnet that the tables of ports and switches hold.
    [[nodiscard]] static constexpr std::size_t PositionsFor(const Limits& limits) {
        return limits.max_ports / kPorts + limits.max_switches;
    }
    [[nodiscard]] static constexpr std::size_t LeavesFor(const Limits& limits) {
        return PositionsFor(limits) * (limits.max_mlids / kEntries);
    }
    [[nodiscard]] static constexpr std::size_t WordsFor(const Limits& limits) {
        return BitSet::WordsFor(LeavesFor(limits));
    }

    MftTables(const Memory& memory, const Limits& limits)
        : wanted_(memory.wanted),
          programmed_(memory.programmed),
          known_(memory.known_words),
          differs_(memory.differs_words),
          runs_(memory.runs),
          owners_(memory.owners),
          positions_(PositionsFor(limits)),
          blocks_(limits.max_mlids / kEntries) {
        EMBER_ASSERT(wanted_.size() >= positions_ * blocks_);
        EMBER_ASSERT(programmed_.size() >= positions_ * blocks_);
    }
    MftTables(const MftTables&) = delete;
    MftTables& operator=(const MftTables&) = delete;

    /// Gives every live switch its run. A switch that had none, or another's, starts with empty
    /// masks, and nothing is known of its table. True when there was no room between the runs and
    /// all switches start anew.
    bool Fit(const Fabric& fabric);

    [[nodiscard]] const Run& run(SwitchIndex at) const { return runs_[at]; }
    /// The switch of a position; kNoSwitch: of none.
    [[nodiscard]] SwitchIndex OwnerOf(std::size_t position) const { return owners_[position]; }
    /// One above the highest position in use.
    [[nodiscard]] std::size_t position_bound() const { return bound_; }
    [[nodiscard]] std::size_t block_count() const { return blocks_; }
    [[nodiscard]] std::size_t leaf_bound() const { return positions_ * blocks_; }

    // A leaf's number, and what it says: block, and position among those of all switches.
    [[nodiscard]] std::size_t LeafOf(std::size_t block, std::size_t position) const {
        return block * positions_ + position;
    }
    [[nodiscard]] std::size_t BlockOf(std::size_t leaf) const { return leaf / positions_; }
    [[nodiscard]] std::size_t PositionOf(std::size_t leaf) const { return leaf % positions_; }
    /// The position as the switch numbers it.
    [[nodiscard]] std::uint8_t OwnPositionOf(std::size_t leaf) const {
        const std::size_t position = PositionOf(leaf);
        return static_cast<std::uint8_t>(position - runs_[owners_[position]].first);
    }

    [[nodiscard]] const Leaf& wanted(std::size_t leaf) const { return wanted_[leaf]; }
    [[nodiscard]] const Leaf& programmed(std::size_t leaf) const { return programmed_[leaf]; }
    [[nodiscard]] std::uint16_t WantedMask(MlidIndex mlid, std::size_t position) const {
        return wanted_[LeafOf(Raw(mlid) / kEntries, position)][Raw(mlid) % kEntries];
    }
    [[nodiscard]] std::uint16_t ProgrammedMask(MlidIndex mlid, std::size_t position) const {
        return programmed_[LeafOf(Raw(mlid) / kEntries, position)][Raw(mlid) % kEntries];
    }
    /// What the switch forwards by, as far as is known; else what it shall.
    [[nodiscard]] std::uint16_t PresentMask(MlidIndex mlid, std::size_t position) const {
        const bool is_known = IsKnown(LeafOf(Raw(mlid) / kEntries, position));
        return is_known ? ProgrammedMask(mlid, position) : WantedMask(mlid, position);
    }
    /// What the trees ask for from now on.
    void Want(MlidIndex mlid, std::size_t position, std::uint16_t mask) {
        const std::size_t leaf = LeafOf(Raw(mlid) / kEntries, position);
        wanted_[leaf][Raw(mlid) % kEntries] = mask;
        Compare(leaf);
    }

    [[nodiscard]] bool IsKnown(std::size_t leaf) const { return known_.Has(leaf); }
    void Forget(std::size_t leaf) {
        known_.Remove(leaf);
        Compare(leaf);
    }
    /// The switch has this now.
    void Learn(std::size_t leaf, const Leaf& content) {
        programmed_[leaf] = content;
        known_.Add(leaf);
        Compare(leaf);
    }
    /// All leaves of a switch.
    void ForgetSwitch(SwitchIndex at);
    void LearnEmpty(SwitchIndex at);

    /// The first leaf from `from` on that is not as it shall be, or of which that is not known
    /// although it shall not be empty; leaf_bound(): none.
    [[nodiscard]] std::size_t NextDifference(std::size_t from) const;

private:
    void Compare(std::size_t leaf);
    void ForgetRun(const Run& run);
    [[nodiscard]] bool Place(SwitchIndex at, const Node& node);

    std::span<Leaf> wanted_;
    std::span<Leaf> programmed_;
    BitSet known_;
    BitSet differs_;
    Table<SwitchIndex, Run> runs_;
    std::span<SwitchIndex> owners_;
    std::size_t positions_;
    std::size_t blocks_;
    std::size_t bound_ = 0;
};

}  // namespace ember
