// SPDX-License-Identifier: Apache-2.0
// EmberSM: shortest paths, spread over equal exits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/guid_order.h"
#include "core/routing/engine.h"
#include "core/routing/hops.h"

namespace ember {

/// Shortest paths on any topology. Promises no more: a ring or torus may close a credit loop.
///
/// At every switch, independently, the LIDs of hosts are handed out in the order of
/// Topology::destinations_by_crowd() to that exit on a shortest way which carries least so far, the
/// lowest port first. Under Order::kOpensm this is the result of OpenSM 3.3.23's minhop, octet for
/// octet. Switches' own LIDs do not count as load unless Settings::port_profile_switch_nodes is on.
/// The further LIDs of a port (LMC) prefer a system, then a switch, that the port's earlier LIDs do
/// not pass.
class MinHop final : public RoutingEngine {
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

    [[nodiscard]] EngineKind kind() const override { return EngineKind::kMinHop; }
    [[nodiscard]] std::string_view name() const override { return "minhop"; }
    [[nodiscard]] Promise promise(const Settings& /*settings*/) const override {
        return {.shortest = true};
    }
    // All virtual functions are defined in the class. It then has no home file that would compile
    // its table without type information, which tests under sanitizers ask for.
    Status Begin(const RoutingTask& task) override { return Study(task); }
    Result<Progress> Advance() override { return RouteNext(); }

private:
    static constexpr std::size_t kMostWords = 4;  // 254 ports, one bit each.
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

    Status Study(const RoutingTask& task);
    Result<Progress> RouteNext();
    template <std::size_t kWords>
    void RouteBaseLids();
    template <std::size_t kWords>
    void FindCandidates();
    template <std::size_t kWords>
    void FindCandidatesOf(std::size_t first);
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
    std::span<Stop> stops_;             ///< In the order in which they are routed.
    std::span<std::uint64_t> masks_;    ///< By switch: the exits on a shortest way to it.
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
