// SPDX-License-Identifier: Apache-2.0
// EmberSM: what P_Key tables and tables of virtual lanes add to a bring-up, and a change of one
// membership costs.
//
// Goal:   on fat trees of three levels, 64 partitions beside the default one with 32 of them a
//         host: SMPs beside the least number that does the work, CPU time beside a bring-up without
//         partitions; the blocks that a change of one membership writes, and its CPU time; the SMPs
//         of a bring-up and of a restart with `qos`.
// Method: whole subnet managers on simulated fabrics, one after the other in one run, so that
//         ratios are of one machine at one time. CPU time is the subnet manager's own, with what
//         the simulator does when a datagram is sent. The least numbers are worked out from the
//         simulated hardware alone. Under callgrind the program says which figure has ended
//         (tests/bench/instructions.py reads that).

#include <benchmark/benchmark.h>
#include <cstdint>
#include <string>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/bench/timed_run.h"
#include "tests/support/partition_file.h"
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else  // A cross build without valgrind: CPU time only.
#define VALGRIND_MONITOR_COMMAND(command)
#define VALGRIND_PRINTF(...)
#endif

namespace ember {
namespace {

using testing::PartitionFile;

constexpr std::uint16_t kPartitions = 64;
constexpr std::uint16_t kOfAHost = 32;
constexpr std::uint64_t kCalmUs = 100'000;

Settings Plain() {
    Settings settings;
    settings.sweep_interval = 1000;
    settings.scrub_interval = 0;
    return settings;
}

/// Callgrind's sum belongs to `figure` as far as it has grown since the last one.
void EndFigure(const char* figure) {
    VALGRIND_MONITOR_COMMAND("status internal");
    VALGRIND_PRINTF("end of figure %s\n", figure);
    static_cast<void>(figure);
}

bench::TimedRun Fabric3(std::int64_t radix, const Settings& settings) {
    return {net::FatTree3(static_cast<std::uint32_t>(radix)), settings};
}

/// Host n is in 32 of 64 partitions from n on, a full member of every second one.
PartitionFile FileFor(const sim::World& world) {
    PartitionFile file;
    std::uint16_t host = 0;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        if (world.port(row).number == 0 || world.node_of(row).is_switch()) continue;
        for (std::uint16_t i = 0; i < kOfAHost; ++i) {
            const auto base = static_cast<std::uint16_t>(1 + (host + i) % kPartitions);
            const bool is_full = (host + i) % 2 == 0;
            file[base][world.port(row).guid] = is_full ? Membership::kFull : Membership::kLimited;
        }
        ++host;
    }
    return file;
}

/// The fewest SMPs that a fabric takes.
struct Least {
    std::uint64_t plain = 0;   ///< Without tables of ports: RESULTS.md has the formula.
    std::uint64_t p_keys = 0;  ///< Blocks that have to be read: all, as any may hold a P_Key.
    std::uint64_t lanes = 0;   ///< Tables of ports whose link is up.
};

Least LeastOf(sim::World& world) {
    constexpr std::uint32_t kVlArbBlocks = 2;  // 8 entries of either priority: one block each.
    Least least;
    std::uint64_t switches = 0;
    std::uint64_t hosts = 0;
    std::uint64_t wired = 0;  // Ends of cables.
    for (std::uint32_t i = 0; i < world.node_count(); ++i) {
        const sim::SimNode& node = world.node(i);
        ++(node.is_switch() ? switches : hosts);
        for (std::uint32_t port = 1; port <= node.port_count; ++port) {
            const std::uint32_t beyond = world.Beyond(node.first_row + port);
            if (beyond == sim::kNoRow) continue;
            ++wired;
            least.lanes += kVlArbBlocks + (node.is_switch() ? node.port_count + 1U : 1U);
            const bool has_p_keys = !node.is_switch() || !world.node_of(beyond).is_switch();
            least.p_keys += has_p_keys ? node.partition_cap / 32U : 0U;
        }
        if (node.is_switch()) {
            least.p_keys += node.partition_cap / 32U;
            least.plain += node.port_count + 1U;  // Get(PortInfo).
        } else {
            least.plain += node.port_count;
        }
    }
    const std::uint64_t blocks = (switches + hosts) / 64U + 1U;
    least.plain += 1 + wired / 2;         // Get(NodeInfo).
    least.plain += switches + hosts;      // Get(NodeDescription).
    least.plain += 2 * switches;          // Get and Set(SwitchInfo).
    least.plain += switches + 2 * wired;  // Set(PortInfo).
    least.plain += switches * blocks;     // Set(LinearForwardingTable).
    return least;
}

std::vector<std::uint8_t> PKeysOf(const sim::World& world) {
    std::vector<std::uint8_t> all;
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        for (std::uint32_t block = 0; block < 2; ++block) {
            const auto octets = world.PKeyBlock(row, block);
            all.insert(all.end(), octets.begin(), octets.end());
        }
    }
    return all;
}

/// Blocks of 64 octets that differ.
std::uint64_t Differing(const std::vector<std::uint8_t>& one,
                        const std::vector<std::uint8_t>& other) {
    std::uint64_t count = 0;
    for (std::size_t at = 0; at < one.size(); at += 64) {
        count += std::equal(one.begin() + static_cast<std::ptrdiff_t>(at),
                            one.begin() + static_cast<std::ptrdiff_t>(at + 64),
                            other.begin() + static_cast<std::ptrdiff_t>(at))
                     ? 0U
                     : 1U;
    }
    return count;
}

double Ratio(std::uint64_t one, std::uint64_t other) {
    return static_cast<double>(one) / static_cast<double>(other);
}

void Partitions64(benchmark::State& state) {
    for (auto unused : state) {
        static_cast<void>(unused);
        std::uint64_t plain_us = 0;
        {
            bench::TimedRun run = Fabric3(state.range(0), Plain());
            plain_us = run.Settle(kCalmUs);
            if (!run.sm->is_up()) return state.SkipWithError("not up without partitions");
            EndFigure("bring-up");
        }
        bench::TimedRun run = Fabric3(state.range(0), Plain());
        const std::vector<std::uint8_t> fresh = PKeysOf(run.sim.world());
        PartitionFile file = FileFor(run.sim.world());
        Settings settings = Plain();
        file.Fill(settings);
        run.Start(settings);
        const std::uint64_t worked_us = run.Settle(kCalmUs);
        if (!run.sm->is_up()) return state.SkipWithError("not up");
        EndFigure("bring-up-with-partitions");
        const Least least = LeastOf(run.sim.world());
        const std::uint64_t blocks = Differing(fresh, PKeysOf(run.sim.world()));
        state.counters["cpu_ms"] = static_cast<double>(worked_us) / 1e3;
        state.counters["cpu_ratio"] = Ratio(worked_us, plain_us);
        state.counters["smps"] = static_cast<double>(run.Sent());
        state.counters["smps_ratio"] = Ratio(run.Sent(), least.plain + least.p_keys + blocks);
        state.counters["p_key_gets"] =
            static_cast<double>(run.sim.counters().Gets(AttributeId::kPKeyTable));
        state.counters["p_key_sets"] =
            static_cast<double>(run.sim.counters().Sets(AttributeId::kPKeyTable));
        state.counters["least_gets"] = static_cast<double>(least.p_keys);
        state.counters["least_sets"] = static_cast<double>(blocks);

        PartitionFile changed = file;
        auto& members = changed[1];
        members.erase(members.begin());
        Settings next = Plain();
        changed.Fill(next);
        const std::vector<std::uint8_t> before = PKeysOf(run.sim.world());
        const std::uint64_t sent = run.Sent();
        const std::uint64_t sets = run.sim.counters().Sets(AttributeId::kPKeyTable);
        const std::uint64_t gets = run.sim.counters().Gets(AttributeId::kPKeyTable);
        run.sm->Configure(next);
        state.counters["change_cpu_ms"] = static_cast<double>(run.Settle(kCalmUs)) / 1e3;
        EndFigure("change-of-one-membership");
        state.counters["change_smps"] = static_cast<double>(run.Sent() - sent);
        state.counters["change_gets"] =
            static_cast<double>(run.sim.counters().Gets(AttributeId::kPKeyTable) - gets);
        state.counters["change_sets"] =
            static_cast<double>(run.sim.counters().Sets(AttributeId::kPKeyTable) - sets);
        state.counters["change_blocks"] =
            static_cast<double>(Differing(before, PKeysOf(run.sim.world())));
        state.counters["octets_a_port"] =
            static_cast<double>(settings.manager_tables.partition_ports.size_bytes()) /
            static_cast<double>(run.sim.world().node_count() - run.sim.world().switch_count());
        run.sm.reset();  // The manager views `next`.
    }
}

std::uint64_t LaneSets(const bench::TimedRun& run) {
    const sim::Counters& counters = run.sim.counters();
    return counters.Sets(AttributeId::kSlToVlMappingTable) +
           counters.Sets(AttributeId::kVlArbitrationTable);
}

std::uint64_t LaneGets(const bench::TimedRun& run) {
    const sim::Counters& counters = run.sim.counters();
    return counters.Gets(AttributeId::kSlToVlMappingTable) +
           counters.Gets(AttributeId::kVlArbitrationTable);
}

void Lanes(benchmark::State& state) {
    for (auto unused : state) {
        static_cast<void>(unused);
        Settings settings = Plain();
        settings.qos = true;
        bench::TimedRun run = Fabric3(state.range(0), settings);
        const std::uint64_t worked_us = run.Settle(kCalmUs);
        if (!run.sm->is_up()) return state.SkipWithError("not up");
        const Least least = LeastOf(run.sim.world());
        state.counters["cpu_ms"] = static_cast<double>(worked_us) / 1e3;
        state.counters["smps"] = static_cast<double>(run.Sent());
        state.counters["smps_ratio"] = Ratio(run.Sent(), least.plain + least.lanes);
        state.counters["lane_gets"] = static_cast<double>(LaneGets(run));
        state.counters["lane_sets"] = static_cast<double>(LaneSets(run));
        state.counters["least_sets"] = static_cast<double>(least.lanes);
        run.sim.ClearCounters();
        run.Start(settings);
        run.Settle(kCalmUs);
        if (!run.sm->is_up()) return state.SkipWithError("not up again");
        state.counters["restart_gets"] = static_cast<double>(LaneGets(run));
        state.counters["restart_sets"] = static_cast<double>(LaneSets(run));
    }
}

void Sizes(benchmark::internal::Benchmark* bench) {
    bench->ArgName("k")->Arg(8)->Arg(16)->Arg(36)->Iterations(1)->Unit(benchmark::kMillisecond);
}
BENCHMARK(Partitions64)->Apply(Sizes);
BENCHMARK(Lanes)->Apply(Sizes);

}  // namespace
}  // namespace ember
