// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a sweep asks, and with which M_Key.

#include <algorithm>

#include "core/base/assert.h"
#include "core/discovery/discovery.h"
#include "core/fabric/link_end.h"

namespace ember {
namespace {

/// The first time-out of our own neighbor, and the number of tries: within 1.6 s at most.
inline constexpr std::uint32_t kOwnNeighborTimeoutUs = 25 * kMillisecondUs;
inline constexpr std::uint8_t kOwnNeighborTries = 10;

}  // namespace

void Discovery::Post(AttributeId attribute, std::uint32_t modifier, const DirectedPath& path,
                     const Probe& probe, std::uint64_t now_us) {
    EMBER_ASSERT(running_);
    EMBER_ASSERT(probe.turn < KnownMKeys::kMostTurns);
    const auto flags = static_cast<std::uint16_t>((IsMinor(probe) ? kMinorFlag : 0U) |
                                                  (IsToUntrusted(probe) ? kUntrustedFlag : 0U));
    ember::Ask ask{};
    ask.method = Method::kGet;
    ask.attribute = attribute;
    ask.modifier = modifier;
    ask.path = path;
    const Result<std::uint64_t> m_key = MKeyFor(probe, probe.turn);
    ask.m_key = m_key.ok() ? m_key.value() : 0;
    ask.cookie.detail = static_cast<std::uint16_t>(probe.cursor | flags |
                                                   static_cast<unsigned>(probe.turn) << kTurnShift);
    // A key that a port may have is rarely right, and turns follow each other.
    if (outcome_.targeted || probe.turn != 0) exchange_.Hasten(ask);
    // The whole sweep depends on our own neighbor. Before other nodes have answered, losses cannot
    // be told from silence, so it is asked more often in the same time.
    const bool is_own_neighbor = probe.kind == Probe::Kind::kCross && probe.port != kNoPortIndex &&
                                 probe.port == fabric_.own_port();
    if (is_own_neighbor && !outcome_.targeted && probe.turn == 0) {
        ask.timeout_us = kOwnNeighborTimeoutUs;
        ask.tries = kOwnNeighborTries;
    }
    asker_.Post(ask, probe.kind, Raw(probe.port), now_us);
    if ((flags & kMinorFlag) != 0) ++minor_in_flight_;
    if ((flags & kUntrustedFlag) != 0) ++untrusted_in_flight_;
    if (probe.kind == Probe::Kind::kDescription) ++names_in_flight_;
    EMBER_ASSERT(minor_in_flight_ <= asker_.in_flight());
    EMBER_ASSERT(untrusted_in_flight_ <= asker_.in_flight());
    moved_us_ = now_us;
}

/// The M_Key of a turn of a question; kAbsent: it has no such turn.
Result<std::uint64_t> Discovery::MKeyFor(const Probe& probe, std::size_t turn) const {
    if (probe.port == kNoPortIndex) return keys_.OwnKey(turn);
    if (probe.kind == Probe::Kind::kCross) return keys_.KeyBeyond(probe.port, turn);
    return keys_.KeyAt(probe.port, turn);
}

/// Asks again with the next M_Key that the port may have. False: there is none.
bool Discovery::TakesNextTurn(const Probe& probe) {
    EMBER_ASSERT(probe.turn < KnownMKeys::kMostTurns);
    const auto turn = static_cast<std::uint8_t>(probe.turn + 1U);
    if (!MKeyFor(probe, turn).ok()) return false;
    Queue(probe.kind, probe.port, probe.cursor, turn);
    return true;
}

/// A node that answers nothing without its M_Key seems silent. Other questions are asked with the
/// key to which the first one was answered.
bool Discovery::KnocksAgain(const Probe& probe, std::uint64_t now_us) {
    if (probe.kind != Probe::Kind::kCross) return false;
    if (TakesNextTurn(probe)) return true;
    if (probe.turn != 0 && probe.port != kNoPortIndex) {
        const LinkEnd end = EndOf(fabric_, probe.port);
        log_.WriteSparingly<Note::kMKeysRefused>(now_us, end.guid, end.port, probe.turn + 1U);
    }
    return false;
}

/// The node of `at` has answered to this M_Key: it is asked with that until its PortInfo is read.
void Discovery::LearnMKey(PortIndex at, const Probe& probe, std::uint64_t m_key) {
    Port& port = fabric_.port(MKeyPortOf(fabric_, at));
    if (port.has_info && probe.turn == 0) return;
    port.info.Set(PortInfo::kMKey, m_key);
}

}  // namespace ember
