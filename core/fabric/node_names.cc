// SPDX-License-Identifier: Apache-2.0
// EmberSM: the names of nodes.

#include "core/fabric/node_names.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/utf8.h"

namespace ember {

std::size_t CleanName(std::span<const std::uint8_t> description, std::span<char> room) {
    std::size_t length = 0;
    std::size_t kept = 0;  // The length without blanks at the end.
    for (const std::uint8_t octet : description) {
        if (octet == 0 || length == room.size()) break;
        if ((octet & 0xC0U) == 0x80U) continue;  // A UTF-8 character becomes one question mark.
        const bool is_plain = octet >= 0x20 && octet < 0x7F;
        room[length] = !is_plain ? '?' : octet == '"' ? '\'' : static_cast<char>(octet);
        ++length;
        if (octet != ' ') kept = length;
    }
    return kept;
}

std::size_t MappedName(const ManagerTables& tables, Guid node, std::span<char> room) {
    const auto found =
        std::lower_bound(tables.node_names.begin(), tables.node_names.end(), node,
                         [](const NodeName& row, Guid guid) { return Raw(row.guid) < Raw(guid); });
    if (found == tables.node_names.end() || found->guid != node) return 0;
    EMBER_ASSERT(found->first + std::size_t{found->octets} <= tables.name_octets.size());
    const auto octets = tables.name_octets.subspan(found->first, found->octets);
    const std::size_t length = WholeCharacters(octets, room.size());
    std::copy_n(octets.begin(), length, room.begin());
    return length;
}

std::size_t NodeNames::NameOf(Guid guid, std::span<char> room) const {
    if (guid == kNoGuid) return 0;
    const std::span<char> bounded = room.first(std::min(room.size(), kMaxNameOctets));
    NodeIndex at = fabric_.FindNode(guid);
    const PortIndex port = at == kNoNode ? fabric_.FindPort(guid) : kNoPortIndex;
    if (port != kNoPortIndex) at = fabric_.port(port).node;
    const DepartedNode* const departed = at == kNoNode ? fabric_.departed().Find(guid) : nullptr;
    const Guid node = at != kNoNode         ? fabric_.node(at).guid
                      : departed != nullptr ? departed->guids[0]
                                            : guid;
    const std::size_t mapped = MappedName(node, bounded);
    EMBER_ASSERT(mapped <= bounded.size());
    if (mapped != 0) return mapped;
    if (at != kNoNode) return CleanName(fabric_.node(at).description, bounded);
    return departed != nullptr ? CleanName(departed->description, bounded) : 0;
}

}  // namespace ember
