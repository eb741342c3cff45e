// SPDX-License-Identifier: Apache-2.0
// EmberSM: moves flows off the busiest links, one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/balance/exit_block.h"
#include "engines/balance/link_loads.h"

namespace ember {

/// Changes exits, one switch and one receiver at a time, as long as the load of the busiest links
/// falls.
///
/// To change an exit is to move a flow from one path to another, from the switch to where both meet
/// again. A flow moves when the busiest link of the new stretch, the flow included, carries less
/// than the busiest of the old stretch did. So the loads, sorted, become lexicographically less
/// with every move: the search ends, and the load of the busiest link never rises.
///
/// Links whose rates differ are compared by their load over their rate: the load of a link at a
/// fourth of the fastest rate counts four times. Not so in a regular tree (RegularTreeLoad()),
/// where links that differ never serve for the same flow.
///
/// Only receivers whose traffic passes a link above a threshold are looked at. The first threshold
/// is a lower bound of every routing (a full host link, the mean, a link's share of what the end
/// ports of its own switch send), so routes that reach it already cost one look at the loads. When
/// no flow moves any more, links a little below the threshold are relieved as well, which makes
/// room. When that ends too, some flows make sideways moves, to stretches that become as busy as
/// the old ones were, by random numbers that are the same on every platform; then the search goes
/// on, for some rounds.
class LocalSearch {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(std::size_t{limits.max_switches} *
                                             limits.max_switch_ports) +
               2 * Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               Arena::BytesFor<std::uint64_t>(BitSet::WordsFor(limits.max_lid));
    }

    /// `accepted_load`: RegularTreeLoad(), in units: the search ends when no link carries more. All
    /// base LIDs of end ports have exits, and `block` has loaded the blocks of their switches.
    /// Where it has no choice the search ends at once: dimension order on links that are not
    /// doubled.
    void Begin(LinkLoads& link_loads, ExitBlock& block, std::uint32_t accepted_load,
               Arena& scratch);
    [[nodiscard]] Progress Advance();

private:
    enum class Phase : std::uint8_t { kMark, kFind, kVisit };

    /// Work is counted, not timed, so that the result is the same on every platform: in switches
    /// visited and links compared, some nanoseconds each. The second number is for every switch and
    /// receiver.
    static constexpr std::uint64_t kBudget = std::uint64_t{1} << 25;
    static constexpr std::uint64_t kBudgetPerRoute = 4;
    static constexpr std::uint64_t kWorkPerSlice = 1 << 15;
    static constexpr std::uint32_t kSlack = 256;
    static constexpr std::uint32_t kNear = 20;
    static constexpr std::uint32_t kUnweighed = 4;
    static constexpr std::uint32_t kMostWeight = 16 * kUnweighed;
    static constexpr std::uint32_t kRounds = 12;  ///< Rounds in a row that better nothing.

    void WeighLoads();
    [[nodiscard]] std::uint32_t TargetLoad() const;
    [[nodiscard]] std::uint32_t BusiestLoad(std::uint32_t bound) const;
    [[nodiscard]] std::uint32_t Below(std::uint32_t load) const;
    [[nodiscard]] bool EndPass();
    [[nodiscard]] bool EndRound();
    [[nodiscard]] bool EndRelief();
    void Work();
    void MarkNext();
    void FindNext();
    void VisitNext();
    void MeasureFlows();
    void Improve(SwitchIndex here);
    [[nodiscard]] bool TossCoin();
    template <bool kIsWeighed>
    void ImproveBy(SwitchIndex here);
    template <bool kIsWeighed>
    [[nodiscard]] bool IsBetter(SwitchIndex here, std::uint8_t port, std::uint32_t& best);
    template <bool kIsWeighed>
    void Move(SwitchIndex here, std::uint8_t port);
    /// The weight of a flow over this link.
    template <bool kIsWeighed>
    [[nodiscard]] std::uint32_t Weighed(std::uint32_t flow, std::size_t row) const {
        return kIsWeighed ? flow * weights_[links_[row].speed] : flow;
    }

    /// The exit of a switch for the receiver that is visited.
    [[nodiscard]] std::uint8_t& ExitOf(SwitchIndex at) const {
        return columns_[Raw(at) * std::size_t{leaf_.count} + receiver_];
    }
    /// Row of a port in Topology::all_exits().
    [[nodiscard]] std::size_t RowOf(SwitchIndex at, std::uint8_t port) const {
        return topology_->switch_row(at).first_exit + std::size_t{port};
    }

    LinkLoads* link_loads_ = nullptr;
    const Topology* topology_ = nullptr;
    ExitBlock* block_ = nullptr;
    ExitList exits_;
    std::span<const Exit> links_;         ///< Topology::all_exits().
    std::span<std::uint32_t> loads_;      ///< Of these.
    std::span<std::uint8_t> columns_;     ///< By switch, then by receiver of the leaf: exits.
    std::span<std::uint32_t> flows_;      ///< By switch: units that it sends to the receiver.
    std::span<std::uint32_t> peaks_;      ///< By switch: load of the busiest link to the receiver.
    std::span<const SwitchIndex> order_;  ///< Switches by distance from the leaf.
    std::span<const std::uint8_t> hops_;  ///< Their distances.
    BitSet marks_;                        ///< Receivers to visit.
    LeafSwitch leaf_;                     ///< Of the receiver visited.
    std::size_t receiver_ = 0;            ///< Of the leaf, counted from 0.
    std::size_t next_ = 0;                ///< Switch to mark, or leaf to visit.
    std::uint64_t work_ = 0;
    std::uint64_t budget_ = 0;
    std::uint64_t moves_ = 0;   ///< In this pass.
    std::uint32_t target_ = 0;  ///< A busiest link that carries no more is good enough.
    std::uint32_t threshold_ = 0;
    std::uint32_t best_ = 0;    ///< Load of the busiest link after the best round.
    std::uint32_t rounds_ = 0;  ///< Since then.
    std::uint64_t random_ = 0;
    /// By LinkSpeed: what a unit counts; kUnweighed at the fastest rate.
    std::array<std::uint32_t, LinkSpeeds::kNumbers> weights_{};
    bool is_weighed_ = false;
    bool is_wide_ = false;      ///< Links a little below the target are relieved too.
    bool is_sideways_ = false;  ///< In this pass flows may move to a stretch as busy.
    bool relieves_ = false;     ///< The budget was used up: the busiest links of all come last.
    Phase phase_ = Phase::kMark;
};

}  // namespace ember
