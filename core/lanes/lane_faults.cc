// SPDX-License-Identifier: Apache-2.0
// EmberSM: what becomes of tables of lanes that a switch did not take.

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/time.h"
#include "core/lanes/lane_upkeep.h"

namespace ember {
namespace {

/// Between two trials.
inline constexpr std::uint64_t kTrialUs = 60 * kSecondUs;

/// An end port behind the switch has refused its tables, or has not answered.
[[nodiscard]] bool HasFailedBehind(const Fabric& fabric, const Switch& row) {
    const auto ports = fabric.PortsOf(row.node);
    return std::any_of(ports.begin(), ports.end(), [&fabric](const Port& port) {
        if (port.peer == kNoPortIndex) return false;
        const Port& end = fabric.port(port.peer);
        return IsEndPort(fabric, end) && end.lane_state == LaneState::kFailed;
    });
}

}  // namespace

/// A table that is written although it was written before, and read since, was not kept.
void LaneUpkeep::NoteAnswer(const Answer& answer) {
    EMBER_ASSERT(answer.cookie.subject < jobs_.size());
    Job& job = jobs_[answer.cookie.subject];
    if (job.port == kNoPortIndex) return;
    if (answer.method != Method::kSet) {
        job.is_unreadable = job.is_unreadable || answer.status == Status::kRefused;
        return;
    }
    if (answer.status != Status::kOk) return;
    job.has_written = true;
    if (job.verifies && !job.is_unreadable) job.has_failed = true;
    if (!is_trial_ || !job.reads || job.verifies) return;
    const SwitchIndex at = SwitchOf(parts_.fabric.port(job.port));
    const auto* const trial = std::find(trials_.begin(), trials_.end(), at);
    if (trial == trials_.end()) return;
    const unsigned bit = 1U << static_cast<unsigned>(trial - trials_.begin());
    trial_differs_ = static_cast<std::uint16_t>(trial_differs_ | bit);
}

/// The scrub reads all tables of a port again, when it has found one that differs.
bool LaneUpkeep::ReadsAgain(Job& job) const {
    EMBER_ASSERT(job.port != kNoPortIndex);
    const SwitchIndex at = SwitchOf(parts_.fabric.port(job.port));
    if (at == kNoSwitch || job.verifies || !job.has_written || job.has_failed) return false;
    const bool is_relied_on = HasRoutedLanes() || parts_.fabric.switch_row(at).is_lane_suspect;
    if (!job.checks && !is_relied_on) return false;
    job.verifies = true;
    job.reads = true;
    job.number = 0;
    return true;
}

/// A port of a switch is under way, or may still be.
bool LaneUpkeep::AwaitsSwitch() const {
    if (cursor_ < parts_.fabric.port_bound() || looks_again_) return true;
    return std::any_of(jobs_.begin(), jobs_.end(), [this](const Job& job) {
        if (job.port == kNoPortIndex) return false;
        const SwitchIndex at = SwitchOf(parts_.fabric.port(job.port));
        return at != kNoSwitch && !parts_.fabric.switch_row(at).has_one_lane;
    });
}

/// Ends a walk over the ports when all have answered, or no more of them is waited for.
void LaneUpkeep::GoOn(std::uint64_t now_us) {
    if (!is_walking_) return;
    const bool is_over = cursor_ >= parts_.fabric.port_bound() && !looks_again_;
    const bool is_done = is_over && writer_.done();
    const bool is_late = !is_settled_ && now_us >= PatienceEndsUs();
    if (is_late && !HasRoutedLanes()) is_settled_ = true;
    const bool is_enough = is_late && HasRoutedLanes() && !AwaitsSwitch();
    if (!is_done && !is_enough) return;
    if (!is_settled_ && BeginTrial()) return;
    EndTrial(now_us);
    is_walking_ = !is_done;
    Judge(now_us);
    is_settled_ = true;
}

/// Asks switches that were silent once more, before routes that rely on them are given up.
bool LaneUpkeep::BeginTrial() {
    if (is_trial_ || trials_.empty() || !HasRoutedLanes()) return false;
    is_trial_ = true;
    cursor_ = 0;
    has_moved_ = true;
    writer_.TryAgain();
    return true;
}

/// At rest.
void LaneUpkeep::AddTrial(SwitchIndex at) {
    static_cast<void>(trials_.TryPush(at));
    for (Port& port : parts_.fabric.PortsOf(parts_.fabric.switch_row(at).node)) {
        if (port.lane_state == LaneState::kRight) port.lane_state = LaneState::kUnconfirmed;
    }
    is_trial_ = true;
    is_walking_ = true;
    cursor_ = 0;
}

void LaneUpkeep::TryAgain(std::uint64_t now_us) {
    const Fabric& fabric = parts_.fabric;
    const bool is_free = !is_walking_ && !is_checking() && writer_.done() && lanes_ != nullptr;
    if (!is_on_ || !is_free || now_us < next_trial_us_) return;
    trials_.clear();
    const auto bound = static_cast<std::uint32_t>(fabric.switch_bound());
    for (std::uint32_t i = 0; i < bound && !trials_.full(); ++i) {
        next_trial_ = next_trial_ + 1 < bound ? next_trial_ + 1 : 0;
        const auto at = static_cast<SwitchIndex>(next_trial_);
        if (!fabric.IsLive(at)) continue;
        const Switch& row = fabric.switch_row(at);
        if (row.is_lane_suspect ? trust_.MayTry(at) : LacksTables(row)) {
            AddTrial(at);
        } else if (!row.is_lane_suspect && HasFailedBehind(fabric, row)) {
            static_cast<void>(trials_.TryPush(at));
            is_trial_ = is_walking_ = true;
            cursor_ = 0;
        }
    }
    next_trial_us_ = now_us + kTrialUs;
    if (is_trial_) writer_.TryAgain();
}

/// A trial in a round, of silent switches, proves nothing of a suspect: its tables are not read.
void LaneUpkeep::EndTrial(std::uint64_t now_us) {
    const bool is_at_rest = is_trial_ && is_settled_;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
        const SwitchIndex at = trials_.begin()[i];
        const Switch& row = parts_.fabric.switch_row(at);
        if (!is_at_rest || !row.is_lane_suspect || LacksTables(row)) continue;
        if ((trial_differs_ >> i & 1U) != 0) {
            static_cast<void>(trust_.Observe(at, true, now_us));
        } else if (trust_.PassTrial(at, now_us)) {
            NoteChange(at);
        }
    }
    is_trial_ = false;
    trials_.clear();
    trial_differs_ = 0;
}

/// A base port 0 has no lanes, and what an enhanced one does with its own packets concerns no link.
bool LaneUpkeep::LacksTables(const Switch& row) const {
    const auto ports = parts_.fabric.PortsOf(row.node);
    const bool has_one_for_all = MapsAtOnce(parts_.fabric.node(row.node));
    return std::any_of(ports.begin() + (has_one_for_all ? 0 : 1), ports.end(),
                       [this](const Port& port) {
                           return HasLanes(port) && port.lane_state != LaneState::kRight;
                       });
}

/// Counts switches that lack tables, and finds those that routes should not have relied on.
void LaneUpkeep::Judge(std::uint64_t now_us) {
    const bool is_relied_on = HasRoutedLanes();
    const bool counts = is_relied_on || !settings_.suppress_sl2vl_mad_status_errors;
    LaneFaults faults;
    SwitchIndex first = kNoSwitch;
    ForEachSwitch(parts_.fabric, [&](SwitchIndex at, const Switch& row) {
        if (LacksLaneMaps(parts_.fabric, row)) ++faults.without_maps;
        const bool lacks = counts && LacksTables(row);
        if (lacks && is_relied_on && !row.has_one_lane && trust_.Suspect(at, now_us)) {
            NoteChange(at);
        }
        if (!lacks && !row.is_lane_suspect) return;
        ++faults.lacking;
        if (first == kNoSwitch) first = at;
    });
    if (next_trial_us_ <= now_us) next_trial_us_ = now_us + kTrialUs;
    if (faults.lacking != faults_.lacking && first != kNoSwitch) {
        const NodeIndex node = parts_.fabric.switch_row(first).node;
        parts_.log.Write<Note::kLaneTablesLacking>(now_us, faults.lacking,
                                                   Raw(parts_.fabric.node(node).guid));
    }
    faults_ = faults;
}

/// After a check of a port. A table that was not kept, though it was just written, never will be. A
/// cause that changed one port may have changed others, which would have their turn late. A switch
/// was whole as often as its last port was.
void LaneUpkeep::ObserveCheck(const Port& port, std::uint64_t now_us) {
    const SwitchIndex at = SwitchOf(port);
    if (at == kNoSwitch || parts_.fabric.switch_row(at).is_lane_suspect) return;
    const bool is_last = Raw(port.number) == parts_.fabric.node(port.node).port_count;
    bool is_lost = false;
    if (port.lane_state == LaneState::kFailed) {
        is_lost = trust_.Suspect(at, now_us);
    } else if (is_different_ || is_last) {
        is_lost = trust_.Observe(at, is_different_, now_us);
    }
    if (is_lost && HasRoutedLanes()) NoteChange(at);
    if (is_lost) Judge(now_us);
    if (is_lost || !is_different_) return;
    AddTrial(at);
    writer_.TryAgain();
}

void LaneUpkeep::NoteChange(SwitchIndex at) {
    EMBER_ASSERT(at != kNoSwitch);
    if (changed_ == kNoSwitch) changed_ = at;
}

}  // namespace ember
