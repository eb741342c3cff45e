// SPDX-License-Identifier: Apache-2.0
// EmberSM: the sweep that a trap asks for, and how many traps are heard.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/wire/notice.h"

namespace ember {

/// The sweep or read that a trap asks for.
enum class TrapRequest : std::uint8_t {
    kNothing,
    kLightSweep,
    kHeavySweep,
    kDescription,  ///< Only the NodeDescription of the issuer changed.
};

/// The end port that sent a trap.
struct TrapIssuer {
    Guid port = kNoGuid;     ///< PortGUID of the end port that has the source LID.
    bool is_switch = false;  ///< The port is port 0 of a switch.
};

/// The request of a trap. Only switches see ports change their state: from a host trap 128 is
/// forged and asks for nothing. Source: OpenSM, osm_trap_rcv.c; IBA vol. 1, 14.3.9.
[[nodiscard]] TrapRequest RequestOf(const Notice& notice, bool is_switch);

/// The share of an issuer's traps that is heard: `burst` at once, then one each `refill_us`.
struct TrapShare {
    std::uint32_t burst = 0;
    std::uint32_t refill_us = 0;
};

/// Gives every issuer of traps its share, whatever its traps say and however often they come.
///
/// A switch's traps about its ports and itself are heard often enough for links that fail one after
/// the other. Every other trap is advice, which a timed sweep makes up for: each issuer is heard a
/// few times at once and then once in ten seconds. An issuer has a row until its share is whole
/// again. Issuers of advice that find no free row have one share together. A switch with news
/// always gets a row: that of the issuer that has been quiet for longest.
///
/// A trap that is heard is answered, noted, forwarded to subscribers and obeyed. Any other is not
/// even repressed, so an honest agent repeats it, and it is heard later.
class TrapAdmission {
public:
    static constexpr TrapShare kChanges{.burst = 32, .refill_us = 250'000};
    static constexpr TrapShare kAdvice{.burst = 8, .refill_us = 10'000'000};
    static constexpr TrapShare kWithoutRow{.burst = 64, .refill_us = 62'500};

    /// Whether a trap is heard. Some 50 ns, whatever the answer.
    [[nodiscard]] bool Admits(const TrapIssuer& issuer, const Notice& notice, std::uint64_t now_us);

private:
    struct Row {
        Guid issuer = kNoGuid;
        // The time at which the share of each kind is whole again.
        std::uint64_t changes_whole_us = 0;
        std::uint64_t advice_whole_us = 0;
        std::uint64_t heard_us = 0;  ///< Time of its last trap.
    };
    [[nodiscard]] Row* RowOf(const TrapIssuer& issuer, bool is_change, std::uint64_t now_us);

    StaticVector<Row, 64> rows_;
    std::uint64_t others_whole_us_ = 0;
};

}  // namespace ember
