// SPDX-License-Identifier: Apache-2.0
// EmberSM: the trees of a round, proved together with unicast before they are written.

#include "core/base/assert.h"
#include "core/multicast/multicast_upkeep.h"

namespace ember {
namespace {

/// Trees, and roots of all trees, that are tried in one round. Each is proved, which takes some
/// milliseconds on the largest boards;
constexpr std::uint32_t kMostTries = 64;
/// but as long as the routing itself where its proof has kept nothing.
constexpr std::uint32_t kMostWholeTries = 4;
/// And no more are tried when so many trees were made in the round: that takes seconds.
constexpr std::uint32_t kMostTreesMade = 16'384;

[[nodiscard]] bool HasLoop(const JointVerdict& verdict) {
    return verdict.outcome == JointOutcome::kEndPorts && verdict.mlid != kNoMlid;
}

}  // namespace

TreeOutcome MulticastUpkeep::PlanOne(MlidIndex mlid) {
    if (all_along_) {
        const TreeOutcome outcome = all_breadth_first_
                                        ? trees_.PlanFrom(mlid, roots_.root)
                                        : trees_.PlanAlong(mlid, roots_.root, routes_->planned());
        if (!outcome.is_refused) return outcome;
    }
    return trees_.Plan(mlid);
}

/// After routes were made anew the first proof of a tree looks at everything, switches' port 0
/// included.
void MulticastUpkeep::BeginProof(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kProving);
    const bool is_due = is_unjudged_ || planned_in_round_ != 0;
    if (routes_ == nullptr || !routes_->is_done() || !is_due) {
        EndProof(now_us);
        return;
    }
    joint_.Begin({.router = &routes_->router(),
                  .lfts = routes_->planned(),
                  .is_whole = wants_whole_,
                  .changed = is_unjudged_ || tries_ != 0 ? nullptr : &planned_},
                 scratch_);
}

void MulticastUpkeep::ProveSome(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kProving);
    if (!joint_.is_at_work()) {  // Its memory was lent.
        BeginProof(now_us);
        if (phase_ != Phase::kProving) return;
    }
    const std::uint64_t began_us = work_clock_.NowUs();
    while (joint_.Advance() == Progress::kMore) {
        if (!HasTime(began_us)) return;
    }
    if (Reroot()) {
        wants_whole_ = false;  // Until trees are found that are free beside end ports.
    } else if (owes_whole_ && !wants_whole_ && joint_.verdict().outcome == JointOutcome::kFree) {
        wants_whole_ = true;
    } else {
        EndProof(now_us);
        return;
    }
    if (phase_ == Phase::kProving) BeginProof(now_us);
}

/// Gives the tree that closes a credit loop with unicast up for another one, or all trees. False:
/// none closes one, or no other is left. OpenSM's orders have OpenSM's trees.
bool MulticastUpkeep::Reroot() {
    const JointVerdict& verdict = joint_.verdict();
    if (!HasLoop(verdict) || gave_up_ || settings_.order != Order::kBalanced) return false;
    if (rerooted_++ == 0) first_rerooted_ = verdict.mlid;
    const std::uint32_t most = verdict.is_beside_kept ? kMostTries : kMostWholeTries;
    const bool may_try = ++tries_ <= most && planned_in_round_ <= kMostTreesMade;
    if (may_try && !all_along_ && RerootOne(verdict.mlid)) return true;
    if (may_try) TryNextTree(verdict.mlid);
    if (!may_try || roots_.root == kNoSwitch) {
        gave_up_ = true;
        all_along_ = all_breadth_first_ = false;
        roots_ = {};
    }
    PlanAllAnew();
    return true;
}

/// Lets this tree alone follow unicast to the common root. False: it cannot, or does so already:
/// then it is the others that do not.
bool MulticastUpkeep::RerootOne(MlidIndex mlid) {
    if (roots_.root == kNoSwitch) trees_.FindRoot(mlid, roots_);
    if (roots_.root == kNoSwitch) return false;
    const TreeOutcome outcome = trees_.PlanAlong(mlid, roots_.root, routes_->planned());
    planned_.Add(Raw(mlid));
    return !outcome.is_refused && outcome.changed != 0;
}

/// Chooses the tree of which all trees shall be parts next.
void MulticastUpkeep::TryNextTree(MlidIndex mlid) {
    if (!all_along_) {
        all_along_ = true;
        return;
    }
    if (all_breadth_first_) trees_.FindRoot(mlid, roots_);
    all_breadth_first_ = !all_breadth_first_;
}

void MulticastUpkeep::PlanAllAnew() {
    groups_.MarkAll();
    next_ = MlidIndex{0};
    phase_ = Phase::kPlanning;
}

void MulticastUpkeep::EndProof(std::uint64_t now_us) {
    EMBER_ASSERT(!joint_.is_at_work());
    const JointVerdict& verdict = joint_.verdict();
    if (routes_ != nullptr && verdict.outcome != JointOutcome::kUnknown) {
        is_unjudged_ = false;
        if (verdict.trees != 0) owes_whole_ = false;
        if (rerooted_ != 0 && !gave_up_) {
            status_.rerooted_trees += rerooted_;
            const NodeIndex root = fabric_.switch_row(roots_.root).node;
            log_.Write<Note::kTreeRerooted>(now_us, Raw(LidOf(first_rerooted_)),
                                            Raw(fabric_.node(root).guid));
        }
        LogJoint(now_us);
    }
    Enter(Phase::kReading, MulticastProgramming::Stage::kReading, now_us);
}

/// Notes what is found, once, and when it is no longer so.
void MulticastUpkeep::LogJoint(std::uint64_t now_us) {
    const JointVerdict& verdict = joint_.verdict();
    if (verdict.outcome == logged_ && verdict.mlid == logged_mlid_) return;
    const bool had_loop =
        logged_ == JointOutcome::kEndPorts || logged_ == JointOutcome::kManagement;
    logged_ = verdict.outcome;
    logged_mlid_ = verdict.mlid;
    switch (verdict.outcome) {
        case JointOutcome::kUnknown:
        case JointOutcome::kUnicast:  // The verdict of the routing was noted.
            return;
        case JointOutcome::kFree:
            if (had_loop) log_.Write<Note::kMulticastLoopEnded>(now_us);
            return;
        case JointOutcome::kNoRoom:
            log_.Write<Note::kMulticastUnproved>(now_us, scratch_.size_bytes());
            return;
        case JointOutcome::kEndPorts:
            log_.Write<Note::kMulticastLoop>(now_us, Raw(LidOf(verdict.mlid)),
                                             verdict.cycle.length);
            break;
        case JointOutcome::kManagement:
            log_.Write<Note::kMulticastManagementLoop>(now_us, Raw(LidOf(verdict.mlid)),
                                                       verdict.cycle.length);
            break;
    }
    for (const Channel& channel : verdict.cycle.channels) {
        log_.Write<Note::kMulticastLoopMember>(now_us, Raw(channel.switch_guid), Raw(channel.port),
                                               channel.lane);
    }
}

}  // namespace ember
