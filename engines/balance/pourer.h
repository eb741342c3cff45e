// SPDX-License-Identifier: Apache-2.0
// EmberSM: first exits, each switch taking turns with what flows through it.
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
#include "engines/balance/ledger.h"

namespace ember {

/// Chooses an exit everywhere for every end port's base LID, crowd by crowd.
///
/// Switches are visited from the farthest to the nearest to the crowd. What a switch sends to a
/// receiver of the crowd is one unit for each of its own end ports and whatever the switches behind
/// it pass on. Candidates take turns; every crowd uses up as many as it has receivers that
/// something flows to, and whose turn it is follows from the number of the crowd alone, so that
/// switches remain in step which have nothing to send to some crowds. A candidate that carries much
/// more than another is passed over.
///
/// All switches count candidates alike: first the ways to the first of the switches next to the
/// crowd (the gate), then those over the first of the next switches, both by GUID, then by port. So
/// the ways to one receiver come together early, wherever cables are plugged, and leave the other
/// receivers alone: that is what random traffic needs. What else is downstream is not looked at. On
/// a full fat tree that is not needed; elsewhere Cooler mends it.
class Pourer {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint16_t>(std::size_t{limits.max_switches} *
                                              limits.max_switch_ports) +
               Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<std::uint8_t>(limits.max_ports) +
               Arena::BytesFor<std::uint64_t>(limits.max_switches * ExitBlock::WordsOf(limits)) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches);
    }

    /// `is_regular`: as WholeLoad() says.
    void Begin(Ledger& ledger, ExitBlock& block, bool is_regular, Arena& scratch);
    /// Pours for the `which`-th crowd. Its block is loaded.
    void Pour(std::size_t which);

private:
    /// What one switch has to give out.
    struct Source {
        std::span<const std::uint8_t> ports;  ///< The candidates, the preferred first.
        std::span<const std::uint16_t>
            flows;                       ///< By receiver of the crowd: what others pass on to it.
        std::span<std::uint8_t> row;     ///< By receiver of the crowd: the exit.
        std::span<std::uint32_t> loads;  ///< By port.
        std::span<const Exit> exits;     ///< By port.
        std::uint16_t own = 0;           ///< End ports of the switch itself.
    };

    /// Whose turn it is.
    struct Turn {
        std::size_t at = 0;       ///< Which of the candidates.
        std::uint32_t limit = 0;  ///< A candidate that carries more may be passed over.
    };
    static constexpr std::uint32_t kTurnsBehind = 2;
    static constexpr std::uint32_t kNoLimit = 1U << 31;  ///< Above all loads.

    void FindGates(SwitchIndex to, std::span<const SwitchIndex> order);
    [[nodiscard]] std::span<const std::uint8_t> InOrder(SwitchIndex here, SwitchIndex to);
    [[nodiscard]] bool Sort(SwitchIndex here, SwitchIndex to, std::span<std::uint8_t> ports);
    void PourAt(SwitchIndex here, const Crowd& crowd);
    void PourAll(const Source& source);
    void PourEvenly(const Source& source) const;
    void PourEach(const Source& source, Turn turn);
    [[nodiscard]] static std::uint8_t Emptiest(const Source& source);
    void GiveAny(const Source& source) const;
    /// Whose turn it is among `ports` when each crowd before this one had so many receivers here.
    [[nodiscard]] std::size_t FirstTurn(std::size_t receivers, std::size_t ports) const {
        return static_cast<std::uint32_t>(crowd_ * receivers) % static_cast<std::uint32_t>(ports);
    }
    [[nodiscard]] std::uint16_t& FlowAt(SwitchIndex at, std::size_t receiver) const {
        return flows_[Raw(at) * std::size_t{count_} + receiver];
    }

    Ledger* ledger_ = nullptr;
    ExitBlock* block_ = nullptr;
    ExitList exits_;
    std::span<std::uint16_t> all_flows_;
    std::span<std::uint16_t> flows_;  ///< By switch, then by receiver of the crowd.
    std::span<std::uint16_t> gates_;  ///< By switch: rank of its gate.
    // Crowds of a pod have the same gates: what was sorted for the one before mostly does again.
    std::span<std::uint8_t> ordered_;        ///< From row Topology::first_exit on: candidates.
    std::span<std::uint64_t> ordered_of_;    ///< By switch: of which mask they are.
    std::span<std::uint32_t> ordered_when_;  ///< By switch: `age_` then; 0: never.
    std::uint32_t age_ = 1;                  ///< Counts changes of gates.
    std::array<std::uint32_t, 256> keys_{};  ///< What candidates are ordered by.
    std::uint16_t count_ = 0;                ///< Receivers of the crowd.
    std::size_t crowd_ = 0;
    bool is_regular_ = false;
};

}  // namespace ember
