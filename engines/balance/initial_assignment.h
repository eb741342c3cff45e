// SPDX-License-Identifier: Apache-2.0
// EmberSM: first exits, each switch taking its candidates in turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/balance/exit_block.h"
#include "engines/balance/link_loads.h"
#include "engines/balance/staged_rows.h"

namespace ember {

/// Chooses an exit at every switch for every end port's base LID, leaf switch by leaf switch.
///
/// Switches are visited from the farthest to the nearest to the leaf. The flow from a switch to a
/// receiver of the leaf is one unit for each of its own end ports, and what the switches behind it
/// pass on. Candidates are taken in turn. Each leaf takes as many turns as it has receivers to
/// which there is a flow, and the turn at which a leaf begins follows from the number of the leaf
/// alone. So switches stay in step even if they have nothing to send to some leaves. A candidate
/// that carries much more than another is skipped.
///
/// All switches order their candidates alike: by the penultimate switch of the path (the one next
/// to the leaf), then by the next switch, both by GUID, then by port. So the paths to one receiver
/// meet early, whichever ports the links are plugged into, and stay apart from the paths to others,
/// which is what random traffic needs. Loads further downstream are not looked at: a full fat tree
/// does not need that, and elsewhere LocalSearch corrects the choice.
class InitialAssignment {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint16_t>(std::size_t{limits.max_switches} *
                                              limits.max_switch_ports) +
               Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<std::uint8_t>(limits.max_ports) +
               Arena::BytesFor<std::uint64_t>(limits.max_switches * ExitBlock::WordsOf(limits)) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches) +
               StagedRows::ScratchBytes(limits);
    }

    /// `is_regular`: RegularTreeLoad() is not 0. `link_loads` and `block` are used until the last
    /// Assign().
    void Begin(LinkLoads& link_loads, ExitBlock& block, bool is_regular, Arena& scratch);
    /// Chooses exits for the receivers of row `leaf` of LinkLoads::leaves(). Their block is loaded.
    void Assign(std::size_t leaf);
    /// After the last Assign(): the tables have all exits.
    void End() { rows_.Flush(); }

private:
    /// A switch's flows to the receivers of a leaf, and its exits for them.
    struct Source {
        std::span<const std::uint8_t> ports;   ///< The candidates, the preferred first.
        std::span<const std::uint16_t> flows;  ///< By receiver: what others pass on to it.
        std::span<std::uint8_t> row;           ///< By receiver: the exit.
        std::span<std::uint32_t> loads;        ///< By port.
        std::span<const Exit> exits;           ///< By port.
        std::uint16_t own = 0;                 ///< End ports of the switch itself.
    };

    /// Which candidate is next.
    struct Turn {
        std::size_t at = 0;       ///< Which of the candidates.
        std::uint32_t limit = 0;  ///< A candidate that carries more may be skipped.
    };
    static constexpr std::uint32_t kTurnsBehind = 2;
    static constexpr std::uint32_t kNoLimit = 1U << 31;  ///< Above all loads.

    void FindPenultimate(SwitchIndex to, std::span<const SwitchIndex> order);
    [[nodiscard]] std::span<const std::uint8_t> ByPreference(SwitchIndex here, SwitchIndex to);
    [[nodiscard]] bool Sort(SwitchIndex here, SwitchIndex to, std::span<std::uint8_t> ports);
    void AssignAt(SwitchIndex here, const LeafSwitch& leaf);
    void AssignOnlyExit(const Source& source);
    void AssignOneEach(const Source& source) const;
    void AssignInTurn(const Source& source, Turn turn);
    [[nodiscard]] static std::uint8_t LeastLoaded(const Source& source);
    void AssignWithoutFlow(const Source& source) const;
    /// The turn among `ports` when each leaf before this one had so many receivers here.
    [[nodiscard]] std::size_t FirstTurn(std::size_t receivers, std::size_t ports) const {
        return static_cast<std::uint32_t>(leaf_ * receivers) % static_cast<std::uint32_t>(ports);
    }
    [[nodiscard]] std::uint16_t& FlowAt(SwitchIndex at, std::size_t receiver) const {
        return flows_[Raw(at) * std::size_t{count_} + receiver];
    }

    LinkLoads* link_loads_ = nullptr;
    ExitBlock* block_ = nullptr;
    ExitList exits_;
    StagedRows rows_;
    std::span<std::uint16_t> all_flows_;
    std::span<std::uint16_t> flows_;        ///< By switch, then by receiver of the leaf.
    std::span<std::uint16_t> penultimate_;  ///< By switch: rank of its penultimate switch.
    // Leaves of a pod have the same penultimate switches: the order found for one mostly serves the
    // next.
    std::span<std::uint8_t> ordered_;        ///< From row Topology::first_exit on: candidates.
    std::span<std::uint64_t> ordered_of_;    ///< By switch: the mask that was ordered.
    std::span<std::uint32_t> ordered_when_;  ///< By switch: generation_ then; 0: never.
    std::uint32_t generation_ = 1;           ///< Counts changes of penultimate_.
    std::array<std::uint32_t, 256> keys_{};  ///< Sort keys of the candidates.
    std::uint16_t count_ = 0;                ///< Receivers of the leaf.
    std::size_t leaf_ = 0;                   ///< Row of LinkLoads::leaves().
    bool is_regular_ = false;
};

}  // namespace ember
