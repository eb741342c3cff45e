// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a lost link costs, from the trap to the last SMP queued.
//
// A subnet manager on a simulated fat tree with three levels, under EmberSM's own order. A cable
// between a switch of the middle and one of the top is cut. Counted is the subnet manager's own CPU
// time, the simulator's apart, until it rests again.

#include <array>
#include <benchmark/benchmark.h>
#include <cstdint>

#include "config/netlist/topologies.h"
#include "tests/bench/timed_run.h"

namespace ember {
namespace {

struct Run : bench::TimedRun {
    explicit Run(std::uint32_t radix) : TimedRun(net::FatTree3(radix), Plain()) {}

    static Settings Plain() {
        Settings settings;
        settings.order = Order::kBalanced;
        settings.sweep_interval = 1000;
        return settings;
    }
    [[nodiscard]] std::uint64_t LftSets() {
        return sim.counters().Sets(AttributeId::kLinearForwardingTable);
    }
    /// A cable between two switches without hosts, so between the middle and the top.
    [[nodiscard]] std::uint32_t HighCable() {
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
        }
        return 0;
    }
};

void LoseALink(benchmark::State& state) {
    Run run(static_cast<std::uint32_t>(state.range(0)));
    run.Settle(100'000);
    const std::uint32_t cable = run.HighCable();
    for (auto unused : state) {
        static_cast<void>(unused);
        const std::uint64_t sets = run.LftSets();
        const std::uint64_t smps = run.Sent();
        run.sim.Do(sim::FabricSim::Action::kCut, cable);
        const std::uint64_t worked_us = run.Settle(100'000);
        state.SetIterationTime(static_cast<double>(worked_us) * 1e-6);
        const SubnetStatus status = run.sm->status();
        state.counters["blocks"] = static_cast<double>(run.LftSets() - sets);
        state.counters["smps"] = static_cast<double>(run.Sent() - smps);
        state.counters["entries"] = static_cast<double>(run.sm->router().verdict().mended.entries);
        state.counters["routing_us"] = static_cast<double>(status.routing_us);
        state.counters["verifying_us"] = static_cast<double>(status.verifying_us);
        constexpr std::array kStageNames = {"resting",     "discovering", "electing", "preparing",
                                            "programming", "activating",  "light"};
        for (std::size_t i = 0; i < kStages; ++i) {
            state.counters[kStageNames[i]] = static_cast<double>(status.stage_work_us[i]);
        }
        run.sim.Do(sim::FabricSim::Action::kJoin, cable);
        run.Settle(100'000);
    }
}
BENCHMARK(LoseALink)->Arg(8)->Arg(16)->Arg(24)->Arg(36)->Iterations(2)->UseManualTime()->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace ember
