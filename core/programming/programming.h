// SPDX-License-Identifier: Apache-2.0
// EmberSM: from what shall be to Set() datagrams, and only those that change something.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/lft_arena.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/fabric/port_plan.h"
#include "core/graph/proved_routes.h"
#include "core/log/log.h"
#include "core/programming/transition.h"
#include "core/programming/transition_proof.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kProgrammingClient{3};

/// Results of the present round of Sets.
struct ProgrammingOutcome {
    std::uint32_t ports_set = 0;
    std::uint32_t ports_right = 0;  ///< Needed no Set.
    std::uint32_t switches_set = 0;
    std::uint32_t changes_cleared = 0;  ///< Of these, with PortStateChange.
    std::uint32_t blocks_read = 0;
    std::uint32_t blocks_set = 0;
    std::uint32_t blocks_right = 0;
    std::uint32_t detours = 0;  ///< Of blocks_set, those that had to drop before they could change.
    /// LIDs whose entries that changed had to drop before any other: TransitionProof.
    std::uint32_t yielded = 0;
    std::uint32_t unordered = 0;    ///< LIDs with changed entries that it could not look at,
    bool lacks_order_room = false;  ///< for want of scratch memory; else as their lanes change.
    std::uint32_t activated = 0;
    std::uint32_t failed = 0;        ///< Sets unanswered or refused; the next sweep is heavy.
    std::uint32_t unanswered = 0;    ///< Of these, those to switches that did not answer.
    std::uint32_t reregistered = 0;  ///< Ports whose clients were asked to register again.
    std::uint32_t bounced = 0;       ///< Links taken down because their MTU or VLs must change.
    // The same of links to hosts and routers. None of them keeps the subnet from being up.
    std::uint32_t end_ports_failed = 0;
    std::uint32_t end_ports_bounced = 0;
    LinkEnd failed_end_port;  ///< The first of those that failed.
};

/// Sends what differs, in an order that is safe:
///   ports      PortInfo of every port, ARMED included where the link is in INIT: one Set a port
///   reading    LFT blocks of switches that another SM may have programmed
///   switches   SwitchInfo: LinearFDBTop, LifeTimeValue, PortStateChange cleared; of switches whose
///              top must rise not yet
///   blocks     LFT blocks that differ, block by block over all switches, as OpenSM; where a packet
///              could loop meanwhile, entries drop first (blocks.cc). When all are
///              acknowledged, SwitchInfo of the switches whose top must rise
///   activation links to ACTIVE
/// A stage ends when the last answer of a switch is in. Every stage is a cursor over a table, so
/// nothing is queued and Step() sends exactly what the window admits.
///
/// Hosts and routers have a lane of their own: no stage waits for them, but activation, which
/// begins when answers should be in (Exchange::linger_us()), and ends kEndPortsUs later if some are
/// not, or at once if it is hurried. A port that answers later, until the next sweep begins, is
/// made ACTIVE then. Our own port and its link are not among them.
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
        Guid guid = kNoGuid;   ///< NodeGUID of its switch: a row that is used again starts anew.
        Lid top = kNoLid;      ///< LinearFDBTop that we set or found.
        bool read = false;     ///< Its blocks were read, or need not be.
        bool lacking = false;  ///< A block above its top was not acknowledged in this round.
    };
    struct Memory {
        std::span<std::uint8_t> programmed;          ///< max_switches rows of LidStride().
        std::span<std::uint64_t> known_words;        ///< A bit per block: KnownWords(limits).
        std::span<std::uint64_t> pending_words;      ///< Likewise.
        std::span<std::uint64_t> detour_words;       ///< Likewise.
        std::span<std::uint64_t> blind_words;        ///< Likewise.
        std::span<std::uint64_t> unconfirmed_words;  ///< Likewise.
        std::span<std::uint64_t> hot_words;          ///< A bit per LID: LidWords(limits).
        std::span<std::uint64_t> frozen_words;       ///< Likewise.
        std::span<std::uint64_t> yield_words;        ///< Likewise.
        std::span<SwitchIndex> homes;                ///< By LID: LidStride().
        std::span<KnownTable> tables;                ///< max_switches.
    };
    /// The tables that the stage kBlocks shall write.
    struct Plan {
        Matrix<SwitchIndex, const std::uint8_t> lfts;  ///< Verified: no loop in it.
        /// Hops between two switches, when every planned path is that long; empty: paths are
        /// followed where their length matters.
        Matrix<SwitchIndex, const std::uint8_t> hops;
        /// No routing, but the tables that are known, without dead entries. Unknown blocks stay as
        /// they are, and so do tops.
        bool only_known = false;
        /// The proof of `lfts` against credit loops, if there is one.
        ProvedRoutes proved = {};
    };
    [[nodiscard]] static constexpr std::size_t LidWords(const Limits& limits) {
        return BitSet::WordsFor(LidStride(limits));
    }
    [[nodiscard]] static constexpr std::size_t KnownWords(const Limits& limits) {
        return BitSet::WordsFor(limits.max_switches * (LidStride(limits) / 64));
    }

    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        const PortPlanner& planner;
    };

    Programming(const Memory& memory, const Limits& limits, const Parts& parts,
                const Settings& settings);
    Programming(const Programming&) = delete;
    Programming& operator=(const Programming&) = delete;

    /// Starts a round after a heavy sweep: forgets tables of switches that were reset meanwhile.
    /// `first_master_sweep`: forgets all tables, and every client that can shall register again,
    /// unless `keeps_registrations`: then those of ports that were not ours.
    /// `only_touched`: the round before ended well, and all that may differ of ports since then is
    /// at ports that are touched (see Port).
    void BeginRound(bool first_master_sweep, bool only_touched = false,
                    bool keeps_registrations = false);
    /// Starts a round that looks at no port: end ports that failed before still count.
    void BeginBalancing() {
        const ProgrammingOutcome before = outcome_;
        BeginRound(false);
        outcome_.end_ports_failed = before.end_ports_failed;
        outcome_.failed_end_port = before.failed_end_port;
        Begin(Stage::kIdle);
    }
    /// In this round: there are other subnet managers. A manager that took us for dead, or that we
    /// did not reach, may have set a port since we did. So a Set that comes late asks the clients
    /// of the port to register again, as it makes us their master. `read_us`: when the sweep before
    /// had read all ports; an election may have followed it.
    void MindOthers(std::uint64_t read_us) {
        minds_others_ = true;
        read_us_ = read_us;
    }
    /// This round follows a targeted sweep, and may be given up for a heavy one: tries are short,
    /// so that a silent switch is noted soon.
    void Hasten() { hastens_ = true; }
    /// Whether a sweep waits for the end of the round. Until the next call.
    void Hurry(bool hurried) { hurried_ = hurried; }
    /// How long the end of activation waits for hosts and routers, from when one was heard last: a
    /// try may be lost.
    static constexpr std::uint32_t kEndPortsUs = 250'000;
    /// In this round, before BeginBlocks(): the plan differs from that of the last round only in
    /// entries for which Expect() is called after this. If all blocks were right then, no
    /// others are compared.
    void ExpectChanges();
    void Expect(SwitchIndex at, Lid lid) {
        EMBER_ASSERT(expecting_);
        pending_.Add(MarkOf(at, Raw(lid) / 64U));
    }
    /// Starts a stage other than kBlocks. Each round that sets switches ends with kBlocks: a top
    /// that must rise is set there.
    void Begin(Stage stage);
    /// Starts the stage kBlocks. The views in `plan` must stand still until done().
    void BeginBlocks(const Plan& plan);
    /// Sends what the window admits; looks at a bounded number of rows.
    void Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kProgrammingClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// The stage has ended: no row is left to look at, and no question is under way to a switch.
    [[nodiscard]] bool done() const { return at_end_ && in_flight() == 0; }
    /// More rows could be looked at right now, though nothing is under way.
    [[nodiscard]] bool hungry() const { return !at_end_ && !waiting_; }
    /// Hosts or routers have not answered yet.
    [[nodiscard]] bool awaits_end_ports() const { return end_ports_in_flight_ != 0; }
    /// Gives up what is under way. Blocks that were sent and not answered count as unknown.
    void Abandon();
    /// When Step() goes on without an answer, as no end port is waited for any longer; kNever:
    /// never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    [[nodiscard]] Stage stage() const { return stage_; }
    [[nodiscard]] const ProgrammingOutcome& outcome() const { return outcome_; }
    /// The LFT that the switch is known to have; valid where the block is known.
    [[nodiscard]] std::span<const std::uint8_t> ProgrammedRow(SwitchIndex at) const {
        return programmed_[at];
    }
    /// All of them. Still while no stage is under way.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> programmed() const {
        return programmed_.read_only();
    }
    /// Between two rounds: a block of the switch was read, and has this content. The next round
    /// writes it if it is not as planned.
    void Correct(SwitchIndex at, std::uint32_t block, const SmpData& content);
    [[nodiscard]] bool IsKnown(SwitchIndex at, std::uint32_t block) const {
        return known_.Has(Raw(at) * blocks_per_row_ + block);
    }
    /// The settings changed: fields that devices did not keep are set once more.
    void ForgetUnkept();
    /// Before BeginRound(): what is known of tables is void, and is read again.
    void ReadAnew() { reads_anew_ = true; }

private:
    /// Our values of Cookie::kind.
    enum class Kind : std::uint8_t {
        kPort,
        kReadBlock,
        kSwitch,
        kSetBlock,
        kActivate,
        kCheckPort,  ///< A Set to ACTIVE was refused: is it active after all?
        kCheckSet,   ///< Another Set was refused: is the port as it shall be after all?
    };
    /// A Set to a port is late after this time: no other subnet manager takes over within it from
    /// one that goes on speaking.
    static constexpr std::uint64_t kLateUs = 400'000;
    /// Rows looked at in one Step(): comparing a block costs some ten nanoseconds.
    static constexpr std::size_t kRowsAtOnce = 4096;
    /// In Cookie::detail of questions to ports: the port is a host's or router's. The other bits of
    /// a kCheckSet are the status of the refusal.
    static constexpr std::uint16_t kEndPortLane = 0x8000;
    static_assert(LftBlocks(kTopUnicastLid) <= kEndPortLane, "a block's number has other bits");

    /// Under way to switches, and to our own port.
    [[nodiscard]] std::uint32_t in_flight() const {
        EMBER_ASSERT(end_ports_in_flight_ <= asker_.in_flight());
        return asker_.in_flight() - end_ports_in_flight_;
    }
    [[nodiscard]] bool IsOfHost(PortIndex at) const;
    [[nodiscard]] bool IsOfHostLink(PortIndex at) const;
    [[nodiscard]] bool IsOnOwnPath(PortIndex at) const;
    [[nodiscard]] std::uint64_t EndPortsDueUs() const;
    [[nodiscard]] bool AwaitsEndPorts(std::uint64_t now_us) const {
        return end_ports_in_flight_ != 0 && now_us < EndPortsDueUs();
    }
    void PumpPorts(std::uint64_t now_us);
    void PumpPort(PortIndex at, std::uint64_t now_us);
    void PumpSwitches(std::uint64_t now_us);
    /// A Set writes our LID into MasterSMLID. Where another master has set the port meanwhile, its
    /// clients registered there, and nothing would show that.
    [[nodiscard]] bool IsLate(std::uint64_t now_us) const {
        return minds_others_ && now_us >= read_us_ + kLateUs;
    }
    void SetPort(PortIndex at, std::uint64_t now_us);
    void Enforce(PortIndex at, std::uint64_t now_us);
    void PostPlan(PortIndex at, const PortPlan& plan, std::uint64_t now_us);
    void Activate(PortIndex at, std::uint64_t now_us);
    void SetSwitch(SwitchIndex at, std::uint64_t now_us);
    /// The switch is live, and its table is ours to write.
    [[nodiscard]] bool IsRouted(SwitchIndex at) const {
        return fabric_.IsLive(at) && !fabric_.node(fabric_.switch_row(at).node).is_left_out;
    }
    [[nodiscard]] bool MustRise(SwitchIndex at) const;
    [[nodiscard]] bool MayRise(SwitchIndex at) const;

    // reading.cc: the stage kReading.
    void PumpReading(std::uint64_t now_us);
    void EndReading();
    void ReadBlock(SwitchIndex at, std::uint32_t block, std::uint64_t now_us);

    // blocks.cc: the stage kBlocks.
    enum class Round : std::uint8_t { kHomes, kScan, kJudging, kYield, kDetours, kFinal, kTops };
    using Block = std::array<std::uint8_t, 64>;
    void PumpBlocks(std::uint64_t now_us);
    void EnterRound(Round round);
    void Scan();
    void ScanExpected();
    void MeetSwitch(SwitchIndex at);
    [[nodiscard]] std::size_t Examine(SwitchIndex at, std::uint32_t block);
    void NoteOldEntry(SwitchIndex at, SwitchIndex next, std::size_t lid);
    void BeginJudging();
    void Judge();
    [[nodiscard]] bool SendAll(const BitSet& marked, std::uint64_t now_us);
    void SendMarked(const BitSet& marked, std::uint64_t now_us);
    void SetBlock(SwitchIndex at, std::uint32_t block, std::uint64_t now_us);
    void NoteLacking(SwitchIndex at, std::uint32_t block);
    [[nodiscard]] Block Wanted(SwitchIndex at, std::uint32_t block) const;
    [[nodiscard]] Block Yield(SwitchIndex at, std::uint32_t block) const;
    [[nodiscard]] Block Detour(SwitchIndex at, std::uint32_t block) const;
    [[nodiscard]] Block Final(SwitchIndex at, std::uint32_t block) const;
    void Freeze(const BitSet& lids, std::uint32_t block);
    [[nodiscard]] bool IsPaved(SwitchIndex at, std::size_t lid) const;
    [[nodiscard]] std::size_t MarkOf(SwitchIndex at, std::uint32_t block) const {
        return block * marks_per_block_ + Raw(at);
    }

    [[nodiscard]] bool Prepare(PortIndex at, AttributeId attribute, Ask& ask);
    void Post(Ask& ask, Kind kind, std::uint32_t subject, std::uint64_t now_us);

    void OnPortAnswer(const Answer& answer, std::uint64_t now_us);
    void OnSetChecked(const Answer& answer, std::uint64_t now_us);
    [[nodiscard]] bool Check(Kind kind, const Answer& answer, std::uint64_t now_us);
    void TakePort(PortIndex at, PortState wanted, const PortInfo& kept, std::uint64_t now_us);
    void CountFailure(PortIndex at, Status status);
    void OnActivation(const Answer& answer, std::uint64_t now_us);
    void OnPortChecked(const Answer& answer, std::uint64_t now_us);
    void OnSwitchAnswer(const Answer& answer, std::uint64_t now_us);
    void OnBlockAnswer(const Answer& answer, std::uint64_t now_us);
    void OnBlockFailure(const Answer& answer, SwitchIndex at, std::uint64_t now_us);
    void Fail(const Answer& answer, PortIndex at, std::uint64_t now_us);
    void NoteReregister(const Port& port, std::uint64_t now_us);
    void NoteStateFailed(const Port& port, PortState wanted, std::uint64_t now_us);
    void MarkKnown(SwitchIndex at, std::uint32_t block, bool known);
    void BeginPorts();

    Fabric& fabric_;
    Exchange& exchange_;
    Asker asker_;
    Log& log_;
    const PortPlanner& planner_;
    const Settings& settings_;
    LftArena programmed_;
    std::size_t rows_ = 0;  ///< Of these, the most that any round used.
    Plan plan_;
    BitSet known_;
    BitSet pending_;      ///< Blocks that differ or are not known; all switches of block 0 first.
    BitSet detour_;       ///< Of these, those with an entry that leads away: see blocks.cc.
    BitSet blind_;        ///< Blocks that were not known when the stage began.
    BitSet unconfirmed_;  ///< Blocks whose last Get or Set was not answered: they may say anything.
    BitSet hot_;          ///< LIDs for which some known entry leads away.
    BitSet frozen_;       ///< Of these, those whose entry could not be made to drop.
    BitSet yield_;        ///< LIDs whose entries that change must drop before all others.
    Transition transition_;
    TransitionProof transition_proof_;
    std::array<SwitchIndex, 256> neighbors_{};  ///< By port of the switch that is scanned.
    std::size_t marks_per_block_;
    Round round_ = Round::kHomes;
    bool waiting_ = false;  ///< For the last answer of a round, before the next may begin.
    Table<SwitchIndex, KnownTable> tables_;
    std::size_t blocks_per_row_;
    Stage stage_ = Stage::kIdle;
    bool at_end_ = true;
    bool all_reregister_ = false;
    bool only_touched_ = false;
    bool minds_others_ = false;       ///< See MindOthers().
    std::uint64_t read_us_ = 0;       ///< As MindOthers() said.
    bool reads_anew_ = false;         ///< The next round takes every table for unknown.
    std::uint8_t unkept_rounds_ = 0;  ///< Since unkept fields were set again.
    bool were_right_ = false;         ///< After the last round all blocks were as planned.
    bool expecting_ = false;          ///< Blocks that may differ since then are marked as pending.
    bool has_written_ = false;        ///< This round has come to the end of its blocks,
    bool has_unlikes_ = false;        ///< and some switch took another block than it was sent.
    bool hastens_ = false;            ///< Tries are short, so that silence is noted soon.
    bool hurried_ = false;            ///< A sweep waits for the end of the round.
    bool activates_ = false;          ///< In this round links may go to ACTIVE.
    Lid top_ = kNoLid;                ///< Highest LID in use in this round.
    Lid top_frozen_ = kNoLid;         ///< Highest LID that is frozen.
    std::size_t row_ = 0;             ///< Cursor: port, or switch.
    std::uint32_t block_ = 0;         ///< Cursor: LFT block.
    std::uint32_t end_ports_in_flight_ = 0;  ///< In the lane of hosts and routers.
    std::uint64_t end_ports_moved_us_ = 0;   ///< When something was sent or answered there last.
    ProgrammingOutcome outcome_;
};

}  // namespace ember
