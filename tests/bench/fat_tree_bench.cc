// SPDX-License-Identifier: Apache-2.0
// EmberSM: how long ftree takes on three-level fat trees: recognizing, walking, writing the tables.

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/topology.h"
#include "engines/fat_tree/fat_tree.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

/// A fat tree of k-port switches, as an engine sees it.
struct Bench {
    explicit Bench(std::uint32_t k)
        : built(net::FatTree3(k)),
          scratch(Topology::ScratchBytes(built.limits()) + FatTree::ScratchBytes(built.limits())),
          planned(built.limits().max_switches * LidStride(built.limits()), kNoHops) {
        topology.Build(built.fabric(), Order::kOpensm, scratch.arena());
    }

    testing::BuiltFabric built;
    testing::ArenaStorage scratch;
    Topology topology;
    std::vector<std::uint8_t> planned;
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

void RouteFatTree(benchmark::State& state) {
    Bench& bench = BenchFor(state.range(0));
    FatTree engine;
    Settings settings;
    settings.order = Order::kOpensm;  // FatTree's own walk: the balanced order has no use for it.
    const std::size_t stride = HopStride(bench.topology.switch_bound());
    std::vector<std::uint8_t> hops(bench.topology.switch_bound() * stride);
    HopRoom room({hops, HopShape(bench.topology.switch_bound())});
    Arena& arena = bench.scratch.arena();
    const std::size_t mark = arena.used_bytes();
    double longest_us = 0;
    double best_ms = 1e9;  // On a busy machine the best run says most.
    bool done = false;
    for (auto _ : state) {
        double seconds = 0;
        const auto measure = [&](auto&& slice) {
            const double start = CpuSeconds();
            const bool more = slice();
            const double taken = CpuSeconds() - start;
            longest_us = std::max(longest_us, taken * 1e6);
            seconds += taken;
            return more;
        };
        bool goes_on = measure([&] {
            return engine.Begin(
                       {.topology = &bench.topology,
                        .options = &settings,
                        .hops = {},
                        .hop_room = &room,
                        .tables = {.lfts = {bench.planned, LftShape(bench.built.limits())}},
                        .scratch = &arena}) == Status::kOk;
        });
        while (goes_on) {  // Ends: the engine does.
            goes_on = measure([&] {
                const Result<Progress> progress = engine.Advance();
                done = progress.ok() && progress.value() == Progress::kDone;
                return progress.ok() && !done;
            });
        }
        state.counters["scratch_kib"] = static_cast<double>((arena.used_bytes() - mark) >> 10U);
        arena.Rewind(mark);
        state.SetIterationTime(seconds);
        best_ms = std::min(best_ms, seconds * 1e3);
    }
    if (!done) state.SkipWithError("refused");
    state.counters["best_ms"] = best_ms;
    state.counters["switches"] = static_cast<double>(bench.topology.switch_count());
    state.counters["lids"] = static_cast<double>(bench.topology.destinations().size());
    state.counters["slice_us"] = longest_us;
}

void Sizes(benchmark::internal::Benchmark* bench) {
    for (const int k : {8, 16, 24, 36, 48}) {
        bench->Arg(k);
    }
    bench->ArgName("k")->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(6);
}

BENCHMARK(RouteFatTree)->Apply(Sizes);

}  // namespace
}  // namespace ember
