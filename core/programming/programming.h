// SPDX-License-Identifier: Apache-2.0
// EmberSM: from what shall be to Set() datagrams, and only those that change something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/base/time.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/port_plan.h"
#include "core/log/log.h"
#include "core/programming/known_lfts.h"
#include "core/programming/lft_programming.h"
#include "core/programming/lft_reading.h"
#include "core/programming/port_programming.h"
#include "core/programming/programming_outcome.h"
#include "core/programming/round_asker.h"
#include "core/programming/stage_progress.h"
#include "core/programming/switch_programming.h"
#include "core/settings/settings.h"

namespace ember {

/// Sends what differs, in an order that is safe:
///   ports      PortInfo of every port, ARMED included where the link is in INIT: one Set a port
///   reading    LFT blocks of switches that another SM may have programmed
///   switches   SwitchInfo: LinearFDBTop, LifeTimeValue, PortStateChange cleared; of switches whose
///              top must rise not yet
///   blocks     LFT blocks that differ, block by block over all switches, as OpenSM; where a packet
///              could loop meanwhile, entries drop first. When all are acknowledged, SwitchInfo of
///              the switches whose top must rise
///   activation links to ACTIVE
/// A stage ends when the last answer of a switch is in. Every stage is a cursor over a table, so
/// nothing is queued and Step() sends exactly what the window admits.
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
    struct Memory {
        KnownLfts::Memory known;
        LftProgramming::Memory blocks;
    };

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
    void BeginBalancing();
    /// In this round: there are other subnet managers. A manager that took us for dead, or that we
    /// did not reach, may have set a port since we did. So a Set that comes late asks the clients
    /// of the port to register again, as it makes us their master. `read_us`: see PortProgramming.
    void MindOthers(std::uint64_t read_us) { ports_.MindOthers(read_us); }
    /// This round follows a targeted sweep, and may be given up for a heavy one: tries are short,
    /// so that a silent switch is noted soon.
    void Hasten() { asker_.Hasten(); }
    /// Whether a sweep waits for the end of the round. Until the next call.
    void Hurry(bool hurried) { ports_.Hurry(hurried); }
    /// In this round, before BeginBlocks(): the plan differs from that of the last round only in
    /// entries for which Expect() is called after this. If all blocks were right then, no
    /// others are compared.
    void ExpectChanges() {
        EMBER_ASSERT(stage_ != Stage::kBlocks);
        blocks_.ExpectChanges();
    }
    void Expect(SwitchIndex at, Lid lid) { blocks_.Expect(at, lid); }
    /// Starts a stage other than kBlocks. Each round that sets switches ends with kBlocks: a top
    /// that must rise is set there.
    void Begin(Stage stage);
    /// Starts the stage kBlocks. The views in `plan` must stand still until done().
    void BeginBlocks(const LftPlan& plan);
    /// Sends what the window admits; looks at a bounded number of rows.
    void Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kProgrammingClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// The stage has ended: no row is left to look at, and no question is under way to a switch.
    [[nodiscard]] bool done() const {
        return progress_ == StageProgress::kEnd && asker_.in_flight() == 0;
    }
    /// More rows could be looked at right now, though nothing is under way.
    [[nodiscard]] bool hungry() const { return progress_ == StageProgress::kMore; }
    /// Hosts or routers have not answered yet.
    [[nodiscard]] bool awaits_end_ports() const { return asker_.end_ports_in_flight() != 0; }
    /// Gives up what is under way. Blocks that were sent and not answered count as unknown.
    void Abandon();
    /// When Step() goes on without an answer, as no end port is waited for any longer; kNever:
    /// never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const {
        const bool waits = stage_ == Stage::kActivation && progress_ == StageProgress::kWaits;
        return waits ? ports_.NextDeadlineUs() : kNever;
    }

    [[nodiscard]] Stage stage() const { return stage_; }
    [[nodiscard]] const ProgrammingOutcome& outcome() const { return outcome_; }
    /// The LFT that the switch is known to have; valid where the block is known.
    [[nodiscard]] std::span<const std::uint8_t> ProgrammedRow(SwitchIndex at) const {
        return known_[at];
    }
    /// All of them. Still while no stage is under way.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> programmed() const {
        return known_.tables();
    }
    /// Between two rounds: a block of the switch was read, and has this content. The next round
    /// writes it if it is not as planned.
    void Correct(SwitchIndex at, std::uint32_t block, const SmpData& content);
    [[nodiscard]] bool IsKnown(SwitchIndex at, std::uint32_t block) const {
        return known_.IsKnown(at, block);
    }
    /// The settings changed: fields that devices did not keep are set once more.
    void ForgetUnkept() { ports_.ForgetUnkept(); }
    /// Before BeginRound(): what is known of tables is void, and is read again.
    void ReadAnew() { reads_anew_ = true; }

private:
    ProgrammingOutcome outcome_;
    RoundAsker asker_;
    KnownLfts known_;
    PortProgramming ports_;
    LftReading reading_;
    SwitchProgramming switches_;
    LftProgramming blocks_;
    Stage stage_ = Stage::kIdle;
    StageProgress progress_ = StageProgress::kEnd;
    bool reads_anew_ = false;  ///< The next round takes every table for unknown.
};

}  // namespace ember
