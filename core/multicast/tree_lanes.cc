// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lane on which a switch sends on a multicast packet.

#include "core/multicast/tree_lanes.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/lanes/lane_tables.h"

namespace ember {
namespace {

constexpr std::array kKinds = {LanePorts::kSwitchExternal, LanePorts::kSwitch0};

[[nodiscard]] LaneRow RowByKeys(const Settings& settings, LanePorts kind) {
    const SlToVlMappingTable map = WantedSlToVl(settings, kind, VlCap::kVl0To14);
    LaneRow row;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        row.Set(sl, map.vl(sl));
    }
    return row;
}

}  // namespace

TreeLanes::TreeLanes(const RoutingLanes& routed, const Settings& settings)
    : routed_(&routed), has_keys_(settings.qos) {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        by_keys_[i] = RowByKeys(settings, kKinds[i]);
    }
}

/// A VL that the link has not becomes one that it has, as in lane_tables.h.
std::uint8_t TreeLanes::ByKeys(std::size_t kind, std::uint8_t link_lanes) const {
    EMBER_ASSERT(kind < by_keys_.size() && link_lanes >= 1);
    const std::uint8_t lane = by_keys_[kind].Of(sl_);
    return lane == kNoLane ? kNoLane : static_cast<std::uint8_t>(lane % link_lanes);
}

/// Packets of SL 0 travel on this VL of such a link, whether they begin at the switch or not.
bool TreeLanes::IsUnicastLane(std::uint8_t lane, std::uint8_t link_lanes) const {
    return std::any_of(by_keys_.begin(), by_keys_.end(), [&](const LaneRow& row) {
        return row.Of(0) != kNoLane && row.Of(0) % link_lanes == lane;
    });
}

/// Packets of the SL travel on the lanes of the routing.
bool TreeLanes::IsRouted() const {
    return (routed_->packet_sls() >> sl_ & 1U) != 0;
}

/// Levels of service have lanes of their own, in which their packets take the turns that those of
/// all levels take: none of two levels wait for each other, and one numbering serves all.
std::uint8_t TreeLanes::AmongRouted(std::uint8_t lane) const {
    const LaneLevels& levels = routed_->levels;
    const bool is_of_level = levels.in_force() && lane / levels.stride < levels.count;
    const unsigned among_routed = is_of_level ? lane % levels.stride : lane;
    return static_cast<std::uint8_t>(std::min<unsigned>(among_routed, routed_->count));
}

std::uint8_t TreeLanes::OfRouted(const LaneTurn& turn, std::uint8_t link_lanes) const {
    EMBER_ASSERT(link_lanes >= 1);
    const LaneLevels& levels = routed_->levels;
    const std::uint8_t path_sl = levels.in_force() ? levels.path_sl_of.Of(sl_) : sl_;
    const std::uint8_t lane = routed_->lane_map.Of(turn, path_sl);
    return lane == kNoLane ? kNoLane : static_cast<std::uint8_t>(lane % link_lanes);
}

std::uint8_t TreeLanes::Of(const LaneTurn& turn, std::uint8_t link_lanes) const {
    if (routed_ == nullptr) return 0;
    if (!routed_->is_one_lane() && IsRouted()) return OfRouted(turn, link_lanes);
    if (routed_->is_one_lane() && !has_keys_) return 0;
    const std::uint8_t lane = ByKeys(turn.in == kManagementPort ? 1 : 0, link_lanes);
    if (lane == kNoLane) return kNoLane;
    if (routed_->is_one_lane()) return IsUnicastLane(lane, link_lanes) ? 0 : 1;
    return AmongRouted(lane);
}

bool TreeLanes::MayLeaveRouted() const {
    if (routed_ == nullptr || (routed_->is_one_lane() && !has_keys_)) return false;
    if (!routed_->is_one_lane() && IsRouted()) return false;
    for (const VlCap vls :
         {VlCap::kVl0, VlCap::kVl0To1, VlCap::kVl0To3, VlCap::kVl0To7, VlCap::kVl0To14}) {
        const std::uint8_t link_lanes = DataVls(vls);
        for (const PortNumber in : {kManagementPort, PortNumber{1}}) {
            const LaneTurn turn{.in = in, .out = PortNumber{1}};
            const std::uint8_t lane = Of(turn, link_lanes);
            if (lane != kNoLane && lane >= count()) return true;
        }
    }
    return false;
}

}  // namespace ember
