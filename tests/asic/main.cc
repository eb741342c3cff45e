// SPDX-License-Identifier: Apache-2.0
// EmberSM: the management ASIC of a switch as a program: a mailbox in shared memory on one side,
// libibumad on the other. For tests, and over ibsim: SIM_HOST names the switch.
//
// usage: ember_asic SOCKET [transmit=LOG2] [receive=LOG2] [deaf=N] [tear=N]
//
// Waits at SOCKET for one host and ends when the host goes. USR1: the ASIC resets itself. USR2: it
// does nothing any more. `deaf=N`: every N-th doorbell is lost; `tear=N`: every N-th descriptor
// of the receive ring is torn.

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>

#include "platform/umad/simulator.h"
#include "platform/umad/umad_port.h"
#include "tests/asic/asic.h"
#include "tests/asic/shared_mailbox.h"

namespace ember::testing {
namespace {

volatile std::sig_atomic_t reset_asked = 0;
volatile std::sig_atomic_t death_asked = 0;

struct Choices {
    std::string socket;
    unsigned transmit = 8;
    unsigned receive = 10;  ///< A burst of joins from a whole fabric.
    unsigned deaf = 0;
    unsigned tear = 0;
};

bool Parse(std::string_view argument, Choices& choices) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) {
        choices.socket = argument;
        return true;
    }
    unsigned value = 0;
    const std::string_view digits = argument.substr(equals + 1);
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end) return false;
    const std::string_view name = argument.substr(0, equals);
    if (name == "transmit")
        choices.transmit = value;
    else if (name == "receive")
        choices.receive = value;
    else if (name == "deaf")
        choices.deaf = value;
    else if (name == "tear")
        choices.tear = value;
    else
        return false;
    return true;
}

int Complain(const std::string& sentence) {
    std::fprintf(stderr, "ember_asic: %s\n", sentence.c_str());
    return 1;
}

/// Spoils every n-th datagram that arrives.
class TearingPort final : public MadPort {
public:
    TearingPort(MadPort& fabric, Asic& asic, unsigned every)
        : fabric_(fabric), asic_(asic), every_(every) {}
    Status Send(const Envelope& envelope) override { return fabric_.Send(envelope); }
    Status Receive(Envelope& envelope) override {
        const Status status = fabric_.Receive(envelope);
        if (status == Status::kOk && every_ != 0 && ++received_ % every_ == 0) {
            const bool odd = received_ / every_ % 2 == 1;
            asic_.TearNext(odd ? Asic::Tear::kHalf : Asic::Tear::kSequence);
        }
        return status;
    }

private:
    MadPort& fabric_;
    Asic& asic_;
    unsigned every_;
    unsigned received_ = 0;
};

/// Sleeps until host or fabric want something. False: the host is gone.
bool Sleep(const SharedMailbox& mailbox, const UmadPort& fabric) {
    std::array<pollfd, 2> wait{{{mailbox.connection(), POLLIN, 0},  // A bell, too.
                                {fabric.descriptor(), POLLIN, 0}}};
    // A port whose descriptor the kernel does not know is looked at every millisecond.
    const bool blind = fabric.descriptor() < 0;
    poll(wait.data(), blind ? 1 : 2, blind ? 1 : 100);
    return (wait[0].revents & (POLLHUP | POLLERR)) == 0;
}

int Serve(const Choices& choices) {
    UmadPort fabric;
    const std::string absent = ExplainAbsentSimulator();
    if (!absent.empty()) return Complain(absent);
    const UmadOpening opening = fabric.Open({});
    if (opening.fault != UmadFault::kNone) return Complain(opening.sentence);
    const local::Shape shape{choices.transmit, choices.receive};
    if (!shape.IsSound()) return Complain("rings have 2^2 to 2^12 descriptors");
    SharedMailbox mailbox;
    std::string wrong = mailbox.Listen(choices.socket, shape.WindowBytes());
    if (!wrong.empty()) return Complain(wrong);
    Asic asic(mailbox.window(), shape, opening.port_guid);
    TearingPort tearing(fabric, asic, choices.tear);
    AsicBridge bridge(asic, tearing);
    wrong = mailbox.Accept();
    if (!wrong.empty()) return Complain(wrong);
    unsigned rung = 0;
    while (Sleep(mailbox, fabric)) {  // Ends with the host.
        if (reset_asked != 0) asic.Reset();
        reset_asked = 0;
        if (death_asked != 0) asic.Die();
        if (mailbox.AnswerBell()) {
            if (choices.deaf != 0 && ++rung % choices.deaf == 0) asic.LoseDoorbells(1);
            asic.Doorbell();
        }
        if (bridge.Turn() != Status::kOk) return Complain("the fabric is gone");
        if (asic.interrupt()) mailbox.Interrupt();
    }
    return 0;
}

}  // namespace
}  // namespace ember::testing

void ember::Panic(const char* file, int line, const char* claim) {
    std::fprintf(stderr, "ember_asic: %s:%d: %s\n", file, line, claim);
    std::abort();
}

int main(int count, char** arguments) {
    ember::testing::Choices choices;
    for (int i = 1; i < count; ++i) {
        if (!ember::testing::Parse(arguments[i], choices)) {
            return ember::testing::Complain(std::string("what is ") + arguments[i] + "?");
        }
    }
    if (choices.socket.empty()) return ember::testing::Complain("where is the socket?");
    std::signal(SIGUSR1, [](int) { ember::testing::reset_asked = 1; });
    std::signal(SIGUSR2, [](int) { ember::testing::death_asked = 1; });
    return ember::testing::Serve(choices);
}
