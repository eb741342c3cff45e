// SPDX-License-Identifier: Apache-2.0
// EmberSM: nodes that were restarted: the loss of all their links is no link's fault.

#include <algorithm>

#include "core/base/assert.h"
#include "core/links/flapping_links.h"

namespace ember {
namespace {

/// Links that are lost within this time may have been lost together: one sweep may see some, and
/// the next one the others.
inline constexpr std::uint64_t kTogetherUs = 10 * kSecondUs;

[[nodiscard]] bool LeadsTo(const FlappingLink& row, Guid node) {
    return row.ends[0].guid == node || row.ends[1].guid == node;
}

}  // namespace

/// True while the last event of the link is a loss that may belong to a restart.
bool FlappingLinks::WasJustLost(const FlappingLink& row, std::uint64_t now_us) {
    return row.is_live() && row.lost_us != kNever && row.lost_us == row.last_us &&
           now_us - row.lost_us <= kTogetherUs;
}

/// True for a node all of whose links, two or more, were lost together, even if it is there again.
bool FlappingLinks::WasRestarted(Guid node, std::uint64_t now_us) const {
    EMBER_ASSERT(node != kNoGuid);
    const auto lost = std::count_if(rows_.begin(), rows_.end(), [&](const FlappingLink& row) {
        return LeadsTo(row, node) && WasJustLost(row, now_us);
    });
    if (lost < 2) return false;
    const NodeIndex at = fabric_.FindNode(node);
    if (at == kNoNode) return true;
    const auto ports = fabric_.PortsOf(at);
    return std::all_of(ports.begin(), ports.end(), [&](const Port& port) {
        if (port.peer == kNoPortIndex) return true;
        const LinkEnd end{.guid = node, .port = port.number};
        return std::any_of(rows_.begin(), rows_.end(), [&](const FlappingLink& row) {
            return (row.ends[0] == end || row.ends[1] == end) && WasJustLost(row, now_us);
        });
    });
}

/// Takes the losses of restarted nodes back from their links, and counts each restart once.
void FlappingLinks::PardonRestarts(std::uint64_t now_us) {
    for (const FlappingLink& row : rows_) {
        if (!WasJustLost(row, now_us)) continue;
        for (const LinkEnd& end : row.ends) {
            if (!WasRestarted(end.guid, now_us)) continue;
            Pardon(end.guid, now_us);
            break;
        }
    }
}

void FlappingLinks::Pardon(Guid node, std::uint64_t now_us) {
    for (FlappingLink& row : rows_) {
        if (!LeadsTo(row, node) || !WasJustLost(row, now_us)) continue;
        EMBER_ASSERT(row.events != 0);
        --row.events;
        row.at_us[row.events % FlappingLink::kMostCounted] = 0;
        row.lost_us = kNever;
    }
    const std::uint64_t window_us = settings_.flapping_link_window * kSecondUs;
    const std::uint64_t since_us = now_us - std::min(now_us, window_us);
    const std::uint32_t times = restarts_.Count(node, since_us, now_us);
    if (times < settings_.flapping_link_count) return;
    log_.WriteSparingly<Note::kNodeRestarts>(now_us, node, times, settings_.flapping_link_window);
}

}  // namespace ember
