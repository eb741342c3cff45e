// SPDX-License-Identifier: Apache-2.0
// EmberSM: paths by the forwarding tables, and what their links can carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query/query.h"
#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// A path from an end port to a LID by the forwarding tables.
struct Route {
    bool complete = false;   ///< The path arrives; else the rest means nothing.
    std::uint8_t rank = 0;   ///< Of the slowest link, see RateRank().
    Mtu mtu = Mtu::kNone;    ///< The smallest MTUCap of all ports on the path.
    std::uint16_t hops = 0;  ///< Links.
};

/// Walks along the forwarding tables, and remembers what it has seen.
///
/// The far end, rate and MTU of a link are kept by port; the rest of a path to a LID is kept by
/// switch: a walk ends at a switch that an earlier walk to that LID has visited. So the paths from
/// all ports to one LID together cost one visit to each switch. Values are kept for one generation
/// of the tables (AdministrationView::generation). Each is computed when it is first asked for, so
/// a new generation costs nothing.
class Paths {
public:
    /// More links than this make no path, as in OpenSM.
    static constexpr std::size_t kMaxHops = 64;

    /// Both ends of a link.
    struct LinkEnds {
        std::uint32_t stamp = 0;             ///< Holds while it equals that of the generation.
        PortIndex far_end = kNoPortIndex;    ///< kNoPortIndex: there is no link.
        SwitchIndex far_switch = kNoSwitch;  ///< kNoSwitch: the far end is no switch.
        std::uint8_t rank = 0;               ///< The lower rate rank of both ends.
        Mtu mtu = Mtu::kNone;                ///< The smaller MTUCap of both ends.
    };
    struct Ports {
        std::uint32_t stamp = 0;
        PortIndex first = kNoPortIndex;  ///< Port 0 of a switch.
        std::uint8_t count = 0;
    };
    /// The rest of the path from a switch to the LID of a column.
    struct Rest {
        std::uint32_t stamp = 0;  ///< Holds while it equals that of the column.
        std::uint8_t rank = 0;
        Mtu mtu = Mtu::kNone;
        std::uint8_t hops = 0;  ///< kNowhere: it does not arrive.
    };
    static constexpr std::uint8_t kNowhere = 0xFF;
    static_assert(kMaxHops < kNowhere);

    /// Views of the board's storage.
    struct Memory {
        std::span<LinkEnds> link_ends;  ///< max_ports
        std::span<Ports> ports;         ///< max_switches
        std::span<Rest> forth;          ///< max_switches
        std::span<Rest> back;           ///< max_switches
    };
    /// Which of the two remembered columns a walk uses. Only its speed depends on that: paths and
    /// their ways back take turns, and the LID of one stays while that of the other changes.
    enum class Direction : std::uint8_t { kForth, kBack };

    /// A link of a path, in its direction.
    struct Link {
        PortIndex exit = kNoPortIndex;
        PortIndex entry = kNoPortIndex;
        Rate rate = Rate::kNone;  ///< Of the slower end.
        Mtu mtu = Mtu::kNone;     ///< The smaller MTUCap of both ends.
    };

    Paths(const Memory& memory, const AdministrationView& view);
    Paths(const Paths&) = delete;
    Paths& operator=(const Paths&) = delete;

    /// Looks whether the tables have changed. Call it before walks whenever the tables may have
    /// changed since the last walk.
    void Refresh();

    /// The path from end port `from` to `lid`, which belongs to end port `to`. Both are live.
    [[nodiscard]] Route Walk(PortIndex from, PortIndex to, Lid lid, Direction direction);

    /// The next link of a path to `lid`, which belongs to end port `to`; the packet is at port
    /// `at`: its source, or the port by which it came in. False: it is there, or goes no further.
    [[nodiscard]] bool LinkFrom(PortIndex at, PortIndex to, Lid lid, Link& link);

private:
    /// The values that one port alone admits.
    struct Bound {
        std::uint8_t rank = 0;
        Mtu mtu = Mtu::kNone;
    };
    struct Column {
        Table<SwitchIndex, Rest> rests;
        Lid lid = kNoLid;
        std::uint32_t stamp = 0;
    };
    /// A switch on a path, and the rest of the path with the link by which the switch is left.
    struct Stop {
        SwitchIndex at = kNoSwitch;
        Rest rest;
    };

    [[nodiscard]] Bound BoundOf(PortIndex at) const;
    [[nodiscard]] const LinkEnds& LinkEndsAt(PortIndex at);
    [[nodiscard]] PortIndex ExitOf(SwitchIndex at, Lid lid);
    static void Choose(Column& column, Lid lid);
    [[nodiscard]] Rest Follow(Column& column, SwitchIndex from, PortIndex to);
    static Rest Remember(Column& column, std::span<const Stop> stops, Rest rest);
    void ForgetAll();

    const AdministrationView& view_;
    Table<PortIndex, LinkEnds> link_ends_;
    Table<SwitchIndex, Ports> ports_;
    Column forth_;
    Column back_;
    std::uint64_t generation_ = 0;
    std::uint32_t stamp_ = 0;
};

}  // namespace ember
