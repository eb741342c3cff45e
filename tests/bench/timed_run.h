// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet manager on a simulated fabric, whose own CPU time is measured apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <memory>

#include "board/linux_bench/profile.h"
#include "config/netlist/netlist.h"
#include "core/manager/storage.h"
#include "engines/catalogue.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_entropy.h"
#include "platform/sim/sim_store.h"

namespace ember::bench {

/// CPU time of this thread: other programs on the machine do not count.
class CpuClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec) / 1000;
    }
};

/// The board linux_bench at the first host of a fabric, whose work a clock of this type measures.
/// The tables that Settings view outlive the run.
template <typename WorkClock>
class SimulatedRun {
public:
    SimulatedRun(const net::Netlist& netlist, const Settings& settings) : sim(netlist) {
        Start(settings);
    }

    /// A new subnet manager in place of the one there was; the fabric stays as it is.
    void Start(const Settings& settings) {
        sm.reset();
        storage = std::make_unique<Storage<kLinuxBench>>();
        if (port == nullptr) port = &sim.AttachAnywhere();
        port->ForgetInbox();
        sm = std::make_unique<SubnetManager>(
            storage->memory(), kLinuxBench,
            SubnetManager::Platform{*port, sim.clock(), cpu, store, entropy}, settings,
            engines.All());
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
    /// SMPs sent since this subnet manager has started.
    [[nodiscard]] std::uint64_t Sent() const { return sm->exchange().statistics().sent; }

    std::unique_ptr<Storage<kLinuxBench>> storage;
    sim::FabricSim sim;
    sim::Attachment* port = nullptr;
    WorkClock cpu;
    sim::SimStore store;
    sim::SimEntropy entropy{1};
    Engines engines;
    std::unique_ptr<SubnetManager> sm;
};

using TimedRun = SimulatedRun<CpuClock>;

}  // namespace ember::bench
