// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a link can: its width and speed beside what both ends have enabled, and its data
// VLs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// The width and speed of a link, as rows of kLinkWidthWords and kLinkSpeedWords
/// (core/log/words.h).
struct LinkRating {
    std::size_t width = 0;           ///< LinkWidthActive.
    std::size_t possible_width = 0;  ///< The widest that both ends have enabled.
    std::size_t speed = 0;           ///< The active speed of a lane.
    std::size_t possible_speed = 0;  ///< The fastest that both ends have enabled.

    [[nodiscard]] bool is_narrow() const;
    [[nodiscard]] bool is_slow() const { return speed < possible_speed; }
};

/// Rates the link of a port, which has a peer, by the PortInfos of both ends. A width or speed that
/// an end has not enabled was disabled on purpose and does not count as possible.
[[nodiscard]] LinkRating RateLink(const Fabric& fabric, PortIndex at);

/// The rate of the link of a port, which has a peer: of the slower end, if they do not agree; kNone
/// if one tells no width. Active widths and speeds of both ends say it alone.
[[nodiscard]] Rate RateOfLink(const Fabric& fabric, PortIndex at);

/// True when two PortInfos of the same port give the same rating, whichever port is the peer.
[[nodiscard]] bool RatesAlike(const PortInfo& before, const PortInfo& now);

/// The OperationalVLs of a link: the least of both VLCaps and of `most`, a code of VLCap
/// (Settings::max_op_vls). At least kVl0, at most kVl0To14: faulty firmware reports other codes.
[[nodiscard]] VlCap LinkVls(const PortInfo& one, const PortInfo& other, std::uint8_t most);

}  // namespace ember
