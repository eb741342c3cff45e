// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a trap from the fabric asks for.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/wire/notice.h"

namespace ember {

/// What a trap asks for.
enum class TrapWish : std::uint8_t {
    kNothing,  ///< Repeated too often: it is counted and repressed only.
    kLightSweep,
    kHeavySweep,
    kDescription,  ///< Only the NodeDescription of the issuer changed.
};

/// Judges traps, and damps those that repeat: the same notice from the same LID ten times, each
/// within five seconds of the one before, asks for nothing more until it has been quiet so long.
/// Source: reference opensm-behaviour §7.
class TrapDesk {
public:
    static constexpr std::uint32_t kPatience = 10;
    static constexpr std::uint64_t kWindowUs = 5'000'000;

    TrapWish Judge(Lid from, const Notice& notice, std::uint64_t now_us);

private:
    struct Seen {
        Lid from = kNoLid;
        std::uint32_t count = 0;
        std::uint64_t details = 0;  ///< Folded content of the notice.
        std::uint64_t last_us = 0;
    };
    [[nodiscard]] std::uint32_t Count(Lid from, std::uint64_t details, std::uint64_t now_us);

    StaticVector<Seen, 64> seen_;
};

}  // namespace ember
