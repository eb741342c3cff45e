// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routes where every link has an upper and a lower end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/guid_order.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"
#include "engines/spread/exit_marks.h"
#include "engines/up_down/crown.h"
#include "engines/up_down/levels.h"

namespace ember {

/// Finds the exits on legal paths, up first and then down, where switches stand in one order from
/// the top to the bottom: of two that a link joins, one is above the other.
///
/// A packet goes up until it can go down as far as the destination, and then down. Two sweeps
/// suffice for 64 columns. The first, from the bottom to the top, finds how far each switch is
/// above a destination. The second, from the top to the bottom, finds for the others how far they
/// are by a step up. In a proper tree these paths are the shortest legal ones.
class SweepSearch {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        const std::size_t search = 2 * Arena::BytesFor<Columns>(limits.max_switches) +
                                   Arena::BytesFor<std::uint64_t>(HopBytes(limits) / kColumns) +
                                   Arena::BytesFor<std::uint64_t>(limits.max_switches) +
                                   SortScratchBytes<SwitchIndex>(limits.max_switches);
        return Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               std::max(search, CrownScratchBytes(limits));
    }

    constexpr SweepSearch() = default;
    SweepSearch(const SweepSearch&) = delete;
    SweepSearch& operator=(const SweepSearch&) = delete;

    struct Case {
        RoutingTask task;
        const Levels* levels = nullptr;
        UpDownRule rule = UpDownRule::kFromRoots;
        /// Any shortest path to a switch of level 0 is legal.
        bool free_roots = false;
        /// By switch: of two on one level the one with the smaller number is above. Empty: no link
        /// joins two of one level.
        std::span<const std::uint64_t> ids;
        /// Each island gets one top (see Crown()): paths are longer and no pair is lost. Needs
        /// `ids`.
        bool crowned = false;
        /// No path takes an odd link (Levels::IsOdd()).
        bool leaves_out_flat = false;
        /// loses_pair() is found out. Reads task.hops.
        bool counts_losses = false;
        /// Is filled. May be the memory of task.hops: each octet of that is read first.
        Matrix<SwitchIndex, std::uint8_t> hops;
    };
    void Begin(const Case& given);
    /// Finds the next 64 columns.
    [[nodiscard]] Progress Advance();
    /// Under Case::counts_losses: among the columns so far, two switches with end ports are
    /// connected and no path between them is legal.
    [[nodiscard]] bool loses_pair() const { return loses_pair_; }
    /// The switch above all others, or above those of its island.
    [[nodiscard]] SwitchIndex first() const { return from_top_.front(); }

    /// As ExitFinder::Find().
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const;

private:
    void OrderSwitches();
    [[nodiscard]] bool IsUp(SwitchIndex from, SwitchIndex to) const {
        return place_[Raw(to)] < place_[Raw(from)];
    }
    [[nodiscard]] bool Uses(SwitchIndex here, const Trunk& trunk) const {
        return !case_.leaves_out_flat || !case_.levels->IsOdd(here, trunk.peer);
    }
    void SweepUp(std::size_t first);
    void SweepDown();
    void Keep(std::size_t first);
    [[nodiscard]] bool LosesPair(std::size_t first) const;
    [[nodiscard]] bool HasEndPorts(SwitchIndex at) const {
        return !case_.task.topology->IsMere(at);
    }
    [[nodiscard]] std::uint64_t FreeColumns(std::size_t first) const;
    /// A bit for each of 64 columns that `from` reaches by going down only, or by any shortest
    /// path.
    [[nodiscard]] std::uint64_t& Descent(SwitchIndex from, std::size_t first) const {
        return descent_[first / kColumns * place_.size() + Raw(from)];
    }
    template <std::size_t kWords>
    void Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const;

    Case case_;
    std::span<SwitchIndex> from_top_;  ///< All switches.
    std::span<std::uint16_t> place_;   ///< By switch: its row there.
    // Of the 64 columns at work, by switch.
    std::span<Columns> down_;           ///< Hops by going down only; kNoHops: no path.
    std::span<Columns> any_;            ///< Hops of legal paths.
    std::span<std::uint64_t> descent_;  ///< By 64 columns, then by switch. See Descent().
    std::size_t next_ = 0;              ///< First of the next 64 columns.
    bool loses_pair_ = false;
};

}  // namespace ember
