// SPDX-License-Identifier: Apache-2.0
// EmberSM: the questions that a sweep has yet to ask.

#include "core/discovery/probe_queue.h"

#include "core/base/assert.h"

namespace ember {
namespace {

/// A probe of a crowded exit waits this long for answers under way. Waiting for silent nodes would
/// take far longer.
inline constexpr std::uint64_t kCrowdedPatienceUs = 5 * kMillisecondUs;

}  // namespace

void ProbeQueue::Begin(Arena& scratch) {
    probes_ = Ring<Probe>(scratch.TakeUnset<Probe>(most_probes_));
    waiting_ = Ring<Probe>(scratch.TakeUnset<Probe>(most_waiting_));
    claims_waiting_ = 0;
    wider_at_us_ = kNever;
}

void ProbeQueue::End() {
    probes_ = {};
    waiting_ = {};
}

void ProbeQueue::Clear() {
    probes_.clear();
    waiting_.clear();
    claims_waiting_ = 0;
}

void ProbeQueue::Queue(Probe::Kind kind, PortIndex port, std::uint8_t cursor, std::uint8_t turn) {
    EMBER_ASSERT(port != kNoPortIndex || kind == Probe::Kind::kCross);
    // Cannot overflow while nodes behave. A node that keeps claiming links is cut off here.
    if (probes_.Push(Probe{kind, cursor, turn, port}) != Status::kOk) outcome_.unsettled = true;
}

void ProbeQueue::Wait(const Probe& probe) {
    EMBER_ASSERT(probe.kind == Probe::Kind::kCross);
    if ((probe.cursor & Probe::kWaited) != 0) ++claims_waiting_;
    if (waiting_.Push(probe) != Status::kOk) outcome_.unsettled = true;
}

bool ProbeQueue::TakeUpWaiting(std::uint32_t in_flight, std::uint64_t now_us) {
    const bool are_claims = waiting_.size() <= claims_waiting_;
    if (waiting_.empty() || !probes_.empty() || (are_claims && in_flight != 0)) {
        wider_at_us_ = kNever;
        return false;
    }
    if (in_flight != 0 && wider_at_us_ == kNever) wider_at_us_ = now_us + kCrowdedPatienceUs;
    if (in_flight != 0 && now_us < wider_at_us_) return false;
    wider_at_us_ = kNever;
    claims_waiting_ = 0;
    for (std::size_t left = waiting_.size(); left > 0; --left) {
        const Probe probe = waiting_.Pop();
        const bool is_claim = (probe.cursor & Probe::kWaited) != 0;
        if (is_claim && in_flight != 0) {
            Wait(probe);
        } else {
            Queue(probe.kind, probe.port, probe.cursor, probe.turn);
        }
    }
    // When no question is under way, a claim can only wait for crowded exits.
    return !are_claims || in_flight == 0;
}

}  // namespace ember
