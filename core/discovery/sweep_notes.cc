// SPDX-License-Identifier: Apache-2.0
// EmberSM: the notes of a sweep: nodes and links gained and lost, and sums where they are many.

#include <algorithm>

#include "core/base/assert.h"
#include "core/discovery/discovery.h"
#include "core/fabric/link_end.h"
#include "core/fabric/untrusted_switches.h"
#include "core/links/link_rating.h"

namespace ember {
namespace {

static_assert(DepartedNodes::kMost >= Discovery::kLoggedEach, "a lost node is noted by its name");

}  // namespace

/// How many of a kind the sweep notes one by one. A device that plays another fabric with each
/// answer causes sweep after sweep: after kLoggedInWindow of them within a second one each is
/// enough.
void Discovery::PaceLog(std::uint64_t now_us) {
    if (now_us - log_window_began_us_ >= kLogWindow) {
        log_window_began_us_ = now_us;
        logged_in_window_ = 0;
    }
    logged_each_ = logged_in_window_ >= kLoggedInWindow ? 1 : std::uint32_t{kLoggedEach};
}

/// Counts one more of a kind; true if it is to be noted.
bool Discovery::MayLog(std::uint32_t& count) {
    if (++count > logged_each_) return false;
    ++logged_in_window_;
    return true;
}

/// The part of `count` that is not noted one by one.
std::uint32_t Discovery::Unlogged(std::uint32_t count) const {
    return count > logged_each_ ? count - logged_each_ : 0;
}

/// Notes a new node when its NodeDescription was read, or the question has timed out.
void Discovery::Announce(NodeIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(at != kNoNode);
    Node& node = fabric_.node(at);
    if (node.is_announced) return;
    node.is_announced = true;
    if (is_first_) {
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

/// Notes, once, that the own port's link went down or is up again.
void Discovery::LogOwnPort(const Port& port, bool is_up, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.IndexOf(port) == fabric_.own_port());
    if (is_up == !own_port_logged_down_) return;
    own_port_logged_down_ = !is_up;
    if (is_up) {
        log_.Write<Note::kOwnPortUp>(now_us, port.guid);
    } else {
        log_.Write<Note::kOwnPortDown>(now_us, port.guid);
    }
}

/// Notes, once, that no node answers behind the own port though its link is up.
void Discovery::LogOwnNeighbor(const Port& port, bool is_silent, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.IndexOf(port) == fabric_.own_port());
    if (is_silent && !own_neighbor_logged_silent_) {
        log_.Write<Note::kOwnNeighborSilent>(now_us, port.guid);
    }
    own_neighbor_logged_silent_ = is_silent;
}

/// Notes a lost link. Called before Disconnect(), while the peer is known.
void Discovery::LogLostLink(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.port(at).peer != kNoPortIndex);
    if (!MayLog(outcome_.links_lost)) return;
    const LinkEnd end = EndOf(fabric_, at);
    const LinkEnd peer = EndOf(fabric_, fabric_.port(at).peer);
    log_.Write<Note::kLinkLost>(now_us, end.guid, end.port, peer.guid, peer.port);
}

void Discovery::LogRetrained(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.port(at).peer != kNoPortIndex);
    if (!MayLog(outcome_.links_retrained)) return;
    const LinkEnd end = EndOf(fabric_, at);
    const LinkEnd peer = EndOf(fabric_, fabric_.port(at).peer);
    log_.Write<Note::kLinkRetrained>(now_us, end.guid, end.port, peer.guid, peer.port);
}

/// Notes new links. Called when the sweep has ended: by then both NodeDescriptions were read.
void Discovery::LogGainedLinks(std::uint64_t now_us) {
    EMBER_ASSERT(!running_);
    for (const PortIndex at : gained_links_) {
        const Port& port = fabric_.port(at);
        if (port.node == kNoNode || port.peer == kNoPortIndex) continue;  // Lost again.
        const LinkEnd end = EndOf(fabric_, at);
        const LinkEnd peer = EndOf(fabric_, port.peer);
        log_.Write<Note::kLinkUp>(now_us, end.guid, end.port, peer.guid, peer.port);
    }
}

void Discovery::RateLinkAt(PortIndex at, std::uint64_t now_us) {
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

/// Nodes beyond `exit` are left alone: notes, once, the port on the path to it that was an end
/// node's. True: what is behind that port has stayed the same for so long that it is taken in. The
/// GUIDs of nodes beyond it are not noted: a hostile host may have made them up.
bool Discovery::OpensDoor(PortIndex exit, std::uint64_t now_us) {
    EMBER_ASSERT(exit != kNoPortIndex);
    if (outcome_.targeted) return false;
    const PortIndex at = FormerEndNodePortOn(fabric_, exit);
    EMBER_ASSERT(at != kNoPortIndex);
    const LinkEnd end = EndOf(fabric_, at);
    const PortIndex peer = fabric_.port(at).peer;
    const Guid behind = peer == kNoPortIndex ? kNoGuid : fabric_.node(fabric_.port(peer).node).guid;
    switch (doors_.Meet(end, behind, now_us)) {
        case ShutDoors::Word::kNew:
            log_.WriteSparingly<Note::kQuotaUsedUp>(now_us, end.guid, end.port);
            return false;
        case ShutDoors::Word::kShut:
            return false;
        case ShutDoors::Word::kOpen:
            break;
    }
    fabric_.port(at).had_end_node = false;
    log_.Write<Note::kDoorOpened>(now_us, end.guid, end.port);
    return true;
}

void Discovery::LogSums(std::uint64_t now_us) {
    if (is_first_) {
        std::uint32_t hosts = 0;
        std::uint32_t routers = 0;
        ForEachNode(fabric_, [&](NodeIndex, const Node& node) {
            if (node.type == NodeType::kChannelAdapter) ++hosts;
            if (node.type == NodeType::kRouter) ++routers;
        });
        log_.Write<Note::kNodesFound>(now_us, fabric_.switch_count(), hosts, routers);
    }
    const Outcome unlogged{.nodes_announced = Unlogged(outcome_.nodes_announced),
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

void Discovery::ReportShortage(std::uint64_t now_us) {
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

/// Removes nodes that were not met, or whose answers are missing.
void Discovery::DropUnusable(std::uint64_t now_us, SubnetEvents& events) {
    EMBER_ASSERT(!running_);  // Answers under way name rows.
    fabric_.RemoveNodes([&](NodeIndex, const Node& node) {
        if (!IsUnusable(node)) return false;
        if (MayLog(outcome_.nodes_lost)) {
            log_.Write<Note::kNodeLost>(now_us, node.guid, node.type, node.port_count);
        }
        WriteOutOfService(node, now_us, events);
        return true;
    });
}

/// Writes trap 65 (out of service) for each end port of a lost node that was in service.
void Discovery::WriteOutOfService(const Node& node, std::uint64_t now_us,
                                  SubnetEvents& events) const {
    const std::uint32_t rows = node.type == NodeType::kSwitch ? 1U : node.port_count;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const Port& port = fabric_.port(static_cast<PortIndex>(Raw(node.first_port) + i));
        if (!port.in_service) continue;
        events.Write({.trap = TrapNumber::kOutOfService,
                      .node_type = node.type,
                      .gid = {settings_.subnet_prefix, Raw(port.guid)},
                      .at_us = now_us});
    }
}

}  // namespace ember
