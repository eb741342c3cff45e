// SPDX-License-Identifier: Apache-2.0
// EmberSM: routing runs on a netlist, with the storage they need.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/base/lft_arena.h"
#include "core/routing/router.h"
#include "core/routing/verifier.h"
#include "core/settings/settings.h"
#include "engines/catalogue.h"
#include "tests/support/engine_plan.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_reference.h"

namespace ember::testing {

/// The default settings, but for the order of OpenSM.
[[nodiscard]] inline Settings OpensmSettings() {
    Settings settings;
    settings.order = Order::kOpensm;
    return settings;
}

/// A netlist, its Fabric, and arenas for a Router, an engine or a Verifier.
class RoutingRun {
public:
    /// `appetite`: how much scratch there is for engines, to the octet.
    using Appetite = EngineBytes (*)(const Limits& limits);
    /// Octets for the service levels of paths, and as many for the maps of switches.
    static constexpr std::size_t kLaneBytes = 4096;
    RoutingRun(const net::Netlist& netlist, const BuiltFabric::Options& options,
               Appetite appetite = &EngineScratchBytes, std::size_t lane_bytes = kLaneBytes);
    explicit RoutingRun(const net::Netlist& netlist) : RoutingRun(netlist, {}) {}

    /// Runs a Router to its end.
    const Verdict& Route(std::span<RoutingEngine* const> engines, const Settings& settings);
    const Verdict& Route(RoutingEngine& engine, const Settings& settings = OpensmSettings());
    /// Likewise; the plan outlives the run and its resorts.
    const Verdict& Route(const RoutingPlan& plan);
    /// After a run that refused every engine: the safe routing, by `engine`.
    const Verdict& RouteSafely(RoutingEngine& engine);
    /// Goes on from what was planned last, on the fabric as it is now.
    const Verdict& Mend(std::span<RoutingEngine* const> engines, const Settings& settings,
                        ProofScope scope);
    const Verdict& Mend(RoutingEngine& engine, const Settings& settings, ProofScope scope);
    const Verdict& Mend(const RoutingPlan& plan, ProofScope scope);
    /// Makes anew what was mended.
    const Verdict& Balance(const RoutingPlan& plan);
    /// Runs a Verifier to its end on what is planned, and the fabric as it is now.
    Findings Verify(Order order);
    /// Runs a Verifier to its end on these tables.
    Findings Verify(const SlowTables& tables, const Settings& settings = OpensmSettings());

    /// The tables that the last routing planned.
    [[nodiscard]] SlowTables planned() const;
    void Plan(const SlowTables& tables);

    [[nodiscard]] BuiltFabric& built() { return built_; }
    [[nodiscard]] const RoutingReference& reference() const { return reference_; }
    [[nodiscard]] Arena& scratch() { return scratch_.arena(); }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> lfts() {
        return {planned_, LftShape(built_.limits())};
    }
    [[nodiscard]] Router& router() { return router_; }
    /// How many slices the last run took.
    [[nodiscard]] std::size_t slices() const { return slices_; }

private:
    BuiltFabric built_;
    RoutingReference reference_;
    ArenaStorage scratch_;
    std::vector<std::uint8_t> hops_;
    std::vector<std::uint64_t> dependencies_;
    std::vector<ProvedSubnet::SwitchMark> proved_switches_;
    std::vector<SwitchIndex> proved_peers_;
    std::vector<ProvedSubnet::LidMark> proved_lids_;
    std::vector<std::uint8_t> step_lfts_;
    std::vector<std::uint8_t> path_sl_;
    std::vector<std::uint64_t> lane_map_;
    std::vector<std::uint8_t> planned_;
    Settings settings_;               ///< Of the last run,
    std::optional<EnginePlan> plan_;  ///< and its plan, to which a resort comes back.
    Router router_;
    std::size_t slices_ = 0;
};

/// An engine that writes tables somebody else made, and promises what it is told to.
class ReplayEngine final : public RoutingEngine {
public:
    ReplayEngine(std::string_view name, const RoutingRun& run, SlowTables tables, Promise promise)
        : name_(name), run_(run), tables_(std::move(tables)), promise_(promise) {}

    [[nodiscard]] EngineKind kind() const override { return EngineKind::kFile; }
    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return promise_;
    }
    Status Begin(const RoutingTask& task) override;
    Result<Progress> Advance() override;

    Status begin_status = Status::kOk;
    Status advance_status = Status::kOk;

private:
    std::string_view name_;
    const RoutingRun& run_;
    SlowTables tables_;
    Promise promise_;
    RoutingTask task_;
};

/// Writes tables in the netlist's terms into a matrix in the fabric's.
void WriteTables(const BuiltFabric& built, const SlowTables& tables,
                 Matrix<SwitchIndex, std::uint8_t> lfts);

/// A fabric that no one would build: a connected random graph (or, if told, two islands that share
/// a dual-port host) with parallel cables, cables to itself, uneven hosts, two-port hosts, hosts
/// cabled to each other, scattered GUIDs and switches that share a system. A function of the seed.
struct WildOptions {
    std::uint32_t seed = 0;
    std::uint32_t switches = 1;
    std::uint32_t extra_cables = 0;
    std::uint32_t hosts = 0;
    bool islands = false;
    std::uint32_t ports = 24;  ///< Of the largest switch.
};
[[nodiscard]] net::Netlist WildNetlist(const WildOptions& options);

}  // namespace ember::testing
