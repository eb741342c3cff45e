// SPDX-License-Identifier: Apache-2.0
// EmberSM: the end port that an operator means.
#include "config/explain/port_by_word.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/explain/resolver.h"

namespace ember::explain {
namespace {

/// The nodes of a fabric that was swept.
class FabricDirectory final : public Directory {
public:
    FabricDirectory(const Fabric& fabric, const NodeNames& names)
        : fabric_(fabric), names_(names) {}

    [[nodiscard]] std::size_t bound() const override { return fabric_.node_bound(); }
    [[nodiscard]] Guid GuidOf(std::size_t node) const override {
        return fabric_.node(static_cast<NodeIndex>(node)).guid;
    }
    [[nodiscard]] std::string_view NameOf(std::size_t node, std::size_t number,
                                          std::span<char> room) const override {
        const Node& row = fabric_.node(static_cast<NodeIndex>(node));
        const std::size_t mapped = names_.MappedName(row.guid, room);
        if (number == 0 && mapped != 0) return {room.data(), mapped};
        if (number > (mapped != 0 ? 1U : 0U)) return {};
        return {room.data(), CleanName(row.description, room)};
    }
    [[nodiscard]] Spot FindNode(Guid guid) const override {
        const NodeIndex at = fabric_.FindNode(guid);
        return at == kNoNode ? Spot{} : Spot{Raw(at)};
    }
    [[nodiscard]] Spot FindPort(Guid guid) const override { return SpotOf(fabric_.FindPort(guid)); }
    [[nodiscard]] Spot FindLid(Lid lid) const override { return SpotOf(fabric_.PortByLid(lid)); }

private:
    [[nodiscard]] Spot SpotOf(PortIndex at) const {
        if (at == kNoPortIndex) return {};
        const Port& port = fabric_.port(at);
        const bool is_switch = fabric_.node(port.node).type == NodeType::kSwitch;
        return {Raw(port.node), is_switch ? Spot::kAnyPort : Raw(port.number)};
    }

    const Fabric& fabric_;
    const NodeNames& names_;
};

/// The port of a node with this number, or the only one that has a LID.
[[nodiscard]] PortIndex PortOfNode(const Fabric& fabric, NodeIndex at, std::uint32_t number,
                                   FixedText& why) {
    const Node& node = fabric.node(at);
    const bool is_any = number == Spot::kAnyPort;
    PortIndex found = kNoPortIndex;
    std::size_t count = 0;
    for (const Port& port : fabric.PortsOf(at)) {
        if (!IsEndPort(fabric, port) || port.lid == kNoLid) continue;
        // A port of a switch stands for its port 0.
        const bool is_it = node.type == NodeType::kSwitch || Raw(port.number) == number;
        if (!is_any && !is_it) continue;
        found = fabric.IndexOf(port);
        ++count;
    }
    if (count == 1) return found;
    if (count == 0) {
        why.Add(is_any ? "has no port with a LID" : "has no such port with a LID");
    } else {
        why.Add("has several ports with LIDs; say which one, as in name/2");
    }
    return kNoPortIndex;
}

}  // namespace

PortIndex PortByWord(const Fabric& fabric, const NodeNames& names, std::string_view word,
                     FixedText& why) {
    const Spot spot = Resolve(FabricDirectory(fabric, names), word, why);
    if (!spot.exists()) return kNoPortIndex;
    why.Add('"').Add(word).Add("\" ");
    return PortOfNode(fabric, static_cast<NodeIndex>(spot.node), spot.port, why);
}

}  // namespace ember::explain
