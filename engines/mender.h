// SPDX-License-Identifier: Apache-2.0
// EmberSM: broken routes chosen anew, and no others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/graph/hops.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"

namespace ember {

/// Mends the tables of an earlier subnet: an entry stays when its exit is a candidate of the
/// ExitFinder today, and otherwise takes the candidate that carries least at this switch. So an
/// entry changes exactly when it must, and an engine's promise holds as if all were made anew.
///
/// The earlier tables are not trusted: any octets will do, and a row of garbage becomes a row of
/// sound routes. Where there is no legal path for an SMP to or from the subnet manager, the entry
/// is left to the core, which completes it when the mender has ended (HomeColumn, HomeRow). The
/// verifier finds garbage there, and then all routes are made anew. A LID of a destination with
/// several LIDs gets an exit that its others do not have, while there is one. When the core says
/// where to look (RoutingTask::suspects) and the finder is local, nothing else is looked at; the
/// result is the same.
class Mender {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(HopStride(limits.max_switches) * kMostWords) +
               Arena::BytesFor<bool>(LidStride(limits)) +
               Arena::BytesFor<OwnedLid>(limits.max_lid) +
               Arena::BytesFor<DestinationIndex>(limits.max_lid) +
               Arena::BytesFor<std::uint32_t>(limits.max_switches + std::size_t{2});
    }

    /// `finder` is prepared, and stays so until the mender is done.
    void Begin(const RoutingTask& task, const ExitFinder& finder);
    /// Does the next slice: one switch, or several in which there is little to look at.
    [[nodiscard]] Progress Advance();

private:
    static constexpr std::size_t kFindsPerSlice = 512;

    using Ports = std::span<const std::uint64_t>;

    /// A LID as the loop over all of them needs it.
    struct OwnedLid {
        Lid lid = kNoLid;
        SwitchIndex at = kNoSwitch;
        PortNumber port = kNoPort;
    };

    void SortDestinations();
    void CollectLids();
    void MendRow(SwitchIndex here);
    void DropUnowned(SwitchIndex here);
    void MendRoutes(SwitchIndex here);
    void MendDestination(SwitchIndex here, const Destination& to);
    void FindExits(SwitchIndex here);
    [[nodiscard]] bool AllMayStay(SwitchIndex here) const;
    template <std::size_t kWords>
    [[nodiscard]] bool AllLidsMayStay(SwitchIndex here) const;
    void CountLoads(SwitchIndex here);
    [[nodiscard]] bool MayStay(SwitchIndex here, const Destination& to, std::uint8_t port) const;
    [[nodiscard]] bool IsLeftToCore(SwitchIndex here, const Destination& to,
                                    std::uint8_t port) const;
    [[nodiscard]] std::uint8_t Choose(SwitchIndex here, const Destination& to) const;
    [[nodiscard]] Ports ExitsTo(SwitchIndex to) const;
    void Write(SwitchIndex here, std::size_t lid, std::uint8_t port);
    template <typename Visit>
    void ForEachToLookAt(SwitchIndex here, Visit visit) const;

    RoutingTask task_;
    const ExitFinder* finder_ = nullptr;
    bool is_local_ = false;                ///< Only suspects are looked at.
    std::span<std::uint64_t> masks_;       ///< By switch: the exits on a path to it.
    std::span<bool> owned_;                ///< By LID.
    std::span<DestinationIndex> by_home_;  ///< All, by their switch; then those without one.
    std::span<std::uint32_t> first_;       ///< By switch: of by_home_; of the others; and the end.
    std::span<OwnedLid> lids_;             ///< All LIDs that a destination owns.
    std::array<std::uint32_t, 256> loads_{};  ///< By port of the switch at hand.
    std::size_t words_ = 1;                   ///< Of a mask.
    std::size_t next_ = 0;                    ///< Switch.
    std::size_t finds_ = 0;                   ///< Blocks of columns looked at.
    std::size_t changed_ = 0;                 ///< Entries of the switch at hand.
};

}  // namespace ember
