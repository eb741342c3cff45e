// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the multicast tables that shall be to Set() datagrams, and only those that change
// something.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/multicast/groups.h"
#include "core/multicast/mft_tables.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kMulticastClient{6};

/// Counts of the present round.
struct MulticastOutcome {
    std::uint32_t blocks_read = 0;
    std::uint32_t blocks_set = 0;  ///< Set(MulticastForwardingTable), cuts included.
    std::uint32_t cuts = 0;        ///< Of these, those that had to drop before they could change.
    std::uint32_t tops_set = 0;    ///< Set(SwitchInfo) for MulticastFDBTop.
    std::uint32_t failed = 0;      ///< Unanswered or refused; the next round tries again.
};

/// Brings the multicast tables of the switches from what they are to what is wanted:
///   survey   after another subnet manager: all blocks by ascending BlockNum, until no switch has
///            an entry at one. MLIDs are given from the lowest on, so nothing lies beyond.
///   reading  blocks in use, or with an MLID that was, whose content is not known
///   cutting  entries that must go before others may come: see below
///   writing  what differs, block by block over all switches, as OpenSM
///   tops     SwitchInfo:MulticastFDBTop, where a switch knows it and it has changed
///
/// A packet in a loop of a multicast table is copied for ever, so there must not be one at any
/// moment. Every tree is proved; but while switch after switch goes from an old tree to a new one,
/// the old entries of some and the new ones of others may close a loop. Where they could
/// (MulticastUpkeep marks those MLIDs, see MarkCareful()), entries that are not in both trees go
/// first. When all of that is acknowledged, every table is a part of the new tree. If a cut was not
/// acknowledged, nothing is added to those MLIDs in this round.
///
/// A switch that was never programmed is taken to be empty; any other that is new to us, or that
/// was reset, is read where MLIDs are in use.
class MulticastProgramming {
public:
    enum class Stage : std::uint8_t { kIdle, kSurvey, kReading, kCutting, kWriting, kTops };
    struct Memory {
        std::span<std::uint64_t> careful_words;  ///< A bit per MLID.
        std::span<std::uint64_t> found_words;    ///< Likewise.
        std::span<Lid> tops;                     ///< max_switches.
    };
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        const Groups& groups;
        MftTables& tables;
        /// MLIDs with a new tree since their tables were last right, in use or not.
        const BitSet& planned;
    };

    MulticastProgramming(const Memory& memory, const Parts& parts, const Settings& settings)
        : fabric_(parts.fabric),
          asker_(parts.fabric, parts.exchange, settings, kMulticastClient),
          log_(parts.log),
          groups_(parts.groups),
          tables_(parts.tables),
          planned_(parts.planned),
          settings_(settings),
          careful_(memory.careful_words),
          found_(memory.found_words),
          tops_(memory.tops) {
        EMBER_ASSERT(found_.words().size() == careful_.words().size());
    }
    MulticastProgramming(const MulticastProgramming&) = delete;
    MulticastProgramming& operator=(const MulticastProgramming&) = delete;

    /// After a heavy sweep, before anything is set: which tables are still as we know them. True
    /// when what is wanted was forgotten too: all trees must be made anew.
    bool Observe(bool first_master_sweep);

    void BeginRound();
    void Begin(Stage stage);
    /// After a survey: some switch forwards this MLID.
    [[nodiscard]] bool HasFound(MlidIndex mlid) const { return found_.Has(Raw(mlid)); }
    /// The tables of this MLID must not be mixed.
    void MarkCareful(MlidIndex mlid) { careful_.Add(Raw(mlid)); }
    /// Sends what the window admits; looks at a bounded number of rows.
    void Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kMulticastClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    [[nodiscard]] Stage stage() const { return stage_; }
    /// The stage has ended: no row is left to look at, and no question is under way.
    [[nodiscard]] bool done() const { return at_end_ && asker_.in_flight() == 0; }
    /// The content of a block has become known in the stage.
    [[nodiscard]] bool has_learned() const { return has_learned_; }
    /// More rows could be looked at right now.
    [[nodiscard]] bool hungry() const { return !at_end_ && !awaits_block_ && asker_.has_room(); }
    /// Forgets the questions under way. Their blocks are read again when they are wanted.
    void Abandon();

    [[nodiscard]] const MulticastOutcome& outcome() const { return outcome_; }

private:
    enum class Kind : std::uint8_t { kRead, kCut, kWrite, kTop };

    void PumpSurvey(std::uint64_t now_us);
    [[nodiscard]] bool BeginsBlock();
    void PumpReading(std::uint64_t now_us);
    void PumpBlocks(std::uint64_t now_us);
    void PumpTops(std::uint64_t now_us);
    void ReadBlock(std::size_t block, std::uint64_t now_us);
    void NoteFound(std::size_t block);
    void SetBlock(std::size_t block, std::uint64_t now_us);
    void SetTop(SwitchIndex at, std::uint64_t now_us);
    [[nodiscard]] MftTables::Block Without(std::size_t block) const;
    [[nodiscard]] MftTables::Block Target(std::size_t block, Kind kind) const;
    [[nodiscard]] bool IsToBeRead(std::size_t block_num) const;
    [[nodiscard]] bool Reaches(SwitchIndex at, std::size_t block_num) const;
    [[nodiscard]] Lid TopOf(SwitchIndex at) const;
    void PostBlock(std::size_t block, Ask& ask, Kind kind, std::uint64_t now_us);
    void Post(SwitchIndex at, Ask& ask, Kind kind, std::uint32_t subject, std::uint64_t now_us);
    void Fail(const Answer& answer, SwitchIndex at, std::uint64_t now_us);

    Fabric& fabric_;
    Asker asker_;
    Log& log_;
    const Groups& groups_;
    MftTables& tables_;
    const BitSet& planned_;
    const Settings& settings_;
    BitSet careful_;
    BitSet found_;                  ///< MLIDs that some switch forwards, after a survey.
    Table<SwitchIndex, Lid> tops_;  ///< MulticastFDBTop that was set and not kept; kNoLid: none.
    Stage stage_ = Stage::kIdle;
    bool at_end_ = true;
    bool has_learned_ = false;
    bool is_frozen_ = false;     ///< A cut was not acknowledged.
    bool awaits_block_ = false;  ///< The survey goes on when all of a block has been read.
    bool has_entries_ = false;   ///< In the block that is surveyed some switch has an entry.
    std::size_t cursor_ = 0;     ///< Block, or switch.
    MulticastOutcome outcome_;
};

}  // namespace ember
