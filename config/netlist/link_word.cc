// SPDX-License-Identifier: Apache-2.0
// EmberSM: the width and speed of a link, as ibnetdiscover writes them.
#include "config/netlist/link_word.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "config/netlist/cursor.h"

namespace ember::net {
namespace {

constexpr std::string_view kUnnamed = "??";

struct Width {
    std::uint64_t lanes;
    std::uint8_t code;
};
constexpr std::array<Width, 5> kWidths = {{{1, 1}, {4, 2}, {8, 4}, {12, 8}, {2, 16}}};

struct Speed {
    std::string_view name;
    std::uint8_t code;
    std::uint8_t extended;
};
constexpr std::array<Speed, 9> kSpeeds = {{{"SDR", 1, 0},
                                           {"DDR", 2, 0},
                                           {"QDR", 4, 0},
                                           {"FDR10", 4, 0},
                                           {"FDR", 4, 1},
                                           {"EDR", 4, 2},
                                           {"HDR", 4, 4},
                                           {"NDR", 4, 8},
                                           {"XDR", 4, kXdr}}};

void TakeWidth(std::uint64_t lanes, NetPort& port, LinkWord& link) {
    if (SetWidth(lanes, port)) return;
    link.errors.push_back("links have no width of " + std::to_string(lanes) +
                          ": 1x, 2x, 4x, 8x and 12x are");
}

void SetSpeed(std::string_view name, NetPort& port, LinkWord& link) {
    const auto speed = std::find_if(kSpeeds.begin(), kSpeeds.end(),
                                    [&](const Speed& one) { return one.name == name; });
    if (speed != kSpeeds.end()) {
        port.speed = speed->code;
        port.extended_speed = speed->extended;
    } else if (name == kUnnamed) {
        link.errors.emplace_back(
            "the ibnetdiscover that wrote this listing is too old to name the speed of this link, "
            "\"??\": write it in its place, as in 4xNDR");
    } else {
        link.errors.push_back("the speed of links \"" + std::string(name.substr(0, 20)) +
                              "\" is not known: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR and XDR "
                              "are");
    }
}

}  // namespace

bool SetWidth(std::uint64_t lanes, NetPort& port) {
    const auto width = std::find_if(kWidths.begin(), kWidths.end(),
                                    [&](const Width& one) { return one.lanes == lanes; });
    if (width == kWidths.end()) return false;
    port.width = width->code;
    return true;
}

LinkWord ReadLinkWord(std::string_view word, NetPort& port) {
    LinkWord link;
    if (word.starts_with(kUnnamed)) {
        link.is_one = true;
        TakeWidth(2, port, link);
        SetSpeed(word.substr(kUnnamed.size()), port, link);
        return link;
    }
    Cursor rating(word);
    const std::optional<std::uint64_t> lanes = rating.Number(10);
    link.is_one = lanes.has_value() && rating.rest().starts_with('x');
    if (!link.is_one) return link;
    TakeWidth(*lanes, port, link);
    SetSpeed(rating.rest().substr(1), port, link);
    return link;
}

}  // namespace ember::net
