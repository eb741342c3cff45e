// SPDX-License-Identifier: Apache-2.0
// EmberSM: a signal to end is an error like others, so that what was begun is taken back.

#include "platform/linux/emberctl/interrupt.h"

#include "platform/linux/emberctl/client.h"

namespace ember::ctl {

namespace {

volatile std::sig_atomic_t heard = 0;

}  // namespace

Interrupt::Interrupt() {
    heard = 0;
    struct sigaction action {};  // Without SA_RESTART: calls that wait return.
    action.sa_handler = [](int) { heard = 1; };
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
}

Interrupt::~Interrupt() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &before_[i], nullptr);
    }
}

void Interrupt::Check() {
    if (heard != 0) throw Trouble(kRefused, "interrupted");
}

}  // namespace ember::ctl
