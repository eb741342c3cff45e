// SPDX-License-Identifier: Apache-2.0
// EmberSM: heavy and targeted sweeps, which find out what the subnet is.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/static_vector.h"
#include "core/base/time.h"
#include "core/discovery/claims.h"
#include "core/discovery/exit_guard.h"
#include "core/discovery/probe.h"
#include "core/discovery/probe_queue.h"
#include "core/discovery/sweep_asker.h"
#include "core/discovery/sweep_links.h"
#include "core/discovery/sweep_notes.h"
#include "core/discovery/sweep_outcome.h"
#include "core/discovery/sweep_review.h"
#include "core/discovery/swept_nodes.h"
#include "core/discovery/targeted_sweep.h"
#include "core/exchange/exchange.h"
#include "core/fabric/events.h"
#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/links/flapping_links.h"
#include "core/log/log.h"
#include "core/m_keys/known_m_keys.h"
#include "core/settings/settings.h"

namespace ember {

/// The heavy sweep: walks the subnet by directed routes and writes Fabric.
///
/// Breadth first by answer, not hop by hop: every answer queues the next questions, and Step() asks
/// as many as the exchange's window admits. Each link is crossed once: the answer names the port by
/// which it entered the far node, which settles both ends. A link is crossed from both ends if both
/// are asked before either answer. A switch is asked for its ports after its port 0, which says
/// whether it reports extended speeds. A silent node is left out and reported. Claims says which
/// node has what two claim, ExitGuard behind which exits no node is taken in. Finish() drops nodes
/// that this sweep did not meet.
class Discovery {
public:
    /// Bytes that a sweep takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return ProbeQueue::ScratchBytes(limits) + ExitGuard::ScratchBytes(limits) +
               KnownMKeys::SweepBytes(limits);
    }

    using Outcome = SweepOutcome;

    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        FlappingLinks& flapping;  ///< Hears of every lost link.
        Arena& scratch;           ///< A sweep's end rewinds it to where its begin found it.
        KnownMKeys& keys;
    };

    Discovery(const Parts& parts, const Limits& limits, const Settings& settings);
    Discovery(const Discovery&) = delete;
    Discovery& operator=(const Discovery&) = delete;

    /// Starts a sweep. Known nodes stay in the fabric until Finish().
    void Begin(std::uint64_t now_us);
    /// Starts a targeted sweep: asks these switches and new nodes behind them. The rest counts as
    /// the last heavy sweep found it, which must have ended settled. An answer that contradicts it
    /// leaves the outcome unsettled: a heavy sweep is needed.
    void BeginAt(std::span<const SwitchIndex> switches, std::uint64_t now_us);
    /// While a targeted sweep runs: asks this switch too. False: no targeted sweep, or no switch.
    bool AlsoAt(SwitchIndex at, std::uint64_t now_us);
    /// Targets of one targeted sweep; more need a heavy sweep.
    static constexpr std::size_t kMaxTargets = TargetedSweep::kMaxTargets;
    /// Asks as many questions as the window admits.
    void Step(std::uint64_t now_us);
    /// Takes an answer to a question of kDiscoveryClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// True when no question is left or under way, or when a targeted sweep is void: it has met
    /// something that only a heavy sweep can judge.
    [[nodiscard]] bool done() const {
        if (running_ && is_void()) return true;
        return running_ && !targeted_.must_restart() && queue_.empty() && asker_.in_flight() == 0;
    }
    /// Finish() may be called though end ports, and only end ports, have not answered yet. True
    /// soon if the sweep is targeted or `hurried` (another sweep is wanted). Else true after a
    /// while, if they are few and this is neither the first sweep nor a leisurely one.
    [[nodiscard]] bool MayEndEarly(std::uint64_t now_us, bool hurried) const;
    /// When MayEndEarly() may become true, or Step() has work without an answer; kNever: not by
    /// time alone.
    [[nodiscard]] std::uint64_t NextDeadlineUs(std::uint64_t now_us) const;
    /// The heavy sweep under way waits for late end ports until another sweep is wanted.
    void TakeTime() {
        EMBER_ASSERT(running_);
        is_leisurely_ = true;
    }
    /// Drops nodes and links that were not met, and reports. A known host that has not answered yet
    /// stays as it was if its link is up. Asserts done(), or that only minor questions are open.
    Outcome Finish(std::uint64_t now_us, SubnetEvents& events);
    /// Gives the sweep up; the fabric keeps what was learnt.
    void Abandon();

    [[nodiscard]] std::uint32_t sweep() const { return outcome_.sweep; }
    /// When a whole sweep may take in what was left alone; kNever: nothing is.
    [[nodiscard]] std::uint64_t NextLookUs() const { return exits_.NextLookUs(); }
    /// True when it is due; then it is not for a while.
    [[nodiscard]] bool TakeLook(std::uint64_t now_us) { return exits_.TakeLook(now_us); }
    [[nodiscard]] const Outcome& outcome() const { return outcome_; }

private:
    void Start(std::uint64_t now_us);
    void End();
    bool Ask(const Probe& probe, std::uint64_t now_us);
    void Cross(const Probe& probe, std::uint64_t now_us);
    bool AskNextSwitchPort(const Probe& probe, std::uint64_t now_us);

    void Take(const Probe& probe, const Answer& answer, std::uint64_t now_us);
    [[nodiscard]] bool AsksAgain(const Probe& probe, const PortInfo& info);
    void OnSwitchInfo(Switch& row, const SwitchInfo& info, std::uint64_t now_us);
    void OnPortInfo(PortIndex at, const PortInfo& info, std::uint64_t now_us);
    void OnExternalPort(PortIndex at, std::uint64_t now_us);
    void OnSilence(const Probe& probe, std::uint64_t now_us);
    /// True for a targeted sweep that has met something that only a heavy sweep can judge.
    [[nodiscard]] bool is_void() const { return outcome_.targeted && outcome_.unsettled; }

    void StartTargeted();

    Fabric& fabric_;
    KnownMKeys& keys_;
    Log& log_;
    Arena& scratch_;
    Outcome outcome_;
    SweepNotes notes_;
    ProbeQueue queue_;
    SweepAsker asker_;
    Claims claims_;
    TargetedSweep targeted_;
    SweepLinks links_;
    SweepReview review_;
    ExitGuard exits_;
    SweptNodes nodes_;
    std::size_t mark_ = 0;  ///< Bytes of the arena in use when the sweep began.
    bool running_ = false;
    bool is_leisurely_ = false;
    bool has_swept_ = false;  ///< A sweep has ended.
};

}  // namespace ember
