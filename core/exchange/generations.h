// SPDX-License-Identifier: Apache-2.0
// EmberSM: the unpredictable part of a TransactionId.
#pragma once

#include <cstdint>

#include "core/platform.h"

namespace ember {

/// Numbers the successive transactions of a row. A peer sees the TransactionId of its question and
/// must not guess others from it. A draw of 64 bits serves four transactions.
class Generations {
public:
    explicit Generations(Entropy& entropy) : entropy_(entropy) {}

    /// Differs from `last`, so that a late answer to the last transaction of a row matches no
    /// other.
    [[nodiscard]] std::uint16_t Next(std::uint16_t last) {
        if (left_ == 0) {
            chance_ = entropy_.Draw();
            left_ = 4;
        }
        --left_;
        const auto drawn = static_cast<std::uint16_t>(chance_);
        chance_ >>= 16U;
        return drawn != last ? drawn : static_cast<std::uint16_t>(drawn ^ 0x8000U);
    }

private:
    Entropy& entropy_;
    std::uint64_t chance_ = 0;  ///< Random bits, used up 16 at a time.
    unsigned left_ = 0;         ///< How often chance_ can still be used.
};

}  // namespace ember
