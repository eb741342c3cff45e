// SPDX-License-Identifier: Apache-2.0
// EmberSM: lines of listings that are no line of a node.
#include "config/netlist/headings.h"

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
    if (line.starts_with("Ca\t:") || line.starts_with("Switch\t:")) {
        return "that of ibhosts, ibswitches or ibnetdiscover -l";
    }
    return {};
}

}  // namespace ember::net
