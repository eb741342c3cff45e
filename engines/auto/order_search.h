// SPDX-License-Identifier: Apache-2.0
// EmberSM: exits on paths that need one lane, by an order of the switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/graph/hops.h"
#include "core/routing/engine.h"
#include "engines/auto/switch_order.h"
#include "engines/exit_finder.h"
#include "engines/spread/exit_marks.h"

namespace ember {

/// Finds the exits on paths that never go up in a SwitchOrder after they went down, to 64 switches
/// at a time. No packet then waits for a link that stands before one that it holds: one lane has no
/// credit loop, whichever exits are chosen, traffic of switches' port 0 included.
///
/// Where shortest paths between end ports are of that kind, all of them are candidates: a row
/// (switch, destination) that lies on one is *kept*. The other rows carry nothing but management,
/// and go down where they can, else up. A destination for which that does not work has no kept row.
/// Some paths to it may then be longer than the shortest; detours() counts those of end ports.
class OrderSearch {
public:
    /// The most that Begin() takes from its arena and Find() needs.
    [[nodiscard]] static constexpr std::size_t KeptBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(HopBytes(limits) / kColumns);
    }
    /// The most that it takes behind that, until Advance() says kDone.
    [[nodiscard]] static constexpr std::size_t SearchBytes(const Limits& limits) {
        return 5 * Arena::BytesFor<Columns>(limits.max_switches);
    }

    constexpr OrderSearch() = default;
    OrderSearch(const OrderSearch&) = delete;
    OrderSearch& operator=(const OrderSearch&) = delete;

    /// `order` is arranged, and stands still. `hops` is filled with the hops of what is found; it
    /// may be the memory of task.hops, of which each octet is read first.
    void Begin(const RoutingTask& task, const SwitchOrder& order,
               Matrix<SwitchIndex, std::uint8_t> hops);
    /// Does the next slice.
    [[nodiscard]] Progress Advance();
    /// Pairs of switches with end ports whose path is longer than the shortest.
    [[nodiscard]] std::uint64_t detours() const { return detours_; }
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const { return hops_; }

    /// As ExitFinder::Find().
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const;

private:
    /// Of the work on 64 columns.
    enum class Phase : std::uint8_t { kMarkUp, kMarkDown, kGoShortest, kGoDown, kGoUp, kKeep };

    [[nodiscard]] bool HaveEndPorts() const;
    [[nodiscard]] bool MarkUp();
    [[nodiscard]] bool MarkDown();
    void GoShortest();
    void GoDown();
    void KeepFalls(SwitchIndex here);
    void GoUp();
    void GoDownFirst(SwitchIndex here, Columns& bad);
    void Keep();
    [[nodiscard]] bool Drops(const Columns& bad);
    void CountDetours(SwitchIndex here);
    [[nodiscard]] const std::uint8_t* Shortest(SwitchIndex at) const {
        return task_.hops[at].data() + first_;
    }
    [[nodiscard]] std::size_t RowOf(SwitchIndex at, std::size_t first) const {
        return first / kColumns * bound_ + Raw(at);
    }
    template <std::size_t kWords>
    void Mark(SwitchIndex here, std::size_t first, std::span<std::uint64_t> masks) const;

    RoutingTask task_;
    const SwitchOrder* order_ = nullptr;
    Matrix<SwitchIndex, std::uint8_t> hops_;
    std::size_t bound_ = 0;
    std::size_t first_ = 0;  ///< Of the columns at work.
    Phase phase_ = Phase::kMarkUp;
    bool is_second_ = false;  ///< Rows of some columns were given up: the search is repeated.
    std::uint64_t detours_ = 0;
    // Of the columns at work, by switch; 0 or 255 but for hops.
    std::span<Columns> kept_;     ///< The row lies on a shortest path of end ports.
    std::span<Columns> arrived_;  ///< And packets arrive there from above.
    std::span<Columns> rises_;    ///< A shortest path goes up next.
    std::span<Columns> down_;     ///< Hops of the row if it only goes down; else kNoHops.
    std::span<Columns> any_;      ///< Hops of the row.
    // By 64 columns, then by switch: a bit for each column in which the row only goes down.
    std::span<std::uint64_t> falls_;
    std::size_t mark_ = 0;  ///< Where scratch stood behind that.
};

}  // namespace ember
