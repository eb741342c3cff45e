// SPDX-License-Identifier: Apache-2.0
// EmberSM: SwitchInfo of each switch, and the two times at which its LinearFDBTop may be set.

#include "core/programming/switch_programming.h"

#include <bit>

#include "core/base/assert.h"

namespace ember {

StageProgress SwitchProgramming::Step(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kRowsAtOnce && parts_.asker.has_room(); ++i) {
        if (row_ >= parts_.fabric.switch_bound()) return StageProgress::kEnd;
        const auto at = static_cast<SwitchIndex>(row_++);
        if (!parts_.fabric.IsLive(at)) continue;
        if (rises_ ? MustRise(at) && MayRise(at) : !MustRise(at)) Set(at, now_us);
    }
    return StageProgress::kMore;
}

/// Entries above the top drop. Entries of a foreign table may lead anywhere: the top rises above
/// them when they have been written.
bool SwitchProgramming::MustRise(SwitchIndex at) const {
    const Lid top = parts_.fabric.switch_row(at).info.Get(SwitchInfo::kLinearFdbTop);
    return parts_.known.IsRouted(at) && top < parts_.known.top();
}

/// True when the entries below the new top are right, and lead to none that still leads away.
bool SwitchProgramming::MayRise(SwitchIndex at) const {
    return !parts_.known.row(at).lacking &&
           parts_.fabric.switch_row(at).info.Get(SwitchInfo::kLinearFdbTop) >= frozen_;
}

void SwitchProgramming::Set(SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(parts_.fabric.IsLive(at));
    const SwitchInfo& info = parts_.fabric.switch_row(at).info;
    const bool changed = info.Get(SwitchInfo::kPortStateChange) != 0;
    // A switch that is left out cannot hold as much: its top stays.
    const Lid top =
        parts_.known.IsRouted(at) ? parts_.known.top() : info.Get(SwitchInfo::kLinearFdbTop);
    const bool right = info.Get(SwitchInfo::kLinearFdbTop) == top &&
                       info.Get(SwitchInfo::kLifeTimeValue) == settings_.packet_life_time;
    if (right && !changed) return;
    Ask ask{};
    const PortIndex port = parts_.fabric.ManagementPortOf(at);
    if (!parts_.asker.Prepare(port, AttributeId::kSwitchInfo, ask)) return;
    SwitchInfo set = info;  // PortStateChange is written back as it was read: 1 clears it.
    set.Set(SwitchInfo::kLinearFdbTop, top);
    set.Set(SwitchInfo::kLifeTimeValue, settings_.packet_life_time);
    ask.method = Method::kSet;
    ask.data = std::bit_cast<SmpData>(set);
    ++parts_.outcome.switches_set;
    if (changed) ++parts_.outcome.changes_cleared;
    parts_.asker.Post(ask, RoundAsker::Kind::kSwitch, Raw(at), now_us);
}

void SwitchProgramming::Hear(const Answer& answer, std::uint64_t now_us) {
    const auto at = static_cast<SwitchIndex>(answer.cookie.subject);
    EMBER_ASSERT(parts_.fabric.IsLive(at));
    if (answer.status != Status::kOk) {
        parts_.asker.Fail(answer, parts_.fabric.ManagementPortOf(at), now_us);
        return;
    }
    SwitchInfo& info = parts_.fabric.switch_row(at).info;
    info = std::bit_cast<SwitchInfo>(answer.data);
    // Our own Set cleared it; a change since then is told by the next Get or by a trap.
    info.Set(SwitchInfo::kPortStateChange, std::uint8_t{0});
    parts_.known.row(at).top = info.Get(SwitchInfo::kLinearFdbTop);
}

}  // namespace ember
