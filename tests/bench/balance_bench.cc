// SPDX-License-Identifier: Apache-2.0
// EmberSM: how long balanced routes take on three-level fat trees, and how well they fill them.

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <random>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/hops.h"
#include "core/routing/router.h"
#include "engines/catalogue.h"
#include "tests/support/engine_plan.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

/// Processor time of this thread: other programs on the machine do not count.
double CpuSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A three-level tree of k-port switches; `lost` of its cables between switches are unplugged, as
/// evenly over the list of nodes as can be.
net::Netlist Tree(std::uint32_t k, std::size_t lost) {
    net::Netlist netlist = net::FatTree3(k);
    std::vector<net::NetPort*> cables;
    for (net::NetNode& node : netlist.nodes) {
        if (!node.is_switch()) continue;
        for (net::NetPort& port : node.ports) {
            if (port.peer == net::kNoPeer || !netlist.nodes[port.peer].is_switch()) continue;
            if (&netlist.nodes[port.peer] > &node) cables.push_back(&port);
        }
    }
    for (std::size_t i = 0; i < lost; ++i) {
        net::NetPort& here = *cables[i * cables.size() / lost];
        netlist.nodes[here.peer].ports[here.peer_port].peer = net::kNoPeer;
        here.peer = net::kNoPeer;
    }
    return netlist;
}

/// The same net with its nodes in another order: the rows of the fabric then say nothing about
/// places, nor do GUIDs, which follow the order.
net::Netlist Scatter(const net::Netlist& netlist) {
    std::vector<std::uint32_t> order(netlist.nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    std::vector<std::uint32_t> place_of(order.size());
    net::Netlist scattered;
    for (const std::uint32_t old : order) {
        place_of[old] = static_cast<std::uint32_t>(scattered.nodes.size());
        scattered.nodes.push_back(netlist.nodes[old]);
        scattered.nodes.back().guid = kNoGuid;
    }
    for (net::NetNode& node : scattered.nodes) {
        for (net::NetPort& port : node.ports) {
            if (port.peer != net::kNoPeer) port.peer = place_of[port.peer];
        }
    }
    scattered.AssignGuids();
    return scattered;
}

/// Arguments: k, cables lost, whether nodes are scattered.
template <typename Engine>
void Route(benchmark::State& state) {
    const net::Netlist tree =
        Tree(static_cast<std::uint32_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    testing::BuiltFabric built(state.range(2) != 0 ? Scatter(tree) : tree);
    testing::ArenaStorage scratch(
        Router::ScratchBytes(built.limits(), EngineScratchBytes(built.limits())));
    std::vector<std::uint8_t> hops(HopBytes(built.limits()));
    std::vector<std::uint8_t> planned(built.limits().max_switches * LidStride(built.limits()));
    const Matrix<SwitchIndex, std::uint8_t> lfts(planned, LftShape(built.limits()));
    Settings settings;
    settings.order = Order::kBalanced;
    Engine engine;
    RoutingEngine* const engines[] = {&engine};
    Router router({.hops = hops}, built.limits());
    double longest_us = 0;
    double best_ms = 1e9;  // On a busy machine the best run says most.
    for (auto _ : state) {
        const testing::EnginePlan plan(engines, settings);
        router.Begin(built.fabric(), plan.plan(), lfts, scratch.arena());
        double seconds = 0;
        Progress progress = Progress::kMore;
        while (progress == Progress::kMore) {  // Ends: the router does.
            const bool counts = router.phase() == Router::Phase::kEngine;
            const double start = CpuSeconds();
            progress = router.Advance();
            const double taken = CpuSeconds() - start;
            if (!counts) continue;
            seconds += taken;
            longest_us = std::max(longest_us, taken * 1e6);
        }
        state.SetIterationTime(seconds);
        best_ms = std::min(best_ms, seconds * 1e3);
    }
    if (!router.verdict().may_program()) state.SkipWithError("refused");
    scratch.arena().Reset();
    Topology topology;
    topology.Build(built.fabric(), settings.order, scratch.arena());
    state.counters["best_ms"] = best_ms;
    state.counters["slice_us"] = longest_us;
    state.counters["saturation"] = plan::MeasureAllToAll(topology, lfts).saturation;
}

void Trees(benchmark::internal::Benchmark* bench) {
    for (const int k : {8, 16, 24, 36}) {
        bench->Args({k, 0, 0})->Args({k, 0, 1})->Args({k, 1, 0})->Args({k, k * k * k / 40, 0});
    }
    bench->ArgNames({"k", "lost", "scattered"})
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(5);
}

/// updn finds no roots, or too few, on most trees that lost something: as OpenSM.
void WholeTrees(benchmark::internal::Benchmark* bench) {
    for (const int k : {8, 16, 24, 36}) {
        bench->Args({k, 0, 0})->Args({k, 0, 1});
    }
    bench->ArgNames({"k", "lost", "scattered"})
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(5);
}

BENCHMARK(Route<MinHop>)->Apply(Trees);
BENCHMARK(Route<UpDn>)->Apply(WholeTrees);
BENCHMARK(Route<DnUp>)->Apply(Trees);

}  // namespace
}  // namespace ember
