// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switches that a targeted sweep asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/discovery/probe_queue.h"
#include "core/discovery/sweep_outcome.h"
#include "core/fabric/fabric.h"

namespace ember {

/// Queues the questions of a targeted sweep, which asks only switches that have changed.
///
/// The sweep keeps the number of the last heavy sweep, so every known node counts as met. A target
/// is asked for all its ports again. Where a port's state has changed, or is INIT, its link is
/// crossed again, and the switch at the other end is a target too; a link that was and is above
/// INIT has not been down. An end node that has told of a change is asked for its PortInfo. New
/// nodes behind them are met as in a heavy sweep. A directed route through a lost link is
/// re-rooted: the switch gets another entry, if it has one.
///
/// A switch that lost a link may be lost altogether: when a switch dies, only one of many traps may
/// arrive. The neighbor by which it is entered is asked whether that link is up. If it is down, the
/// switch gets its next neighbor as entry, and that neighbor is asked, until none is left.
///
/// What only a heavy sweep can judge leaves the outcome unsettled.
class TargetedSweep {
public:
    /// Targets of one sweep; more need a heavy sweep.
    static constexpr std::size_t kMaxTargets = 40;

    TargetedSweep(Fabric& fabric, ProbeQueue& queue, SweepOutcome& outcome)
        : fabric_(fabric), queue_(queue), outcome_(outcome) {}
    TargetedSweep(const TargetedSweep&) = delete;
    TargetedSweep& operator=(const TargetedSweep&) = delete;

    /// Takes these switches as targets. Start() asks them.
    void Begin(std::span<const SwitchIndex> switches);
    /// Asks all targets, from the beginning. The queue is empty.
    void Start();
    /// The sweep has ended.
    void End() { is_running_ = false; }
    /// A path to a target was lost, or a target has changed since it was asked: Start() is due.
    [[nodiscard]] bool must_restart() const { return is_running_ && must_restart_; }

    /// Makes a switch a target, and asks it.
    void Add(SwitchIndex at);
    /// The same for one that may have answered already, before it changed: then all is asked again.
    /// Returns true if it was asked now.
    [[nodiscard]] bool AddChanged(SwitchIndex at);
    /// The same for the switch that has this port. Does nothing for a port of another node.
    void AddNodeOf(PortIndex at);
    /// The PortInfo of a port was read by which a path leads on. `has_moved`: its state has
    /// changed.
    void OnPortInfo(PortIndex at, bool has_moved);
    /// A link between these ports was given up.
    void OnLostLink(PortIndex at, PortIndex far);

private:
    void Keep(SwitchIndex at);
    void Ask(SwitchIndex at);
    void Suspect(NodeIndex at);
    void AskEntry(NodeIndex at);
    void CrossAgain(Port& port);
    void OnStateChange(PortIndex at);
    void AskStale(const Port& exit);
    void Reroot(NodeIndex at, PortIndex entry);
    [[nodiscard]] bool FindEntry(NodeIndex at);
    [[nodiscard]] bool EnterFromNeighbor(NodeIndex at, NodeIndex without);
    [[nodiscard]] bool LeadsToOwnNode(NodeIndex from, NodeIndex without) const;

    Fabric& fabric_;
    ProbeQueue& queue_;
    SweepOutcome& outcome_;
    std::uint32_t number_ = 0;    ///< Of the last start.
    std::uint32_t restarts_ = 0;  ///< Of the sweep under way.
    bool is_running_ = false;
    bool must_restart_ = false;
    StaticVector<SwitchIndex, kMaxTargets> targets_;
    StaticVector<NodeIndex, kMaxTargets> suspects_;  ///< Switches that may be gone.
};

}  // namespace ember
