// SPDX-License-Identifier: Apache-2.0
// EmberSM: answers that claim the GUID or the port of another node.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/discovery/probe_queue.h"
#include "core/discovery/sweep_notes.h"
#include "core/discovery/sweep_outcome.h"
#include "core/fabric/fabric.h"
#include "core/wire/node_info.h"

namespace ember {

/// Says which node has a GUID or a port that two claim.
///
/// A node may state a false GUID. So a GUID stays with the node that had it in the last sweep, as
/// long as that node answers at its old place. A claim behind another exit waits until all other
/// questions are answered or timed out: then the old node has answered too, or is gone.
class Claims {
public:
    struct Parts {
        Fabric& fabric;
        ProbeQueue& queue;
        SweepNotes& notes;
        SweepOutcome& outcome;
    };

    explicit Claims(const Parts& parts)
        : fabric_(parts.fabric),
          queue_(parts.queue),
          notes_(parts.notes),
          outcome_(parts.outcome) {}
    Claims(const Claims&) = delete;
    Claims& operator=(const Claims&) = delete;

    /// True when the answer names a node that had another place in the last sweep, and may still be
    /// there. A nearer or quicker node must not get another's GUID, LIDs and routes by claiming it.
    [[nodiscard]] bool MustWait(const Probe& probe, const NodeInfo& info) const;
    /// Two end nodes with one PortGUID: the first one keeps it, and the other one is left alone.
    /// True if the answer is the other one's.
    [[nodiscard]] bool IsNamesake(const Probe& probe, const NodeInfo& info, std::uint64_t now_us);
    /// Gives port 0 of a switch its PortGUID. A host or router that has claimed it is dropped:
    /// without a GUID a switch gets no LID, and so a host could take any switch its address by
    /// being met before it. Our own port stays what it is, and a host may be playing an untrusted
    /// switch.
    void NameSwitch(NodeIndex at, Guid guid, std::uint64_t now_us);
    /// Refuses a node of another type or port count that has the GUID of `node`.
    void RefuseDuplicate(Node& node, const NodeInfo& info, const Probe& probe,
                         std::uint64_t now_us);
    /// The link of the probe leads to a port that has another link: both are asked again, a few
    /// times, and then the port keeps the other link.
    void Conflict(const Probe& probe, PortIndex far, std::uint64_t now_us);

private:
    [[nodiscard]] PortIndex NamesakeOf(const NodeInfo& info) const;
    void DropNamesake(PortIndex at);
    void Count(bool is_others);

    Fabric& fabric_;
    ProbeQueue& queue_;
    SweepNotes& notes_;
    SweepOutcome& outcome_;
};

}  // namespace ember
