// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a lost link costs, from the trap to the last SMP queued.
//
// A subnet manager on a simulated fat tree with three levels, under EmberSM's own order. A cable
// between a switch of the middle and one of the top is cut. Counted is the subnet manager's own CPU
// time, the simulator's apart, until it rests again.

#include <array>
#include <benchmark/benchmark.h>
#include <ctime>
#include <memory>

#include "board/linux_bench/profile.h"
#include "config/netlist/topologies.h"
#include "core/storage.h"
#include "engines/catalogue.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_entropy.h"
#include "platform/sim/sim_store.h"

namespace ember {
namespace {

class CpuClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec) / 1000;
    }
};

struct Run {
    explicit Run(std::uint32_t radix) : sim(net::FatTree3(radix)) {
        settings.order = Order::kBalanced;
        settings.sweep_interval = 1000;
        sm = std::make_unique<SubnetManager>(
            storage->memory(), kLinuxBench,
            SubnetManager::Platform{sim.AttachAnywhere(), sim.clock(), cpu, store, entropy},
            settings, engines.All());
    }
    /// Until the subnet manager rests for `calm_us` of virtual time. Its CPU time.
    std::uint64_t Settle(std::uint64_t calm_us) {
        std::uint64_t worked_us = 0;
        std::uint64_t calm_since_us = sim.clock().NowUs();
        while (sim.clock().NowUs() - calm_since_us < calm_us) {
            const std::uint64_t began_us = cpu.NowUs();
            const std::uint64_t next_us = sm->Step();
            worked_us += cpu.NowUs() - began_us;
            if (sm->stage() != Stage::kResting) calm_since_us = sim.clock().NowUs();
            sim.AdvanceToNextEvent(
                std::max(sim.clock().NowUs(), std::min(next_us, calm_since_us + calm_us)));
        }
        return worked_us;
    }
    [[nodiscard]] std::uint64_t LftSets() {
        return sim.counters().Sets(AttributeId::kLinearForwardingTable);
    }
    /// A cable between two switches without hosts, so between the middle and the top.
    [[nodiscard]] std::uint32_t HighCable() {
        sim::World& world = sim.world();
        const auto has_host = [&](std::uint32_t node) {
            for (std::uint32_t port = 1; port <= world.node(node).port_count; ++port) {
                const std::uint32_t beyond = world.Beyond(world.node(node).first_row + port);
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

    std::unique_ptr<Storage<kLinuxBench>> storage = std::make_unique<Storage<kLinuxBench>>();
    sim::FabricSim sim;
    CpuClock cpu;
    sim::SimStore store;
    sim::SimEntropy entropy{1};
    Engines engines;
    Settings settings;
    std::unique_ptr<SubnetManager> sm;
};

void LoseALink(benchmark::State& state) {
    Run run(static_cast<std::uint32_t>(state.range(0)));
    run.Settle(100'000);
    const std::uint32_t cable = run.HighCable();
    for (auto unused : state) {
        static_cast<void>(unused);
        const std::uint64_t sets = run.LftSets();
        const std::uint64_t smps = run.sm->exchange().statistics().sent;
        run.sim.Do(sim::FabricSim::Action::kCut, cable);
        const std::uint64_t worked_us = run.Settle(100'000);
        state.SetIterationTime(static_cast<double>(worked_us) * 1e-6);
        const SubnetStatus status = run.sm->status();
        state.counters["blocks"] = static_cast<double>(run.LftSets() - sets);
        state.counters["smps"] = static_cast<double>(run.sm->exchange().statistics().sent - smps);
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
