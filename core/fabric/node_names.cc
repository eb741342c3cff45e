// SPDX-License-Identifier: Apache-2.0
// EmberSM: what people call the nodes.

#include "core/fabric/node_names.h"

#include <algorithm>

namespace ember {

std::size_t CleanName(std::span<const std::uint8_t> description, std::span<char> room) {
    std::size_t length = 0;
    std::size_t kept = 0;  // Without blanks at the end.
    for (const std::uint8_t octet : description) {
        if (octet == 0 || length == room.size()) break;
        if ((octet & 0xC0U) == 0x80U) continue;  // One question mark for a character of UTF-8.
        const bool is_plain = octet >= 0x20 && octet < 0x7F;
        room[length] = !is_plain ? '?' : octet == '"' ? '\'' : static_cast<char>(octet);
        ++length;
        if (octet != ' ') kept = length;
    }
    return kept;
}

std::size_t NodeNames::NameOf(Guid guid, std::span<char> room) const {
    if (guid == kNoGuid) return 0;
    NodeIndex at = fabric_.FindNode(guid);
    const PortIndex port = at == kNoNode ? fabric_.FindPort(guid) : kNoPortIndex;
    if (port != kNoPortIndex) at = fabric_.port(port).node;
    const std::span<char> bounded = room.first(std::min(room.size(), kMaxNameOctets));
    if (at != kNoNode) return CleanName(fabric_.node(at).description, bounded);
    const DepartedNode* const departed = fabric_.departed().Find(guid);
    return departed != nullptr ? CleanName(departed->description, bounded) : 0;
}

}  // namespace ember
