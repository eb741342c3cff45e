// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof that multicast and unicast together close no credit loop.

#include "core/multicast/joint_proof.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr JointVerdict kNothingFound;  // Too large to be made on the stack.

/// Exits whose dependencies are copied in one slice.
constexpr std::size_t kExitsPerSlice = 8192;
/// MLIDs without a tree that are passed in one slice.
constexpr std::size_t kMlidsPerSlice = 1024;

}  // namespace

JointProof::JointProof(const Parts& parts)
    : parts_(parts), check_(parts.fabric, parts.tables, {}, {}) {}

void JointProof::Begin(const Task& task, Arena& scratch) {
    EMBER_ASSERT(!is_at_work() && task.router != nullptr);
    task_ = task;
    scratch_ = &scratch;
    mark_ = scratch.used_bytes();
    is_whole_ = task.is_whole;
    is_begun_ = false;
    has_kept_ = false;
    const Verdict& unicast = task.router->verdict();
    if (!unicast.may_program()) {
        verdict_ = kNothingFound;
    } else if (unicast.findings.end_ports_may_deadlock) {
        verdict_ = kNothingFound;
        verdict_.outcome = JointOutcome::kUnicast;
    } else if (FreeBytes() < Arena::BytesFor<std::uint16_t>(parts_.tables.position_bound())) {
        verdict_ = kNothingFound;
        verdict_.outcome = JointOutcome::kNoRoom;
    } else {
        masks_ = scratch.Take<std::uint16_t>(parts_.tables.position_bound());
        next_ = 0;
        phase_ = Phase::kLooking;
    }
}

Progress JointProof::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kLooking:  Look();          break;
        case Phase::kTopology: BuildTopology(); break;
        case Phase::kRoutes:   FollowRoutes();  break;
        case Phase::kTaking:   TakeSome();      break;
        case Phase::kChanged:
        case Phase::kTrees:    AddSome();       break;
        case Phase::kSearch:   Search();        break;
        case Phase::kNaming:   NameSome();      break;
        case Phase::kIdle:     break;
    }
    // clang-format on
    return is_at_work() ? Progress::kMore : Progress::kDone;
}

void JointProof::Stop() {
    if (!is_at_work()) return;
    scratch_->Rewind(mark_);
    phase_ = Phase::kIdle;
    verdict_ = kNothingFound;
}

void JointProof::End(JointOutcome outcome) {
    EMBER_ASSERT(is_at_work());
    scratch_->Rewind(mark_);
    phase_ = Phase::kIdle;
    verdict_.is_beside_kept = has_kept_;
    verdict_.outcome = outcome;
}

void JointProof::Look() {
    if (FindTree()) {
        phase_ = Phase::kTopology;
    } else if (next_ == parts_.groups.mlid_bound()) {
        verdict_ = kNothingFound;
        verdict_.has_management = !task_.router->verdict().findings.anything_may_deadlock;
        End(JointOutcome::kFree);
    }
}

void JointProof::BuildTopology() {
    if (!is_begun_) {
        const std::size_t bytes = Topology::ScratchBytes(parts_.fabric.limits());
        if (FreeBytes() < bytes) return End(JointOutcome::kNoRoom);
        topology_.BeginBuild(parts_.fabric, *scratch_,
                             static_cast<VlCap>(parts_.settings.max_op_vls));
        is_begun_ = true;
        return;
    }
    if (topology_.BuildNext(parts_.fabric, parts_.settings.order, *scratch_)) return;
    topology_end_ = scratch_->used_bytes();
    Choose();
}

/// How the dependencies of unicast are come by.
void JointProof::Choose() {
    lanes_ = TreeLanes(task_.router->programmed_lanes(), parts_.settings);
    needs_lane_ = NeedsOtherLane();
    with_management_ = false;
    const DependencyGraph* const kept = task_.router->KeptDependencies(topology_);
    has_kept_ = kept != nullptr && kept->lanes() == lanes_.count();
    if (has_kept_ && !is_whole_) {
        ChooseKept(*kept);
    } else {
        ChooseWhole();
    }
}

void JointProof::ChooseKept(const DependencyGraph& kept) {
    const std::uint8_t lanes = kept.lanes();
    const auto with_other = static_cast<std::uint8_t>(lanes + 1);
    if (!(needs_lane_ && TakeOwnGraph(with_other))) {
        if (needs_lane_ && lanes > 1) return End(JointOutcome::kNoRoom);
        if (!TakeOwnGraph(lanes)) return End(JointOutcome::kNoRoom);
    }
    source_ = &kept;
    next_ = 0;
    phase_ = Phase::kTaking;
}

/// Where no room is left for the lane of all others, packets of a routing of one lane count as
/// if all travelled on that one, which is the stricter question.
void JointProof::ChooseWhole() {
    is_whole_ = true;
    const RoutingLanes& lanes = task_.router->programmed_lanes();
    Limits bounds = topology_.bounds();
    bounds.max_lanes = lanes.count;
    const std::size_t bytes = Verifier::ScratchBytes(bounds);
    graph_ = nullptr;
    if (needs_lane_) {
        const auto with_other = static_cast<std::uint8_t>(lanes.count + 1);
        const bool has_own = TakeOwnGraph(with_other) && FreeBytes() >= bytes;
        if (!has_own) scratch_->Rewind(topology_end_);
        if (!has_own && lanes.count > 1) return End(JointOutcome::kNoRoom);
        if (!has_own) graph_ = nullptr;
    }
    if (FreeBytes() < bytes) return End(JointOutcome::kNoRoom);
    verifier_.Begin(
        {.topology = &topology_, .hops = task_.router->hops(), .lfts = task_.lfts, .lanes = &lanes},
        *scratch_);
    phase_ = Phase::kRoutes;
}

/// A graph of our own, of so many lanes, and the tables of a search. False: there is no room.
bool JointProof::TakeOwnGraph(std::uint8_t lanes) {
    const std::size_t words = DependencyGraph::Words(topology_, lanes);
    const std::size_t bytes =
        Arena::BytesFor<std::uint64_t>(words) + CycleSearch::Bytes(topology_, lanes);
    if (lanes > DataVls(VlCap::kVl0To14) || FreeBytes() < bytes) return false;
    own_graph_.Begin(topology_, lanes, *scratch_);
    own_search_.Begin(topology_, lanes, *scratch_);
    graph_ = &own_graph_;
    search_ = &own_search_;
    return true;
}

void JointProof::FollowRoutes() {
    if (verifier_.Advance() == Progress::kMore) return;
    const Findings& findings = verifier_.findings();
    // A link is gone, of which a sweep will know.
    if (findings.fault != Findings::Fault::kNone) return End(JointOutcome::kUnknown);
    if (findings.end_ports_may_deadlock) return End(JointOutcome::kUnicast);
    if (graph_ == nullptr) {
        graph_ = &verifier_.dependencies();
        search_ = &verifier_.search();
        return BeginTrees();
    }
    source_ = &verifier_.dependencies();
    next_ = 0;
    phase_ = Phase::kTaking;
}

void JointProof::TakeSome() {
    const std::size_t exits = topology_.all_exits().size();
    const std::size_t end = std::min(exits, next_ + kExitsPerSlice);
    own_graph_.TakeIn(*source_, next_, end);
    next_ = end;
    if (next_ == exits) BeginTrees();
}

void JointProof::BeginTrees() {
    EMBER_ASSERT(graph_ != nullptr && search_ != nullptr);
    const bool goes_on =
        !is_whole_ && task_.changed != nullptr && verdict_.outcome == JointOutcome::kFree;
    phase_ = goes_on ? Phase::kChanged : Phase::kTrees;
    if (!goes_on && !with_management_) verdict_ = kNothingFound;
    adds_ = false;
    next_ = 0;
}

/// The service levels of the groups of a MLID, a bit each.
unsigned JointProof::SlsOf(MlidIndex mlid) const {
    unsigned sls = 0;
    const Groups& groups = parts_.groups;
    for (GroupIndex at = groups.mlid(mlid).first; at != kNoGroup; at = groups.group(at).next) {
        sls |= 1U << (groups.group(at).values.sl % kServiceLevels);
    }
    return sls == 0 ? 1U : sls;  // A held one, of which nothing is known.
}

bool JointProof::NeedsOtherLane() {
    unsigned sls = 0;
    for (std::size_t i = 0; i < parts_.groups.mlid_bound(); ++i) {
        const auto mlid = static_cast<MlidIndex>(i);
        if (parts_.groups.IsInUse(mlid)) sls |= SlsOf(mlid);
    }
    bool needs = false;
    for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
        if ((sls >> sl & 1U) == 0) continue;
        lanes_.SetSl(sl);
        needs = needs || lanes_.MayLeaveRouted();
    }
    return needs;
}

/// The wanted masks of a MLID. False: it is forwarded nowhere.
bool JointProof::Gather(MlidIndex mlid) {
    EMBER_ASSERT(masks_.size() == parts_.tables.position_bound());
    unsigned any = 0;
    for (std::size_t i = 0; i < masks_.size(); ++i) {
        masks_[i] = parts_.tables.WantedMask(mlid, i);
        any |= masks_[i];
    }
    return any != 0;
}

void JointProof::AddTree(MlidIndex mlid) {
    const bool is_counted = phase_ == Phase::kTrees && !with_management_;
    TreeCheck::Waits all;
    for (unsigned sls = SlsOf(mlid); sls != 0; sls &= sls - 1) {
        lanes_.SetSl(static_cast<std::uint8_t>(__builtin_ctz(sls)));
        const TreeCheck::Waits waits = check_.AddDependencies(masks_, lanes_, *graph_);
        all.is_strange = all.is_strange || waits.is_strange;
        all.is_new = all.is_new || waits.is_new;
        all.is_dropped = all.is_dropped || waits.is_dropped;
    }
    // A client has made a group meanwhile, of a service level of its own. The next round judges it.
    if (all.is_strange) return End(JointOutcome::kUnknown);
    adds_ = adds_ || all.is_new;
    if (is_counted) ++verdict_.trees;
    if (is_counted && all.is_dropped) ++verdict_.dropped;
}

/// The next MLID that has a tree, in masks_. False: none in this slice.
bool JointProof::FindTree() {
    const std::size_t bound = parts_.groups.mlid_bound();
    const std::size_t end = std::min(bound, next_ + kMlidsPerSlice);
    for (; next_ < end; ++next_) {
        const auto mlid = static_cast<MlidIndex>(next_);
        if (!parts_.groups.IsInUse(mlid)) continue;
        if (phase_ == Phase::kChanged && !task_.changed->Has(next_)) continue;
        if (Gather(mlid)) return true;
    }
    return false;
}

void JointProof::AddSome() {
    if (FindTree()) {
        AddTree(static_cast<MlidIndex>(next_));
        ++next_;
    } else if (next_ == parts_.groups.mlid_bound()) {
        EndTrees();
    }
}

void JointProof::EndTrees() {
    // Trees that changed add nothing to unicast, and the others were judged before.
    if (phase_ == Phase::kChanged && !adds_) return End(JointOutcome::kFree);
    if (phase_ == Phase::kChanged) {
        verdict_ = kNothingFound;
        next_ = 0;
        phase_ = Phase::kTrees;
        return;
    }
    search_->Start(*graph_);
    phase_ = Phase::kSearch;
}

void JointProof::Search() {
    if (search_->Advance() == Progress::kMore) return;
    if (!search_->found()) return EndFree();
    if (!is_whole_) {  // Kept dependencies may be more than there are.
        scratch_->Rewind(topology_end_);
        ChooseWhole();
        return;
    }
    verdict_.cycle = search_->cycle();
    verdict_.mlid = kNoMlid;
    found_ = with_management_ ? JointOutcome::kManagement : JointOutcome::kEndPorts;
    most_turns_ = 0;
    next_ = 0;
    phase_ = Phase::kNaming;
}

void JointProof::EndFree() {
    EMBER_ASSERT(phase_ == Phase::kSearch);
    const bool asks_on =
        is_whole_ && !with_management_ && !verifier_.findings().anything_may_deadlock;
    if (asks_on) return BeginManagement();
    verdict_.has_management = with_management_;
    End(JointOutcome::kFree);
}

/// The same with unicast from and to every switch's port 0, which closes no credit loop by itself.
void JointProof::BeginManagement() {
    with_management_ = true;
    if (graph_ != &own_graph_) {
        graph_ = &verifier_.all_dependencies();
        next_ = 0;
        phase_ = Phase::kTrees;
        return;
    }
    source_ = &verifier_.all_dependencies();
    next_ = 0;
    phase_ = Phase::kTaking;
}

/// Turns of the tree at hand that are on the cycle.
std::uint32_t JointProof::CountTurns() const {
    const auto& channels = verdict_.cycle.channels;
    const bool is_whole = channels.size() == verdict_.cycle.length;
    std::uint32_t turns = 0;
    for (std::size_t i = is_whole ? 0 : 1; i < channels.size(); ++i) {
        const Channel& before = channels[i == 0 ? channels.size() - 1 : i - 1];
        const SwitchIndex from = topology_.FindSwitch(before.switch_guid);
        const SwitchIndex at = topology_.FindSwitch(channels[i].switch_guid);
        if (from == kNoSwitch || at == kNoSwitch) continue;
        const LaneTurn turn{
            .at = at, .in = topology_.exit(from, before.port).peer_port, .out = channels[i].port};
        if (check_.HasTurn(masks_, turn)) ++turns;
    }
    return turns;
}

/// Of the trees, the one that has most turns of the cycle.
void JointProof::NameSome() {
    if (FindTree()) {
        const std::uint32_t turns = CountTurns();
        if (turns > most_turns_) {
            most_turns_ = turns;
            verdict_.mlid = static_cast<MlidIndex>(next_);
        }
        ++next_;
    } else if (next_ == parts_.groups.mlid_bound()) {
        End(found_);
    }
}

}  // namespace ember
