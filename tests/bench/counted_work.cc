// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the work of a subnet manager is, in instructions, which no neighbor disturbs.
//
// Goal:   six figures that do not grow unseen: a bring-up, its longest step, its routing, the proof
//         of the routing, the mending of a lost link, and a path.
// Method: callgrind counts between two marks (--collect-atstart=no). Time is virtual, and the clock
//         by which work is cut into slices counts how often it was asked, so that the same work is
//         done on every machine. The gate `instructions` reads "end of step", of which the longest
//         counts, and "end of figure NAME".
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/router.h"
#include "engines/auto/auto.h"
#include "tests/bench/timed_run.h"
#include "tests/core/administration/paths/path_net.h"
#include "tests/support/engine_plan.h"
#include "tests/support/fabric_builder.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else  // A cross build without valgrind.
#define CALLGRIND_TOGGLE_COLLECT
#define VALGRIND_MONITOR_COMMAND(command)
#define VALGRIND_PRINTF(...)
#endif

namespace ember {
namespace {

constexpr std::uint32_t kPods = 16;  // ft3:16: 320 switches, 1,024 hosts.
constexpr std::uint64_t kCalmUs = 100'000;

/// Each question takes a quarter of a slice.
class TurnClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override { return now_us_ += 250; }

private:
    mutable std::uint64_t now_us_ = 0;
};

using Run = bench::SimulatedRun<TurnClock>;

void End(const char* figure) {
    VALGRIND_MONITOR_COMMAND("status internal");
    VALGRIND_PRINTF("end of figure %s\n", figure);
    std::printf("%s\n", figure);
}

void EndStep() {
    VALGRIND_MONITOR_COMMAND("status internal");
    VALGRIND_PRINTF("end of step\n");
}

/// Until the subnet manager rests; its own instructions alone are counted.
void Settle(Run& run) {
    std::uint64_t calm_since_us = run.sim.clock().NowUs();
    while (run.sim.clock().NowUs() - calm_since_us < kCalmUs) {
        CALLGRIND_TOGGLE_COLLECT;
        const std::uint64_t next_us = run.sm->Step();
        CALLGRIND_TOGGLE_COLLECT;
        EndStep();
        if (run.sm->stage() != Stage::kResting) calm_since_us = run.sim.clock().NowUs();
        run.sim.AdvanceToNextEvent(
            std::max(run.sim.clock().NowUs(), std::min(next_us, calm_since_us + kCalmUs)));
    }
}

/// A cable between the middle and the top of the tree.
[[nodiscard]] std::uint32_t HighCable(sim::World& world) {
    const auto has_host = [&](std::uint32_t row) {
        const sim::SimNode& node = world.node_of(row);
        for (std::uint32_t number = 1; number <= node.port_count; ++number) {
            const std::uint32_t beyond = world.Beyond(node.first_row + number);
            if (beyond != sim::kNoRow && !world.node_of(beyond).is_switch()) return true;
        }
        return false;
    };
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        const std::uint32_t other = world.Beyond(row);
        if (other == sim::kNoRow || !world.node_of(row).is_switch()) continue;
        if (world.node_of(other).is_switch() && !has_host(row) && !has_host(other)) return row;
    }
    EMBER_ASSERT(false);
    return 0;
}

void CountSubnet() {
    Settings settings;
    settings.sweep_interval = 1000;
    Run run(net::FatTree3(kPods), settings);
    Settle(run);
    EMBER_ASSERT(run.sm->status().up);
    End("bring-up");
    run.sim.Do(sim::FabricSim::Action::kCut, HighCable(run.sim.world()));
    Settle(run);
    EMBER_ASSERT(run.sm->status().up);
    End("mending");
}

/// The phases of a routing by `auto`.
void CountRouting(bool counts_proof, const char* figure) {
    testing::BuiltFabric built(net::FatTree3(kPods));
    const Limits& limits = built.limits();
    testing::ArenaStorage scratch(Router::ScratchBytes(limits, EngineScratchBytes(limits)));
    std::vector<std::uint8_t> hops(HopBytes(limits));
    std::vector<std::uint8_t> planned(limits.max_switches * LidStride(limits));
    Auto engine;
    const std::array<RoutingEngine*, 1> engines{&engine};
    Router router({.hops = hops}, limits);
    const testing::EnginePlan plan(engines, Settings{});
    router.Begin(built.fabric(), plan.plan(), {planned, LftShape(limits)}, scratch.arena());
    for (bool is_done = false; !is_done;) {  // Ends: the router does.
        const bool counts = (router.phase() == Router::Phase::kVerifier) == counts_proof;
        if (counts) CALLGRIND_TOGGLE_COLLECT;
        is_done = router.Advance() == Progress::kDone;
        if (counts) CALLGRIND_TOGGLE_COLLECT;
    }
    EMBER_ASSERT(router.verdict().may_program());
    End(figure);
}

/// 4,096 Gets of a PathRecord by LIDs.
void CountPaths() {
    using P = PathRecord;
    testing::PathNet net(net::FatTree3(kPods));
    net.view().generation = 1;
    std::vector<PortIndex> hosts;
    ForEachEndPort(net.fabric(), [&](PortIndex at, const Port& port) {
        if (port.number != kManagementPort) hosts.push_back(at);
    });
    std::minstd_rand chance(1);
    Query query;
    query.method = Method::kGet;
    query.component_mask = testing::Mask(P::kHasSlid, P::kHasDlid);
    query.requester = hosts[0];
    for (int i = 0; i < 4096; ++i) {
        PathRecord asked;
        PathRecord path;
        Cursor cursor;
        std::uint32_t budget = 20'000;
        asked.Set(P::kSlid, net.fabric().port(hosts[chance() % hosts.size()]).lid);
        asked.Set(P::kDlid, net.fabric().port(hosts[chance() % hosts.size()]).lid);
        query.record = asked.octets();
        CALLGRIND_TOGGLE_COLLECT;
        const bool is_sound = net.records().Check(query) == SaStatus::kOk;
        const Found found = net.records().Next(query, cursor, budget, path.octets());
        CALLGRIND_TOGGLE_COLLECT;
        EMBER_ASSERT(is_sound && found == Found::kRecord);
    }
    End("paths");
}

}  // namespace
}  // namespace ember

int main() {
    ember::CountSubnet();
    ember::CountRouting(false, "routing");
    ember::CountRouting(true, "proof");
    ember::CountPaths();
    return 0;
}
