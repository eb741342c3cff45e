// SPDX-License-Identifier: Apache-2.0
// EmberSM: the notes of a sweep: nodes and links gained and lost, and sums where they are many.

#include "core/discovery/sweep_notes.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/link_end.h"
#include "core/links/link_rating.h"

namespace ember {
namespace {

/// The window of SweepNotes::kLoggedInWindow.
inline constexpr std::uint64_t kLogWindowUs = 1'000'000;
static_assert(DepartedNodes::kMost >= SweepNotes::kLoggedEach, "a lost node is noted by its name");

}  // namespace

/// How many of a kind the sweep notes one by one. A device that plays another fabric with each
/// answer causes sweep after sweep: after kLoggedInWindow of them within a second one each is
/// enough.
void SweepNotes::Begin(std::uint64_t now_us) {
    gained_links_.clear();
    if (now_us - log_window_began_us_ >= kLogWindowUs) {
        log_window_began_us_ = now_us;
        logged_in_window_ = 0;
    }
    logged_each_ = logged_in_window_ >= kLoggedInWindow ? 1 : std::uint32_t{kLoggedEach};
}

void SweepNotes::LostNode(const Node& node, std::uint64_t now_us) {
    if (!MayLog(outcome_.nodes_lost)) return;
    log_.Write<Note::kNodeLost>(now_us, node.guid, node.type, node.port_count);
}

void SweepNotes::GainedLink(PortIndex at) {
    if (outcome_.first || !MayLog(outcome_.links_gained)) return;
    const Status kept = gained_links_.TryPush(at);
    EMBER_ASSERT(kept == Status::kOk);
}

/// Counts one more of a kind; true if it is to be noted.
bool SweepNotes::MayLog(std::uint32_t& count) {
    if (++count > logged_each_) return false;
    ++logged_in_window_;
    return true;
}

/// The part of `count` that is not noted one by one.
std::uint32_t SweepNotes::Unlogged(std::uint32_t count) const {
    return count > logged_each_ ? count - logged_each_ : 0;
}

void SweepNotes::Announce(NodeIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoNode);
    Node& node = fabric_.node(at);
    if (node.is_announced) return;
    node.is_announced = true;
    if (outcome_.first) {
        log_.Write<Note::kNodeFound>(now_us, node.guid, node.type, node.port_count);
        return;
    }
    if (!MayLog(outcome_.nodes_announced)) return;
    if (fabric_.departed().Find(node.guid) != nullptr) {
        log_.Write<Note::kNodeReturned>(now_us, node.guid, node.type, node.port_count);
    } else {
        log_.Write<Note::kNodeJoined>(now_us, node.guid, node.type, node.port_count);
    }
}

void SweepNotes::OwnPort(const Port& port, bool is_up, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.IndexOf(port) == fabric_.own_port());
    if (is_up == !own_port_logged_down_) return;
    own_port_logged_down_ = !is_up;
    if (is_up) {
        log_.Write<Note::kOwnPortUp>(now_us, port.guid);
    } else {
        log_.Write<Note::kOwnPortDown>(now_us, port.guid);
    }
}

void SweepNotes::OwnNeighbor(const Port& port, bool is_silent, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.IndexOf(port) == fabric_.own_port());
    if (is_silent && !own_neighbor_logged_silent_) {
        log_.Write<Note::kOwnNeighborSilent>(now_us, port.guid);
    }
    own_neighbor_logged_silent_ = is_silent;
}

void SweepNotes::LostLink(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.port(at).peer != kNoPortIndex);
    if (!MayLog(outcome_.links_lost)) return;
    const LinkEnd end = EndOf(fabric_, at);
    const LinkEnd peer = EndOf(fabric_, fabric_.port(at).peer);
    log_.Write<Note::kLinkLost>(now_us, end.guid, end.port, peer.guid, peer.port);
}

void SweepNotes::Retrained(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.port(at).peer != kNoPortIndex);
    if (!MayLog(outcome_.links_retrained)) return;
    const LinkEnd end = EndOf(fabric_, at);
    const LinkEnd peer = EndOf(fabric_, fabric_.port(at).peer);
    log_.Write<Note::kLinkRetrained>(now_us, end.guid, end.port, peer.guid, peer.port);
}

void SweepNotes::Duplicate(Guid guid, PortNumber port, PortIndex exit, PortIndex kept,
                           std::uint64_t now_us) {
    EMBER_ASSERT(exit != kNoPortIndex);
    if (!IsNewDuplicate(guid)) return;
    const LinkEnd here = EndOf(fabric_, exit);
    const LinkEnd there = EndOf(fabric_, kept);
    log_.Write<Note::kDuplicateGuid>(now_us, guid, port, here.guid, here.port, there.guid,
                                     there.port);
}

/// True the first time that it is called with a GUID: a permanent duplicate is noted once.
bool SweepNotes::IsNewDuplicate(Guid guid) {
    EMBER_ASSERT(guid != kNoGuid);
    if (std::find(logged_duplicates_.begin(), logged_duplicates_.end(), guid) !=
        logged_duplicates_.end()) {
        return false;
    }
    // A full list starts again: a duplicate noted twice is better than one never noted.
    if (logged_duplicates_.full()) logged_duplicates_.clear();
    return logged_duplicates_.TryPush(guid) == Status::kOk;
}

void SweepNotes::Rate(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.port(at).peer != kNoPortIndex);
    Port& port = fabric_.port(at);
    Port& far = fabric_.port(port.peer);
    if (!port.has_info || !far.has_info) return;
    port.rated = true;
    far.rated = true;
    const LinkRating rating = RateLink(fabric_, at);
    if (!rating.is_narrow() && !rating.is_slow()) return;
    if (!MayLog(outcome_.links_reduced)) return;
    const LinkEnd end = EndOf(fabric_, at);
    const LinkEnd peer = EndOf(fabric_, port.peer);
    if (rating.is_narrow()) {
        log_.Write<Note::kLinkWidthReduced>(now_us, end.guid, end.port, peer.guid, peer.port,
                                            rating.width, rating.possible_width);
    }
    if (rating.is_slow()) {
        log_.Write<Note::kLinkSpeedReduced>(now_us, end.guid, end.port, peer.guid, peer.port,
                                            rating.speed, rating.possible_speed);
    }
}

void SweepNotes::End(std::uint64_t now_us) {
    LogGainedLinks(now_us);
    LogSums(now_us);
}

void SweepNotes::LogGainedLinks(std::uint64_t now_us) {
    for (const PortIndex at : gained_links_) {
        const Port& port = fabric_.port(at);
        if (port.node == kNoNode || port.peer == kNoPortIndex) continue;  // Lost again.
        const LinkEnd end = EndOf(fabric_, at);
        const LinkEnd peer = EndOf(fabric_, port.peer);
        log_.Write<Note::kLinkUp>(now_us, end.guid, end.port, peer.guid, peer.port);
    }
}

void SweepNotes::LogSums(std::uint64_t now_us) {
    if (outcome_.first) {
        std::uint32_t hosts = 0;
        std::uint32_t routers = 0;
        ForEachNode(fabric_, [&](NodeIndex, const Node& node) {
            if (node.type == NodeType::kChannelAdapter) ++hosts;
            if (node.type == NodeType::kRouter) ++routers;
        });
        log_.Write<Note::kNodesFound>(now_us, fabric_.switch_count(), hosts, routers);
    }
    const SweepOutcome unlogged{.nodes_announced = Unlogged(outcome_.nodes_announced),
                                .nodes_lost = Unlogged(outcome_.nodes_lost),
                                .links_lost = Unlogged(outcome_.links_lost),
                                .links_gained = Unlogged(outcome_.links_gained),
                                .links_retrained = Unlogged(outcome_.links_retrained),
                                .links_reduced = Unlogged(outcome_.links_reduced)};
    if ((unlogged.nodes_announced | unlogged.nodes_lost | unlogged.links_lost |
         unlogged.links_gained | unlogged.links_retrained | unlogged.links_reduced) == 0) {
        return;
    }
    log_.Write<Note::kChangesUntold>(now_us, unlogged.nodes_lost, unlogged.links_lost,
                                     unlogged.nodes_announced, unlogged.links_gained,
                                     unlogged.links_retrained, unlogged.links_reduced);
}

void SweepNotes::Shortage(std::uint64_t now_us) {
    const Fabric::Shortage& shortage = fabric_.shortage();
    if (!shortage.any()) {
        shortage_logged_ = false;
        return;
    }
    if (shortage_logged_) return;
    shortage_logged_ = true;
    const Limits& limits = fabric_.limits();
    if (shortage.needed_nodes != 0) {
        log_.Write<Note::kTooManyNodes>(now_us, limits.max_nodes, shortage.needed_nodes);
    }
    if (shortage.needed_switches != 0) {
        log_.Write<Note::kTooManySwitches>(now_us, limits.max_switches, shortage.needed_switches);
    }
    if (shortage.needed_ports != 0) {
        log_.Write<Note::kTooManyPorts>(now_us, limits.max_ports, shortage.needed_ports);
    }
    if (shortage.needed_switch_ports != 0) {
        log_.Write<Note::kTooWideSwitch>(now_us, limits.max_switch_ports,
                                         shortage.needed_switch_ports);
    }
}

}  // namespace ember
