// SPDX-License-Identifier: Apache-2.0
// EmberSM: lines of netlists: one of a node, from left to right, and those that are none.
#include "config/netlist/cursor.h"

namespace ember::net {

bool IsHeading(std::string_view line) {
    const auto is_part = [&](std::string_view part) {  // As in "Spine 1 Chip 2".
        return line.starts_with(part) && line.find(" Chip ") != std::string_view::npos;
    };
    return line.starts_with("Chassis") || line.starts_with("DUPLICATED") ||
           line.starts_with("Non-Chassis Nodes") || is_part("Spine ") || is_part("Line ") ||
           is_part("Leaf ") || is_part("Fabric ");
}

std::string_view ForeignTool(std::string_view line) {
    Cursor cursor(line);
    const std::string_view word = cursor.Word();
    if (word == "CA" && line.starts_with("CA '")) return "that of ibstat";
    if (word == "CA" || word == "SW" || word == "RT") return "the ports of ibnetdiscover -p";
    if (word == "CA:" || word == "Switch:" || word == "Router:") return "that of iblinkinfo";
    const auto starts = [line](auto... beginnings) {
        return (line.starts_with(beginnings) || ...);
    };
    if (starts("Ca\t:", "Switch\t:", "Ca\t :", "Switch\t :", "Router\t :")) {
        return "that of ibhosts, ibswitches or ibnetdiscover -l";
    }
    if (line.find(" ==(") != std::string_view::npos) return "that of iblinkinfo -l";
    if (starts("Unicast lids [", "Multicast mlids [")) return "a table, as of ibroute or OpenSM";
    if (starts("ibnetdiscover: ", "src/ibnetdisc", "ibwarn: ")) return "an error of ibnetdiscover";
    if (starts("\xFF\xFE", "\xFE\xFF")) return "text in UTF-16, and not in UTF-8";
    return {};
}

}  // namespace ember::net
