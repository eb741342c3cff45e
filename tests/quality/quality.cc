// SPDX-License-Identifier: Apache-2.0
// EmberSM: a table of what routings carry, engine beside engine, on nets of well-known shapes.
//
// Usage: quality [LANES]   (8 unless told; 1 shows what lanes that are missing cost)

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/plan/measure.h"
#include "engines/catalogue.h"
#include "tests/engines/balance/balance_nets.h"
#include "tests/engines/balance/measured.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::Net;
using testing::RoutingRun;

const std::vector<Net>& Nets() {
    static const std::vector<Net> nets = {
        {.shape = "ft3:16"},           {.shape = "ft3:16", .lost_links = 102, .seed = 5},
        {.shape = "torus:8x8x8:4"},    {.shape = "torus:8x8x8:4", .lost_links = 3, .seed = 1},
        {.shape = "torus:10x10x10:4"}, {.shape = "torus:6x5:2"},
        {.shape = "mesh:8x8:4"},       {.shape = "hypercube:6:4"},
        {.shape = "dragonfly:8,4:4"},  {.shape = "random:1,125,12:8"},
        {.shape = "ring:8:2"},
    };
    return nets;
}

/// Whether credit loops are possible: among hosts, only with switches' own traffic, or not at all.
std::string_view WordOf(const Findings& findings) {
    if (findings.end_ports_may_deadlock) return "cycle";
    return findings.anything_may_deadlock ? "hosts free" : "free";
}

void Measure(const Net& net, std::string_view engine, std::uint8_t lanes) {
    using Clock = std::chrono::steady_clock;
    BuiltFabric::Options options;
    options.max_lanes = lanes;
    const net::Netlist netlist = net.Build();
    constexpr std::size_t kLaneBytes = 128U << 10U;
    RoutingRun run(netlist, options, &EngineScratchBytes, kLaneBytes);
    const auto engines = std::make_unique<Engines>();
    Settings settings = testing::Balanced();
    settings.qos = true;
    const auto begin = Clock::now();
    const Verdict& verdict = run.Route(*engines->Find(engine), settings);
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    if (!verdict.may_program()) {
        std::printf("| %s | %s | refused |\n", net.Name().c_str(), engine.data());
        return;
    }
    Topology topology;
    topology.Build(run.built().fabric(), Order::kBalanced, run.scratch());
    const plan::Tables tables = run.lfts();
    const plan::AllToAll loads = plan::MeasureAllToAll(topology, tables);
    const plan::Shifts shifts = plan::MeasureShifts(topology, tables, 64);
    const plan::Bisections bisections = plan::MeasureBisections(topology, tables, 100);
    const Findings& findings = verdict.findings;
    std::printf("| %s | %s | %.4f | %.3f | %.1f | %u | %.3f | %s | %.0f |\n", net.Name().c_str(),
                engine.data(), loads.saturation, bisections.effective, shifts.mean,
                run.router().planned_lanes().count, loads.mean_hops(), WordOf(findings).data(),
                took.count());
    std::fflush(stdout);
}

int Main(std::uint8_t lanes) {
    std::puts(
        "| net | engine | saturation | bisection | shift | lanes | hops | credit loops | ms |");
    std::puts("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |");
    for (const Net& net : Nets()) {
        for (const char* const engine : {"minhop", "auto"}) {
            Measure(net, engine, lanes);
        }
    }
    return EXIT_SUCCESS;
}

}  // namespace
}  // namespace ember

int main(int count, char** arguments) {
    const int lanes = count > 1 ? std::atoi(arguments[1]) : 8;
    return ember::Main(static_cast<std::uint8_t>(lanes < 1 || lanes > 15 ? 8 : lanes));
}
