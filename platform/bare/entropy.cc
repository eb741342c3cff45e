// SPDX-License-Identifier: Apache-2.0
// EmberSM: chance on a machine that has no source of it.

#include "platform/bare/entropy.h"

#include "config/netlist/random.h"
#include "platform/bare/clock.h"

namespace ember::bare {

std::uint64_t TimerEntropy::Draw() {
    state_ = net::Random(state_ ^ GenericTimer::Ticks()).Next();
    return state_;
}

}  // namespace ember::bare
