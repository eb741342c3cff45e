// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a trap costs that is beyond the share of its sender.
//
// Goal:   20,000 traps a second of changing content cost less than 5 % of a core: 2.5 us each.
// Method: a subnet manager that is up takes datagrams from a port that gives traps of one host,
// each
//         of them another, as fast as they are taken. Their making is measured with them; what the
//         port of a real machine takes is not.

#include <benchmark/benchmark.h>
#include <bit>
#include <cstdint>
#include <memory>

#include "board/sim_small/profile.h"
#include "config/netlist/topologies.h"
#include "core/manager/storage.h"
#include "engines/catalogue.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_entropy.h"
#include "platform/sim/sim_store.h"

namespace ember {
namespace {

/// Traps of one host before anything real.
class Mouth final : public MadPort {
public:
    explicit Mouth(MadPort& real) : real_(real) {}
    Status Send(const Envelope& envelope) override { return real_.Send(envelope); }
    Status Receive(Envelope& envelope) override {
        if (waiting == 0) return real_.Receive(envelope);
        --waiting;
        notice_.Set(Notice::kIsGeneric, std::uint8_t{1});
        notice_.Set(Notice::kTrapNumber, number);
        notice_.Set(Notice::kIssuerLid, from);
        notice_.Set(Notice::kDataDetails0, ++told_);
        envelope = {};
        envelope.peer = from;
        envelope.mad = MakeLidRouted(SmpRequest{.method = Method::kTrap,
                                                .attribute = AttributeId::kNotice,
                                                .data = std::bit_cast<SmpData>(notice_)});
        return Status::kOk;
    }

    TrapNumber number{};
    Lid from = kNoLid;
    std::uint64_t waiting = 0;

private:
    MadPort& real_;
    Notice notice_;
    std::uint64_t told_ = 0;
};

void Traps(benchmark::State& state, TrapNumber number) {
    sim::FabricSim sim(net::FatTree2(8));
    Mouth port(sim.AttachAnywhere());
    const auto storage = std::make_unique<Storage<kSimSmall>>();
    sim::SimStore store;
    sim::SimEntropy entropy(1);
    Engines engines;
    SubnetManager sm(storage->memory(), kSimSmall, {port, sim.clock(), sim.clock(), store, entropy},
                     Settings{}, engines.All());
    while (sim.clock().NowUs() < 5'000'000) {
        sim.AdvanceToNextEvent(sm.Step());
    }
    EMBER_ASSERT(sm.is_up());
    port.number = number;
    port.from = sm.fabric().port(sm.fabric().own_port()).lid;
    const std::uint64_t refused = sm.progress().traps_refused;
    for (auto _ : state) {
        port.waiting = 100;
        static_cast<void>(sm.Step());
    }
    const auto traps = 100.0 * static_cast<double>(state.iterations());
    EMBER_ASSERT(static_cast<double>(sm.progress().traps_refused - refused) > traps - 20);
    state.SetItemsProcessed(static_cast<std::int64_t>(traps));
    state.counters["us_a_trap"] =
        benchmark::Counter(traps / 1e6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(Traps, of_a_changed_port, TrapNumber::kLinkStateChange);
BENCHMARK_CAPTURE(Traps, of_local_changes, TrapNumber::kLocalChanges);
BENCHMARK_CAPTURE(Traps, of_link_errors, TrapNumber::kLocalLinkIntegrity);
BENCHMARK_CAPTURE(Traps, of_a_wrong_q_key, TrapNumber::kBadQKey);

}  // namespace
}  // namespace ember
