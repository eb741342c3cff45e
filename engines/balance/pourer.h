// SPDX-License-Identifier: Apache-2.0
// EmberSM: first exits, each switch taking turns with what flows through it.
#pragma once

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
/// it pass on. It goes through the candidate that carries least so far, the lowest port of equals.
/// Nothing is known of what is downstream: on a full fat tree that is not needed, everywhere else
/// Cooler repairs it.
class Pourer {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint16_t>(std::size_t{limits.max_switches} *
                                              limits.max_switch_ports);
    }

    void Begin(Ledger& ledger, ExitBlock& block, Arena& scratch);
    /// Pours for the `which`-th crowd. Its block is loaded.
    void Pour(std::size_t which);

private:
    /// What one switch has to give out.
    struct Source {
        std::span<const std::uint8_t> ports;  ///< The candidates, ascending.
        std::span<const std::uint16_t>
            flows;                       ///< By receiver of the crowd: what others pass on to it.
        std::span<std::uint8_t> row;     ///< By receiver of the crowd: the exit.
        std::span<std::uint32_t> loads;  ///< By port.
        std::span<const Exit> exits;     ///< By port.
        std::uint16_t own = 0;           ///< End ports of the switch itself.
    };

    void PourAt(SwitchIndex here, const Crowd& crowd);
    void PourAll(const Source& source);
    void PourEvenly(const Source& source);
    void PourEach(const Source& source);
    void GiveAny(const Source& source) const;
    [[nodiscard]] std::uint16_t& FlowAt(SwitchIndex at, std::size_t receiver) const {
        return flows_[Raw(at) * std::size_t{count_} + receiver];
    }

    Ledger* ledger_ = nullptr;
    ExitBlock* block_ = nullptr;
    ExitList exits_;
    std::span<std::uint16_t> all_flows_;
    std::span<std::uint16_t> flows_;  ///< By switch, then by receiver of the crowd.
    std::uint16_t count_ = 0;         ///< Receivers of the crowd.
    std::size_t crowd_ = 0;
};

}  // namespace ember
