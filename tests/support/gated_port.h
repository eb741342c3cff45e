// SPDX-License-Identifier: Apache-2.0
// EmberSM: a management port at which the test decides what passes.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>

#include "core/platform.h"
#include "core/wire/smp.h"
#include "platform/sim/sim_entropy.h"

namespace ember::testing {

/// Stands before another port. A datagram that may not pass is lost without a trace.
class GatedPort final : public MadPort {
public:
    using Gate = std::function<bool(const Envelope&)>;

    explicit GatedPort(MadPort& port) : port_(port) {}

    Status Send(const Envelope& envelope) override {
        return lets_out(envelope) ? port_.Send(envelope) : Status::kOk;
    }
    Status Receive(Envelope& envelope) override {
        for (;;) {  // Ends: the port runs empty.
            const Status status = port_.Receive(envelope);
            if (status == Status::kOk) on_way_in(envelope);
            if (status != Status::kOk || lets_in(envelope)) return status;
        }
    }

    /// From now on this many in a hundred are lost each way, drawn from `seed`. A node's datagram
    /// to itself stays at home and is not lost.
    void Lose(std::uint32_t percent, std::uint64_t seed) {
        chance_ = sim::SimEntropy(seed);
        const Gate gate = [this, percent](const Envelope& envelope) {
            const bool leaves = envelope.mad.header.mgmt_class != MgmtClass::kSubnDirected ||
                                std::bit_cast<DirectedSmp>(envelope.mad).header.hop_count != 0;
            return !leaves || chance_.Draw() % 100 >= percent;
        };
        lets_out = gate;
        lets_in = gate;
    }
    void LoseNothing() {
        lets_out = [](const Envelope&) { return true; };
        lets_in = lets_out;
    }

    Gate lets_out = [](const Envelope&) { return true; };
    Gate lets_in = [](const Envelope&) { return true; };
    /// Changes what comes in, before it is asked whether it may.
    std::function<void(Envelope&)> on_way_in = [](Envelope&) {};

private:
    MadPort& port_;
    sim::SimEntropy chance_{1};
};

}  // namespace ember::testing
