// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes about keys of virtual lanes that a routing overrides, or that serve it badly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/graph/routing_tables.h"
#include "core/lanes/lane_shares.h"
#include "core/log/log.h"
#include "core/settings/lane_settings.h"
#include "core/settings/settings.h"

namespace ember {

/// Notes what an operator asked of virtual lanes and does not get, as OpenSM's log has it of
/// torus-2QoS: SL to VL maps that the routing has of its own, and weights by which lanes of one
/// level of service share a link unequally, or which count for lanes that a link does not have. A
/// note that stays the same is written once.
class LaneKeyNotes {
public:
    explicit LaneKeyNotes(Log& log) : log_(log) {}
    LaneKeyNotes(const LaneKeyNotes&) = delete;
    LaneKeyNotes& operator=(const LaneKeyNotes&) = delete;

    /// Routes by `lanes` were accepted. `engine`: the number of the one that made them.
    void LogNews(const RoutingLanes& lanes, const Settings& settings, std::uint64_t engine,
                 std::uint64_t now_us);

private:
    /// A bit for each word of kLaneKeyWords.
    using Keys = std::uint16_t;
    struct Findings {
        LaneLevels levels{};
        Keys ignored = 0;        ///< Maps that count for nothing.
        Keys unfair = 0;         ///< Weights that differ within a level.
        Keys misplaced = 0;      ///< Weights of lanes that links of end ports do not have.
        std::uint8_t lanes = 0;  ///< Of the routing, where they put levels of service out of force.
        [[nodiscard]] bool operator==(const Findings&) const = default;
    };

    [[nodiscard]] static Findings Find(const RoutingLanes& lanes, const Settings& settings);
    template <Note kNote, typename... Values>
    void LogEach(Keys keys, std::uint64_t now_us, Values... values);

    void LogLaneLevels(const RoutingLanes& lanes, std::uint64_t engine, std::uint64_t now_us);

    Log& log_;
    Findings logged_;  ///< As in the last notes.
};

}  // namespace ember
