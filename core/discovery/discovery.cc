// SPDX-License-Identifier: Apache-2.0
// EmberSM: the heavy sweep, which finds out what the subnet is.

#include "core/discovery/discovery.h"

#include <algorithm>

namespace ember {
namespace {

/// AttributeModifier of PortInfo: bit 31 asks for the extended speeds. IBA vol. 1, 14.2.5.6.
inline constexpr std::uint32_t kExtendedSpeeds = 0x80000000U;

}  // namespace

Discovery::Discovery(const Parts& parts, const Limits& limits, const Settings& settings)
    : fabric_(parts.fabric),
      exchange_(parts.exchange),
      journal_(parts.journal),
      flapping_(parts.flapping),
      scratch_(parts.scratch),
      settings_(settings),
      most_errands_(ErrandsFor(limits)) {}

void Discovery::Start() {
    EMBER_ASSERT(!running_);
    mark_ = scratch_.used_bytes();
    errands_ = Ring<Errand>(scratch_.Take<Errand>(most_errands_));
    running_ = true;
}

void Discovery::End() {
    if (!running_) return;
    errands_ = {};
    scratch_.Rewind(mark_);
    running_ = false;
}

void Discovery::Begin(std::uint64_t now_us) {
    Start();
    ++sweep_;
    targets_.clear();
    restart_ = false;
    outcome_ = Outcome{};
    outcome_.sweep = sweep_;
    in_flight_ = 0;
    is_first_ = !has_swept_;
    gained_links_.clear();
    if (fabric_.shortage().is_scattered) fabric_.GatherPorts();
    fabric_.ClearShortage();
    fabric_.SetOwnPort(kNoPortIndex);
    Queue(Errand::Kind::kCross, kNoPortIndex);  // Hop 0: who are we?
    Pump(now_us);
}

void Discovery::Abandon() {
    exchange_.Abandon(Client::kDiscovery);
    in_flight_ = 0;
    End();
}

void Discovery::Queue(Errand::Kind kind, PortIndex port, std::uint8_t cursor) {
    // Cannot overflow while nodes behave; one that keeps claiming cables is cut off here.
    if (errands_.Push(Errand{kind, cursor, port}) != Status::kOk) outcome_.unsettled = true;
}

void Discovery::Pump(std::uint64_t now_us) {
    if (restart_) StartTargeted();
    while (running_ && !errands_.empty() && exchange_.has_room()) {
        Errand errand = errands_.Pop();
        if (errand.kind != Errand::Kind::kSwitchPorts) {
            Ask(errand, now_us);
        } else if (AskNextSwitchPort(errand, now_us)) {
            // A switch's run of ports comes round again until its last port was asked.
            ++errand.cursor;
            Queue(errand.kind, errand.port, errand.cursor);
        }
    }
}

void Discovery::Post(AttributeId attribute,
                     std::uint32_t modifier,
                     const DirectedPath& path,
                     const Errand& errand,
                     std::uint64_t now_us) {
    ember::Ask ask{};
    ask.method = Method::kGet;
    ask.attribute = attribute;
    ask.modifier = modifier;
    ask.directed = true;
    ask.path = path;
    ask.m_key = settings_.m_key;
    ask.cookie = Cookie{.client = Client::kDiscovery,
                        .kind = static_cast<std::uint8_t>(errand.kind),
                        .detail = errand.cursor,
                        .subject = Raw(errand.port)};
    exchange_.Post(ask, now_us);
    ++in_flight_;
}

bool Discovery::Ask(const Errand& errand, std::uint64_t now_us) {
    DirectedPath path;
    if (errand.port == kNoPortIndex) {
        Post(AttributeId::kNodeInfo, 0, path, errand, now_us);
        return true;
    }
    const Port& port = fabric_.port(errand.port);
    if (errand.kind == Errand::Kind::kCross) {
        if (port.linked == sweep_) return false;  // The other end was quicker.
        if (fabric_.PathBeyond(errand.port, path) != Status::kOk) return false;
        Post(AttributeId::kNodeInfo, 0, path, errand, now_us);
        return true;
    }
    if (fabric_.PathTo(errand.port, path) != Status::kOk) {
        outcome_.unsettled = true;
        return false;
    }
    switch (errand.kind) {
        case Errand::Kind::kDescription:
            Post(AttributeId::kNodeDescription, 0, path, errand, now_us);
            return true;
        case Errand::Kind::kSwitchInfo:
            Post(AttributeId::kSwitchInfo, 0, path, errand, now_us);
            return true;
        case Errand::Kind::kPortInfo:
            Post(AttributeId::kPortInfo,
                 Raw(port.number) | (errand.cursor != 0 ? kExtendedSpeeds : 0U), path, errand,
                 now_us);
            return true;
        case Errand::Kind::kCross:
        case Errand::Kind::kSwitchPorts:
            break;  // Answered above, and in Pump().
    }
    return false;
}

bool Discovery::AskNextSwitchPort(const Errand& errand, std::uint64_t now_us) {
    const Port& management = fabric_.port(errand.port);
    const Node& node = fabric_.node(management.node);
    if (errand.cursor >= node.port_count) return false;
    const auto number = static_cast<PortNumber>(errand.cursor + 1);
    DirectedPath path;
    if (fabric_.PathTo(errand.port, path) != Status::kOk) {
        outcome_.unsettled = true;
        return false;
    }
    const bool extended = SpeaksExtendedSpeeds(management.info);
    const Errand one{Errand::Kind::kPortInfo, static_cast<std::uint8_t>(extended ? 1 : 0),
                     fabric_.PortOf(management.node, number)};
    Post(AttributeId::kPortInfo, Raw(number) | (extended ? kExtendedSpeeds : 0U), path, one,
         now_us);
    return errand.cursor + 1 < node.port_count;
}

bool Discovery::IsUnusable(const Node& node) const {
    if (node.seen != sweep_) return true;
    if (node.type == NodeType::kSwitch) {
        return fabric_.switch_row(node.switch_index).seen != sweep_ ||
               fabric_.port(node.first_port).seen != sweep_;
    }
    const std::span<const Port> ports = fabric_.PortsOf(fabric_.port(node.first_port).node);
    return std::none_of(ports.begin(), ports.end(),
                        [this](const Port& port) { return port.seen == sweep_; });
}

/// Looks at every cable: drops those that were not met, and rates those that are new.
void Discovery::ReviewLinks(std::uint64_t now_us) {
    ForEachPort(fabric_, [&](PortIndex at, Port& port) {
        if (port.peer == kNoPortIndex) return;
        if (port.linked != sweep_) {
            LoseLink(at, now_us);
        } else if (!port.rated) {
            RateLinkAt(at, now_us);
        }
    });
}

void Discovery::LoseLink(PortIndex at, std::uint64_t now_us) {
    Port& port = fabric_.port(at);
    const PortIndex far = port.peer;
    TellLostLink(at, now_us);
    fabric_.Disconnect(at);
    ++outcome_.links_changed;
    if (!outcome_.targeted) return;
    port.linked = 0;
    fabric_.port(far).linked = 0;
    Uproot(fabric_.port(far).node, at);
    Uproot(port.node, far);
}

/// Nobody reaches its ports any more.
void Discovery::TellGone(const Node& node, std::uint64_t now_us, SubnetEvents& events) const {
    const std::uint32_t rows = node.type == NodeType::kSwitch ? 1U : node.port_count;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const Port& port = fabric_.port(static_cast<PortIndex>(Raw(node.first_port) + i));
        if (!port.in_service) continue;
        events.Write({.trap = TrapNumber::kOutOfService,
                      .gid = {settings_.subnet_prefix, Raw(port.guid)},
                      .at_us = now_us});
    }
}

Discovery::Outcome Discovery::Finish(std::uint64_t now_us, SubnetEvents& events) {
    EMBER_ASSERT(done());
    End();
    if (!outcome_.own_port_down) ReviewLinks(now_us);
    for (std::size_t i = 0; i < fabric_.node_bound(); ++i) {
        const auto at = static_cast<NodeIndex>(i);
        if (!fabric_.IsLive(at) || !IsUnusable(fabric_.node(at))) continue;
        const Node& node = fabric_.node(at);
        if (node.seen == sweep_) outcome_.unsettled = true;  // Met, but it did not tell enough.
        if (++outcome_.nodes_lost <= kToldEach) {
            journal_.Write<Note::kNodeLost>(now_us, node.guid, node.type, node.port_count);
        }
        TellGone(node, now_us, events);
        fabric_.RemoveNode(at);
    }
    // Whoever was refused a name or a place because of a node that is gone now may have it.
    if (outcome_.conflicts != 0 && outcome_.nodes_lost != 0) outcome_.unsettled = true;
    TellGainedLinks(now_us);
    TellSums(now_us);
    ReportShortage(now_us);
    has_swept_ = has_swept_ || !outcome_.own_port_down;
    return outcome_;
}

}  // namespace ember
