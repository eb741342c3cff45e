// SPDX-License-Identifier: Apache-2.0
// EmberSM: the trees of a round, proved together with unicast before they are written.

#include "core/base/assert.h"
#include "core/upkeep/multicast_upkeep.h"

namespace ember {
namespace {

/// Trees that are tried in one round in place of those that close a credit loop. Each is proved,
/// which takes some milliseconds on the largest boards;
constexpr std::uint32_t kMostTries = 64;
/// but as long as the routing itself where its proof has kept nothing.
constexpr std::uint32_t kMostWholeTries = 4;

}  // namespace

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
                  .is_whole = owes_whole_ && tries_ == 0,
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
    if (Reroot(now_us)) {
        BeginProof(now_us);
    } else {
        EndProof(now_us);
    }
}

/// Takes another tree in place of the one that closes a credit loop with unicast. False: none
/// closes one, or no other is left.
bool MulticastUpkeep::Reroot(std::uint64_t now_us) {
    const JointVerdict& verdict = joint_.verdict();
    const bool has_loop = verdict.outcome == JointOutcome::kEndPorts && verdict.mlid != kNoMlid;
    if (rerooting_ != kNoMlid && (!has_loop || verdict.mlid != rerooting_)) {
        ++status_.rerooted_trees;
        const SwitchIndex root = roots_.root;
        log_.Write<Note::kTreeRerooted>(now_us, Raw(LidOf(rerooting_)),
                                        Raw(fabric_.node(fabric_.switch_row(root).node).guid));
        rerooting_ = kNoMlid;
    }
    // OpenSM's orders have OpenSM's trees.
    if (!has_loop || gave_up_ || settings_.order != Order::kBalanced) return false;
    if (rerooting_ == kNoMlid) roots_ = {};
    rerooting_ = verdict.mlid;
    const bool is_kept = verdict.is_beside_kept;
    const std::uint32_t most = is_kept ? kMostTries : kMostWholeTries;
    while (tries_ < most) {
        ++tries_;
        const TreeOutcome outcome = trees_.PlanAlong(rerooting_, roots_, routes_->planned());
        if (roots_.root == kNoSwitch) break;
        if (!outcome.is_refused) return true;
    }
    // No other is left: back to the tree that every member is nearest in.
    static_cast<void>(trees_.Plan(rerooting_));
    rerooting_ = kNoMlid;
    gave_up_ = true;
    return true;
}

void MulticastUpkeep::EndProof(std::uint64_t now_us) {
    EMBER_ASSERT(!joint_.is_at_work());
    const JointVerdict& verdict = joint_.verdict();
    if (routes_ != nullptr && verdict.outcome != JointOutcome::kUnknown) {
        is_unjudged_ = false;
        if (verdict.trees != 0) owes_whole_ = false;
        TellJoint(now_us);
    }
    Enter(Phase::kReading, MulticastProgramming::Stage::kReading, now_us);
}

/// Notes what is found, once, and when it is no longer so.
void MulticastUpkeep::TellJoint(std::uint64_t now_us) {
    const JointVerdict& verdict = joint_.verdict();
    if (verdict.outcome == told_ && verdict.mlid == told_mlid_) return;
    const bool had_loop = told_ == JointOutcome::kEndPorts || told_ == JointOutcome::kManagement;
    told_ = verdict.outcome;
    told_mlid_ = verdict.mlid;
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
