// SPDX-License-Identifier: Apache-2.0
// EmberSM: entropy for a subnet manager on a simulated fabric.
#pragma once

#include <cstdint>

#include "config/netlist/random.h"
#include "core/platform.h"

namespace ember::sim {

/// Entropy for a subnet manager on a simulated fabric: a function of the seed.
class SimEntropy final : public Entropy {
public:
    explicit SimEntropy(std::uint64_t seed) : random_(seed) {}
    [[nodiscard]] std::uint64_t Draw() override { return random_.Next(); }

private:
    net::Random random_;
};

}  // namespace ember::sim
