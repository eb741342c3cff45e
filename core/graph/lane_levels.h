// SPDX-License-Identifier: Apache-2.0
// EmberSM: levels of service on a routing of several lanes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/graph/lane_map.h"
#include "core/graph/path_sl.h"

namespace ember {

/// The levels of service that the operator has; see LevelWishOf().
struct LevelWish {
    /// A bit for each service level (SL) that paths may be given, SL 0 among them; 0: none is
    /// asked, or the order of OpenSM has no place for them beside a routing's lanes.
    std::uint16_t asked = 0;
    /// The VL of each SL between switches by the keys, on a link of 15. SLs of one VL are one
    /// level.
    LaneRow vls{};
    [[nodiscard]] bool operator==(const LevelWish&) const = default;
};

/// The levels of service of a routing of several lanes: each has all lanes of the routing to
/// itself, so one that is free of credit loops stays so. Packets of level i travel on the VLs from
/// i * stride on. The SL of a packet says both, its level and the SL that the routing gives its
/// path: an SL that is asked is its own where the routing gives SL 0, and other SLs are taken for
/// the rest.
///
/// As long as the levels that are asked and the VLs of the links stay, `stride` does, whatever the
/// lanes of the routing; so routings may follow each other in a subnet that is up.
struct LaneLevels {
    /// Why the levels are out of force.
    enum class Lack : std::uint8_t {
        kNone,  ///< The levels are in force, or none is asked.
        kVls,   ///< A link between switches has less VLs than levels and lanes need.
        kSls,   ///< There are not enough service levels.
    };
    /// The needs of a routing at each level.
    struct Routing {
        std::uint16_t sls = 1;      ///< A bit for each SL of a path, SL 0 among them.
        std::uint8_t lanes = 1;     ///< Lanes 0..lanes-1; at least 2.
        std::uint8_t link_vls = 1;  ///< Data VLs that each link between switches has.
    };
    static constexpr std::uint8_t kNoLevel = 0xF;

    std::uint8_t count = 0;  ///< Of levels; 0: out of force.
    std::uint8_t stride = 0;
    Lack lack = Lack::kNone;
    std::uint8_t needs = 0;  ///< VLs or SLs of which there are not enough.
    LaneRow level_of{};      ///< By SL on the wire; kNoLevel: the SL is none of a level.
    LaneRow path_sl_of{};    ///< By SL on the wire, of a level; 0 for those that are asked.

    [[nodiscard]] static LaneLevels Make(const LevelWish& wish, const Routing& routing);

    [[nodiscard]] bool in_force() const { return count != 0; }
    /// The SL on the wire of packets of a path to which the routing gives `path_sl` and for which
    /// `asked` is asked. kNoSl: `asked` is no level.
    [[nodiscard]] std::uint8_t SlOf(std::uint8_t path_sl, std::uint8_t asked) const;
    /// Whether two SLs on the wire are of one level.
    [[nodiscard]] bool IsOneLevel(std::uint8_t one, std::uint8_t other) const {
        return level_of.Of(one) == level_of.Of(other) && level_of.Of(one) != kNoLevel;
    }
    /// A bit for each SL on the wire that is of a level.
    [[nodiscard]] std::uint16_t sls() const;
    /// By SL on the wire, where `routed` says the lanes of the routing by its SLs.
    [[nodiscard]] LaneRow RowOf(LaneRow routed) const;
    [[nodiscard]] bool operator==(const LaneLevels&) const = default;
};

}  // namespace ember
