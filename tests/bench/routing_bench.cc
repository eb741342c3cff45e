// SPDX-License-Identifier: Apache-2.0
// EmberSM: how long topology, hop matrix, engines and verifier take on three-level fat trees.

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "core/routing/router.h"
#include "core/routing/verifier.h"
#include "engines/auto/auto.h"
#include "engines/catalogue.h"
#include "engines/min_hop.h"
#include "engines/up_down/dn_up.h"
#include "engines/up_down/up_dn.h"
#include "tests/support/engine_plan.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

/// A fat tree of k-port switches with everything a routing run needs.
struct Bench {
    explicit Bench(std::uint32_t k)
        : built(net::FatTree3(k)),
          limits(WithLanes(built.limits())),
          scratch(Router::ScratchBytes(limits, EngineScratchBytes(limits))),
          path_sl(2 * std::size_t{limits.path_sl_bytes}),
          hops(HopBytes(built.limits())),
          planned(built.limits().max_switches * LidStride(built.limits())) {}

    /// As many lanes as switches have, and service levels for every pair of switches.
    static Limits WithLanes(Limits limits) {
        limits.max_lanes = 8;
        limits.path_sl_bytes = static_cast<std::uint32_t>(
            PathSl::Bytes(PathSl::Form::kBySwitchPair, limits.max_switches, kNoLid));
        return limits;
    }

    testing::BuiltFabric built;
    Limits limits;
    testing::ArenaStorage scratch;
    std::vector<std::uint8_t> path_sl;
    std::vector<std::uint8_t> hops;
    std::vector<std::uint8_t> planned;

    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> lfts() {
        return {planned, LftShape(built.limits())};
    }
};

Bench& BenchFor(std::int64_t k) {
    static std::map<std::int64_t, std::unique_ptr<Bench>> benches;
    auto& bench = benches[k];
    if (!bench) bench = std::make_unique<Bench>(static_cast<std::uint32_t>(k));
    return *bench;
}

/// Processor time of this thread: other programs on the machine do not count.
double CpuSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Measures one phase of the router alone; kDone: all phases.
template <typename Engine = MinHop>
void Measure(benchmark::State& state, Router::Phase phase, const Settings& settings = {}) {
    Bench& bench = BenchFor(state.range(0));
    Engine engine;
    RoutingEngine* const engines[] = {&engine};
    Router router({.hops = bench.hops, .path_sl = bench.path_sl}, bench.limits);
    double longest_us = 0;
    double best_ms = 1e9;  // On a busy machine the best run says most.
    for (auto _ : state) {
        const testing::EnginePlan plan(engines, settings);
        router.Begin(bench.built.fabric(), plan.plan(), bench.lfts(), bench.scratch.arena());
        double seconds = 0;
        while (true) {  // Ends: the router does.
            const bool counts = phase == Router::Phase::kDone || router.phase() == phase;
            const double start = CpuSeconds();
            const Progress progress = router.Advance();
            const double taken = CpuSeconds() - start;
            if (counts) {
                seconds += taken;
                longest_us = std::max(longest_us, taken * 1e6);
            }
            if (progress == Progress::kDone) break;
        }
        state.SetIterationTime(seconds);
        best_ms = std::min(best_ms, seconds * 1e3);
    }
    if (!router.verdict().may_program()) state.SkipWithError("refused");
    state.counters["best_ms"] = best_ms;
    state.counters["switches"] = static_cast<double>(bench.built.fabric().switch_count());
    state.counters["lids"] = static_cast<double>(router.verdict().findings.lids);
    state.counters["slice_us"] = longest_us;
}

void BuildTopology(benchmark::State& state) {
    Measure(state, Router::Phase::kTopology);
}
void MeasureHops(benchmark::State& state) {
    Measure(state, Router::Phase::kHops);
}
void RouteMinHop(benchmark::State& state) {
    Measure(state, Router::Phase::kEngine);
}
void RouteUpDn(benchmark::State& state) {
    Measure<UpDn>(state, Router::Phase::kEngine);
}
/// Without a root file updn takes every switch of a tree of 20 pods and more for a root, as OpenSM
/// does, and routes like min-hop. Here the roots are those of the tree.
void RouteUpDnByRoots(benchmark::State& state) {
    const Fabric& fabric = BenchFor(state.range(0)).built.fabric();
    const auto peers_all = [&](NodeIndex node, auto pass) {
        bool all = true;
        for (const Port& port : fabric.PortsOf(node)) {
            if (port.peer != kNoPortIndex) all = all && pass(fabric.port(port.peer).node);
        }
        return all;
    };
    const auto is_switch = [&](NodeIndex node) {
        return fabric.node(node).type == NodeType::kSwitch;
    };
    std::vector<Guid> roots;
    ForEachSwitch(fabric, [&](SwitchIndex, const Switch& row) {
        const bool is_top = peers_all(row.node, [&](NodeIndex peer) {
            return is_switch(peer) && peers_all(peer, is_switch);
        });
        if (is_top) roots.push_back(fabric.node(row.node).guid);
    });
    std::sort(roots.begin(), roots.end());
    Settings settings;
    settings.tables.roots = roots;
    settings.tables.has_roots = true;
    Measure<UpDn>(state, Router::Phase::kEngine, settings);
    state.counters["roots"] = static_cast<double>(roots.size());
}
/// The same as where some cable joins two switches of a level: the slowest search.
void RouteDnUpConnected(benchmark::State& state) {
    Settings settings;
    settings.connect_roots = true;
    Measure<DnUp>(state, Router::Phase::kEngine, settings);
}
void RouteDnUp(benchmark::State& state) {
    Measure<DnUp>(state, Router::Phase::kEngine);
}
/// OpenSM's order and lanes; on four of them, as pairs of spines have lanes too.
void RouteLash(benchmark::State& state) {
    Settings settings;
    settings.order = Order::kOpensm;
    settings.qos = true;
    Measure<Lash>(state, Router::Phase::kEngine, settings);
}
void RouteLashBalanced(benchmark::State& state) {
    Measure<Lash>(state, Router::Phase::kEngine);
}
void RouteDfsssp(benchmark::State& state) {
    Measure<Dfsssp>(state, Router::Phase::kEngine);
}
void RouteNue(benchmark::State& state) {
    Measure<Nue>(state, Router::Phase::kEngine);
}
/// As a tree, of which it has to be sure first.
void RouteAuto(benchmark::State& state) {
    Measure<Auto>(state, Router::Phase::kEngine);
}
void Verify(benchmark::State& state) {
    Measure(state, Router::Phase::kVerifier);
}
void VerifyUpDn(benchmark::State& state) {
    Measure<UpDn>(state, Router::Phase::kVerifier);
}
void WholeRun(benchmark::State& state) {
    Measure(state, Router::Phase::kDone);
}

void Sizes(benchmark::internal::Benchmark* bench) {
    for (const int k : {8, 16, 24, 36}) {
        bench->Arg(k);
    }
    bench->ArgName("k")->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(8);
}

/// Measurements of OpenSM's engines with lanes end at k=24.
void SmallSizes(benchmark::internal::Benchmark* bench) {
    bench->Arg(8)
        ->Arg(24)
        ->ArgName("k")
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(3);
}

BENCHMARK(BuildTopology)->Apply(Sizes);
BENCHMARK(MeasureHops)->Apply(Sizes);
BENCHMARK(RouteMinHop)->Apply(Sizes);
BENCHMARK(RouteUpDn)->Apply(Sizes);
BENCHMARK(RouteUpDnByRoots)->Apply(Sizes);
BENCHMARK(RouteDnUp)->Apply(Sizes);
BENCHMARK(RouteDnUpConnected)->Apply(Sizes);
BENCHMARK(RouteLash)->Apply(SmallSizes);
BENCHMARK(RouteLashBalanced)->Apply(SmallSizes);
BENCHMARK(RouteDfsssp)->Apply(SmallSizes);
BENCHMARK(RouteNue)->Apply(SmallSizes);
BENCHMARK(RouteAuto)->Apply(Sizes);
BENCHMARK(Verify)->Apply(Sizes);
BENCHMARK(VerifyUpDn)->Apply(Sizes);
BENCHMARK(WholeRun)->Apply(Sizes);

}  // namespace
}  // namespace ember
