// SPDX-License-Identifier: Apache-2.0
// EmberSM: the links that a sweep finds, and those that it gives up.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/discovery/claims.h"
#include "core/discovery/probe.h"
#include "core/discovery/sweep_notes.h"
#include "core/discovery/sweep_outcome.h"
#include "core/discovery/targeted_sweep.h"
#include "core/fabric/fabric.h"
#include "core/links/flapping_links.h"
#include "core/wire/port_info.h"

namespace ember {

/// Connects ports in Fabric as answers say, and gives up links that were not confirmed.
class SweepLinks {
public:
    struct Parts {
        Fabric& fabric;
        FlappingLinks& flapping;  ///< Hears of every lost link.
        SweepNotes& notes;
        Claims& claims;
        TargetedSweep& targeted;
        SweepOutcome& outcome;
    };

    explicit SweepLinks(const Parts& parts)
        : fabric_(parts.fabric),
          flapping_(parts.flapping),
          notes_(parts.notes),
          claims_(parts.claims),
          targeted_(parts.targeted),
          outcome_(parts.outcome) {}
    SweepLinks(const SweepLinks&) = delete;
    SweepLinks& operator=(const SweepLinks&) = delete;

    /// The exit of the probe leads to `far`, unless another link that this sweep has found says
    /// otherwise.
    void Connect(const Probe& probe, PortIndex far, std::uint64_t now_us);
    /// Gives up the link of a port.
    void Lose(PortIndex at, std::uint64_t now_us);
    /// The same where the port itself reports that its link is down; a silent peer would prove
    /// nothing about the link.
    void LoseReported(PortIndex at, std::uint64_t now_us);
    /// A port that was configured and is in INIT again, by the PortInfo that was read now, was down
    /// in between: its link has retrained.
    void NoteRetraining(PortIndex at, const PortInfo& info, std::uint64_t now_us);
    /// Drops links that this sweep did not confirm, and rates new ones.
    void Review(std::uint64_t now_us);

private:
    void EnterTrusted(PortIndex exit, NodeIndex at);
    void LoseRivals(PortIndex near_end, PortIndex far_end, std::uint64_t now_us);
    void RememberSilent(PortIndex exit);

    Fabric& fabric_;
    FlappingLinks& flapping_;
    SweepNotes& notes_;
    Claims& claims_;
    TargetedSweep& targeted_;
    SweepOutcome& outcome_;
};

}  // namespace ember
