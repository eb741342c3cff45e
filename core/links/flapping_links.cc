// SPDX-License-Identifier: Apache-2.0
// EmberSM: flapping links, and how long they are left out of the routes.
#include "core/links/flapping_links.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/assert.h"

namespace ember {
namespace {

/// The switch that represents all switches joined with `at`. Ends: each step leads nearer to it.
[[nodiscard]] SwitchIndex RootOf(std::span<SwitchIndex> island, SwitchIndex at) {
    EMBER_ASSERT(Raw(at) < island.size());
    while (island[Raw(at)] != at) {
        island[Raw(at)] = island[Raw(island[Raw(at)])];
        at = island[Raw(at)];
    }
    return at;
}

/// Joins the sets of two switches. True when these were two sets.
bool Join(std::span<SwitchIndex> island, SwitchIndex one, SwitchIndex other) {
    EMBER_ASSERT(Raw(one) < island.size());
    EMBER_ASSERT(Raw(other) < island.size());
    const SwitchIndex here = RootOf(island, one);
    const SwitchIndex there = RootOf(island, other);
    if (here == there) return false;
    island[Raw(std::max(here, there))] = std::min(here, there);
    return true;
}

}  // namespace

PortIndex FlappingLinks::Find(const LinkEnd& end) const {
    return FindEnd(fabric_, end);
}

FlappingLink* FlappingLinks::Meet(PortIndex at) {
    EMBER_ASSERT(fabric_.port(at).peer != kNoPortIndex);
    std::array<LinkEnd, 2> ends{EndOf(fabric_, at), EndOf(fabric_, fabric_.port(at).peer)};
    const bool is_turned =
        fabric_.node(fabric_.port(at).node).type != NodeType::kSwitch ||
        (fabric_.node(fabric_.port(fabric_.port(at).peer).node).type == NodeType::kSwitch &&
         Raw(ends[1].guid) < Raw(ends[0].guid));
    if (is_turned) std::swap(ends[0], ends[1]);
    return RowFor(ends);
}

/// The row of a link: its own one, a free one, or that of the link which has been quiet for longest
/// and is not in quarantine. nullptr: all rows are in quarantine.
FlappingLink* FlappingLinks::RowFor(const std::array<LinkEnd, 2>& ends) {
    FlappingLink* place = nullptr;
    for (FlappingLink& row : rows_) {
        if (row.ends == ends) return &row;
        if (row.verdict == LinkVerdict::kQuarantined) continue;
        const bool is_better = place == nullptr || (place->is_live() && !row.is_live()) ||
                               (place->is_live() && row.last_us < place->last_us);
        if (is_better) place = &row;
    }
    if (place == nullptr) return nullptr;
    EMBER_ASSERT(ends[0].guid != kNoGuid);
    *place = FlappingLink{};
    place->ends = ends;
    return place;
}

void FlappingLinks::BeginSweep(bool counts) {
    ++sweeps_;
    counts_ = counts;
}

void FlappingLinks::Count(FlappingLink& row, std::uint64_t now_us) const {
    EMBER_ASSERT(row.is_live());
    row.at_us[row.events % FlappingLink::kMostCounted] = now_us;
    ++row.events;
    row.last_us = now_us;
    if (row.verdict != LinkVerdict::kQuarantined) return;
    // The link has to be quiet for a while before it is used again.
    const std::uint64_t quiet_us = now_us + settings_.flapping_link_hold * kSecondUs;
    row.until_us = std::max(row.until_us, quiet_us);
    EmitRow(row);
}

bool FlappingLinks::NoteLoss(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoPortIndex);
    if (!counts_ || fabric_.port(at).peer == kNoPortIndex) return false;
    FlappingLink* const row = Meet(at);
    if (row == nullptr) {
        ++statistics_.forgotten;
        return false;
    }
    if (row->sweep == sweeps_) return false;  // Seen from the other end, or again.
    row->sweep = sweeps_;
    ++statistics_.losses;
    Count(*row, now_us);
    row->lost_us = now_us;
    return true;
}

bool FlappingLinks::NoteComplaint(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoPortIndex);
    if (fabric_.port(at).peer == kNoPortIndex) return false;
    FlappingLink* const row = Meet(at);
    if (row == nullptr) {
        ++statistics_.forgotten;
        return false;
    }
    ++statistics_.complaints;
    row->complaints = now_us - row->complained_us > kBabbleWindowUs ? 1 : row->complaints + 1;
    row->complained_us = now_us;
    Count(*row, now_us);
    const bool babbles = settings_.babbling_port_policy && row->complaints >= kBabble;
    const bool is_new = babbles && !row->shall_disable;
    row->shall_disable = babbles;
    return is_new || (row->verdict == LinkVerdict::kWatched && IsTooOften(*row, now_us));
}

std::uint32_t FlappingLinks::RecentEvents(const FlappingLink& row, std::uint64_t now_us) const {
    const std::uint64_t window_us = settings_.flapping_link_window * kSecondUs;
    const std::size_t known = std::min<std::size_t>(row.events, FlappingLink::kMostCounted);
    return static_cast<std::uint32_t>(
        std::count_if(row.at_us.begin(), row.at_us.begin() + static_cast<std::ptrdiff_t>(known),
                      [&](std::uint64_t at_us) { return now_us - at_us <= window_us; }));
}

bool FlappingLinks::IsTooOften(const FlappingLink& row, std::uint64_t now_us) const {
    return RecentEvents(row, now_us) >= settings_.flapping_link_count;
}

std::uint64_t FlappingLinks::HoldUs(const FlappingLink& row) const {
    const std::uint32_t doublings = std::min<std::uint32_t>(row.quarantines, kMostDoublings);
    return settings_.flapping_link_hold * kSecondUs << doublings;
}

/// True when one of the ports has a link to another port by now.
bool FlappingLinks::IsLinkedElsewhere(const FlappingLink& row) const {
    const PortIndex one = Find(row.ends[0]);
    const PortIndex other = Find(row.ends[1]);
    const auto leaves = [this](PortIndex at, PortIndex for_other) {
        if (at == kNoPortIndex) return false;
        const PortIndex peer = fabric_.port(at).peer;
        return peer != kNoPortIndex && peer != for_other;
    };
    return leaves(one, other) || leaves(other, one);
}

void FlappingLinks::Touch(const FlappingLink& row) {
    EMBER_ASSERT(row.is_live());
    for (const LinkEnd& end : row.ends) {
        const PortIndex at = Find(end);
        if (at != kNoPortIndex) fabric_.Touch(at);
    }
}

void FlappingLinks::Mark(const FlappingLink& row, bool is_quarantined) {
    EMBER_ASSERT(row.is_live());
    for (const LinkEnd& end : row.ends) {
        const PortIndex at = Find(end);
        if (at != kNoPortIndex) fabric_.port(at).quarantined = is_quarantined;
    }
}

void FlappingLinks::Confine(FlappingLink& row, std::uint64_t now_us) {
    EMBER_ASSERT(row.is_live());
    EMBER_ASSERT(row.verdict != LinkVerdict::kQuarantined);
    const std::uint64_t memory_us = HoldUs(row) + settings_.flapping_link_window * kSecondUs;
    if (now_us - row.released_us > memory_us) row.quarantines = 0;  // The link was well for long.
    const std::uint64_t hold_us = HoldUs(row);
    row.until_us = now_us + hold_us;
    if (row.quarantines < std::numeric_limits<std::uint8_t>::max()) ++row.quarantines;
    row.verdict = LinkVerdict::kQuarantined;
    ++statistics_.quarantines;
    log_.Write<Note::kLinkQuarantined>(now_us, Raw(row.ends[0].guid), Raw(row.ends[0].port),
                                       Raw(row.ends[1].guid), Raw(row.ends[1].port),
                                       RecentEvents(row, now_us), hold_us / kSecondUs);
    Touch(row);
    EmitRow(row);
}

void FlappingLinks::Release(FlappingLink& row, std::uint64_t now_us) {
    EMBER_ASSERT(row.is_live());
    EMBER_ASSERT(row.verdict == LinkVerdict::kQuarantined);
    row.verdict = LinkVerdict::kWatched;
    row.Forgive();
    row.released_us = now_us;
    ++statistics_.releases;
    log_.Write<Note::kLinkReleased>(now_us, Raw(row.ends[0].guid), Raw(row.ends[0].port),
                                    Raw(row.ends[1].guid), Raw(row.ends[1].port));
    Touch(row);
    EmitRow(row);
}

/// The link stays in use, or returns to use, though it flaps, which is noted once.
void FlappingLinks::Damp(FlappingLink& row, std::uint64_t now_us) {
    EMBER_ASSERT(row.is_live());
    if (row.verdict == LinkVerdict::kDamped) return;
    const bool was_left_out = row.verdict == LinkVerdict::kQuarantined;
    row.verdict = LinkVerdict::kDamped;
    if (was_left_out) {
        row.released_us = now_us;
        ++statistics_.releases;
        Touch(row);
        EmitRow(row);
    }
    if (settings_.flapping_link_policy == FlappingLinkPolicy::kDamp) {
        log_.Write<Note::kLinkDamped>(now_us, Raw(row.ends[0].guid), Raw(row.ends[0].port),
                                      Raw(row.ends[1].guid), Raw(row.ends[1].port),
                                      RecentEvents(row, now_us));
    } else {
        log_.Write<Note::kLinkNeeded>(now_us, Raw(row.ends[0].guid), Raw(row.ends[0].port),
                                      Raw(row.ends[1].guid), Raw(row.ends[1].port),
                                      RecentEvents(row, now_us));
    }
}

/// Disables the end of the link that is nearer to the SM, as OpenSM does, but never the SM's own
/// port.
void FlappingLinks::Silence(FlappingLink& row, std::uint64_t now_us) {
    EMBER_ASSERT(row.is_live());
    EMBER_ASSERT(row.shall_disable);
    row.shall_disable = false;
    row.complaints = 0;
    PortIndex nearest = kNoPortIndex;
    std::size_t fewest = kMaxHops + 1;
    for (const LinkEnd& end : row.ends) {
        const PortIndex at = Find(end);
        DirectedPath path;
        if (at == kNoPortIndex || fabric_.PathTo(at, path) != Status::kOk) continue;
        if (path.hops >= fewest) continue;
        fewest = path.hops;
        nearest = at;
    }
    if (nearest == kNoPortIndex || nearest == fabric_.own_port()) return;
    fabric_.port(nearest).shall_go_down = true;
    fabric_.Touch(nearest);
    ++statistics_.disabled;
    const LinkEnd end = EndOf(fabric_, nearest);
    const LinkEnd& other = row.ends[end == row.ends[0] ? 1 : 0];
    log_.Write<Note::kPortDisabled>(now_us, Raw(end.guid), Raw(end.port), Raw(other.guid),
                                    Raw(other.port), kBabble);
}

/// Decides what does not depend on other links: ends quarantines that are over, and frees the row
/// of a link that exists no more.
void FlappingLinks::Settle(FlappingLink& row, std::uint64_t now_us) {
    EMBER_ASSERT(row.is_live());
    if (row.shall_disable) Silence(row, now_us);
    if (IsLinkedElsewhere(row)) {
        const bool was_left_out = row.verdict == LinkVerdict::kQuarantined;
        row.verdict = LinkVerdict::kWatched;
        if (was_left_out) EmitRow(row);
        row = FlappingLink{};
        return;
    }
    const bool damps = settings_.flapping_link_policy == FlappingLinkPolicy::kDamp;
    const bool is_over = damps || now_us >= row.until_us;
    if (row.verdict == LinkVerdict::kQuarantined && is_over) Release(row, now_us);
    if (row.verdict == LinkVerdict::kQuarantined) return;
    if (!IsTooOften(row, now_us)) {
        row.verdict = LinkVerdict::kWatched;
    } else if (damps) {
        Damp(row, now_us);
    }
}

/// True when a node would be cut off without this link: it leads to a host or router, or joins two
/// sets of switches that no other link joins.
bool FlappingLinks::IsNeeded(const FlappingLink& row, std::span<SwitchIndex> island) const {
    EMBER_ASSERT(row.is_live());
    const SwitchIndex one = fabric_.node(fabric_.FindNode(row.ends[0].guid)).switch_index;
    const SwitchIndex other = fabric_.node(fabric_.FindNode(row.ends[1].guid)).switch_index;
    if (one == kNoSwitch || other == kNoSwitch) return true;
    return Join(island, one, other);
}

void FlappingLinks::Decide(FlappingLink& row, std::span<SwitchIndex> island, std::uint64_t now_us) {
    EMBER_ASSERT(row.is_proposed);
    EMBER_ASSERT(row.is_live());
    row.is_proposed = false;
    const bool is_there = Find(row.ends[0]) != kNoPortIndex && Find(row.ends[1]) != kNoPortIndex;
    if (!is_there) {  // A link that is gone cuts off no node, so no verdict is needed.
        // Without a verdict the row may be given to another link, and no one would take the mark
        // off.
        Mark(row, row.verdict == LinkVerdict::kQuarantined);
        return;
    }
    if (IsNeeded(row, island)) {
        Mark(row, false);
        Damp(row, now_us);
    } else if (row.verdict != LinkVerdict::kQuarantined) {
        Confine(row, now_us);
    }
}

void FlappingLinks::JoinOthers(std::span<SwitchIndex> island) const {
    EMBER_ASSERT(island.size() >= fabric_.switch_bound());
    for (std::size_t i = 0; i < island.size(); ++i) {
        island[i] = static_cast<SwitchIndex>(i);
    }
    ForEachPort(fabric_, [&](PortIndex at, const Port& port) {
        if (port.peer == kNoPortIndex || port.peer < at || port.quarantined) return;
        const Port& peer = fabric_.port(port.peer);
        const SwitchIndex here = fabric_.node(port.node).switch_index;
        const SwitchIndex there = fabric_.node(peer.node).switch_index;
        if (here == kNoSwitch || there == kNoSwitch || peer.quarantined) return;
        if (HasLink(port.info) && HasLink(peer.info)) static_cast<void>(Join(island, here, there));
    });
}

namespace {

/// The proposed rows, the one whose last event is longest ago first. Of two with one time, that
/// with the lower number: without another event the order is the same in each review.
std::span<std::uint16_t> ByQuiet(std::span<const FlappingLink> rows,
                                 std::span<std::uint16_t> order) {
    EMBER_ASSERT(order.size() >= rows.size());
    EMBER_ASSERT(rows.size() <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1);
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].is_proposed) order[count++] = static_cast<std::uint16_t>(i);
    }
    const auto was_quiet_for_longer = [rows](std::uint16_t one, std::uint16_t other) {
        return rows[one].last_us != rows[other].last_us ? rows[one].last_us < rows[other].last_us
                                                        : one < other;
    };
    const std::span<std::uint16_t> proposed = order.first(count);
    std::make_heap(proposed.begin(), proposed.end(), was_quiet_for_longer);  // std::sort recurses.
    std::sort_heap(proposed.begin(), proposed.end(), was_quiet_for_longer);
    return proposed;
}

/// When the first quarantine ends; kNever: there is none.
std::uint64_t FirstRelease(std::span<const FlappingLink> rows) {
    std::uint64_t first_us = kNever;
    for (const FlappingLink& row : rows) {
        if (row.verdict == LinkVerdict::kQuarantined) first_us = std::min(first_us, row.until_us);
    }
    return first_us;
}

}  // namespace

void FlappingLinks::Review(std::uint64_t now_us, Arena& scratch) {
    next_release_us_ = kNever;
    PardonRestarts(now_us);
    for (const FlappingLink& row : rows_) {
        if (row.is_live()) Mark(row, false);
    }
    const bool confines = settings_.flapping_link_policy == FlappingLinkPolicy::kQuarantine;
    bool is_any = false;
    for (FlappingLink& row : rows_) {
        if (!row.is_live()) continue;
        Settle(row, now_us);
        row.is_proposed = row.is_live() && confines &&
                          (row.verdict == LinkVerdict::kQuarantined || IsTooOften(row, now_us));
        if (!row.is_proposed) continue;
        Mark(row, true);
        is_any = true;
    }
    if (!is_any) return;
    const Arena::Frame frame(scratch);
    const std::span<SwitchIndex> island = scratch.Take<SwitchIndex>(fabric_.switch_bound());
    JoinOthers(island);
    // So one of several needed links is kept that has been quiet for a while, and a link that flaps
    // now is left out. Verdicts change only when a link has flapped, or others have failed.
    const std::span<std::uint16_t> order = scratch.Take<std::uint16_t>(rows_.size());
    for (const std::uint16_t i : ByQuiet(rows_, order)) {
        Decide(rows_[i], island, now_us);
    }
    next_release_us_ = FirstRelease(rows_);
}

std::size_t FlappingLinks::CountOf(LinkVerdict verdict) const {
    return static_cast<std::size_t>(std::count_if(
        rows_.begin(), rows_.end(),
        [verdict](const FlappingLink& row) { return row.is_live() && row.verdict == verdict; }));
}

}  // namespace ember
