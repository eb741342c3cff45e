// SPDX-License-Identifier: Apache-2.0
// EmberSM: how long a question for a path waits while routes are being computed.
//
// Goal:   of 1,000 questions that arrive while a three-level fat tree is routed anew, 999 wait at
//         most 5 ms of the subnet manager's processor time.
// Method: a whole subnet manager on a simulated fabric, under `order opensm`, where every heavy
//         sweep routes everything anew. Questions arrive at moments drawn by chance in the subnet
//         manager's own processor time (the simulator's is not counted), so also in the middle of
//         a step, and are handed in when it next looks at its port. The wait ends when the answer
//         leaves. Only questions that arrive between the end of discovery and the first block
//         written are counted.

#include <algorithm>
#include <benchmark/benchmark.h>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "board/linux_bench/profile.h"
#include "config/netlist/topologies.h"
#include "core/manager/storage.h"
#include "core/wire/path_record.h"
#include "core/wire/sa_mad.h"
#include "engines/catalogue.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_entropy.h"
#include "platform/sim/sim_store.h"

namespace ember {
namespace {

constexpr std::uint64_t kQuestion = 0x5100000000000000;

class CpuClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec) / 1000;
    }
};

/// Stands before the port and brings in questions of its own.
class AskingPort final : public MadPort {
public:
    explicit AskingPort(MadPort& port) : port_(port) {}

    Status Send(const Envelope& envelope) override {
        if (envelope.queue_pair != 1) return port_.Send(envelope);
        if (is_asked_) waits_us.push_back(WorkedUs() - arrival_us_);
        is_asked_ = false;
        Draw();
        return Status::kOk;
    }
    Status Receive(Envelope& envelope) override {
        const bool asks = is_routing && !is_asked_ && !lids.empty() && WorkedUs() >= arrival_us_;
        if (!asks) return port_.Receive(envelope);
        envelope = Question();
        is_asked_ = true;
        return Status::kOk;
    }
    /// Around each step of the subnet manager.
    void BeginStep() { step_began_us_ = cpu_.NowUs(); }
    void EndStep() { worked_us_ = WorkedUs(); }
    void StartAsking() {
        is_routing = true;
        is_asked_ = false;
        Draw();
    }

    std::vector<Lid> lids;
    std::vector<std::uint64_t> waits_us;
    bool is_routing = false;

private:
    [[nodiscard]] std::uint64_t WorkedUs() const {
        return worked_us_ + (cpu_.NowUs() - step_began_us_);
    }
    void Draw() { arrival_us_ = WorkedUs() + chance_() % 400; }
    Envelope Question() {
        SaMad mad{};
        mad.header.base_version = kBaseVersion;
        mad.header.mgmt_class = MgmtClass::kSubnAdm;
        mad.header.class_version = kSubnAdmClassVersion;
        mad.header.method = Method::kGet;
        mad.header.transaction_id = TransactionId{kQuestion + ++asked_};
        mad.header.attribute_id = AttributeId{static_cast<std::uint16_t>(SaAttribute::kPathRecord)};
        PathRecord wanted;
        wanted.Set(PathRecord::kSlid, lids[chance_() % lids.size()]);
        wanted.Set(PathRecord::kDlid, lids[chance_() % lids.size()]);
        mad.component_mask = std::uint64_t{1} << PathRecord::kHasSlid | std::uint64_t{1}
                                                                            << PathRecord::kHasDlid;
        std::copy(wanted.octets().begin(), wanted.octets().end(), mad.data.begin());
        return {.peer = lids[chance_() % lids.size()],
                .queue_pair = 1,
                .remote_queue_pair = 1,
                .mad = ToMad(mad)};
    }

    MadPort& port_;
    CpuClock cpu_;
    std::mt19937 chance_{1};
    std::uint64_t worked_us_ = 0;
    std::uint64_t step_began_us_ = 0;
    std::uint64_t arrival_us_ = 0;
    std::uint64_t asked_ = 0;
    bool is_asked_ = false;
};

struct Run {
    explicit Run(std::uint32_t radix) : sim(net::FatTree3(radix)), port(sim.AttachAnywhere()) {
        settings.order = Order::kOpensm;
        settings.sweep_interval = 1000;
        sm = std::make_unique<SubnetManager>(
            storage->memory(), kLinuxBench,
            SubnetManager::Platform{port, sim.clock(), cpu, store, entropy}, settings,
            engines.All());
    }
    /// Until a heavy sweep has ended, asking while its routes are computed if `asks`.
    void Sweep(bool asks) {
        const std::uint64_t sweeps = sm->progress().up_count;
        while (sm->progress().up_count == sweeps) {
            const bool is_routing = asks && sm->stage() == Stage::kPreparing;
            if (is_routing && !port.is_routing) port.StartAsking();
            port.is_routing = is_routing;
            port.BeginStep();
            const std::uint64_t next_us = sm->Step();
            port.EndStep();
            sim.AdvanceToNextEvent(std::max(sim.clock().NowUs(), next_us));
        }
        port.is_routing = false;
    }

    std::unique_ptr<Storage<kLinuxBench>> storage = std::make_unique<Storage<kLinuxBench>>();
    sim::FabricSim sim;
    AskingPort port;
    CpuClock cpu;
    sim::SimStore store;
    sim::SimEntropy entropy{1};
    Engines engines;
    Settings settings;
    std::unique_ptr<SubnetManager> sm;
};

void AskWhileRouting(benchmark::State& state) {
    Run run(static_cast<std::uint32_t>(state.range(0)));
    run.Sweep(false);
    ForEachEndPort(run.sm->fabric(), [&](PortIndex, const Port& port) {
        if (port.number != kManagementPort) run.port.lids.push_back(port.lid);
    });
    for (auto unused : state) {
        static_cast<void>(unused);
        run.sm->RequestSweep(SweepCue::kHeavyRequest);
        run.Sweep(true);
    }
    std::vector<std::uint64_t>& waits = run.port.waits_us;
    if (waits.empty()) return state.SkipWithError("nothing was asked while routes were computed");
    std::sort(waits.begin(), waits.end());
    state.counters["questions"] = static_cast<double>(waits.size());
    state.counters["p50_us"] = static_cast<double>(waits[waits.size() / 2]);
    state.counters["p999_us"] = static_cast<double>(waits[waits.size() * 999 / 1000]);
    state.counters["worst_us"] = static_cast<double>(waits.back());
}
BENCHMARK(AskWhileRouting)->Arg(16)->Arg(36)->Iterations(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ember
