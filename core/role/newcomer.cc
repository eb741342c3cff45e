// SPDX-License-Identifier: Apache-2.0
// EmberSM: SMs that a master met while they still discovered, and what became of them.

#include <algorithm>

#include "core/base/time.h"
#include "core/role/role.h"

namespace ember {
namespace {

/// Between two questions to a newcomer. A light sweep would ask it too, but comes after
/// sweep_interval, or never where that is 0.
constexpr std::uint64_t kNewcomerUs = 300 * kMillisecondUs;
/// The same while the process ends, which is over in a second.
constexpr std::uint64_t kLeavingNewcomerUs = 50 * kMillisecondUs;

}  // namespace

/// True for an SM that was discovering when last heard, and so cannot be handed the subnet yet.
bool Role::IsNewcomer(const OtherSm& other) {
    return other.counts && other.state == SmState::kDiscovering;
}

/// As master that has nothing under way which would find them out.
bool Role::awaits_newcomers() const {
    if (!is_master() || electing() || handover_is_due_ || handover_is_out_) return false;
    const std::span<const OtherSm> met = others();
    return std::any_of(met.begin(), met.end(), IsNewcomer);
}

void Role::PaceNewcomers(std::uint64_t now_us) {
    next_newcomer_us_ = now_us + (leaves_ ? kLeavingNewcomerUs : kNewcomerUs);
}

bool Role::IsNewcomerDue(std::uint64_t now_us) const {
    return awaits_newcomers() && !inquires() && now_us >= next_newcomer_us_;
}

/// Asks the newcomers in turn what they are by now: one that discovers for ever holds up no other.
void Role::AskNewcomer(std::uint64_t now_us) {
    EMBER_ASSERT(awaits_newcomers());
    EMBER_ASSERT(!inquiry_is_due_ && !inquiry_is_out_);
    PaceNewcomers(now_us);
    for (std::size_t i = 0; i < count_; ++i) {
        newcomer_turn_ = (newcomer_turn_ + 1) % count_;
        if (!IsNewcomer(others_[newcomer_turn_])) continue;
        stranger_ = others_[newcomer_turn_];
        inquiry_ = AttributeId::kSmInfo;
        inquiry_is_due_ = true;
        return;
    }
}

/// An SM that counts has told what it is. Where we would yield to it, or it is master beside us,
/// the next election settles that.
void Role::HearNews(OtherSm& known, std::uint64_t now_us) {
    EMBER_ASSERT(known.counts);
    const bool was_newcomer = IsNewcomer(known);
    known.state = stranger_.state;
    known.priority = stranger_.priority;
    LogFound(known, now_us);
    if (!was_newcomer || IsNewcomer(known) || !is_master()) return;
    if (leaves_) {
        OfferToHeir(now_us);
    } else if (known.state == SmState::kMaster) {
        React(Cue::kRivalHeard, now_us);
    } else if (known.state == SmState::kStandby && !Outranks(known) && !IsUntrusted(known)) {
        React(Cue::kHeirReady, now_us);
    }
}

}  // namespace ember
