// SPDX-License-Identifier: Apache-2.0
// EmberSM: paths by the forwarding tables, and what their links can carry.
#include "core/administration/paths/paths.h"

#include <algorithm>
#include <array>

#include "core/base/assert.h"
#include "core/fabric/fabric.h"

namespace ember {
namespace {

/// The rate rank of a port that limits nothing.
inline constexpr std::uint8_t kNoBound = RateRank(kTopRate);

template <typename One, typename Other>
void Narrow(One& one, const Other& other) {
    one.rank = std::min(one.rank, other.rank);
    one.mtu = std::min(one.mtu, other.mtu);
}

}  // namespace

Paths::Paths(const Memory& memory, const AdministrationView& view)
    : view_(view), link_ends_(memory.link_ends), ports_(memory.ports) {
    EMBER_ASSERT(link_ends_.size() >= view.fabric.limits().max_ports);
    EMBER_ASSERT(ports_.size() >= view.fabric.limits().max_switches);
    EMBER_ASSERT(memory.forth.size() >= view.fabric.limits().max_switches);
    EMBER_ASSERT(memory.back.size() >= view.fabric.limits().max_switches);
    forth_.rests = Table<SwitchIndex, Rest>(memory.forth);
    back_.rests = Table<SwitchIndex, Rest>(memory.back);
    ForgetAll();
}

void Paths::ForgetAll() {
    link_ends_.fill({});
    ports_.fill({});
    forth_.rests.fill({});
    back_.rests.fill({});
    forth_.stamp = back_.stamp = 0;
    stamp_ = 1;
}

void Paths::Refresh() {
    if (view_.generation == generation_ && generation_ != 0) return;
    generation_ = view_.generation;
    ++stamp_;
    if (stamp_ == 0) ForgetAll();  // After 2^32 generations old stamps would hold again.
    forth_.lid = back_.lid = kNoLid;
}

Paths::Bound Paths::BoundOf(PortIndex at) const {
    const Fabric& fabric = view_.fabric;
    const Port& port = fabric.port(at);
    const Node& owner = fabric.node(port.node);
    const bool on_switch = owner.type == NodeType::kSwitch;
    const PortInfo& reporter = on_switch ? fabric.port(owner.first_port).info : port.info;
    const std::uint32_t capabilities = reporter.Get(PortInfo::kCapabilityMask);
    const bool extended = (capabilities & capability_mask::kIsExtendedSpeedsSupported) != 0;
    Bound bound{.rank = RateRank(LinkRate(port.info, extended)),
                .mtu = std::clamp(port.info.Get(PortInfo::kMtuCap), Mtu::k256, Mtu::k4096)};
    // Port 0 has no link; a plain one leaves these fields unused.
    const bool is_management = on_switch && port.number == kManagementPort;
    if (is_management && port.info.Get(PortInfo::kLinkWidthActive) == 0) bound.rank = kNoBound;
    return bound;
}

const Paths::LinkEnds& Paths::LinkEndsAt(PortIndex at) {
    LinkEnds& ends = link_ends_[at];
    if (ends.stamp == stamp_) return ends;
    const Fabric& fabric = view_.fabric;
    const Bound bound = BoundOf(at);
    ends = {.stamp = stamp_,
            .far_end = fabric.port(at).peer,
            .far_switch = kNoSwitch,
            .rank = bound.rank,
            .mtu = bound.mtu};
    if (ends.far_end == kNoPortIndex) return ends;
    Narrow(ends, BoundOf(ends.far_end));
    ends.far_switch = fabric.node(fabric.port(ends.far_end).node).switch_index;
    return ends;
}

/// The port by which switch `at` sends on to `lid`: port 0 where it keeps the packet, kNoPortIndex
/// where it drops it.
PortIndex Paths::ExitOf(SwitchIndex at, Lid lid) {
    Ports& row = ports_[at];
    if (row.stamp != stamp_) {
        const Node& node = view_.fabric.node(view_.fabric.switch_row(at).node);
        row = {.stamp = stamp_, .first = node.first_port, .count = node.port_count};
    }
    const std::span<const std::uint8_t> lft = view_.lfts[at];
    if (Raw(lid) >= lft.size() || lft[Raw(lid)] > row.count) return kNoPortIndex;
    return static_cast<PortIndex>(Raw(row.first) + lft[Raw(lid)]);
}

void Paths::Choose(Column& column, Lid lid) {
    if (column.lid == lid) return;
    column.lid = lid;
    ++column.stamp;
    if (column.stamp != 0) return;
    column.rests.fill({});  // After 2^32 columns old stamps would hold again.
    column.stamp = 1;
}

/// The rest of the path from switch `from` to end port `to`, which owns the LID of the column.
Paths::Rest Paths::Follow(Column& column, SwitchIndex from, PortIndex to) {
    EMBER_ASSERT(column.stamp != 0);
    std::array<Stop, kMaxHops> stops;
    std::size_t count = 0;
    Rest rest{.stamp = column.stamp, .hops = kNowhere};
    for (SwitchIndex at = from; count < kMaxHops;) {
        if (column.rests[at].stamp == column.stamp) {
            rest = column.rests[at];
            break;
        }
        const PortIndex exit = ExitOf(at, column.lid);
        if (exit == to) {  // The path ends here, at the switch's port 0.
            const Bound bound = BoundOf(exit);
            rest = {.stamp = column.stamp, .rank = bound.rank, .mtu = bound.mtu, .hops = 0};
            column.rests[at] = rest;
            break;
        }
        stops[count].at = at;
        stops[count].rest.hops = kNowhere;
        ++count;
        if (exit == kNoPortIndex) break;
        const LinkEnds& ends = LinkEndsAt(exit);
        stops[count - 1].rest = {.rank = ends.rank, .mtu = ends.mtu, .hops = 1};
        if (ends.far_end == to) {
            rest = {.rank = kNoBound, .mtu = Mtu::k4096, .hops = 0};
            break;
        }
        if (ends.far_switch == kNoSwitch) break;
        at = ends.far_switch;
    }
    return Remember(column, {stops.data(), count}, rest);
}

/// Keeps what a walk found: it came by these switches, and from the last one there is this rest.
Paths::Rest Paths::Remember(Column& column, std::span<const Stop> stops, Rest rest) {
    EMBER_ASSERT(stops.size() <= kMaxHops);
    // A walk that was too long, or went round, says nothing of the switches it came by but the
    // first: from a later one it may be short enough.
    const bool cut = stops.size() == kMaxHops && rest.hops == kNowhere;
    for (std::size_t i = stops.size(); i > 0; --i) {
        const Stop& stop = stops[i - 1];
        const std::size_t hops = std::size_t{rest.hops} + 1;
        const bool arrives = rest.hops != kNowhere && stop.rest.hops == 1 && hops <= kMaxHops;
        Narrow(rest, stop.rest);
        rest.hops = arrives ? static_cast<std::uint8_t>(hops) : kNowhere;
        rest.stamp = column.stamp;
        if (!cut || i == 1) column.rests[stop.at] = rest;
    }
    return rest;
}

Route Paths::Walk(PortIndex from, PortIndex to, Lid lid, Direction direction) {
    if (from == to) {
        const Bound bound = BoundOf(from);
        return {.complete = true, .rank = bound.rank, .mtu = bound.mtu, .hops = 0};
    }
    const Fabric& fabric = view_.fabric;
    const SwitchIndex home = fabric.node(fabric.port(from).node).switch_index;
    Route route;
    SwitchIndex first = home;
    if (home == kNoSwitch) {
        const LinkEnds& ends = LinkEndsAt(from);
        route = {.complete = ends.far_end == to, .rank = ends.rank, .mtu = ends.mtu, .hops = 1};
        first = ends.far_switch;
        if (route.complete || first == kNoSwitch) return route;
    } else {
        const Bound bound = BoundOf(from);
        route = {.complete = false, .rank = bound.rank, .mtu = bound.mtu, .hops = 0};
    }
    Column& column = direction == Direction::kForth ? forth_ : back_;
    Choose(column, lid);
    const Rest rest = Follow(column, first, to);
    if (rest.hops == kNowhere) return route;
    Narrow(route, rest);
    route.hops = static_cast<std::uint16_t>(route.hops + rest.hops);
    route.complete = route.hops <= kMaxHops;
    return route;
}

bool Paths::LinkFrom(PortIndex at, PortIndex to, Lid lid, Link& link) {
    if (at == to) return false;
    const Fabric& fabric = view_.fabric;
    const SwitchIndex here = fabric.node(fabric.port(at).node).switch_index;
    const PortIndex exit = here == kNoSwitch ? at : ExitOf(here, lid);
    if (exit == kNoPortIndex || exit == to) return false;
    const LinkEnds& ends = LinkEndsAt(exit);
    link = {.exit = exit, .entry = ends.far_end, .rate = RateOfRank(ends.rank), .mtu = ends.mtu};
    return ends.far_end != kNoPortIndex;
}

}  // namespace ember
