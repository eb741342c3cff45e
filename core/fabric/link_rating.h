// SPDX-License-Identifier: Apache-2.0
// EmberSM: at what a link runs, beside what both its ends could do.
#pragma once

#include <cstddef>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/wire/port_info.h"

namespace ember {

/// Rows of kLinkWidthWords and kLinkSpeedWords (core/log/words.h).
struct LinkRating {
    std::size_t width = 0;           ///< LinkWidthActive.
    std::size_t possible_width = 0;  ///< The widest that both ends have enabled.
    std::size_t speed = 0;           ///< The active speed of a lane.
    std::size_t possible_speed = 0;  ///< The fastest that both ends have enabled.

    [[nodiscard]] bool is_narrow() const;
    [[nodiscard]] bool is_slow() const { return speed < possible_speed; }
};

/// The link of a port that has a peer, by what both ends say. A speed or width that is not enabled
/// was left out on purpose, and is not missed.
[[nodiscard]] LinkRating RateLink(const Fabric& fabric, PortIndex at);

/// True when `before` and `now` of the same port rate alike, whatever is at the other end.
[[nodiscard]] bool RatesAlike(const PortInfo& before, const PortInfo& now);

}  // namespace ember
