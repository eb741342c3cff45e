// SPDX-License-Identifier: Apache-2.0
// EmberSM: the node, and the port of it, that an operator's word means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/base/ids.h"
#include "core/log/fixed_text.h"

namespace ember {
class Fabric;
class NodeNames;
}  // namespace ember

namespace ember::explain {

/// A node by its place in a directory, and a port of it.
struct Spot {
    static constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();
    static constexpr std::uint32_t kAnyPort = Raw(kNoPort);

    std::size_t node = kNoPlace;    ///< kNoPlace: none.
    std::uint32_t port = kAnyPort;  ///< kAnyPort: the word names no port, or a switch as such.

    [[nodiscard]] bool exists() const { return node != kNoPlace; }
};

/// The nodes that words may mean: those of a fabric that was swept, or of a netlist.
class Directory {
public:
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    /// The highest place + 1.
    [[nodiscard]] virtual std::size_t bound() const = 0;
    /// The NodeGUID of a place; kNoGuid: no node is there.
    [[nodiscard]] virtual Guid GuidOf(std::size_t node) const = 0;
    /// The names that programs call the node by, and those that files give it: number 0 is printed
    /// first, and an empty one is the last. `room` has kMaxNameOctets and may hold the answer.
    [[nodiscard]] virtual std::string_view NameOf(std::size_t node, std::size_t number,
                                                  std::span<char> room) const = 0;
    [[nodiscard]] virtual Spot FindNode(Guid guid) const = 0;
    [[nodiscard]] virtual Spot FindPort(Guid guid) const = 0;  ///< By PortGUID.
    [[nodiscard]] virtual Spot FindLid(Lid lid) const = 0;     ///< Of a range of LIDs too.

protected:
    Directory() = default;
    ~Directory() = default;
};

/// The node or port that `word` means in all commands and options; nothing: `why` has a sentence.
///
///   leaf 2             a name of a node, those first that are printed; or its first words where no
///                      other node begins with them
///   0x0002c903000e0b72 a NodeGUID or a PortGUID
///   12, 0x000c         a LID; in hexadecimal digits four at most, which may be a GUID as well
///   leaf 2/3           one of these and the number of a port, as GUID/3 and 12/3,
///   leaf 2 port 3      and as reports write it
///
/// A word that may mean two nodes means none: `why` lists the first four of them.
[[nodiscard]] Spot Resolve(const Directory& directory, std::string_view word, FixedText& why);

/// The end port with a LID that `word` means, as Resolve() has it; else kNoPortIndex, and `why` has
/// a sentence. A node's names are that of node_name_map_name and its NodeDescription. Of a node
/// with several ports that have LIDs the number of one must be said.
[[nodiscard]] PortIndex PortByWord(const Fabric& fabric, const NodeNames& names,
                                   std::string_view word, FixedText& why);

}  // namespace ember::explain
