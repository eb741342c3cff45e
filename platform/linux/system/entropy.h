// SPDX-License-Identifier: Apache-2.0
// EmberSM: the kernel's random numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/platform.h"

namespace ember {

/// getrandom(), fetched a few dozen at a time so that a draw rarely costs a system call.
class LinuxEntropy final : public Entropy {
public:
    [[nodiscard]] std::uint64_t Draw() override;

private:
    static constexpr std::size_t kBatch = 32;  // 256 octets: the kernel never gives fewer.

    std::array<std::uint64_t, kBatch> batch_{};
    std::size_t left_ = 0;
};

}  // namespace ember
