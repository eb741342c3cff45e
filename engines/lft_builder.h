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
#include "core/fabric/guid_order.h"
#include "core/routing/engine.h"
#include "core/graph/hops.h"
#include "engines/exit_choice.h"
#include "engines/exit_finder.h"
#include "engines/ignored_ports.h"
#include "engines/libc_random.h"
#include "engines/search_order.h"
#include "engines/stop_list.h"

namespace ember {

/// Builds forwarding tables as OpenSM 3.3.23 does for minhop, updn, dnup and dor: among the
/// candidates of an ExitFinder, octet for octet under Order::kOpensm.
///
/// At every switch, independently, the LIDs of StopList are handed out to that candidate which
/// carries least so far, the first one in the switch's SearchOrder. Switches' own LIDs do not count
/// as load unless Settings::port_profile_switch_nodes is on, and nothing counts at IgnoredPorts.
/// With Settings::port_shifting the scan begins at a place that moves with the load; with
/// Settings::scatter_ports chance decides among equals.
///
/// The further LIDs of a port (LMC) prefer a system, then a switch, that the port's earlier LIDs do
/// not pass; where the finder fixes the neighbor, the cable that these pass least.
class LftBuilder {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return StopList::ScratchBytes(limits) + SearchOrder::ScratchBytes(limits) +
               IgnoredPorts::ScratchBytes(limits) +
               Arena::BytesFor<std::uint64_t>(HopStride(limits.max_switches) * kMostWords) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               2 * Arena::BytesFor<Visits>(limits.max_switches) +
               SortScratchBytes<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint64_t>(limits.max_switches);
    }

    /// `finder` is prepared, and stays so until the builder is done.
    void Begin(const RoutingTask& task, const ExitFinder& finder);
    /// Reads some lines of option files; then routes the next switch, or a part of one where LIDs
    /// are routed one by one.
    [[nodiscard]] Progress Advance();

private:
    static constexpr std::size_t kMostPorts = 256;
    static constexpr std::size_t kWorkPerSlice = 4096;  // One by one, of LIDs with few candidates.

    /// How often a switch or system was passed by earlier LIDs of one port.
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
    void AttachRun(std::span<const Stop> run);

    template <std::size_t kWords>
    [[nodiscard]] bool RouteOneByOne();
    template <std::size_t kWords>
    void RouteLid(const Stop& stop, bool is_named);
    [[nodiscard]] bool Counts(const Stop& stop) const;
    [[nodiscard]] bool IsIgnored(std::size_t port) const {
        return !ignored_here_.empty() && ignored_here_[port];
    }
    [[nodiscard]] std::size_t Draw();
    [[nodiscard]] std::size_t Choose(const Stop& stop);
    [[nodiscard]] std::size_t FirstByShift() const;
    [[nodiscard]] ExitChoice::Candidate Describe(const Stop& stop, std::size_t place) const;
    void RememberVisits(const Stop& stop);
    [[nodiscard]] std::uint32_t VisitsOf(std::span<const Visits> visits, SwitchIndex at) const;
    [[nodiscard]] std::uint32_t PassesOf(const Stop& stop, std::size_t port) const;

    RoutingTask task_;
    const ExitFinder* finder_ = nullptr;
    /// What is read, some lines at a time, before the first switch is routed.
    enum class Reading : std::uint8_t { kStops, kIgnored, kDone };
    Reading reading_ = Reading::kStops;
    StopList list_;
    SearchOrder search_;
    IgnoredPorts ignored_;
    LibcRandom random_;
    std::span<std::uint64_t> masks_;    ///< By switch: the candidates on the way to it, by place.
    std::span<SwitchIndex> system_of_;  ///< By switch: one switch that stands for its system.
    std::span<Visits> node_visits_;     ///< By switch.
    std::span<Visits> system_visits_;   ///< By the switch that stands for the system.
    std::uint32_t stamp_ = 0;

    // Of the switch being routed. A place is a port's turn in its search order; 0 is port 0.
    std::size_t next_switch_ = 0;  ///< Row of Topology::switches_by_guid().
    SwitchIndex here_ = kNoSwitch;
    bool is_under_way_ = false;
    bool is_arranged_ = false;                        ///< Some places are not their ports' numbers.
    std::array<std::uint8_t, kMostPorts> port_at_{};  ///< By place.
    std::array<std::uint32_t, kMostPorts> load_{};    ///< By place: routes given to it so far.
    std::span<const bool> ignored_here_;              ///< By port; empty: none.
    std::uint32_t offset_ = 0;                        ///< LID offset being routed.
    std::size_t next_stop_ = 0;
    ScanList scan_;
};

}  // namespace ember
