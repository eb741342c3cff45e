// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes that broke, chosen anew, and no others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "core/routing/hops.h"
#include "engines/exit_finder.h"

namespace ember {

/// Mends the tables of an earlier subnet: an entry stays when its exit is a candidate of the
/// ExitFinder today, and otherwise takes that candidate which carries least at this switch. So an
/// entry changes exactly when it must, and an engine's promise holds as if all were made anew.
///
/// Nothing is believed of the earlier tables: any octets will do, and a row of rubbish becomes a
/// row of sound routes. A destination with several LIDs gets exits that its others do not have,
/// while there are such.
class Mender {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(HopStride(limits.max_switches) * kMostWords) +
               Arena::BytesFor<bool>(LidStride(limits)) + Arena::BytesFor<Stop>(limits.max_lid);
    }

    /// `finder` is prepared, and stays so until the mender is done.
    void Begin(const RoutingTask& task, const ExitFinder& finder);
    /// Does the next slice: one switch.
    [[nodiscard]] Progress Advance();

private:
    using Ports = std::span<const std::uint64_t>;

    /// A LID, as short as the loop over all of them wants it.
    struct Stop {
        Lid lid = kNoLid;
        SwitchIndex at = kNoSwitch;
        PortNumber port = kNoPort;
    };

    void CollectStops();
    void MendRow(SwitchIndex here);
    [[nodiscard]] std::size_t MendRoutes(SwitchIndex here);
    void FindExits(SwitchIndex here);
    template <std::size_t kWords>
    [[nodiscard]] bool AllMayStay(SwitchIndex here) const;
    void CountLoads(SwitchIndex here);
    [[nodiscard]] bool MayStay(SwitchIndex here, const Destination& to, std::uint8_t port) const;
    [[nodiscard]] std::uint8_t Choose(SwitchIndex here, const Destination& to) const;
    [[nodiscard]] Ports ExitsTo(SwitchIndex to) const;

    RoutingTask task_;
    const ExitFinder* finder_ = nullptr;
    std::span<std::uint64_t> masks_;          ///< By switch: the exits on a way to it.
    std::span<bool> owned_;                   ///< By LID.
    std::span<Stop> stops_;                   ///< All LIDs that somebody owns.
    std::array<std::uint32_t, 256> loads_{};  ///< By port of the switch at hand.
    std::size_t words_ = 1;                   ///< Of a mask.
    std::size_t next_ = 0;                    ///< Switch.
};

}  // namespace ember
