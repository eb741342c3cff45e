// SPDX-License-Identifier: Apache-2.0
// EmberSM: where the forwarding tables lead, and what can go there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query.h"
#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// A way from an end port to a LID by the forwarding tables.
struct Route {
    bool complete = false;   ///< It arrives. The rest means nothing otherwise.
    std::uint8_t rank = 0;   ///< Of the slowest link, see RateRank().
    Mtu mtu = Mtu::kNone;    ///< The smallest MTUCap of all ports on the way.
    std::uint16_t hops = 0;  ///< Cables.
};

/// Walks along the forwarding tables, and remembers what it saw on the way.
///
/// What is asked of a cable (its far end, rate and MTU) is kept by port, and how far it is from
/// each switch to the LID in question by switch: a walk ends where an earlier one to that LID came
/// by. So the paths from everywhere to one LID together cost a visit to each switch. Kept is only
/// what one generation of the tables holds (AdministrationView::generation); nothing is computed
/// that nobody asked for, so a new generation costs nothing.
class Paths {
public:
    /// More cables than this make no path, as in OpenSM.
    static constexpr std::size_t kMaxHops = 64;

    /// Both ends of a cable.
    struct Cable {
        std::uint32_t stamp = 0;             ///< Holds while it equals that of the generation.
        PortIndex far_end = kNoPortIndex;    ///< kNoPortIndex: there is no cable.
        SwitchIndex far_switch = kNoSwitch;  ///< kNoSwitch: the far end is no switch.
        std::uint8_t rank = 0;               ///< The lower rate rank of both ends.
        Mtu mtu = Mtu::kNone;                ///< The smaller MTUCap of both ends.
    };
    struct Ports {
        std::uint32_t stamp = 0;
        PortIndex first = kNoPortIndex;  ///< Port 0 of a switch.
        std::uint8_t count = 0;
    };
    /// The rest of the way from a switch to the LID of a column.
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
        std::span<Cable> cables;  ///< max_ports
        std::span<Ports> ports;   ///< max_switches
        std::span<Rest> forth;    ///< max_switches
        std::span<Rest> back;     ///< max_switches
    };
    /// Which of the two remembered columns a walk belongs to. Only its speed depends on that: paths
    /// and their ways back take turns, and each has a LID that stays while the other's changes.
    enum class Direction : std::uint8_t { kForth, kBack };

    Paths(const Memory& memory, const AdministrationView& view);
    Paths(const Paths&) = delete;
    Paths& operator=(const Paths&) = delete;

    /// Looks whether the tables have changed. To be called before walks, whenever others may have
    /// worked in between.
    void Refresh();

    /// The way from end port `from` to `lid`, which belongs to end port `to`. Both are live.
    [[nodiscard]] Route Walk(PortIndex from, PortIndex to, Lid lid, Direction direction);

private:
    /// What one port alone admits.
    struct Bound {
        std::uint8_t rank = 0;
        Mtu mtu = Mtu::kNone;
    };
    struct Column {
        Table<SwitchIndex, Rest> rests;
        Lid lid = kNoLid;
        std::uint32_t stamp = 0;
    };
    /// A switch on the way, and the cable by which it is left.
    struct Stop {
        SwitchIndex at = kNoSwitch;
        Rest rest;
    };

    [[nodiscard]] Bound BoundOf(PortIndex at) const;
    [[nodiscard]] const Cable& CableAt(PortIndex at);
    [[nodiscard]] PortIndex ExitOf(SwitchIndex at, Lid lid);
    static void Choose(Column& column, Lid lid);
    [[nodiscard]] Rest Follow(Column& column, SwitchIndex from, PortIndex to);
    static Rest Remember(Column& column, std::span<const Stop> stops, Rest rest);
    void ForgetAll();

    const AdministrationView& view_;
    Table<PortIndex, Cable> cables_;
    Table<SwitchIndex, Ports> ports_;
    Column forth_;
    Column back_;
    std::uint64_t generation_ = 0;
    std::uint32_t stamp_ = 0;
};

}  // namespace ember
