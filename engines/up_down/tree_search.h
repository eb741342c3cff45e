// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routes where every cable joins two levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/routing/engine.h"
#include "core/routing/hops.h"
#include "core/routing/topology.h"
#include "engines/exit_finder.h"
#include "engines/up_down/levels.h"

namespace ember {

/// Finds the exits on least legal ways, up first and then down, in a fabric in which every cable
/// joins two levels: in every proper tree.
///
/// There a way that goes only down is as long as the levels are apart, and any other way is longer.
/// So two sweeps suffice for 64 columns: from the bottom to the top, how far each switch is above a
/// destination; then from the top to the bottom, whether a step up first is shorter. And whether a
/// switch may pass a packet down can be read from its hops: it may when they are the levels'
/// difference.
class TreeSearch {
public:
    /// Above this level hops and levels might no longer tell ways apart in one octet.
    static constexpr std::uint16_t kTopLevel = 60;

    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(HopStride(limits.max_switches));
    }

    constexpr TreeSearch() = default;
    TreeSearch(const TreeSearch&) = delete;
    TreeSearch& operator=(const TreeSearch&) = delete;

    /// `levels`: without a flat cable, its top at most kTopLevel. `free_roots`: any shortest way to
    /// a switch of level 0 is legal; task.hops then counts 1 for every cable. `hops` is filled.
    struct Case {
        RoutingTask task;
        const Levels* levels = nullptr;
        UpDownRule rule = UpDownRule::kFromRoots;
        bool free_roots = false;
        Matrix<SwitchIndex, std::uint8_t> hops;
    };
    void Begin(const Case& given);
    /// 64 columns.
    [[nodiscard]] Progress Advance();

    /// As ExitFinder::Find().
    void Find(SwitchIndex here,
              std::size_t first,
              std::size_t words,
              std::span<std::uint64_t> masks) const;

private:
    [[nodiscard]] bool IsUp(SwitchIndex from, SwitchIndex to) const;
    [[nodiscard]] SwitchIndex FromTop(std::size_t i) const;
    void SweepUp(std::size_t first);
    void SweepDown(std::size_t first);
    void FreeRoots(std::size_t first);
    template <std::size_t kWords>
    void Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const;

    Case case_;
    std::span<std::uint8_t> level_;  ///< By switch; 255: none.
    std::size_t next_ = 0;           ///< First of the next 64 columns.
};

}  // namespace ember
