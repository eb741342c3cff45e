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
#include "core/routing/hops.h"
#include "core/routing/router.h"
#include "core/routing/topology.h"
#include "core/routing/verifier.h"
#include "engines/catalogue.h"
#include "engines/min_hop.h"
#include "engines/up_down/dn_up.h"
#include "engines/up_down/up_dn.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

/// A fat tree of k-port switches with everything a routing run needs.
struct Bench {
    explicit Bench(std::uint32_t k)
        : built(net::FatTree3(k)),
          scratch(Router::ScratchBytes(built.limits(), EngineScratchBytes(built.limits()))),
          hops(HopBytes(built.limits())),
          planned(built.limits().max_switches * LidStride(built.limits())) {}

    testing::BuiltFabric built;
    testing::ArenaStorage scratch;
    std::vector<std::uint8_t> hops;
    std::vector<std::uint8_t> planned;

    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> lfts() {
        return {planned, LidStride(built.limits())};
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

/// One phase of the router is measured, the others run beside the clock.
template <typename Engine = MinHop>
void Measure(benchmark::State& state, Router::Phase phase) {
    Bench& bench = BenchFor(state.range(0));
    Engine engine;
    RoutingEngine* const engines[] = {&engine};
    const Settings settings;
    Router router({.hops = bench.hops}, bench.built.limits());
    double longest_us = 0;
    double best_ms = 1e9;  // On a busy machine the best run says most.
    for (auto _ : state) {
        router.Begin(bench.built.fabric(), settings, engines, bench.lfts(), bench.scratch.arena());
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
void RouteDnUp(benchmark::State& state) {
    Measure<DnUp>(state, Router::Phase::kEngine);
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

BENCHMARK(BuildTopology)->Apply(Sizes);
BENCHMARK(MeasureHops)->Apply(Sizes);
BENCHMARK(RouteMinHop)->Apply(Sizes);
BENCHMARK(RouteUpDn)->Apply(Sizes);
BENCHMARK(RouteDnUp)->Apply(Sizes);
BENCHMARK(Verify)->Apply(Sizes);
BENCHMARK(VerifyUpDn)->Apply(Sizes);
BENCHMARK(WholeRun)->Apply(Sizes);

}  // namespace
}  // namespace ember
