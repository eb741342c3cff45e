// SPDX-License-Identifier: Apache-2.0
// EmberSM: the nodes that a sweep meets.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/discovery/claims.h"
#include "core/discovery/exit_guard.h"
#include "core/discovery/probe_queue.h"
#include "core/discovery/sweep_asker.h"
#include "core/discovery/sweep_links.h"
#include "core/discovery/sweep_notes.h"
#include "core/discovery/sweep_outcome.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/settings/settings.h"
#include "core/wire/node_info.h"

namespace ember {

/// Takes in nodes by their NodeInfo, which names the port by which the question entered them, and
/// queues further questions to those that are met for the first time in a sweep.
class SweptNodes {
public:
    struct Parts {
        Fabric& fabric;
        Log& log;
        ProbeQueue& queue;
        SweepAsker& asker;
        SweepNotes& notes;
        Claims& claims;
        SweepLinks& links;
        ExitGuard& exits;
        SweepOutcome& outcome;
    };

    SweptNodes(const Parts& parts, const Settings& settings)
        : fabric_(parts.fabric),
          log_(parts.log),
          queue_(parts.queue),
          asker_(parts.asker),
          notes_(parts.notes),
          claims_(parts.claims),
          links_(parts.links),
          exits_(parts.exits),
          outcome_(parts.outcome),
          settings_(settings) {}
    SweptNodes(const SweptNodes&) = delete;
    SweptNodes& operator=(const SweptNodes&) = delete;

    /// Takes the NodeInfo of our own node.
    void OnOwnNodeInfo(const Probe& probe, const NodeInfo& info, std::uint64_t now_us);
    /// Takes the NodeInfo of the node behind the exit of a probe.
    void OnNodeInfo(const Probe& probe, const NodeInfo& info, std::uint64_t now_us);

private:
    [[nodiscard]] Result<NodeIndex> Meet(const NodeInfo& info, const Probe& probe,
                                         std::uint64_t now_us);
    void Admit(NodeIndex at, const NodeInfo& info, PortIndex entry);
    void Arrive(const Probe& probe, PortIndex far, std::uint64_t now_us);
    [[nodiscard]] bool IsUnwanted(const Probe& probe, const NodeInfo& info, std::uint64_t now_us);
    void RefuseAtEdge(PortIndex edge, Guid other, std::uint64_t now_us);
    void CountNonsense(PortIndex entry, std::uint64_t now_us);

    Fabric& fabric_;
    Log& log_;
    ProbeQueue& queue_;
    SweepAsker& asker_;
    SweepNotes& notes_;
    Claims& claims_;
    SweepLinks& links_;
    ExitGuard& exits_;
    SweepOutcome& outcome_;
    const Settings& settings_;
};

}  // namespace ember
