// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports behind which a fabric is left alone, and how long.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/base/time.h"
#include "core/fabric/link_end.h"

namespace ember {

/// *Doors*: ports that had an end node behind them, and by now have more than untrusted switches
/// get; see PortQuotas. A host that plays a fabric may change it with each answer, and one that
/// does not is as good as a fabric that was there when the subnet manager started. So a door opens
/// when the same switch has been behind it for kProbationUs, with nothing new beyond: a fabric may
/// well grow where a host was, and what is left alone stays dark.
class ShutDoors {
public:
    static constexpr std::uint64_t kProbationUs = 60 * kSecondUs;
    static constexpr std::size_t kMost = 32;

    /// The verdict on a door.
    enum class Word : std::uint8_t {
        kNew,   ///< The door was not known: to be told.
        kShut,  ///< The door was known.
        kOpen,  ///< The door has served its time, and is forgotten here.
    };

    /// A whole sweep begins: no door was met in it.
    void BeginSweep();
    /// A whole sweep has left nodes beyond `door` alone. `behind`: the GUID of the switch there.
    [[nodiscard]] Word Meet(const LinkEnd& door, Guid behind, std::uint64_t now_us);
    /// A node that was not known has been met beyond `door`.
    void Disturb(const LinkEnd& door, std::uint64_t now_us);
    /// A whole sweep has ended well: doors that it has not met are none any more.
    void EndSweep();

    /// When a whole sweep may open a door; kNever: there is none.
    [[nodiscard]] std::uint64_t NextLookUs() const;
    /// True when it is due; until it is due again, false.
    [[nodiscard]] bool TakeLook(std::uint64_t now_us);

private:
    struct Door {
        LinkEnd end;
        Guid behind = kNoGuid;
        std::uint64_t since_us = 0;  ///< Nothing has changed since.
        std::uint64_t look_us = 0;   ///< When a sweep is due.
        bool is_met = false;         ///< In the present sweep.
    };

    [[nodiscard]] Door* Find(const LinkEnd& end);

    StaticVector<Door, kMost> doors_;
};

}  // namespace ember
