// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes of all switches to the subnet manager.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"
#include "core/routing/engine.h"

namespace ember {

/// The input of HomeColumn and HomeRow.
struct HomeTask {
    const Topology* topology = nullptr;
    Matrix<SwitchIndex, std::uint8_t> lfts;
    /// Not null: the tables were mended, and the entries that they may complete were left as they
    /// stood where no way is legal. Entries that are written are counted and noted in both.
    Mended* mended = nullptr;
    ChangeLog* log = nullptr;

    void Write(SwitchIndex at, Lid lid, std::uint8_t port) const {
        lfts[at][Raw(lid)] = port;
        if (mended == nullptr) return;
        ++mended->entries;
        ++mended->switches;
        if (log != nullptr) log->Note(at, lid);
    }
};

/// Completes the columns of the subnet manager's own LIDs. Up/down routing has no legal path to it
/// from some switches: from the other tops of a tree when it sits on one of them, from the switches
/// of a pod above a leaf that a link was lost to. Their traps would be lost.
///
/// Only a mere switch, behind which no end port is, gets a route that is not legal, and only where
/// it would drop: then no packet of an end port comes by, or its path would end there. Switches
/// send SMPs alone to the manager by LID. These travel on VL15 and wait for no data, so they add
/// nothing to a credit loop, and Verifier counts such routes to switches' own traffic. Each
/// completed entry leads to a neighbor from which packets arrive, the nearest by the present
/// routes, so no loop can arise.
class HomeColumn {
public:
    /// The most that Complete() takes from its arena, and gives back.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<bool>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    /// A single slice. Nothing is done when the manager's port has no LID or hangs on no switch. Of
    /// mended tables those entries of mere switches from which packets do not arrive are written
    /// anew.
    static void Complete(const HomeTask& task, Arena& scratch);

private:
    HomeColumn(const HomeTask& task, const Destination& home, Arena& scratch);
    void CompleteLid(Lid lid);
    void Follow(Lid lid, bool may_replace);
    void DropStrays(Lid lid);
    void Arrive(SwitchIndex at) {
        arrives_[Raw(at)] = true;
        queue_[count_++] = at;
    }

    const HomeTask& task_;
    const Topology& topology_;
    const Destination& home_;
    std::span<bool> arrives_;       ///< By switch: its packets do.
    std::span<SwitchIndex> queue_;  ///< Switches whose packets do, in the order found.
    std::size_t count_ = 0;         ///< Of these.
};

}  // namespace ember
