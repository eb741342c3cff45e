// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a lost link costs, from the trap to the last SMP queued.
//
// A subnet manager on a simulated fabric, under EmberSM's own order. A cable between two switches
// is cut: of a fat tree with three levels one between a switch of the middle and one of the top.
// And what it costs to change all routes at once, as other engines are configured. Counted is the
// subnet manager's own CPU time, the simulator's apart, until it rests again.

#include <array>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <string>

#include "config/netlist/topologies.h"
#include "tests/bench/timed_run.h"

namespace ember {
namespace {

struct Run : bench::TimedRun {
    Run(const net::Netlist& netlist, EngineKind kind) : bench::TimedRun(netlist, With(kind)) {}

    static Settings With(EngineKind kind) {
        Settings settings;
        settings.order = Order::kBalanced;
        settings.qos = true;
        static_cast<void>(settings.routing_engine.TryPush(kind));
        settings.sweep_interval = 1000;
        return settings;
    }
    [[nodiscard]] std::uint64_t LftSets() {
        return sim.counters().Sets(AttributeId::kLinearForwardingTable);
    }
    /// A cable between two switches, of those without hosts if there are any: of a tree one between
    /// the middle and the top.
    [[nodiscard]] std::uint32_t HighCable() {
        std::uint32_t any = 0;
        sim::World& world = sim.world();
        const auto has_host = [&](std::uint32_t node) {
            for (std::uint32_t number = 1; number <= world.node(node).port_count; ++number) {
                const std::uint32_t beyond = world.Beyond(world.node(node).first_row + number);
                if (beyond != sim::kNoRow && !world.node_of(beyond).is_switch()) return true;
            }
            return false;
        };
        for (std::uint32_t row = 0; row < world.row_count(); ++row) {
            const std::uint32_t other = world.Beyond(row);
            if (other == sim::kNoRow || !world.node_of(row).is_switch()) continue;
            if (!world.node_of(other).is_switch()) continue;
            if (!has_host(world.port(row).node) && !has_host(world.port(other).node)) return row;
            any = row;
        }
        return any;
    }
};

void Tell(const Run& run, std::uint64_t worked_us, benchmark::State& state) {
    state.SetIterationTime(static_cast<double>(worked_us) * 1e-6);
    const SubnetStatus status = run.sm->status();
    state.counters["routing_us"] = static_cast<double>(status.routing_us);
    state.counters["verifying_us"] = static_cast<double>(status.verifying_us);
    state.counters["yields"] = static_cast<double>(status.programming.yielded);
    constexpr std::array kStageNames = {"resting",     "discovering", "electing", "preparing",
                                        "programming", "activating",  "light"};
    for (std::size_t i = 0; i < kStages; ++i) {
        state.counters[kStageNames[i]] = static_cast<double>(status.stage_work_us[i]);
    }
}

void LoseALink(benchmark::State& state, const char* net, EngineKind kind) {
    std::string error;
    Run run(net::TopologyByName(net, error), kind);
    run.Settle(100'000);
    const std::uint32_t cable = run.HighCable();
    for (auto unused : state) {
        static_cast<void>(unused);
        const std::uint64_t sets = run.LftSets();
        const std::uint64_t smps = run.Sent();
        run.sim.Do(sim::FabricSim::Action::kCut, cable);
        const std::uint64_t worked_us = run.Settle(100'000);
        state.counters["blocks"] = static_cast<double>(run.LftSets() - sets);
        state.counters["smps"] = static_cast<double>(run.Sent() - smps);
        state.counters["entries"] = static_cast<double>(run.sm->router().verdict().mended.entries);
        Tell(run, worked_us, state);
        run.sim.Do(sim::FabricSim::Action::kJoin, cable);
        run.Settle(100'000);
    }
}
/// From one engine to the other: the most that may change.
void ChangeRoutes(benchmark::State& state, const char* net) {
    std::string error;
    Run run(net::TopologyByName(net, error), EngineKind::kMinHop);
    run.Settle(100'000);
    EngineKind next = EngineKind::kUpDn;
    for (auto unused : state) {
        static_cast<void>(unused);
        run.sm->Configure(Run::With(next));
        Tell(run, run.Settle(100'000), state);
        next = next == EngineKind::kUpDn ? EngineKind::kMinHop : EngineKind::kUpDn;
    }
}

void Register(const char* net, EngineKind kind) {
    const std::string name = std::string("LoseALink/") + std::string(EngineName(kind)) + "/" + net;
    benchmark::RegisterBenchmark(name.c_str(), LoseALink, net, kind)
        ->Iterations(2)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

const bool kAreRegistered = [] {
    for (const EngineKind kind : {EngineKind::kMinHop, EngineKind::kAuto}) {
        for (const char* net : {"ft3:8", "ft3:16", "ft3:24", "ft3:36"})
            Register(net, kind);
    }
    for (const char* net : {"torus:8x8x8:4", "torus:10x10x10:4"}) {
        Register(net, EngineKind::kAuto);
    }
    for (const char* net : {"ft3:16", "ft3:24", "ft3:36"}) {
        const std::string name = std::string("ChangeRoutes/") + net;
        benchmark::RegisterBenchmark(name.c_str(), ChangeRoutes, net)
            ->Iterations(2)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
    }
    return true;
}();

}  // namespace
}  // namespace ember
