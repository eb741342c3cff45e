// SPDX-License-Identifier: Apache-2.0
// EmberSM: the questions of a sweep that are under way, and the M_Keys with which they are asked.

#include "core/discovery/sweep_asker.h"

#include <algorithm>

#include "core/base/time.h"
#include "core/fabric/link_end.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {
namespace {

/// The first time-out of our own neighbor, and the number of tries: within 1.6 s at most.
inline constexpr std::uint32_t kOwnNeighborTimeoutUs = 25 * kMillisecondUs;
inline constexpr std::uint8_t kOwnNeighborTries = 10;

/// A heavy sweep that is not hurried waits so long for end ports, from the last question or answer.
inline constexpr std::uint32_t kPatienceUs = 50 * kMillisecondUs;
/// A heavy sweep may end early if at most one answer in so many is missing.
inline constexpr std::uint32_t kFew = 16;

}  // namespace

SweepAsker::SweepAsker(const Parts& parts, const Settings& settings)
    : fabric_(parts.fabric),
      exchange_(parts.exchange),
      log_(parts.log),
      keys_(parts.keys),
      queue_(parts.queue),
      outcome_(parts.outcome),
      asker_(parts.fabric, parts.exchange, settings, kDiscoveryClient) {}

void SweepAsker::Begin() {
    Abandon();
    answered_ = 0;
}

void SweepAsker::Abandon() {
    asker_.Abandon();
    minor_in_flight_ = 0;
    untrusted_in_flight_ = 0;
    names_in_flight_ = 0;
}

bool SweepAsker::MayEndEarly(std::uint64_t now_us, bool hurried, bool is_leisurely) const {
    EMBER_ASSERT(has_only_minor());
    if (hurried || outcome_.targeted) return now_us >= moved_us_ + exchange_.linger_us();
    // A switch with open questions would be dropped, with the nodes behind it: not for 50 ms.
    const bool may = !outcome_.first && !is_leisurely && untrusted_in_flight_ == 0 &&
                     asker_.in_flight() * kFew <= answered_;
    return may && now_us >= moved_us_ + std::max(exchange_.linger_us(), kPatienceUs);
}

std::uint64_t SweepAsker::EndsEarlyUs(std::uint64_t now_us) const {
    EMBER_ASSERT(has_only_minor());
    const std::uint64_t soon_us = moved_us_ + exchange_.linger_us();
    const std::uint64_t later_us = std::max(soon_us, moved_us_ + kPatienceUs);
    return soon_us > now_us ? soon_us : later_us > now_us ? later_us : kNever;
}

void SweepAsker::Post(AttributeId attribute, std::uint32_t modifier, const DirectedPath& path,
                      const Probe& probe, std::uint64_t now_us) {
    EMBER_ASSERT(probe.turn < KnownMKeys::kMostTurns);
    const auto flags = static_cast<std::uint16_t>((IsMinor(probe) ? kMinorFlag : 0U) |
                                                  (IsToUntrusted(probe) ? kUntrustedFlag : 0U));
    Ask ask{};
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

Probe SweepAsker::Take(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.cookie.client == kDiscoveryClient);
    const bool was_asked = asker_.Take();
    EMBER_ASSERT(was_asked);
    if ((answer.cookie.detail & kMinorFlag) != 0) --minor_in_flight_;
    if ((answer.cookie.detail & kUntrustedFlag) != 0) --untrusted_in_flight_;
    ++answered_;
    if (static_cast<Probe::Kind>(answer.cookie.kind) == Probe::Kind::kDescription) {
        --names_in_flight_;
    }
    // The count of each kind has not fallen below 0: it would wrap to a huge number.
    EMBER_ASSERT(minor_in_flight_ <= asker_.in_flight());
    EMBER_ASSERT(untrusted_in_flight_ <= asker_.in_flight());
    EMBER_ASSERT(names_in_flight_ <= asker_.in_flight());
    moved_us_ = now_us;
    return Probe{static_cast<Probe::Kind>(answer.cookie.kind),
                 static_cast<std::uint8_t>(answer.cookie.detail),
                 static_cast<std::uint8_t>(answer.cookie.detail >> kTurnShift),
                 static_cast<PortIndex>(answer.cookie.subject)};
}

/// True for a question to an untrusted switch, or to a node behind one.
bool SweepAsker::IsToUntrusted(const Probe& probe) const {
    return probe.port != kNoPortIndex &&
           IsUntrustedSwitch(fabric_, fabric_.node(fabric_.port(probe.port).node));
}

bool SweepAsker::IsMinor(const Probe& probe) const {
    if (probe.kind == Probe::Kind::kDescription) return true;
    if (probe.port == kNoPortIndex || probe.port == fabric_.own_port()) return false;
    if (IsToUntrusted(probe)) return true;
    const Port& port = fabric_.port(probe.port);
    if (probe.kind == Probe::Kind::kPortInfo) return !IsSwitchPort(fabric_, probe.port);
    if (probe.kind != Probe::Kind::kCross) return false;
    return port.peer == kNoPortIndex ? !outcome_.first : !IsTrustedPort(fabric_, port.peer);
}

/// The M_Key of a turn of a question; kAbsent: it has no such turn.
Result<std::uint64_t> SweepAsker::MKeyFor(const Probe& probe, std::size_t turn) const {
    if (probe.port == kNoPortIndex) return keys_.OwnKey(turn);
    if (probe.kind == Probe::Kind::kCross) return keys_.KeyBeyond(probe.port, turn);
    return keys_.KeyAt(probe.port, turn);
}

bool SweepAsker::TakesNextTurn(const Probe& probe) {
    EMBER_ASSERT(probe.turn < KnownMKeys::kMostTurns);
    const auto turn = static_cast<std::uint8_t>(probe.turn + 1U);
    if (!MKeyFor(probe, turn).ok()) return false;
    queue_.Queue(probe.kind, probe.port, probe.cursor, turn);
    return true;
}

/// Other questions are asked with the key to which the first one was answered.
bool SweepAsker::KnocksAgain(const Probe& probe, std::uint64_t now_us) {
    if (probe.kind != Probe::Kind::kCross) return false;
    if (TakesNextTurn(probe)) return true;
    if (probe.turn != 0 && probe.port != kNoPortIndex) {
        const LinkEnd end = EndOf(fabric_, probe.port);
        log_.WriteSparingly<Note::kMKeysRefused>(now_us, end.guid, end.port, probe.turn + 1U);
    }
    return false;
}

void SweepAsker::LearnMKey(PortIndex at, const Probe& probe, std::uint64_t m_key) {
    Port& port = fabric_.port(MKeyPortOf(fabric_, at));
    if (port.has_info && probe.turn == 0) return;
    port.info.Set(PortInfo::kMKey, m_key);
}

}  // namespace ember
