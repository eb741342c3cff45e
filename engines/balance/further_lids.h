// SPDX-License-Identifier: Apache-2.0
// EmberSM: exits for the LIDs that an LMC adds.
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

namespace ember {

/// Chooses exits for the second and further LIDs of a port, on paths that its earlier LIDs do not
/// take. Tables are settled: octet i of a row belongs to LID i.
///
/// At every switch, candidates are looked at in cyclic order, beginning after the exit of the LID
/// before. Preferred is the candidate to the switch that fewest of the port's earlier LIDs pass, of
/// these the port that fewest of them take, of equals the first. So each LID's routes are those of
/// the LID before, turned on by one exit, and are balanced if those are.
class FurtherLids {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint16_t>(limits.max_switches);
    }

    /// `rows`: by switch, its row in the tables.
    void Begin(LinkLoads& link_loads, ExitBlock& block, std::span<const SwitchIndex> rows,
               Arena& scratch);
    /// Routes one more LID of one receiver.
    [[nodiscard]] Progress Advance();

private:
    void RouteLid(const Receiver& receiver);
    [[nodiscard]] std::uint8_t Choose(SwitchIndex here, std::span<const std::uint8_t> ports,
                                      std::span<const std::uint8_t> earlier);

    LinkLoads* link_loads_ = nullptr;
    ExitBlock* block_ = nullptr;
    ExitList exits_;
    std::span<const SwitchIndex> rows_;
    std::span<std::uint16_t> passed_;        ///< By switch: how many earlier LIDs pass it next.
    std::array<std::uint16_t, 256> used_{};  ///< By port: how many earlier LIDs take it.
    std::size_t next_ = 0;                   ///< Receiver.
    std::uint32_t offset_ = 1;               ///< LID offset of next_.
};

}  // namespace ember
