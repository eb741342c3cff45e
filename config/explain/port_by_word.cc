// SPDX-License-Identifier: Apache-2.0
// EmberSM: the end port that an operator means.
#include "config/explain/port_by_word.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/explain/words.h"

namespace ember::explain {
namespace {

/// Nodes that a name may mean.
struct Candidates {
    NodeIndex first = kNoNode;
    std::size_t count = 0;
    void Add(NodeIndex at) {
        if (count++ == 0) first = at;
    }
};

/// `name` begins with the word `first`.
[[nodiscard]] bool BeginsWith(std::string_view name, std::string_view first) {
    return name.size() > first.size() && name.starts_with(first) && name[first.size()] == ' ';
}

/// The nodes of a name; those that have it whole count more than those that begin with it.
[[nodiscard]] Candidates NodesCalled(const Fabric& fabric,
                                     const NodeNames& names,
                                     std::string_view word) {
    Candidates whole;
    Candidates begun;
    ForEachNode(fabric, [&](NodeIndex at, const Node& node) {
        std::array<char, kMaxNameOctets> room{};
        const std::string_view name(room.data(), names.NameOf(node.guid, room));
        if (name == word) whole.Add(at);
        if (BeginsWith(name, word)) begun.Add(at);
    });
    return whole.count != 0 ? whole : begun;
}

/// The port of a node with this number, or the only one that has a LID.
[[nodiscard]] PortIndex PortOfNode(const Fabric& fabric,
                                   NodeIndex at,
                                   std::uint64_t number,
                                   FixedText& why) {
    const Node& node = fabric.node(at);
    const bool is_any = number == Raw(kNoPort);
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

PortIndex Complain(std::string_view word, std::string_view what, FixedText& why) {
    why.Add('"').Add(word).Add("\" ").Add(what);
    return kNoPortIndex;
}

[[nodiscard]] PortIndex PortByGuid(const Fabric& fabric,
                                   std::string_view word,
                                   std::uint64_t guid,
                                   FixedText& why) {
    const PortIndex port = fabric.FindPort(static_cast<Guid>(guid));
    if (port != kNoPortIndex) {
        return fabric.port(port).lid != kNoLid ? port : Complain(word, "has no LID", why);
    }
    const NodeIndex node = fabric.FindNode(static_cast<Guid>(guid));
    if (node == kNoNode) return Complain(word, "is the GUID of no port and no node here", why);
    why.Add('"').Add(word).Add("\" ");
    return PortOfNode(fabric, node, Raw(kNoPort), why);
}

/// Parts "name/2"; a name may have strokes itself.
[[nodiscard]] std::string_view WithoutNumber(std::string_view word, std::uint64_t& number) {
    number = Raw(kNoPort);
    const std::size_t stroke = word.rfind('/');
    if (stroke == std::string_view::npos || stroke == 0) return word;
    std::uint64_t read = 0;
    if (!ReadNumber(word.substr(stroke + 1), Raw(kNoPort) - 1U, read)) return word;
    number = read;
    return word.substr(0, stroke);
}

}  // namespace

PortIndex PortByWord(const Fabric& fabric,
                     const NodeNames& names,
                     std::string_view word,
                     FixedText& why) {
    std::uint64_t number = 0;
    Candidates found = NodesCalled(fabric, names, word);  // A name may look like anything.
    std::uint64_t port_number = Raw(kNoPort);
    if (found.count == 0 && word.starts_with("0x") && ReadHex(word, number)) {
        return PortByGuid(fabric, word, number, why);
    }
    if (found.count == 0 && ReadNumber(word, Raw(kTopUnicastLid), number)) {
        const PortIndex port = fabric.PortByLid(static_cast<Lid>(number));
        return port != kNoPortIndex ? port : Complain(word, "is the LID of no port", why);
    }
    if (found.count == 0) {
        const std::string_view name = WithoutNumber(word, port_number);
        std::uint64_t guid = 0;
        const bool is_guid = name.size() != word.size() && name.starts_with("0x");
        if (is_guid && ReadHex(name, guid)) {
            const NodeIndex node = fabric.FindNode(static_cast<Guid>(guid));
            if (node != kNoNode) found.Add(node);
        } else if (name.size() != word.size()) {
            found = NodesCalled(fabric, names, name);
        }
    }
    if (found.count == 0) return Complain(word, "is the name of no node here", why);
    if (found.count > 1) {
        return Complain(word, "is the name of several nodes; say a GUID or a LID", why);
    }
    why.Add('"').Add(word).Add("\" ");
    return PortOfNode(fabric, found.first, port_number, why);
}

}  // namespace ember::explain
