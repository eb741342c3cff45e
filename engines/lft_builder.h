// SPDX-License-Identifier: Apache-2.0
// EmberSM: OpenSM's way to spread routes over equal exits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/guid_order.h"
#include "core/routing/engine.h"
#include "core/routing/hops.h"
#include "engines/exit_finder.h"

namespace ember {

/// Builds forwarding tables as OpenSM 3.3.23 does for minhop, updn, dnup and dor: among the
/// candidates of an ExitFinder, octet for octet under Order::kOpensm.
///
/// At every switch, independently, the LIDs of hosts are handed out in the order of
/// Topology::destinations_by_crowd() to that candidate which carries least so far, the lowest port
/// first. Switches' own LIDs do not count as load unless Settings::port_profile_switch_nodes is on.
/// The further LIDs of a port (LMC) prefer a system, then a switch, that the port's earlier LIDs do
/// not pass.
class LftBuilder {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Stop>(limits.max_lid) +
               Arena::BytesFor<std::uint64_t>(HopStride(limits.max_switches) * kMostWords) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               2 * Arena::BytesFor<Visits>(limits.max_switches) +
               SortScratchBytes<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint64_t>(limits.max_switches);
    }

    /// `finder` is prepared, and stays so until the builder is done.
    void Begin(const RoutingTask& task, const ExitFinder& finder);
    /// Routes the next switch, or with an LMC a part of one.
    [[nodiscard]] Progress Advance();

private:
    static constexpr std::size_t kMostPorts = 256;
    static constexpr std::size_t kLidsPerSlice = 4096;  // Of the slow kind, those of an LMC.

    /// A destination, as short as the loop over them wants it.
    struct Stop {
        Lid lid{};
        SwitchIndex at{};
        std::uint16_t run = 0;  ///< From here on so many end ports hang on the same switch.
        PortNumber port{};
        std::uint8_t lmc = 0;
    };

    /// How often a switch or system was passed by earlier LIDs of one port.
    struct Visits {
        std::uint32_t stamp = 0;  ///< The count is of the port with this stamp; else it is 0.
        std::uint32_t count = 0;
    };

    template <std::size_t kWords>
    void RouteBaseLids();
    void FindCandidates(std::size_t words);
    template <std::size_t kWords>
    [[nodiscard]] bool RouteFurtherLids();

    void CollectStops();
    void CollectSystems();
    void AttachRun(std::span<const Stop> run);
    void RememberVisits(const Stop& stop, std::uint32_t offset);
    [[nodiscard]] bool Counts(const Stop& stop) const;
    [[nodiscard]] std::uint32_t VisitsOf(std::span<const Visits> visits, SwitchIndex at) const;
    template <std::size_t kWords>
    [[nodiscard]] PortNumber ChooseFurther(const Stop& stop, std::uint32_t offset) const;

    RoutingTask task_;
    const ExitFinder* finder_ = nullptr;
    std::span<Stop> stops_;             ///< In the order in which they are routed.
    std::span<std::uint64_t> masks_;    ///< By switch: the candidates on the way to it.
    std::span<SwitchIndex> system_of_;  ///< By switch: one switch that stands for its system.
    std::span<Visits> node_visits_;     ///< By switch.
    std::span<Visits> system_visits_;   ///< By the switch that stands for the system.
    std::array<std::uint32_t, kMostPorts> load_{};  ///< By port: routes given to it so far.
    std::size_t next_switch_ = 0;
    SwitchIndex here_ = kNoSwitch;  ///< The switch being routed.
    std::uint32_t offset_ = 0;      ///< LID offset being routed; 0: between two switches.
    std::size_t next_stop_ = 0;
    std::uint32_t stamp_ = 0;
};

}  // namespace ember
