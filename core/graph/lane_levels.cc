// SPDX-License-Identifier: Apache-2.0
// EmberSM: levels of service on a routing of several lanes.

#include "core/graph/lane_levels.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

[[nodiscard]] bool Has(unsigned sls, std::uint8_t sl) {
    return (sls >> sl & 1U) != 0;
}

/// Gives SLs to levels and paths.
class LevelMaker {
public:
    LevelMaker(const LevelWish& wish, const LaneLevels::Routing& routing)
        : wish_(wish), routing_(routing) {}

    [[nodiscard]] LaneLevels Make() {
        FindLevels();
        if (!HasRoom()) return levels_;
        for (std::uint8_t level = 0; level < levels_.count; ++level) {
            GiveSls(level);
        }
        return levels_;
    }

private:
    /// In the order of their first SL. A VL that a link has not becomes one that it has.
    void FindLevels() {
        LaneRow level_of_vl;
        for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
            if (!Has(wish_.asked, sl)) continue;
            const std::uint8_t vl = wish_.vls.Of(sl) % routing_.link_vls;
            if (level_of_vl.Of(vl) == LaneLevels::kNoLevel) level_of_vl.Set(vl, levels_.count++);
            Give(sl, level_of_vl.Of(vl), 0);
        }
    }

    /// False: the levels are out of force, and say why.
    bool HasRoom() {
        const unsigned vls = static_cast<unsigned>(levels_.count) * routing_.lanes;
        const auto asked = static_cast<unsigned>(std::popcount(wish_.asked));
        const auto of_paths = static_cast<unsigned>(std::popcount(routing_.sls)) - 1;
        const unsigned sls = asked + levels_.count * of_paths;
        if (vls <= routing_.link_vls && sls <= kServiceLevels) {
            levels_.stride = static_cast<std::uint8_t>(routing_.link_vls / levels_.count);
            return true;
        }
        const bool lacks_vls = vls > routing_.link_vls;
        levels_ = {.lack = lacks_vls ? LaneLevels::Lack::kVls : LaneLevels::Lack::kSls,
                   .needs = static_cast<std::uint8_t>(std::min(lacks_vls ? vls : sls, 255U))};
        return false;
    }

    /// The SLs of paths keep their numbers at the first level where these are not asked for.
    void GiveSls(std::uint8_t level) {
        for (std::uint8_t path_sl = 1; path_sl < kServiceLevels; ++path_sl) {
            if (!Has(routing_.sls, path_sl)) continue;
            const bool keeps = level == 0 && !IsTaken(path_sl);
            Give(keeps ? path_sl : FreeSl(), level, path_sl);
        }
    }
    [[nodiscard]] bool IsTaken(std::uint8_t sl) const {
        return levels_.level_of.Of(sl) != LaneLevels::kNoLevel;
    }
    /// From the highest on: the low ones are those that operators and routings like.
    [[nodiscard]] std::uint8_t FreeSl() const {
        std::uint8_t sl = kServiceLevels - 1;
        while (IsTaken(sl)) {
            EMBER_ASSERT(sl > 0);
            --sl;
        }
        return sl;
    }
    void Give(std::uint8_t sl, std::uint8_t level, std::uint8_t path_sl) {
        levels_.level_of.Set(sl, level);
        levels_.path_sl_of.Set(sl, path_sl);
    }

    const LevelWish& wish_;
    const LaneLevels::Routing& routing_;
    LaneLevels levels_;
};

}  // namespace

LaneLevels LaneLevels::Make(const LevelWish& wish, const Routing& routing) {
    if (!Has(wish.asked, 0) || routing.lanes < 2) return {};
    EMBER_ASSERT(routing.link_vls >= 1 && Has(routing.sls, 0));
    return LevelMaker(wish, routing).Make();
}

std::uint8_t LaneLevels::SlOf(std::uint8_t path_sl, std::uint8_t asked) const {
    EMBER_ASSERT(in_force());
    const std::uint8_t level = level_of.Of(asked);
    if (level == kNoLevel || path_sl_of.Of(asked) != 0) return kNoSl;
    if (path_sl == 0) return asked;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        if (level_of.Of(sl) == level && path_sl_of.Of(sl) == path_sl) return sl;
    }
    return kNoSl;
}

std::uint16_t LaneLevels::sls() const {
    unsigned found = 0;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        if (level_of.Of(sl) != kNoLevel) found |= 1U << sl;
    }
    return static_cast<std::uint16_t>(found);
}

LaneRow LaneLevels::RowOf(LaneRow routed) const {
    EMBER_ASSERT(in_force());
    LaneRow row = routed;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        const std::uint8_t level = level_of.Of(sl);
        if (level == kNoLevel) continue;
        const std::uint8_t lane = routed.Of(path_sl_of.Of(sl));
        row.Set(sl, lane == kNoLane ? kNoLane
                                    : static_cast<std::uint8_t>(level * stride + lane % stride));
    }
    return row;
}

}  // namespace ember
