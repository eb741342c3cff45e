// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes of the subnet manager to all switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/routing/home_column.h"

namespace ember {

/// Completes the paths from a subnet manager that sits on a mere switch to other switches' own
/// LIDs: up/down routing has none between two tops of a tree, and a switch whose trap is not
/// repressed repeats it. These packets are SMPs too and add nothing to a credit loop: see
/// HomeColumn.
///
/// The path leads over mere switches that would drop to the nearest one from which packets arrive,
/// and nothing else is written. Every switch on a legal path has a legal path itself, so no such
/// path leads back here and no loop can arise. A path that was completed once stays while packets
/// arrive by it.
///
/// A manager behind a switch with end ports gets no such paths: packets of those end ports would
/// take them too, and these wait for buffers.
class HomeRow {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<Step>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches);
    }

    constexpr HomeRow() = default;
    HomeRow(const HomeRow&) = delete;
    HomeRow& operator=(const HomeRow&) = delete;

    /// All that `task` shows stands still until Advance() says kDone.
    void Begin(const HomeTask& task, Arena& scratch);
    [[nodiscard]] Progress Advance();

private:
    static constexpr std::size_t kStepsPerSlice = 32'768;  // Looks at entries, far apart in memory.

    /// How the search came to a switch.
    struct Step {
        SwitchIndex from = kNoSwitch;
        std::uint8_t port = 0;  ///< Of `from`.
    };

    [[nodiscard]] bool Arrives(SwitchIndex from, SwitchIndex to, Lid lid);
    void Complete(SwitchIndex to, Lid lid);
    [[nodiscard]] bool Meet(SwitchIndex here, const Trunk& trunk);
    void WriteWay(SwitchIndex last, Lid lid) const;

    HomeTask task_;
    SwitchIndex home_ = kNoSwitch;  ///< kNoSwitch: there is nothing to do.
    std::span<SwitchIndex> queue_;
    std::span<Step> came_;           ///< By switch.
    std::span<std::uint32_t> seen_;  ///< By switch: the last search that met it.
    std::uint32_t searches_ = 0;
    std::size_t queued_ = 0;  ///< Switches in the queue.
    std::size_t next_ = 0;    ///< Destination.
    std::size_t steps_ = 0;   ///< Of this slice.
};

}  // namespace ember
