// SPDX-License-Identifier: Apache-2.0
// EmberSM: which part of the fabric has room that other nodes are owed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"

namespace ember {

/// Room that the nodes behind an exit owe to nodes that found none.
struct OwedRoom {
    PortIndex exit = kNoPortIndex;  ///< kNoPortIndex: no exit owes room.
    std::uint32_t nodes = 0;        ///< Refused nodes that are owed room.
    std::uint32_t switches = 0;     ///< Among these.
    std::uint32_t rows = 0;         ///< Rows of ports that they need.
};

/// The value that a sweep keeps for an exit: the rows of ports of the nodes behind it, or a mark.
namespace exit_rows {
inline constexpr std::uint16_t kMost = 0xFBFE;           ///< A larger sum counts as this one.
inline constexpr std::uint16_t kRefusedHost = 0xFC00;    ///< No node: one of so many rows found
inline constexpr std::uint16_t kRefusedSwitch = 0xFD00;  ///< no room: 0 to 255 are added.
inline constexpr std::uint16_t kOnRing = 0xFE00;         ///< The nodes behind it have another path.

static_assert(kMost < kRefusedHost);
static_assert(kRefusedHost + 0xFF < kRefusedSwitch && kRefusedSwitch + 0xFF < kOnRing);
[[nodiscard]] constexpr bool IsRefused(std::uint16_t value) {
    return value >= kRefusedHost && value < kOnRing;
}
/// Rows behind an exit that is on no ring.
[[nodiscard]] constexpr std::uint16_t Count(std::uint16_t value) {
    return value > kMost ? std::uint16_t{0} : value;
}
}  // namespace exit_rows

/// At the end of a sweep in which nodes found no room: says which exit, the donor, owes it to them.
///
/// A host has one link. So a host that plays a fabric has all of it behind one exit, which is on no
/// ring of links. An exit owes room to a refused node
/// - if it is on no ring, and leads to more than twice its first share; the exit that owed room
///   last owes on, however much is behind it;
/// - if each other exit on the path to the node is on a ring or leads to less, counted from the
///   switch of the exit that owes, or from one to which rings lead from there.
/// The exit that leads to the most owes, and so much that it leads to no less in the end than those
/// exits. An exit on the paths to both does not count.
class RoomDonors {
public:
    /// `rows` has the values of exit_rows by exit, and 0 at port 0 of each switch; they are spent.
    RoomDonors(const Fabric& fabric, Table<PortIndex, std::uint16_t> rows)
        : fabric_(fabric), rows_(rows) {}

    /// `sweep` is the number of the sweep, and `last` the exit that owed room last, if any did.
    /// Walks paths of 64 hops at most: from each link, from each refused node, and from each exit
    /// with more than twice its first share.
    [[nodiscard]] OwedRoom Find(std::uint32_t sweep, PortIndex last);

private:
    void MarkRings(std::uint32_t sweep);
    void MarkRing(PortIndex one, PortIndex other);
    void MarkDonors();
    void MarkSwitchesOf(PortIndex exit);
    void AddIfOwed(PortIndex refused, std::uint16_t behind, OwedRoom& owed) const;
    [[nodiscard]] PortIndex FindDonor(PortIndex last) const;
    [[nodiscard]] bool IsDonor(PortIndex exit) const;
    [[nodiscard]] std::uint16_t& MarkOf(NodeIndex at) const;
    template <typename Visit>
    void ForEachRefused(Visit visit) const;
    template <typename Visit>
    void ForEachSwitchOn(PortIndex refused, Visit visit) const;
    template <typename Visit>
    void ForEachSwitchByRings(PortIndex exit, Visit visit) const;

    const Fabric& fabric_;
    Table<PortIndex, std::uint16_t> rows_;
};

/// The first share of an exit: rows of ports that the nodes behind it get before others get more.
[[nodiscard]] std::size_t FirstShareOf(const Fabric& fabric, PortIndex exit);

/// Forgets as many of the deepest nodes behind `owed.exit` as make room for the nodes that are owed
/// it, and the nodes behind those: their `seen` becomes 0. The node next to the exit stays. Returns
/// how many. Takes an octet a node from `scratch`, and gives it back.
std::uint32_t ForgetDeepest(Fabric& fabric, const OwedRoom& owed, Arena& scratch);

}  // namespace ember
