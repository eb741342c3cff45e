// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast between sweeps: from members of groups to the tables of the switches.

#include "core/multicast/multicast_upkeep.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/multicast/own_groups.h"

namespace ember {
namespace {

inline constexpr std::uint64_t kSliceUs = 500;
/// The next round after one with a failed Set or Get: a silent switch is not asked more often.
inline constexpr std::uint64_t kRetryUs = 5'000'000;
/// Joins seldom come alone: a round waits until no join has come for so long,
inline constexpr std::uint64_t kQuietUs = 20'000;
/// but at most so long from the first join. Each round may write every table again.
inline constexpr std::uint64_t kPatienceUs = 2'000'000;

}  // namespace

MulticastUpkeep::MulticastUpkeep(const Memory& memory, const Limits& limits, const Parts& parts,
                                 const Settings& settings)
    : fabric_(parts.fabric),
      log_(parts.log),
      work_clock_(parts.work_clock),
      scratch_(parts.scratch),
      partitions_(parts.partitions),
      settings_(settings),
      events_(memory.events),
      groups_(memory.groups, limits, events_),
      tables_(memory.tables, limits),
      trees_(memory.trees, parts.fabric, groups_, tables_),
      planned_(memory.planned_words),
      programming_(memory.programming,
                   MulticastProgramming::Parts{parts.fabric, parts.exchange, parts.log, groups_,
                                               tables_, planned_},
                   settings),
      routes_(parts.routes),
      joint_({parts.fabric, groups_, tables_, settings}) {
    EMBER_ASSERT(memory.planned_words.size() >= BitSet::WordsFor(limits.max_mlids));
}

void MulticastUpkeep::Pause() {
    joint_.Stop();
    programming_.Abandon();
    if (phase_ != Phase::kResting) is_owed_ = true;
    phase_ = Phase::kResting;
    is_ready_ = false;
}

void MulticastUpkeep::Observe(bool first_master_sweep) {
    Pause();
    const bool is_anew = programming_.Observe(first_master_sweep);
    if (is_anew) is_owed_ = true;
}

void MulticastUpkeep::Forget() {
    groups_.Clear();
    is_survey_due_ = false;
    hold_until_us_ = kNever;
}

void MulticastUpkeep::BeginFirstSweep(std::uint64_t now_us) {
    EnsureOwnGroups(now_us);
    static_cast<void>(groups_.ForgetDeserted());
}

void MulticastUpkeep::EnsureOwnGroups(std::uint64_t now_us) {
    const bool lacks_room = MakeOwnGroups(groups_, settings_) != Status::kOk;
    if (lacks_room && !lacks_room_) log_.Write<Note::kNoRoomForGroup>(now_us);
    lacks_room_ = lacks_room;
}

/// A port that left the subnet, or the partition of its group, is a member no longer.
bool MulticastUpkeep::HasLeft(const Member& member) const {
    const PortIndex port = fabric_.FindPort(member.owner);
    return port == kNoPortIndex ||
           !partitions_.Holds(port, groups_.group(member.group).values.p_key);
}

void MulticastUpkeep::FollowPartitions(std::uint64_t now_us) {
    EnsureOwnGroups(now_us);
    const std::size_t gone =
        groups_.Drop([this](const Member& member) { return HasLeft(member); }, now_us);
    if (gone != 0) log_.Write<Note::kMembersGone>(now_us, gone);
}

void MulticastUpkeep::Resume(Trees::Hops hops, std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kResting);
    FollowPartitions(now_us);
    trees_.Begin(hops, settings_.order, scratch_);
    groups_.SetMlidCount(trees_.mlid_count());
    groups_.MarkAll();
    OweProof();
    marks_seen_ = groups_.marks();
    due_us_ = now_us;  // At once: all MLIDs are marked.
    first_mark_us_ = now_us;
    is_ready_ = true;
}

/// Of mended routes what was found of all others stands.
void MulticastUpkeep::OweProof() {
    is_unjudged_ = true;
    roots_ = {};
    all_along_ = all_breadth_first_ = false;
    if (routes_ != nullptr && !routes_->router().verdict().was_mended) owes_whole_ = true;
}

void MulticastUpkeep::JudgeAnew(std::uint64_t now_us) {
    OweProof();
    due_us_ = std::min(due_us_, now_us);
    first_mark_us_ = std::min(first_mark_us_, now_us);
}

/// Each join or leave puts a round off, for kPatienceUs at most.
void MulticastUpkeep::Watch(std::uint64_t now_us) {
    if (groups_.marks() == marks_seen_) return;
    marks_seen_ = groups_.marks();
    first_mark_us_ = std::min(first_mark_us_, now_us);
    due_us_ = std::min(now_us + kQuietUs, first_mark_us_ + kPatienceUs);
}

std::uint64_t MulticastUpkeep::NextDeadlineUs() const {
    const bool waits = is_ready_ && phase_ == Phase::kResting && !settings_.disable_multicast;
    return waits ? std::min(due_us_, hold_until_us_) : kNever;
}

bool MulticastUpkeep::HasTime(std::uint64_t began_us) const {
    return work_clock_.NowUs() - began_us < kSliceUs;
}

bool MulticastUpkeep::Step(std::uint64_t now_us) {
    switch (phase_) {
        case Phase::kResting:
            if (!is_ready_ || settings_.disable_multicast) return false;
            if (now_us >= hold_until_us_) EndHold(now_us);
            Watch(now_us);
            if (now_us < due_us_) return false;
            BeginRound(now_us);
            return true;
        case Phase::kPlanning:
            PlanSome(now_us);
            return true;
        case Phase::kProving:
            ProveSome(now_us);
            return true;
        case Phase::kJudging:
            JudgeSome(now_us);
            return true;
        case Phase::kSurveying:
        case Phase::kFetching:
        case Phase::kReading:
        case Phase::kCutting:
        case Phase::kWriting:
        case Phase::kTops:
            return FollowProgramming(now_us);
    }
    return false;
}

void MulticastUpkeep::BeginRound(std::uint64_t now_us) {
    EMBER_ASSERT(is_ready_);
    EMBER_ASSERT(phase_ == Phase::kResting);
    ++status_.rounds;
    status_.lost_members = 0;
    planned_in_round_ = 0;
    gave_up_ = false;
    tries_ = rerooted_ = 0;
    wants_whole_ = owes_whole_;
    is_owed_ = false;
    due_us_ = kNever;
    first_mark_us_ = kNever;
    next_ = MlidIndex{0};
    phase_ = Phase::kPlanning;
    programming_.BeginRound();
    if (is_survey_due_) {
        Enter(Phase::kSurveying, MulticastProgramming::Stage::kSurvey, now_us);
    } else if (groups_.held_count() != 0) {
        Enter(Phase::kFetching, MulticastProgramming::Stage::kReading, now_us);
    }
}

/// Trees are made, made anew if they depend on what was read, or followed.
void MulticastUpkeep::EndReading(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kSurveying || phase_ == Phase::kFetching ||
                 phase_ == Phase::kReading);
    EMBER_ASSERT(programming_.done());
    if (phase_ == Phase::kSurveying) EndSurvey(now_us);
    const bool is_anew = MarkHeldAnew();
    const bool is_planned = phase_ == Phase::kReading && !is_anew;
    programming_.Begin(MulticastProgramming::Stage::kIdle);
    next_ = MlidIndex{0};
    phase_ = is_planned ? Phase::kJudging : Phase::kPlanning;
}

/// The tree of a held MLID leads to the ports in its tables. A table that did not answer before may
/// have been read now. False: none was, or nothing is held.
bool MulticastUpkeep::MarkHeldAnew() {
    if (groups_.held_count() == 0 || !programming_.has_learned()) return false;
    for (std::size_t i = 0; i < groups_.mlid_bound(); ++i) {
        const auto at = static_cast<MlidIndex>(i);
        if (groups_.IsHeld(at)) groups_.Mark(at);
    }
    return true;
}

/// The tables are read: holds each MLID that some switch forwards.
void MulticastUpkeep::EndSurvey(std::uint64_t now_us) {
    EMBER_ASSERT(is_survey_due_);
    is_survey_due_ = false;
    for (std::size_t i = 0; i < groups_.mlid_count(); ++i) {
        const auto at = static_cast<MlidIndex>(i);
        if (programming_.HasFound(at)) groups_.Hold(at);
    }
    if (groups_.held_count() == 0) return;
    hold_until_us_ = now_us + std::uint64_t{settings_.multicast_hold} * kSecondUs;
    log_.Write<Note::kMulticastHeld>(now_us, groups_.held_count(), settings_.multicast_hold);
}

void MulticastUpkeep::EndHold(std::uint64_t now_us) {
    EMBER_ASSERT(hold_until_us_ != kNever);
    hold_until_us_ = kNever;
    const std::size_t held = groups_.held_count();
    const std::size_t nameless = groups_.EndHold();
    log_.Write<Note::kMulticastHoldEnded>(now_us, held, nameless);
}

void MulticastUpkeep::PlanSome(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kPlanning);
    const std::uint64_t began_us = work_clock_.NowUs();
    do {
        const MlidIndex mlid = groups_.TakeMarked(next_);
        if (mlid == kNoMlid) {
            if (!groups_.has_marked()) marks_seen_ = groups_.marks();
            phase_ = Phase::kProving;
            BeginProof(now_us);
            return;
        }
        next_ = mlid;  // A lower MLID that is marked now waits for the next round.
        const TreeOutcome outcome = PlanOne(mlid);
        planned_.Add(Raw(mlid));
        ++planned_in_round_;
        ++status_.trees;
        if (outcome.is_plain) ++status_.plain_trees;
        status_.lost_members += outcome.lost;
        if (outcome.lost != 0 || outcome.is_refused) {
            log_.WriteSparingly<Note::kTreeImperfect>(now_us, Raw(LidOf(mlid)), outcome.members,
                                                      outcome.lost, outcome.is_refused ? 1U : 0U);
        }
    } while (HasTime(began_us));
}

/// Finds the planned MLIDs whose old and new entries may form a loop together.
void MulticastUpkeep::JudgeSome(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kJudging);
    const std::uint64_t began_us = work_clock_.NowUs();
    do {
        while (Raw(next_) < groups_.mlid_bound() && !planned_.Has(Raw(next_))) {
            next_ = static_cast<MlidIndex>(Raw(next_) + 1);
        }
        if (Raw(next_) >= groups_.mlid_bound()) {
            Enter(Phase::kCutting, MulticastProgramming::Stage::kCutting, now_us);
            return;
        }
        if (trees_.MayLoop(next_)) programming_.MarkCareful(next_);
        next_ = static_cast<MlidIndex>(Raw(next_) + 1);
    } while (HasTime(began_us));
}

void MulticastUpkeep::Enter(Phase phase, MulticastProgramming::Stage stage, std::uint64_t now_us) {
    EMBER_ASSERT(stage != MulticastProgramming::Stage::kIdle);
    EMBER_ASSERT(phase != Phase::kResting);
    phase_ = phase;
    programming_.Begin(stage);
    programming_.Step(now_us);
}

/// True when there is more to do without an answer.
bool MulticastUpkeep::FollowProgramming(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ != Phase::kResting);
    using Stage = MulticastProgramming::Stage;
    programming_.Step(now_us);
    if (!programming_.done()) return programming_.hungry();
    switch (programming_.stage()) {
        case Stage::kSurvey:
        case Stage::kReading:
            EndReading(now_us);
            break;
        case Stage::kCutting:
            Enter(Phase::kWriting, Stage::kWriting, now_us);
            break;
        case Stage::kWriting:
            Enter(Phase::kTops, Stage::kTops, now_us);
            break;
        case Stage::kTops:
        case Stage::kIdle:
            EndRound(now_us);
            break;
    }
    return true;
}

void MulticastUpkeep::EndRound(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ != Phase::kResting);
    programming_.Begin(MulticastProgramming::Stage::kIdle);
    phase_ = Phase::kResting;
    const MulticastOutcome& outcome = programming_.outcome();
    status_.blocks_set += outcome.blocks_set;
    status_.cuts += outcome.cuts;
    if (outcome.failed == 0) {
        planned_.clear();
    } else {
        is_owed_ = true;
        due_us_ = now_us + kRetryUs;
    }
    if (outcome.blocks_set != 0 || outcome.failed != 0) {
        log_.Write<Note::kMulticastProgrammed>(now_us, planned_in_round_, outcome.blocks_set,
                                               outcome.cuts, outcome.failed);
    }
}

void MulticastUpkeep::Correct(std::size_t block, const MftTables::Block& content,
                              std::uint64_t now_us) {
    tables_.Learn(block, content);
    // The entries that the switch has and those of the tree may form a loop together.
    const std::size_t first = tables_.BlockNumOf(block) * MftTables::kEntries;
    for (std::size_t i = 0; i < MftTables::kEntries; ++i) {
        planned_.Add(first + i);
    }
    is_owed_ = true;
    due_us_ = std::min(due_us_, now_us);
    first_mark_us_ = std::min(first_mark_us_, now_us);
}

MulticastStatus MulticastUpkeep::status() const {
    MulticastStatus status = status_;
    status.groups = groups_.group_count();
    status.members = groups_.member_count();
    status.mlids = groups_.mlids_in_use();
    status.mlid_count = groups_.mlid_count();
    status.held = groups_.held_count();
    const bool is_done = phase_ == Phase::kResting && !is_owed_ && !is_survey_due_;
    status.is_settled = is_done && !groups_.has_marked();
    return status;
}

}  // namespace ember
