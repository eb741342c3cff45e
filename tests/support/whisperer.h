// SPDX-License-Identifier: Apache-2.0
// EmberSM: a management port that slips forged traps in among the real datagrams.
#pragma once

#include <bit>

#include "core/wire/notice.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

/// A management port into which the test speaks.
class Whisperer final : public MadPort {
public:
    explicit Whisperer(MadPort& real) : real_(real) {}
    Status Send(const Envelope& envelope) override { return real_.Send(envelope); }
    Status Receive(Envelope& envelope) override {
        if (waiting == 0) return real_.Receive(envelope);
        --waiting;
        PortErrorNotice notice;
        notice.Set(Notice::kIsGeneric, std::uint8_t{1});
        notice.Set(Notice::kTrapNumber, number);
        notice.Set(Notice::kIssuerLid, from);
        notice.Set(PortErrorNotice::kLidAddr, about);
        notice.Set(PortErrorNotice::kPortNo, port);
        envelope = {};
        envelope.peer = from;
        envelope.mad = MakeLidRouted(SmpRequest{.method = Method::kTrap,
                                                .attribute = AttributeId::kNotice,
                                                .data = std::bit_cast<SmpData>(notice)});
        return Status::kOk;
    }

    // Contents of the next traps.
    TrapNumber number = TrapNumber::kLocalLinkIntegrity;
    Lid from = kNoLid;
    Lid about = kNoLid;
    PortNumber port{};
    int waiting = 0;  ///< Traps to come, before anything real.

private:
    MadPort& real_;
};

}  // namespace ember::testing
