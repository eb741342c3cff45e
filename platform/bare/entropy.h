// SPDX-License-Identifier: Apache-2.0
// EmberSM: chance on a machine that has no source of it.
#pragma once

#include <cstdint>

#include "core/platform.h"

namespace ember::bare {

/// Mixes the generic timer into a state. The state tells incarnations and machines apart, which is
/// what transaction numbers need, but can be guessed from the time at which the machine started: a
/// board whose keys shall be secret supplies the numbers of its hardware instead.
class TimerEntropy final : public Entropy {
public:
    [[nodiscard]] std::uint64_t Draw() override;

private:
    std::uint64_t state_ = 0;
};

}  // namespace ember::bare
