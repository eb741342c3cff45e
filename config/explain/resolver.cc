// SPDX-License-Identifier: Apache-2.0
// EmberSM: the node, and the port of it, that an operator's word means.
#include "config/explain/resolver.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "config/explain/words.h"
#include "core/fabric/fabric.h"
#include "core/fabric/node_names.h"
#include "core/log/render.h"

namespace ember::explain {
namespace {

/// Octets of a name and a port, and of an answer that says both back.
constexpr std::size_t kLongestWord = 2 * kMaxNameOctets;

/// Digits of a LID in hexadecimal: a longer number is a GUID.
constexpr std::size_t kLidDigits = 4;

/// The nodes that a word may mean, each once; the first few are kept, to be told.
class Candidates {
public:
    void Add(const Spot& spot) {
        if (!spot.exists()) return;
        const auto end = first_.begin() + static_cast<std::ptrdiff_t>(kept());
        const bool is_known = std::any_of(
            first_.begin(), end, [&spot](const Spot& one) { return one.node == spot.node; });
        if (is_known) return;
        if (count_ < first_.size()) first_[count_] = spot;
        ++count_;
    }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t kept() const { return std::min(count_, first_.size()); }
    [[nodiscard]] const Spot& operator[](std::size_t at) const { return first_[at]; }

private:
    std::array<Spot, 4> first_{};
    std::size_t count_ = 0;
};

[[nodiscard]] bool IsHex(std::string_view word) {
    return word.starts_with("0x") || word.starts_with("0X");
}

/// `name` begins with the word `first`.
[[nodiscard]] bool BeginsWith(std::string_view name, std::string_view first) {
    return name.size() > first.size() && name.starts_with(first) && name[first.size()] == ' ';
}

/// Nodes that a word may mean, the best first: by a name that is printed or a number, by another
/// name, and by the beginning of a name.
struct Meanings {
    Candidates printed;
    Candidates known;
    Candidates begun;

    [[nodiscard]] const Candidates& best() const {
        if (printed.count() != 0) return printed;
        return known.count() != 0 ? known : begun;
    }
};

/// Adds a node where its names say that it may be meant.
void AddCalled(const Directory& directory, std::size_t node, std::string_view word,
               Meanings& meanings) {
    std::array<char, kMaxNameOctets> room{};
    for (std::size_t i = 0;; ++i) {  // Ends: a node has a few names.
        const std::string_view name = directory.NameOf(node, i, room);
        if (name.empty()) return;
        if (name == word) (i == 0 ? meanings.printed : meanings.known).Add({node});
        if (BeginsWith(name, word)) meanings.begun.Add({node});
    }
}

/// GUIDs and LIDs that the word may be. `names_port`: a number of a port follows, so a GUID of both
/// kinds is that of the node.
void AddNumbers(const Directory& directory, std::string_view word, bool names_port,
                Candidates& found) {
    std::uint64_t number = 0;
    if (IsHex(word) && ReadHex(word, number) && number != 0) {
        const Spot node = directory.FindNode(static_cast<Guid>(number));
        const Spot port = directory.FindPort(static_cast<Guid>(number));
        found.Add(names_port && node.exists() ? node : port);
        found.Add(node);
    }
    const bool may_be_lid = !IsHex(word) || word.size() <= kLidDigits + 2;
    if (may_be_lid && ReadNumber(word, Raw(kTopUnicastLid), number) && number != 0) {
        found.Add(directory.FindLid(static_cast<Lid>(number)));
    }
}

/// The nodes that the word as a whole may mean.
[[nodiscard]] Candidates NodesMeant(const Directory& directory, std::string_view word,
                                    bool names_port) {
    if (word.empty()) return {};
    Meanings meanings;
    for (std::size_t node = 0; node < directory.bound(); ++node) {
        if (directory.GuidOf(node) != kNoGuid) AddCalled(directory, node, word, meanings);
    }
    AddNumbers(directory, word, names_port, meanings.printed);
    return meanings.best();
}

/// Parts "name/2" and "name port 2" into name and number. False: the word is neither.
[[nodiscard]] bool PartNumber(std::string_view word, std::string_view& name, std::uint32_t& port) {
    for (const std::string_view mark : {std::string_view("/"), std::string_view(" port ")}) {
        const std::size_t at = word.rfind(mark);
        std::uint64_t number = 0;
        if (at == std::string_view::npos || at == 0) continue;
        if (!ReadNumber(word.substr(at + mark.size()), Raw(kNoPort) - 1U, number)) continue;
        name = word.substr(0, at);
        port = static_cast<std::uint32_t>(number);
        return true;
    }
    return false;
}

void ExplainAmbiguous(const Directory& directory, std::string_view word, const Candidates& found,
                      FixedText& why) {
    why.Add('"').Add(word).Add("\" may be ").AddNumber(found.count()).Add(" nodes: ");
    for (std::size_t i = 0; i < found.kept(); ++i) {
        std::array<char, kMaxNameOctets> room{};
        const std::size_t node = found[i].node;
        why.Add(i == 0 ? "" : ", ").Add("0x").AddHex(Raw(directory.GuidOf(node)), 16);
        const std::string_view name = directory.NameOf(node, 0, room);
        if (!name.empty()) why.Add(" (").Add(name).Add(')');
    }
    if (found.count() > found.kept()) {
        why.Add(" and ").AddNumber(found.count() - found.kept()).Add(" more");
    }
    why.Add("; say a GUID with all 16 digits");
}

void ExplainUnknown(std::string_view word, FixedText& why) {
    std::uint64_t number = 0;
    why.Add('"').Add(word).Add("\" is ");
    if (IsHex(word) && ReadHex(word, number)) {
        why.Add("the GUID of no port and no node here");
        if (word.size() <= kLidDigits + 2) why.Add(", and no LID");
    } else if (ReadNumber(word, Raw(kTopUnicastLid), number)) {
        why.Add("the LID of no port here");
    } else {
        why.Add("the name of no node here");
    }
}

}  // namespace

Spot Resolve(const Directory& directory, std::string_view word, FixedText& why) {
    if (word.size() > kLongestWord) {
        why.Add("a node or port is named in ").AddNumber(kLongestWord).Add(" octets at most, not ");
        why.AddNumber(word.size());
        return {};
    }
    Candidates found = NodesMeant(directory, word, false);
    std::string_view name = word;
    std::uint32_t port = Spot::kAnyPort;
    const bool is_parted = found.count() == 0 && PartNumber(word, name, port);
    if (is_parted) found = NodesMeant(directory, name, true);
    if (found.count() == 0) {
        ExplainUnknown(word, why);
        return {};
    }
    if (found.count() > 1) {
        ExplainAmbiguous(directory, name, found, why);
        return {};
    }
    Spot spot = found[0];
    if (!is_parted) return spot;
    if (spot.port != Spot::kAnyPort && spot.port != port) {
        why.Add('"').Add(name).Add("\" is port ").AddNumber(spot.port).Add(" of its node, not ");
        why.AddNumber(port);
        return {};
    }
    spot.port = port;
    return spot;
}

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
