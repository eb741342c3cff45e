// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the members of a multicast LID to the ports that its packets leave by.

#include "core/multicast/trees.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/base/assert.h"
#include "core/fabric/guid_order.h"

namespace ember {
namespace {

inline constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

[[nodiscard]] bool IsUsable(const Fabric& fabric, const Port& port) {
    if (port.peer == kNoPortIndex || port.number == kManagementPort) return false;
    if (port.quarantined) return false;
    const PortState state = port.info.Get(PortInfo::kPortState);
    const PortState beyond = fabric.port(port.peer).info.Get(PortInfo::kPortState);
    return state >= PortState::kInitialize && beyond >= PortState::kInitialize;
}

}  // namespace

void Trees::Begin(Hops hops, Order order, Arena& scratch) {
    EMBER_ASSERT(hops.rows() <= memory_.spots.size());
    hops_ = hops;
    order_ = order;
    const Arena::Frame frame(scratch);
    const std::span<std::uint64_t> keys = scratch.Take<std::uint64_t>(fabric_.switch_count());
    switches_ = 0;
    mlid_count_ = CountForMost();
    ForEachSwitch(fabric_, [&](SwitchIndex at, const Switch& row) {
        if (Raw(at) >= hops_.rows()) return;
        EMBER_ASSERT(switches_ < keys.size());
        keys[switches_] = SortKey(fabric_.node(row.node).guid, order);
        memory_.order[switches_++] = at;
    });
    SortByKey(keys.first(switches_), memory_.order.first(switches_), scratch);
}

/// The most MLIDs that at least half of the switches that know multicast have room for: what a few
/// of them say does not count, and they are left out of the trees that they cannot hold.
std::size_t Trees::CountForMost() const {
    std::size_t most = groups_.mlid_bound();
    for (std::size_t least = 0; least < most;) {  // Ends: what is between is halved.
        const std::size_t middle = (least + most + 1) / 2;
        std::size_t holders = 0;
        std::size_t all = 0;
        ForEachSwitch(fabric_, [&](SwitchIndex, const Switch& row) {
            const std::size_t cap = row.info.Get(SwitchInfo::kMulticastFdbCap);
            if (cap != 0) ++all;
            if (cap >= middle) ++holders;
        });
        if (holders * 2 >= all) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    return most;
}

/// The switch has a mask for the MLID at hand, and routes lead through it.
bool Trees::CanForward(SwitchIndex at) const {
    const Switch& row = fabric_.switch_row(at);
    return row.info.Get(SwitchInfo::kMulticastFdbCap) > Raw(mlid_) &&
           !fabric_.node(row.node).is_left_out;
}

Trees::Spot& Trees::Meet(SwitchIndex at) {
    EMBER_ASSERT(Raw(at) < memory_.spots.size());
    Spot& spot = memory_.spots[Raw(at)];
    if (spot.stamp != stamp_) spot = Spot{.stamp = stamp_};
    return spot;
}

/// Opens a port for the packets of the tree that is being made.
void Trees::Open(SwitchIndex at, PortNumber port) {
    EMBER_ASSERT(Raw(port) / MftTables::kPorts <
                 tables_.run(at).count);  // The switch knows multicast.
    const std::size_t position = tables_.run(at).first + Raw(port) / MftTables::kPorts;
    memory_.draft[position] |= static_cast<std::uint16_t>(1U << (Raw(port) % MftTables::kPorts));
}

void Trees::AddMember(Guid port_guid, TreeOutcome& outcome) {
    const PortIndex found = fabric_.FindPort(port_guid);
    if (found == kNoPortIndex) return;
    const Port& port = fabric_.port(found);
    const bool is_switch = fabric_.node(port.node).type == NodeType::kSwitch;
    if (!is_switch && !IsUsable(fabric_, port)) return;
    AddExit(is_switch ? port : fabric_.port(port.peer), outcome);
}

/// Opens a member's port at its switch, once: port 0 when that is the member.
void Trees::AddExit(const Port& exit, TreeOutcome& outcome) {
    const SwitchIndex at = fabric_.node(exit.node).switch_index;
    if (at == kNoSwitch || Raw(at) >= hops_.rows()) return;  // No switch between, or not routed.
    const std::size_t position = tables_.run(at).first + Raw(exit.number) / MftTables::kPorts;
    const auto bit = static_cast<std::uint16_t>(1U << (Raw(exit.number) % MftTables::kPorts));
    if ((memory_.draft[position] & bit) != 0) return;
    ++outcome.members;
    if (!CanForward(at)) {
        ++outcome.lost;
        return;
    }
    memory_.draft[position] |= bit;
    Spot& spot = Meet(at);
    if (exit.number != kManagementPort) spot.is_end_far = true;
    if (spot.has_members) return;
    spot.has_members = true;
    EMBER_ASSERT(targets_ < memory_.targets.size());
    memory_.targets[targets_++] = at;
}

void Trees::Gather(MlidIndex mlid, TreeOutcome& outcome) {
    if (++stamp_ == 0) {  // Old stamps would hold again.
        std::fill(memory_.spots.begin(), memory_.spots.end(), Spot{});
        stamp_ = 1;
    }
    mlid_ = mlid;
    targets_ = 0;
    std::fill_n(memory_.draft.begin(), tables_.position_bound(), std::uint16_t{0});
    if (Raw(mlid) >= mlid_count_) return;
    for (GroupIndex at = groups_.mlid(mlid).first; at != kNoGroup; at = groups_.group(at).next) {
        MemberIndex member = groups_.group(at).first;
        for (; member != kNoMember; member = groups_.member(member).next) {
            AddMember(groups_.member(member).owner, outcome);
        }
    }
    if (groups_.IsHeld(mlid)) GatherHeld(mlid, outcome);
}

/// Adds the exits by which the tables as they are forward the MLID to end ports.
void Trees::GatherHeld(MlidIndex mlid, TreeOutcome& outcome) {
    for (std::size_t i = 0; i < tables_.position_bound(); ++i) {
        const SwitchIndex at = tables_.OwnerOf(i);
        if (at == kNoSwitch || !fabric_.IsLive(at)) continue;
        const std::size_t first = (i - tables_.run(at).first) * MftTables::kPorts;
        for (unsigned mask = tables_.PresentMask(mlid, i); mask != 0; mask &= mask - 1U) {
            const auto number = first + static_cast<std::size_t>(std::countr_zero(mask));
            const PortIndex found =
                fabric_.PortOf(fabric_.switch_row(at).node, static_cast<PortNumber>(number));
            if (found == kNoPortIndex) continue;
            const Port& exit = fabric_.port(found);
            const bool is_own = exit.number == kManagementPort;
            if (!is_own && (!IsUsable(fabric_, exit) || IsSwitch(exit.peer))) continue;
            AddExit(exit, outcome);
        }
    }
}

bool Trees::IsSwitch(PortIndex at) const {
    return fabric_.node(fabric_.port(at).node).type == NodeType::kSwitch;
}

/// Hops from a switch to the farthest member: one more for members behind a link. kFar: one cannot
/// be reached. Gives up, with any larger number, beyond `limit`.
std::uint32_t Trees::Farthest(SwitchIndex at, std::uint32_t limit) const {
    const auto row = hops_[at];
    std::uint32_t farthest = 0;
    for (std::size_t i = 0; i < targets_; ++i) {
        const SwitchIndex target = memory_.targets[i];
        if (row[Raw(target)] == kNoHops) return kFar - 1;
        const std::uint32_t extra = memory_.spots[Raw(target)].is_end_far ? 1U : 0U;
        farthest = std::max(farthest, row[Raw(target)] + extra);
        if (farthest > limit) return farthest;
    }
    return farthest;
}

std::uint64_t Trees::DistanceToAll(SwitchIndex at) const {
    const auto row = hops_[at];
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < targets_; ++i) {
        sum += row[Raw(memory_.targets[i])];
    }
    return sum;
}

SwitchIndex Trees::ChooseRoot(MlidIndex mlid) {
    std::uint32_t least = kFar;
    std::size_t equals = 0;  // Of these, kept in the queue.
    for (std::size_t i = 0; i < switches_; ++i) {
        const SwitchIndex at = memory_.order[i];
        if (!CanForward(at)) continue;
        const std::uint32_t farthest = Farthest(at, least);
        if (farthest > least) continue;
        if (farthest < least) equals = 0;
        least = farthest;
        EMBER_ASSERT(equals < memory_.queue.size());
        memory_.queue[equals++] = at;
    }
    if (equals == 0) return kNoSwitch;
    if (order_ != Order::kBalanced) return memory_.queue[0];
    std::uint64_t nearest = ~std::uint64_t{0};
    std::size_t kept = 0;
    for (std::size_t i = 0; i < equals; ++i) {
        const std::uint64_t distance = DistanceToAll(memory_.queue[i]);
        if (distance > nearest) continue;
        if (distance < nearest) kept = 0;
        nearest = distance;
        memory_.queue[kept++] = memory_.queue[i];
    }
    EMBER_ASSERT(kept != 0);
    return memory_.queue[Raw(mlid) % kept];
}

/// Usable links to other switches, ascending port number, from the `turn`-th on and around.
void Trees::CollectTrunks(SwitchIndex at, std::size_t turn) {
    trunk_count_ = 0;
    for (const Port& port : fabric_.PortsOf(fabric_.switch_row(at).node)) {
        if (!IsUsable(fabric_, port)) continue;
        const Port& peer = fabric_.port(port.peer);
        const SwitchIndex beyond = fabric_.node(peer.node).switch_index;
        if (beyond == kNoSwitch || beyond == at || Raw(beyond) >= hops_.rows()) continue;
        EMBER_ASSERT(trunk_count_ < trunks_.size());
        trunks_[trunk_count_++] = {.peer = beyond, .port = port.number, .peer_port = peer.number};
    }
    if (trunk_count_ == 0) return;
    Trunk* const first = trunks_.data();
    std::rotate(first, first + turn % trunk_count_, first + trunk_count_);
}

/// Hands every member of a branch to the first trunk that is nearest to it.
void Trees::AssignPorts(const Branch& branch) {
    EMBER_ASSERT(std::size_t{branch.first} + branch.count <= memory_.targets.size());
    EMBER_ASSERT(trunk_count_ < Raw(kNoPort));
    const auto targets = memory_.targets.subspan(branch.first, branch.count);
    const auto ports = memory_.ports.subspan(branch.first, branch.count);
    const auto here = hops_[branch.at];
    for (std::size_t i = 0; i < targets.size(); ++i) {
        std::uint8_t nearest =
            here[Raw(targets[i])];  // No member is handed to a port that leads away from it.
        ports[i] = Raw(kNoPort);
        for (std::size_t t = 0; t < trunk_count_; ++t) {
            const std::uint8_t beyond = hops_[trunks_[t].peer][Raw(targets[i])];
            if (beyond >= nearest) continue;
            nearest = beyond;
            ports[i] = static_cast<std::uint8_t>(t);
            if (beyond + 1 == here[Raw(targets[i])]) break;  // A link counts 1: none is nearer.
        }
    }
}

/// Follows each trunk that members were handed to. False: one leads to a switch that cannot forward
/// or that another branch runs through, or a member was handed to none.
bool Trees::OpenBranches(const Branch& branch) {
    std::uint32_t first = branch.first;
    const std::uint32_t end = branch.first + branch.count;
    for (std::size_t t = 0; t < trunk_count_ && first < end; ++t) {
        std::uint32_t next = first;
        for (std::uint32_t i = first; i < end; ++i) {
            if (memory_.ports[i] != t) continue;
            std::swap(memory_.targets[i], memory_.targets[next]);
            std::swap(memory_.ports[i], memory_.ports[next]);
            ++next;
        }
        if (next == first) continue;
        const Trunk& trunk = trunks_[t];
        Spot& spot = Meet(trunk.peer);
        if (spot.is_entered || !CanForward(trunk.peer)) return false;
        spot.is_entered = true;
        Open(branch.at, trunk.port);
        Open(trunk.peer, trunk.peer_port);
        EMBER_ASSERT(branches_ < targets_);  // Branches hold disjoint members.
        memory_.branches[branches_++] = {.at = trunk.peer, .first = first, .count = next - first};
        first = next;
    }
    return first == end;
}

bool Trees::Split(const Branch& branch, MlidIndex mlid) {
    Branch rest = branch;
    for (std::uint32_t i = branch.first; i < branch.first + branch.count; ++i) {
        if (memory_.targets[i] != branch.at) continue;
        std::swap(memory_.targets[i], memory_.targets[branch.first]);
        ++rest.first;
        --rest.count;
        break;  // A switch is a target once.
    }
    if (rest.count == 0) return true;
    CollectTrunks(branch.at, order_ == Order::kBalanced ? Raw(mlid) : 0);
    AssignPorts(rest);
    return OpenBranches(rest);
}

/// OpenSM's tree. Branches hold disjoint members, at least one each: their number is bounded by
/// that of the targets, and every step takes members nearer to their goal, so it ends.
bool Trees::GrowShortest(SwitchIndex root, MlidIndex mlid) {
    Meet(root).is_entered = true;
    branches_ = 0;
    memory_.branches[branches_++] = {
        .at = root, .first = 0, .count = static_cast<std::uint32_t>(targets_)};
    while (branches_ != 0) {
        const Branch branch = memory_.branches[--branches_];
        EMBER_ASSERT(branch.count >= 1 && branch.first + branch.count <= targets_);
        if (!Split(branch, mlid)) return false;
    }
    return true;
}

TreeOutcome Trees::Plan(MlidIndex mlid) {
    TreeOutcome outcome;
    Gather(mlid, outcome);
    EMBER_ASSERT(outcome.lost <= outcome.members);
    if (outcome.members - outcome.lost < 2) {  // No other member to send to.
        std::fill_n(memory_.draft.begin(), tables_.position_bound(), std::uint16_t{0});
        Publish(mlid, outcome);
        return outcome;
    }
    const SwitchIndex root = ChooseRoot(mlid);
    EMBER_ASSERT(root != kNoSwitch);  // The members' switches are among them.
    if (!GrowShortest(root, mlid)) {
        outcome = TreeOutcome{.is_plain = true};
        Gather(mlid, outcome);
        GrowPlain(root, outcome);
    }
    outcome.is_refused = !Prove(outcome);
    if (!outcome.is_refused) Publish(mlid, outcome);
    return outcome;
}

void Trees::Publish(MlidIndex mlid, TreeOutcome& outcome) {
    for (std::size_t i = 0; i < tables_.position_bound(); ++i) {
        if (tables_.WantedMask(mlid, i) == memory_.draft[i]) continue;
        ++outcome.changed;
        tables_.Want(mlid, i, memory_.draft[i]);
    }
}

}  // namespace ember
