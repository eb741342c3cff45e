// SPDX-License-Identifier: Apache-2.0
// EmberSM: from what shall be to Set() datagrams, and only those that change something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/port_plan.h"
#include "core/log/journal.h"
#include "core/settings.h"

namespace ember {

/// What the present round of Sets did.
struct ProgrammingOutcome {
    std::uint32_t ports_set = 0;
    std::uint32_t ports_right = 0;  ///< Needed no Set.
    std::uint32_t switches_set = 0;
    std::uint32_t changes_cleared = 0;  ///< Of these, with PortStateChange.
    std::uint32_t blocks_read = 0;
    std::uint32_t blocks_set = 0;
    std::uint32_t blocks_right = 0;
    std::uint32_t activated = 0;
    std::uint32_t failed = 0;   ///< Sets unanswered or refused; the next sweep is heavy.
    std::uint32_t bounced = 0;  ///< Links taken down because their MTU or VLs must change.
};

/// Sends what differs, in an order that is safe:
///   ports      PortInfo of every port, ARMED included where the link is in INIT: one Set a port
///   reading    LFT blocks of switches that somebody else programmed before us
///   switches   SwitchInfo: LinearFDBTop, LifeTimeValue, PortStateChange cleared
///   blocks     LFT blocks that differ, block by block over all switches, as OpenSM
///   activation links to ACTIVE
/// A stage ends when its last answer is in. Every stage is a cursor over a table, so nothing is
/// queued and Pump() sends exactly what the window admits.
///
/// The LFT arena `programmed` holds what the switches are known to have, block by block: a block is
/// known after it was read or its Set was acknowledged, and unknown from the moment a Set is sent.
/// So a lost Set is repeated by the next round, and a restart reads instead of writing.
class Programming {
public:
    enum class Stage : std::uint8_t {
        kIdle,
        kPorts,
        kReading,
        kSwitches,
        kBlocks,
        kActivation,
    };
    /// The LFT of a switch as far as we know it.
    struct KnownTable {
        Guid guid = kNoGuid;  ///< Of whom it was known: a reused row starts anew.
        Lid top = kNoLid;     ///< LinearFDBTop that we set or found.
        bool read = false;    ///< Its blocks were read, or need not be.
    };
    struct Memory {
        std::span<std::uint8_t> programmed;    ///< max_switches rows of LidStride().
        std::span<std::uint64_t> known_words;  ///< One bit a block: KnownWords(limits).
        std::span<KnownTable> tables;          ///< max_switches.
    };
    [[nodiscard]] static constexpr std::size_t KnownWords(const Limits& limits) {
        return BitSet::WordsFor(limits.max_switches * (LidStride(limits) / 64));
    }

    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Journal& journal;
        const PortPlanner& planner;
    };

    Programming(const Memory& memory,
                const Limits& limits,
                const Parts& parts,
                const Settings& settings);
    Programming(const Programming&) = delete;
    Programming& operator=(const Programming&) = delete;

    /// Starts a round after a heavy sweep: forgets tables of switches that were reset meanwhile.
    /// `first_master_sweep`: forgets all tables, and every client that can shall register again.
    void BeginRound(bool first_master_sweep);
    /// Starts a stage. `planned` matters in kBlocks only and must stand still until done().
    void Begin(Stage stage, Matrix<SwitchIndex, const std::uint8_t> planned = {});
    /// Sends what the window admits; looks at a bounded number of rows.
    void Pump(std::uint64_t now_us);
    /// Takes an answer to a datagram of Client::kProgramming.
    void OnAnswer(const Answer& answer, std::uint64_t now_us);
    /// The stage is through: nothing left to look at, nothing under way.
    [[nodiscard]] bool done() const { return at_end_ && in_flight_ == 0; }
    /// More rows could be looked at right now, though nothing is under way.
    [[nodiscard]] bool hungry() const { return !at_end_; }
    void Abandon();

    [[nodiscard]] Stage stage() const { return stage_; }
    [[nodiscard]] const ProgrammingOutcome& outcome() const { return outcome_; }
    /// What the switch is known to have; valid where the block is known.
    [[nodiscard]] std::span<const std::uint8_t> ProgrammedRow(SwitchIndex at) const {
        return programmed_[at];
    }
    /// All of them. Still while no stage is under way.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> programmed() const {
        return {programmed_.values(), programmed_.stride()};
    }
    [[nodiscard]] bool IsKnown(SwitchIndex at, std::uint32_t block) const {
        return known_.Has(Raw(at) * blocks_per_row_ + block);
    }
    /// The settings changed: what devices were found not to keep is tried once more.
    void ForgetStubbornness();

private:
    /// What Cookie::kind means to us.
    enum class Kind : std::uint8_t {
        kPort,
        kReadBlock,
        kSwitch,
        kSetBlock,
        kActivate,
        kCheckPort,  ///< A Set to ACTIVE was refused: is it active after all?
    };

    void PumpPorts(std::uint64_t now_us);
    void PumpSwitches(std::uint64_t now_us);
    void PumpBlocks(std::uint64_t now_us);
    void EndBlocks();
    void SetPort(PortIndex at, std::uint64_t now_us);
    void Activate(PortIndex at, std::uint64_t now_us);
    void SetSwitch(SwitchIndex at, std::uint64_t now_us);
    void ReadBlock(SwitchIndex at, std::uint32_t block, std::uint64_t now_us);
    void SetBlock(SwitchIndex at, std::uint32_t block, std::uint64_t now_us);
    [[nodiscard]] bool Prepare(PortIndex at, AttributeId attribute, Ask& ask);
    void Post(Ask& ask, Kind kind, std::uint32_t subject, std::uint64_t now_us);

    void OnPortAnswer(const Answer& answer, std::uint64_t now_us);
    void OnActivation(const Answer& answer, std::uint64_t now_us);
    void OnPortChecked(const Answer& answer, std::uint64_t now_us);
    void OnSwitchAnswer(const Answer& answer, std::uint64_t now_us);
    void OnBlockAnswer(const Answer& answer, std::uint64_t now_us);
    void Fail(const Answer& answer, PortIndex at, std::uint64_t now_us);
    [[nodiscard]] bool HasLinkAboveInit(NodeIndex at) const;
    void MarkKnown(SwitchIndex at, std::uint32_t block, bool known);

    Fabric& fabric_;
    Exchange& exchange_;
    Journal& journal_;
    const PortPlanner& planner_;
    const Settings& settings_;
    Matrix<SwitchIndex, std::uint8_t> programmed_;
    Matrix<SwitchIndex, const std::uint8_t> planned_;
    BitSet known_;
    Table<SwitchIndex, KnownTable> tables_;
    std::size_t blocks_per_row_;
    Stage stage_ = Stage::kIdle;
    bool at_end_ = true;
    bool first_master_sweep_ = false;
    Lid top_ = kNoLid;         ///< Highest LID in use in this round.
    std::size_t row_ = 0;      ///< Cursor: port, or switch.
    std::uint32_t block_ = 0;  ///< Cursor: LFT block.
    std::uint32_t in_flight_ = 0;
    ProgrammingOutcome outcome_;
};

}  // namespace ember
