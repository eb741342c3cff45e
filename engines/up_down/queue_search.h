// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routes as OpenSM finds them, on any fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "core/graph/trunk_weights.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"
#include "engines/up_down/levels.h"

namespace ember {

/// Paths that connect_roots permits beyond the legal ones.
struct ExtraTurns {
    /// updn: paths to a switch of level 0 may be shortest paths of the hop matrix, by the weights
    /// of hop_weights_file. No other pair gains a path.
    bool free_roots = false;
    /// dnup: in a second pass a forbidden turn is permitted and costs one hop more than the longest
    /// path without one.
    bool priced_turns = false;
};

/// Finds the exits on up/down paths one destination after the other, step by step as OpenSM 3.3.23
/// does: where links join switches of one level, the result depends on the steps.
///
/// There is a queue of switches, which begins with the destination. A switch that is taken from it
/// offers every neighbor a path one hop longer than its own least, unless that would be a step up
/// after a step down. Steps here lead away from the destination; packets take them backwards. A
/// port keeps the least offer made to it. A switch to which an offer is an improvement *at that
/// port* joins the queue again, even if its least was found before, and from then on counts as
/// reached by this last step. So a switch may offer a path that is too short for the step by which
/// it was last reached. This flaw of OpenSM's is kept for equal results.
class QueueSearch {
    // First, because clang 14 evaluates only templates whose bodies it has seen.
    /// A link, seen from one end, or from both if it leads to the same switch.
    struct Step {
        std::uint32_t far_exit = 0;  ///< Row of the other end's port in Topology::all_exits().
        SwitchIndex peer = kNoSwitch;
        std::uint8_t turn = 0;  ///< A Turn.
    };

    [[nodiscard]] static constexpr std::size_t CandidateBytes(const Limits& limits) {
        // A switch takes an octet for eight ports; port 0, which has a row too, takes none.
        const std::size_t octets =
            (limits.max_ports + std::size_t{6} * limits.max_switches) / 8 + 1;
        return HopStride(limits.max_switches) * octets;
    }

public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Step>(limits.max_ports) +
               Arena::BytesFor<std::uint8_t>(limits.max_ports) +
               TrunkWeights::ScratchBytes(limits) +
               Arena::BytesFor<std::uint64_t>(limits.max_switches) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               Arena::BytesFor<Reached>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::span<std::uint8_t>>(HopStride(limits.max_switches) / kColumns) +
               CandidateBytes(limits);
    }

    constexpr QueueSearch() = default;
    QueueSearch(const QueueSearch&) = delete;
    QueueSearch& operator=(const QueueSearch&) = delete;

    struct Case {
        RoutingTask task;
        const Levels* levels = nullptr;
        UpDownRule rule = UpDownRule::kFromRoots;
        ExtraTurns turns;
        Matrix<SwitchIndex, std::uint8_t> hops;  ///< Is filled.
        /// A slice ends at each destination, whose offers may then be looked at; that is all: no
        /// hops are filled in, and Find() has nothing.
        bool stops = false;
    };
    void Begin(const Case& given);
    /// Follows some links.
    [[nodiscard]] Progress Advance();

    /// With Case::stops: the last slice ended with a destination.
    [[nodiscard]] bool is_at_destination() const { return is_at_destination_; }
    /// The last destination that has been searched for.
    [[nodiscard]] SwitchIndex destination() const { return static_cast<SwitchIndex>(to_ - 1); }
    /// By port, port 0 first, hops of the least offer made to each port of `at`; kNoHops: none.
    [[nodiscard]] std::span<const std::uint8_t> OffersTo(SwitchIndex at) const {
        const RoutingSwitch& row = case_.task.topology->switch_row(at);
        return port_hops_.subspan(row.first_exit, row.port_count + std::size_t{1});
    }
    /// The least of them; 0 for the destination.
    [[nodiscard]] std::uint8_t LeastOf(SwitchIndex at) const { return reached_[Raw(at)].hops; }

    /// As ExitFinder::Find().
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const;

private:
    enum class Phase : std::uint8_t { kSteps, kStart, kSearch, kDone };
    enum class Turn : std::uint8_t { kUp, kDown, kLevel };
    static constexpr std::size_t kStepsPerSlice = 40'000;
    static constexpr std::uint32_t kMostPriced = 63;  // Hops of a path with a forbidden turn.

    /// The path from a switch to the destination, as far as it is known.
    struct Reached {
        std::uint8_t hops = kNoHops;  ///< The least of its ports.
        Turn by = Turn::kUp;          ///< The step by which it counts as reached.
        bool is_waiting = false;      ///< In the queue.
    };

    void CollectSteps();
    [[nodiscard]] Turn TurnOf(SwitchIndex from, SwitchIndex to) const;
    void Start();
    void KeepShortest();
    void Join(SwitchIndex at, Turn by);
    [[nodiscard]] std::size_t TakeNext();
    void Offer(const Step& step, std::uint32_t hops);
    void Finish();
    void KeepCandidates(SwitchIndex here, std::span<std::uint8_t> octets) const;
    void GoOn();

    Case case_;
    Phase phase_ = Phase::kDone;
    std::span<std::uint64_t> id_;            ///< By switch: decides between equal levels.
    std::span<Step> steps_;                  ///< In the place of the exit that takes them.
    TrunkWeights weights_;                   ///< Only with free roots.
    std::span<std::uint8_t> port_hops_;      ///< By exit: the least offer made to it.
    std::span<Reached> reached_;             ///< By switch.
    std::span<SwitchIndex> queue_;           ///< A ring; no switch is in it twice.
    std::span<std::uint32_t> first_octet_;   ///< By switch: of its candidates, for one destination.
    std::span<std::span<std::uint8_t>> of_;  ///< By 64 destinations: their candidates, by switch.
    std::size_t octets_ = 0;                 ///< Of all switches, for one destination.
    std::size_t head_ = 0;
    std::size_t waiting_ = 0;
    std::size_t to_ = 0;           ///< The destination.
    std::uint32_t most_hops_ = 0;  ///< Of any offer that was taken.
    bool is_at_destination_ = false;
    std::uint32_t price_ = 0;  ///< Of a forbidden turn; 0: it stays forbidden.
};

}  // namespace ember
