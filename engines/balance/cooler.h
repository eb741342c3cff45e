// SPDX-License-Identifier: Apache-2.0
// EmberSM: takes load off the busiest cables, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/balance/exit_block.h"
#include "engines/balance/ledger.h"

namespace ember {

/// Changes exits, one switch and one receiver at a time, as long as the busiest cables get less.
///
/// To change an exit is to move a flow from one way to another, from the switch to where both meet
/// again. It is done when the busiest cable of the new stretch, the flow included, then carries
/// less than the busiest of the old one did. So the loads, sorted, become lexicographically less
/// with every change: there is an end, and the busiest cable never gets more.
///
/// Only receivers that pass a cable above a threshold are looked at. The first threshold is what no
/// routing can go below (a full host link, the mean, the share of a switch's cables in what its own
/// end ports send), so a fabric that is there already costs one look at its cables. When nothing
/// moves any more, cables a little below are cooled as well, which makes room. When that is over
/// too, some flows are moved sideways, to stretches that become as busy as the old ones were, by a
/// chance that is the same everywhere; then it is tried again, some rounds.
class Cooler {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(std::size_t{limits.max_switches} *
                                             limits.max_switch_ports) +
               2 * Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               Arena::BytesFor<std::uint64_t>(BitSet::WordsFor(limits.max_lid));
    }

    /// `whole_load`: of WholeLoad(). It is good enough.
    void Begin(Ledger& ledger, ExitBlock& block, std::uint32_t whole_load, Arena& scratch);
    [[nodiscard]] Progress Advance();

private:
    enum class Phase : std::uint8_t { kMark, kFind, kVisit };

    /// Work is counted, not timed, so that the result is the same everywhere: in switches visited
    /// and cables compared, some nanoseconds each. The second number is for every switch and
    /// receiver.
    static constexpr std::uint64_t kBudget = std::uint64_t{1} << 25;
    static constexpr std::uint64_t kBudgetPerRoute = 4;
    static constexpr std::uint64_t kWorkPerSlice = 1 << 15;
    static constexpr std::uint32_t kSlack = 256;
    static constexpr std::uint32_t kNear = 20;
    static constexpr std::uint32_t kRounds = 12;  ///< Sideways in vain, in a row.

    [[nodiscard]] std::uint32_t Goal() const;
    [[nodiscard]] std::uint32_t BusiestLoad() const;
    [[nodiscard]] bool EndPass();
    [[nodiscard]] bool EndRound();
    void Work();
    void MarkNext();
    void FindNext();
    void GatherColumns();
    void VisitNext();
    void MeasureFlows();
    void Improve(SwitchIndex here);
    [[nodiscard]] bool IsHeads();
    [[nodiscard]] bool IsBetter(SwitchIndex here, std::uint8_t port, std::uint32_t& best);
    void Move(SwitchIndex here, std::uint8_t port);

    /// The exit that a switch has for the receiver that is visited.
    [[nodiscard]] std::uint8_t& ExitOf(SwitchIndex at) const {
        return columns_[Raw(at) * std::size_t{crowd_.count} + receiver_];
    }
    /// Row of a port in Topology::all_exits().
    [[nodiscard]] std::size_t RowOf(SwitchIndex at, std::uint8_t port) const {
        return topology_->switch_row(at).first_exit + std::size_t{port};
    }

    Ledger* ledger_ = nullptr;
    const Topology* topology_ = nullptr;
    ExitBlock* block_ = nullptr;
    ExitList exits_;
    std::span<const Exit> cables_;     ///< Topology::all_exits().
    std::span<std::uint32_t> loads_;   ///< Of these.
    std::span<std::uint8_t> columns_;  ///< By switch, then by receiver of the crowd: exits.
    std::span<std::uint32_t> flows_;   ///< By switch: what it sends to the receiver visited.
    std::span<std::uint32_t> peaks_;   ///< By switch: the busiest cable on its way to the receiver.
    std::span<const SwitchIndex> order_;  ///< Switches by distance from the crowd.
    std::span<const std::uint8_t> hops_;  ///< Their distances.
    BitSet marks_;                        ///< Receivers to visit.
    Crowd crowd_;                         ///< That of the receiver visited.
    std::size_t receiver_ = 0;            ///< In the crowd.
    std::size_t next_ = 0;                ///< Switch to mark, or crowd to visit.
    std::uint64_t work_ = 0;
    std::uint64_t budget_ = 0;
    std::uint64_t moves_ = 0;  ///< In this pass.
    std::uint32_t goal_ = 0;   ///< No routing's busiest cable carries less.
    std::uint32_t threshold_ = 0;
    std::uint32_t best_ = 0;    ///< What the busiest cable carried after the best round.
    std::uint32_t rounds_ = 0;  ///< Since then.
    std::uint64_t chance_ = 0;
    bool is_wide_ = false;      ///< Cables a little below least_ are cooled too.
    bool is_sideways_ = false;  ///< In this pass flows may move to what is as busy.
    Phase phase_ = Phase::kMark;
};

}  // namespace ember
