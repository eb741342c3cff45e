// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a link can: its width and speed beside what both ends have enabled, and its data
// VLs.

#include "core/links/link_rating.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/log/words.h"

namespace ember {
namespace {

/// Lanes by bit of LinkWidthActive: 1X, 4X, 8X, 12X, 2X.
constexpr std::array<unsigned, 5> kLanes = {1, 4, 8, 12, 2};
constexpr std::uint8_t kWidths = 0x1F;
static_assert(kLanes.size() == kLinkWidthWords.size());

/// Speeds by bit, ascending: SDR, DDR, QDR, FDR, EDR, HDR, NDR, XDR.
constexpr unsigned kFirstExtended = 3;
constexpr unsigned kXdrBit = 7;
static_assert(kXdrBit + 1 == kLinkSpeedWords.size());

/// The speeds of one port, active or enabled, in one mask.
[[nodiscard]] unsigned Speeds(bool extended, std::uint8_t classic, std::uint8_t ext,
                              std::uint8_t ext2) {
    unsigned mask = classic & 7U;
    if (extended) mask |= (ext & 0xFU) << kFirstExtended | (ext2 & 1U) << kXdrBit;
    return mask;
}

[[nodiscard]] unsigned ActiveSpeeds(const PortInfo& info, bool extended) {
    return Speeds(extended, info.Get(PortInfo::kLinkSpeedActive),
                  info.Get(PortInfo::kLinkSpeedExtActive),
                  info.Get(PortInfo::kLinkSpeedExtActive2));
}

[[nodiscard]] unsigned EnabledSpeeds(const PortInfo& info, bool extended) {
    return Speeds(extended, info.Get(PortInfo::kLinkSpeedEnabled),
                  info.Get(PortInfo::kLinkSpeedExtEnabled),
                  info.Get(PortInfo::kLinkSpeedExtEnabled2));
}

/// True when the port supports extended speeds. Port 0 of a switch reports it for all its ports.
[[nodiscard]] bool IsExtended(const Fabric& fabric, const Port& port) {
    const Node& node = fabric.node(port.node);
    const bool is_switch = node.type == NodeType::kSwitch;
    return SpeaksExtendedSpeeds(is_switch ? fabric.port(node.first_port).info : port.info);
}

[[nodiscard]] std::size_t Top(unsigned mask) {
    return mask == 0 ? 0 : static_cast<std::size_t>(std::bit_width(mask) - 1);
}

[[nodiscard]] std::size_t Widest(unsigned mask) {
    std::size_t widest = 0;
    for (std::size_t bit = 0; bit < kLanes.size(); ++bit) {
        if ((mask >> bit & 1U) != 0 && kLanes[bit] >= kLanes[widest]) widest = bit;
    }
    return widest;
}

}  // namespace

bool LinkRating::is_narrow() const {
    EMBER_ASSERT(width < kLanes.size());
    EMBER_ASSERT(possible_width < kLanes.size());
    return kLanes[width] < kLanes[possible_width];
}

LinkRating RateLink(const Fabric& fabric, PortIndex at) {
    EMBER_ASSERT(fabric.port(at).peer != kNoPortIndex);
    const Port& near_end = fabric.port(at);
    const Port& far_end = fabric.port(near_end.peer);
    const PortInfo& one = near_end.info;
    const PortInfo& other = far_end.info;
    const bool extended = IsExtended(fabric, near_end);
    const unsigned width = one.Get(PortInfo::kLinkWidthActive) & kWidths;
    const unsigned speed = ActiveSpeeds(one, extended);
    const std::size_t widest =
        Widest(one.Get(PortInfo::kLinkWidthEnabled) & other.Get(PortInfo::kLinkWidthEnabled));
    const std::size_t fastest =
        Top(EnabledSpeeds(one, extended) & EnabledSpeeds(other, IsExtended(fabric, far_end)));
    // A port that reports no active width or speed counts as one that runs at the best.
    return {.width = width == 0 ? widest : Widest(width),
            .possible_width = widest,
            .speed = speed == 0 ? fastest : Top(speed),
            .possible_speed = fastest};
}

Rate RateOfLink(const Fabric& fabric, PortIndex at) {
    const auto rate_of = [](const PortInfo& info) {
        return info.Get(PortInfo::kLinkWidthActive) == 0 ? Rate::kNone : LinkRate(info, true);
    };
    const Port& port = fabric.port(at);
    const Rate one = rate_of(port.info);
    const Rate other = rate_of(fabric.port(port.peer).info);
    return RateRank(one) < RateRank(other) ? one : other;
}

bool RatesAlike(const PortInfo& before, const PortInfo& now) {
    return before.Get(PortInfo::kLinkWidthActive) == now.Get(PortInfo::kLinkWidthActive) &&
           before.Get(PortInfo::kLinkWidthEnabled) == now.Get(PortInfo::kLinkWidthEnabled) &&
           ActiveSpeeds(before, true) == ActiveSpeeds(now, true) &&
           EnabledSpeeds(before, true) == EnabledSpeeds(now, true);
}

VlCap LinkVls(const PortInfo& one, const PortInfo& other, std::uint8_t most) {
    const VlCap vls = std::min(
        {one.Get(PortInfo::kVlCap), other.Get(PortInfo::kVlCap), static_cast<VlCap>(most)});
    return std::clamp(vls, VlCap::kVl0, VlCap::kVl0To14);
}

}  // namespace ember
