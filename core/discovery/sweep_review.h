// SPDX-License-Identifier: Apache-2.0
// EmberSM: which nodes and links outlast a sweep.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/discovery/room_donors.h"
#include "core/discovery/sweep_links.h"
#include "core/discovery/sweep_notes.h"
#include "core/discovery/sweep_outcome.h"
#include "core/exchange/exchange.h"
#include "core/fabric/events.h"
#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/log/log.h"
#include "core/settings/settings.h"

namespace ember {

/// Looks over Fabric when a sweep has ended: what was not met, or did not answer enough, is
/// dropped, unless its silence proves nothing.
class SweepReview {
public:
    struct Parts {
        Fabric& fabric;
        const Exchange& exchange;
        Log& log;
        Arena& scratch;
        SweepNotes& notes;
        SweepLinks& links;
        SweepOutcome& outcome;
    };

    SweepReview(const Parts& parts, const Settings& settings)
        : fabric_(parts.fabric),
          exchange_(parts.exchange),
          log_(parts.log),
          scratch_(parts.scratch),
          notes_(parts.notes),
          links_(parts.links),
          outcome_(parts.outcome),
          settings_(settings) {}
    SweepReview(const SweepReview&) = delete;
    SweepReview& operator=(const SweepReview&) = delete;

    /// The exit that owed room last; kNoPortIndex: none has, or it is gone.
    [[nodiscard]] PortIndex donor() const { return FindEnd(fabric_, donor_); }
    /// Keeps silent switches on lossy paths, where silence proves nothing, and what others do not
    /// tell. Finds out whether we are cut off.
    void KeepPartlyReadSwitches(std::uint64_t now_us);
    /// Drops nodes and links, and lets nodes behind the exit that owes room give way.
    void Run(const OwedRoom& owed, std::uint64_t now_us, SubnetEvents& events);

private:
    [[nodiscard]] bool IsUnusable(const Node& node) const;
    void KeepHosts();
    void FindUnsettled();
    void DropUnusable(std::uint64_t now_us, SubnetEvents& events);
    void WriteOutOfService(const Node& node, std::uint64_t now_us, SubnetEvents& events) const;
    void MakeRoom(const OwedRoom& owed, std::uint64_t now_us, SubnetEvents& events);

    Fabric& fabric_;
    const Exchange& exchange_;
    Log& log_;
    Arena& scratch_;
    SweepNotes& notes_;
    SweepLinks& links_;
    SweepOutcome& outcome_;
    const Settings& settings_;
    LinkEnd donor_;                     ///< kNoGuid: none has owed room.
    std::uint32_t made_room_ = 0;       ///< Number of the last sweep that made room.
    std::uint32_t rooms_in_a_row_ = 0;  ///< Sweeps that made room since one that owed none.
};

}  // namespace ember
