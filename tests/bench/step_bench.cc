// SPDX-License-Identifier: Apache-2.0
// EmberSM: the longest step of a bring-up on the board switch_medium, filled with its 648 switches.
//
// Goal:   how long a switch's processor is away from everything else at most, in a figure that does
//         not depend on a machine.
// Method: a whole subnet manager with the memory of that board on a simulated fat tree. Its work
//         clock goes on by a millisecond whenever it is looked at, so a step does one piece of what
//         can be cut by time and no more: what is left is what nothing divides. On a real machine
//         pieces follow each other until the millisecond is over. Under callgrind the program says
//         what each step took (tests/bench/instructions.py reads that); without, CPU time is told.

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "board/switch_medium/profile.h"
#include "config/netlist/netlist.h"
#include "core/manager/storage.h"
#include "engines/catalogue.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_entropy.h"
#include "platform/sim/sim_store.h"
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else  // A cross build without valgrind: CPU time only.
#define VALGRIND_MONITOR_COMMAND(command)
#define VALGRIND_PRINTF(...)
#endif

namespace ember {
namespace {

/// Of time that is measured, a millisecond passes from look to look.
class PieceClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override { return now_us_ += 1000; }

private:
    mutable std::uint64_t now_us_ = 0;
};

std::uint64_t CpuUs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

/// A tree of three levels of 36-port switches whose top has room for 36 pods: with `pods` of them.
/// 9 pods are the board's 648 switches with 2,916 hosts; then hosts hang on the top, too, until
/// each LID of the board is somebody's.
net::Netlist Pods(std::uint32_t pods) {
    constexpr std::uint32_t kRadix = 36;
    constexpr std::uint32_t kHalf = kRadix / 2;
    net::Netlist tree;
    const auto add_switch = [&tree] { return tree.Add(NodeType::kSwitch, kRadix, {}, "switch"); };
    const auto connect = [&tree](std::uint32_t one, std::uint32_t other) {
        const bool fits = tree.ConnectAny(one, other);
        EMBER_ASSERT(fits);
    };
    std::vector<std::uint32_t> cores;
    for (std::uint32_t i = 0; i < kHalf * kHalf; ++i) {
        cores.push_back(add_switch());
    }
    for (std::uint32_t pod = 0; pod < pods; ++pod) {
        std::vector<std::uint32_t> leaves;
        for (std::uint32_t i = 0; i < kHalf; ++i) {
            leaves.push_back(add_switch());
            for (std::uint32_t host = 0; host < kHalf; ++host) {
                connect(tree.Add(NodeType::kChannelAdapter, 1, {}, "host"), leaves.back());
            }
        }
        for (std::uint32_t i = 0; i < kHalf; ++i) {
            const std::uint32_t middle = add_switch();
            for (const std::uint32_t leaf : leaves) {
                connect(leaf, middle);
            }
            for (std::uint32_t core = 0; core < kHalf; ++core) {
                connect(middle, cores[i * kHalf + core]);
            }
        }
    }
    const bool is_full = cores.size() + pods * std::size_t{kRadix} == kSwitchMedium.max_switches;
    for (std::size_t i = 0; is_full && tree.nodes.size() < kSwitchMedium.max_lid; ++i) {
        connect(tree.Add(NodeType::kChannelAdapter, 1, {}, "host"), cores[i % cores.size()]);
    }
    tree.AssignGuids();
    return tree;
}

constexpr std::array kStageNames = {"resting",     "discovering", "electing", "preparing",
                                    "programming", "activating",  "light"};
static_assert(kStageNames.size() == kStages);

struct Run {
    Run(std::uint32_t pods, Order order) : sim(Pods(pods)) {
        settings.order = order;
        sm = std::make_unique<SubnetManager>(
            storage->memory(), kSwitchMedium,
            SubnetManager::Platform{sim.AttachAnywhere(), sim.clock(), pieces, store, entropy},
            settings, engines.All());
    }
    /// Makes a step. Its CPU time; callgrind, which collects in steps only, is asked for its sum.
    std::uint64_t Step() {
        const auto stage = static_cast<std::size_t>(sm->stage());
        const std::uint64_t began_us = CpuUs();
        const std::uint64_t next_us = sm->Step();
        VALGRIND_MONITOR_COMMAND("status internal");
        const std::uint64_t took_us = CpuUs() - began_us;
        VALGRIND_PRINTF("step in stage %s\n", kStageNames[stage]);
        sim.AdvanceToNextEvent(std::max(sim.clock().NowUs(), next_us));
        return took_us;
    }

    std::unique_ptr<Storage<kSwitchMedium>> storage = std::make_unique<Storage<kSwitchMedium>>();
    sim::FabricSim sim;
    PieceClock pieces;
    sim::SimStore store;
    sim::SimEntropy entropy{1};
    Engines engines;
    Settings settings;
    std::unique_ptr<SubnetManager> sm;
};

void BringUp(benchmark::State& state) {
    const auto pods = static_cast<std::uint32_t>(state.range(0));
    const auto order = state.range(1) == 0 ? Order::kOpensm : Order::kBalanced;
    for (auto unused : state) {
        static_cast<void>(unused);
        Run run(pods, order);
        std::uint64_t steps = 0;
        std::uint64_t longest_us = 0;
        while (run.sm->progress().up_count == 0 && steps < 10'000'000) {
            longest_us = std::max(longest_us, run.Step());
            ++steps;
        }
        if (run.sm->progress().up_count == 0) return state.SkipWithError("not up");
        state.counters["switches"] = static_cast<double>(run.sm->fabric().switch_count());
        state.counters["lids"] = static_cast<double>(Raw(run.sm->fabric().top_lid()));
        state.counters["steps"] = static_cast<double>(steps);
        state.counters["longest_us"] = static_cast<double>(longest_us);
    }
}
BENCHMARK(BringUp)
    ->ArgNames({"pods", "balanced"})
    ->Args({1, 0})
    ->Args({1, 1})
    ->Args({9, 0})
    ->Args({9, 1})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ember
