// SPDX-License-Identifier: Apache-2.0
// EmberSM: which exits a sweep crosses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/discovery/port_quotas.h"
#include "core/discovery/probe_queue.h"
#include "core/discovery/room_donors.h"
#include "core/discovery/shut_doors.h"
#include "core/discovery/sweep_outcome.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/wire/node_info.h"

namespace ember {

/// Leaves exits alone behind which a host may play a fabric: PortQuotas says which, and ShutDoors
/// for how long.
class ExitGuard {
public:
    struct Parts {
        Fabric& fabric;
        Log& log;
        ProbeQueue& queue;
        SweepOutcome& outcome;
    };

    explicit ExitGuard(const Parts& parts)
        : fabric_(parts.fabric),
          log_(parts.log),
          queue_(parts.queue),
          outcome_(parts.outcome),
          quotas_(parts.fabric) {}
    ExitGuard(const ExitGuard&) = delete;
    ExitGuard& operator=(const ExitGuard&) = delete;

    /// Octets that Begin() takes from its arena; End() forgets them.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return PortQuotas::ScratchBytes(limits);
    }
    void Begin(Arena& scratch) { quotas_.Begin(scratch); }
    void End() { quotas_.End(); }
    /// A heavy sweep starts. `donor`: the exit that owed room last; kNoPortIndex: none.
    void StartHeavy(PortIndex donor);
    /// A targeted sweep starts, or starts again.
    void StartTargeted() { quotas_.Restart(true); }
    /// A heavy sweep has ended well.
    void EndHeavy() { doors_.EndSweep(); }

    /// True when the probe's exit may be crossed now. If it may be crossed later, the probe waits.
    [[nodiscard]] bool Passes(const Probe& probe, std::uint64_t now_us);
    /// All admitted exits were crossed: crowded ones get larger shares.
    void DoubleShares() { quotas_.DoubleShares(); }
    /// A node was met behind `exit`.
    void Count(PortIndex exit, const Node& node, std::uint64_t now_us);
    /// There was no room for the node behind `exit`.
    void CountRefusal(PortIndex exit, const NodeInfo& info);
    /// At the end of a sweep: the exit that owes room to nodes that were refused.
    [[nodiscard]] OwedRoom FindOwedRoom() { return quotas_.FindOwedRoom(outcome_.sweep); }

    /// When a heavy sweep may take in what was left alone; kNever: nothing is.
    [[nodiscard]] std::uint64_t NextLookUs() const { return doors_.NextLookUs(); }
    /// True when it is due; then it is not for a while.
    [[nodiscard]] bool TakeLook(std::uint64_t now_us) { return doors_.TakeLook(now_us); }

private:
    [[nodiscard]] bool OpensDoor(PortIndex exit, std::uint64_t now_us);

    Fabric& fabric_;
    Log& log_;
    ProbeQueue& queue_;
    SweepOutcome& outcome_;
    PortQuotas quotas_;
    ShutDoors doors_;  ///< Exits behind which not all nodes were taken in.
};

}  // namespace ember
