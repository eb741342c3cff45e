// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is heard of cables that flap, and when those in quarantine are tried again.

#include <bit>

#include "core/subnet_manager.h"

namespace ember {
namespace {

/// A sweep that was asked for has so long to review what it is about.
inline constexpr std::uint64_t kReviewUs = 1'000'000;

}  // namespace

/// Traps 129 to 131 speak of a port; only what its own node says of it counts.
void SubnetManager::HearComplaint(const Notice& notice, PortIndex issuer, std::uint64_t now_us) {
    const auto number = notice.Get(Notice::kTrapNumber);
    const bool complains = notice.Get(Notice::kIsGeneric) != 0 &&
                           number >= TrapNumber::kLocalLinkIntegrity &&
                           number <= TrapNumber::kFlowControlWatchdog;
    if (!complains) return;
    const auto details = std::bit_cast<PortErrorNotice>(notice);
    const NodeIndex node = fabric_.port(issuer).node;
    const PortIndex named = fabric_.PortByLid(details.Get(PortErrorNotice::kLidAddr));
    if (named == kNoPortIndex || fabric_.port(named).node != node) return;
    const PortIndex at = fabric_.PortOf(node, details.Get(PortErrorNotice::kPortNo));
    if (at == kNoPortIndex || !flapping_.NoteComplaint(at, now_us)) return;
    if (settings_.sweep_on_trap) Suspect(at, SweepReason::kRelease, now_us);
}

/// A cable whose quarantine is over is asked how it is, and taken in again after that sweep.
void SubnetManager::EndQuarantines(std::uint64_t now_us) {
    if (!role_.is_master() || now_us < flapping_.NextReleaseUs()) return;
    flapping_.PutOff(now_us + kReviewUs);  // Until a sweep has come so far as to review it.
    bool is_known = false;
    flapping_.ForEachDue(now_us, [&](PortIndex at) {
        is_known = true;
        Suspect(at, SweepReason::kRelease, now_us);
    });
    if (!is_known) flapping_.Review(now_us, scratch_);
}

}  // namespace ember
