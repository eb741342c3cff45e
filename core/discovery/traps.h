// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a trap from the fabric asks for, and how many are heard.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/wire/notice.h"

namespace ember {

/// What a trap asks for.
enum class TrapWish : std::uint8_t {
    kNothing,
    kLightSweep,
    kHeavySweep,
    kDescription,  ///< Only the NodeDescription of the issuer changed.
};

/// Who sent a trap.
struct TrapIssuer {
    Guid port = kNoGuid;     ///< PortGUID of the end port that has the source LID.
    bool is_switch = false;  ///< It is port 0 of a switch.
};

/// What a trap asks for. Only switches see ports change their state: from a host trap 128 is forged
/// and asks for nothing. Source: OpenSM, osm_trap_rcv.c; IBA vol. 1, 14.3.9.
[[nodiscard]] TrapWish WishOf(const Notice& notice, bool is_switch);

/// How much of what somebody sends is heard: so many at once, and then one each `refill_us`.
struct TrapShare {
    std::uint32_t burst = 0;
    std::uint32_t refill_us = 0;
};

/// Gives every issuer of traps its share, whatever its traps say and however often.
///
/// A switch is heard of its ports, and of itself, often enough for cables that fail one after the
/// other. All else that a node may send is advice, which a sweep by the timer makes up for: of that
/// each issuer is heard a few times at once and then once in ten seconds. An issuer has a row as
/// long as its share is not whole again. Those for whom there is no row, though it is advice, share
/// one share; a switch that has news takes the row that has been quiet for longest.
///
/// To hear is to answer, to note, to tell subscribers and to obey. What is not heard is not even
/// repressed, so an honest agent repeats it, and will be heard.
class TrapDesk {
public:
    static constexpr TrapShare kChanges{.burst = 32, .refill_us = 250'000};
    static constexpr TrapShare kAdvice{.burst = 8, .refill_us = 10'000'000};
    static constexpr TrapShare kCrowd{.burst = 64, .refill_us = 62'500};

    /// Whether a trap is heard. Some 50 ns, whatever the answer.
    [[nodiscard]] bool Admits(const TrapIssuer& issuer, const Notice& notice, std::uint64_t now_us);

private:
    struct Row {
        Guid issuer = kNoGuid;
        // When the share of each kind is whole again.
        std::uint64_t changes_whole_us = 0;
        std::uint64_t advice_whole_us = 0;
        std::uint64_t heard_us = 0;  ///< When it asked last.
    };
    [[nodiscard]] Row* RowOf(const TrapIssuer& issuer, bool is_change, std::uint64_t now_us);

    StaticVector<Row, 64> rows_;
    std::uint64_t crowd_whole_us_ = 0;
};

}  // namespace ember
