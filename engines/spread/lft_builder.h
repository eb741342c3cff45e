// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes spread over equal exits as OpenSM does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/fabric/guid_order.h"
#include "core/graph/hops.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"
#include "engines/spread/destination_order.h"
#include "engines/spread/exit_choice.h"
#include "engines/spread/ignored_ports.h"
#include "engines/spread/libc_random.h"
#include "engines/spread/search_order.h"

namespace ember {

/// Builds forwarding tables as OpenSM 3.3.23 does for minhop, updn, dnup and dor: among the
/// candidates of an ExitFinder, octet for octet under Order::kOpensm.
///
/// At every switch, independently, each LID in DestinationOrder takes the candidate that carries
/// least so far, the first of equals in the switch's SearchOrder. Switch LIDs do not count as load
/// unless EngineOptions::port_profile_switch_nodes is on, and nothing counts at IgnoredPorts. With
/// EngineOptions::port_shifting the scan begins at a place that moves with the load; with
/// EngineOptions::scatter_ports a random number decides among equals.
///
/// The further LIDs of a port (LMC) prefer a system, then a switch, that the port's earlier LIDs do
/// not pass; where the finder fixes the neighbor, they prefer the link that these use least.
class LftBuilder {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return DestinationOrder::ScratchBytes(limits) + SearchOrder::ScratchBytes(limits) +
               IgnoredPorts::ScratchBytes(limits) +
               Arena::BytesFor<std::uint64_t>(HopStride(limits.max_switches) * kMostWords) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               2 * Arena::BytesFor<Visits>(limits.max_switches) +
               SortScratchBytes<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint64_t>(limits.max_switches);
    }

    /// Keys of opensm.conf that the builder looks at; see EngineEntry::options.
    static constexpr std::array<std::string_view, 7> kOptions = {
        "port_search_ordering_file",
        "port_prof_ignore_file",
        "port_profile_switch_nodes",
        "guid_routing_order_file",
        "guid_routing_order_no_scatter",
        "port_shifting",
        "scatter_ports",
    };

    /// `finder` is prepared, and stays so until the builder is done.
    void Begin(const RoutingTask& task, const ExitFinder& finder);
    /// Does the next slice: reads some lines of option files, then routes one switch a slice, or a
    /// part of one where LIDs are routed one by one.
    [[nodiscard]] Progress Advance();

private:
    static constexpr std::size_t kMostPorts = 256;
    static constexpr std::size_t kWorkPerSlice = 4096;  // LIDs with few candidates, one by one.

    /// How many earlier LIDs of one port pass a switch or system.
    struct Visits {
        std::uint32_t stamp = 0;  ///< The count is of the port with this stamp; else it is 0.
        std::uint32_t count = 0;
    };

    void ReadLines();
    void CollectSystems();
    template <std::size_t kWords>
    [[nodiscard]] bool RoutePart();
    template <std::size_t kWords>
    void StartSwitch();
    void ArrangePorts();
    template <std::size_t kWords>
    void ArrangeMasks();

    [[nodiscard]] bool CanRouteRuns() const;
    template <std::size_t kWords>
    void RouteRuns();
    void AttachRun(std::span<const OrderedDestination> run);

    template <std::size_t kWords>
    [[nodiscard]] bool RouteOneByOne();
    template <std::size_t kWords>
    void RouteLid(const OrderedDestination& to, bool is_named);
    [[nodiscard]] bool Counts(const OrderedDestination& to) const;
    [[nodiscard]] bool IsIgnored(std::size_t port) const {
        return !ignored_here_.empty() && ignored_here_[port];
    }
    [[nodiscard]] std::size_t Draw();
    [[nodiscard]] std::size_t Choose(const OrderedDestination& to);
    [[nodiscard]] std::size_t FirstByShift() const;
    [[nodiscard]] ExitChoice::Candidate Describe(const OrderedDestination& to,
                                                 std::size_t place) const;
    void RememberVisits(const OrderedDestination& to);
    [[nodiscard]] std::uint32_t VisitsOf(std::span<const Visits> visits, SwitchIndex at) const;
    [[nodiscard]] std::uint32_t PassesOf(const OrderedDestination& to, std::size_t port) const;

    RoutingTask task_;
    const ExitFinder* finder_ = nullptr;
    /// The option file that is read, some lines at a time, before the first switch is routed.
    enum class Reading : std::uint8_t { kOrder, kIgnored, kDone };
    Reading reading_ = Reading::kOrder;
    DestinationOrder order_;
    SearchOrder search_;
    IgnoredPorts ignored_;
    LibcRandom random_;
    std::span<std::uint64_t> masks_;    ///< By switch: the candidates on the way to it, by place.
    std::span<SwitchIndex> system_of_;  ///< By switch: the one that represents its system.
    std::span<Visits> node_visits_;     ///< By switch.
    std::span<Visits> system_visits_;   ///< By the switch that represents the system.
    std::uint32_t stamp_ = 0;

    // Of the switch being routed. A place is a port's position in the search order; 0 is port 0.
    std::size_t next_switch_ = 0;  ///< Row of Topology::switches_by_guid().
    SwitchIndex here_ = kNoSwitch;
    bool is_under_way_ = false;
    bool is_arranged_ = false;                        ///< Some places are not their ports' numbers.
    std::array<std::uint8_t, kMostPorts> port_at_{};  ///< By place.
    std::array<std::uint32_t, kMostPorts> load_{};    ///< By place: routes given to it so far.
    std::span<const bool> ignored_here_;              ///< By port; empty: none.
    std::uint32_t offset_ = 0;                        ///< LID offset being routed.
    std::size_t next_destination_ = 0;
    ScanList scan_;
};

}  // namespace ember
