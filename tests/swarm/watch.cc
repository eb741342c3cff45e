// SPDX-License-Identifier: Apache-2.0
// EmberSM: safety while everything rages.
#include "tests/swarm/watch.h"

#include <algorithm>

#include "tests/support/row_check.h"
#include "tests/swarm/judges.h"
#include "tests/swarm/swarm.h"

namespace ember::swarm {
namespace {

/// Steps that a manager may ask for without letting time go on.
constexpr std::uint64_t kMostTurns = 50'000;
/// Notes of one manager in a second of virtual time, and one more for each port that there is room
/// for: a fabric that is made up comes and goes with a sweep.
constexpr std::uint64_t kMostNotes = 2'000;
/// How long after two masters have met what they wrote may contradict itself.
constexpr std::uint64_t kAfterManyMastersUs = 3 * kSecond;
constexpr std::uint64_t kLookUs = 50 * kMs;

}  // namespace

Watch::Watch(Swarm& swarm) : swarm_(swarm), notes_seen_(swarm.seats()) {
    sim::World& world = swarm_.world().world();
    world.WatchLfts([this](std::uint32_t node, std::uint32_t block) { OnLftBlock(node, block); });
    world.WatchMfts([this](std::uint32_t node, std::uint32_t block) { OnMftBlock(node, block); });
}

Watch::~Watch() {
    swarm_.world().world().WatchLfts({});
    swarm_.world().world().WatchMfts({});
}

bool Watch::IsExcused() {
    const std::size_t masters = swarm_.world().masters();
    const std::size_t master = masters == 1 ? swarm_.world().master() : last_master_;
    if (masters > 1 || master != last_master_) {
        last_master_ = master;
        many_masters_us_ = swarm_.now_us();
        had_many_masters_ = true;
        is_settled_ = false;
        ups_ = ~std::uint64_t{0};
    }
    // The one that is left may hang, or work on a wire that loses much: what others have written
    // stands until it has had the subnet up.
    if (masters == 1 && !is_settled_) {
        const std::uint64_t ups = swarm_.world().sm(master).progress().up_count;
        ups_ = std::min(ups_, ups);  // Lower: another process.
        is_settled_ = ups > ups_;
    }
    if (is_deceived_) return true;
    const bool is_recent = swarm_.now_us() - many_masters_us_ < kAfterManyMastersUs;
    return had_many_masters_ && (is_recent || !is_settled_);
}

/// A circle that was not there before leads through the switch that was written to.
void Watch::OnLftBlock(std::uint32_t node, std::uint32_t block) {
    if (IsExcused()) return;
    const sim::World& world = swarm_.hardware();
    for (const std::uint32_t row : PortsWithLids(world)) {
        const PortInfo& info = world.port(row).info;
        const std::uint32_t first = Raw(info.Get(PortInfo::kLid));
        for (std::uint32_t i = 0; i < 1U << info.Get(PortInfo::kLmc); ++i) {
            if ((first + i) / 64 != block || !RunsInCircle(world, node, first + i)) continue;
            swarm_.Complain("no circle", "after block " + std::to_string(block) + " of " +
                                             NameOf(world, world.node(node).first_row) + " LID " +
                                             std::to_string(first + i) + " of " +
                                             NameOf(world, row) + " runs in a circle");
            return;
        }
    }
}

void Watch::OnMftBlock(std::uint32_t node, std::uint32_t block) {
    if (IsExcused()) return;
    for (std::uint32_t mlid = 0xC000 + block * 32; mlid < 0xC000 + block * 32 + 32; ++mlid) {
        if (!FloodFrom(swarm_.hardware(), node, mlid).circles) continue;
        swarm_.Complain("no multicast circle", "MLID " + std::to_string(mlid) + " after block " +
                                                   std::to_string(block) + " of node " +
                                                   std::to_string(node));
        return;
    }
}

/// Notes which switches are apart from the master.
void Watch::NoteApart() {
    const sim::World& world = swarm_.hardware();
    std::vector<bool> is_met(world.node_count(), false);
    std::vector<std::uint32_t> met;
    if (swarm_.world().masters() == 1) {
        met.push_back(swarm_.world().node_of_seat(swarm_.world().master()));
        is_met[met.front()] = true;
    }
    for (std::size_t at = 0; at < met.size(); ++at) {
        const auto& node = world.node(met[at]);
        if (at != 0 && !node.is_switch()) continue;
        for (std::uint32_t port = 1; port <= node.port_count; ++port) {
            const std::uint32_t beyond = world.Beyond(node.first_row + port);
            if (beyond == sim::kNoRow || is_met[world.port(beyond).node]) continue;
            is_met[world.port(beyond).node] = true;
            met.push_back(world.port(beyond).node);
        }
    }
    apart_us_.resize(world.node_count(), 0);
    for (const std::uint32_t node : swarm_.switches()) {
        if (!is_met[node]) apart_us_[node] = swarm_.now_us();
    }
}

/// Entries that several masters left in a part that none reaches stay until it has been reached.
bool Watch::IsLeftBehind(std::uint32_t node) const {
    return had_many_masters_ && apart_us_[node] != 0 &&
           swarm_.now_us() - apart_us_[node] < kAfterManyMastersUs;
}

/// Links that become ACTIVE may close a circle as well, with no block written.
void Watch::LookForCircles() {
    NoteApart();
    if (IsExcused()) return;
    const sim::World& world = swarm_.hardware();
    const std::vector<std::uint32_t> rows = PortsWithLids(world);
    for (const std::uint32_t node : swarm_.switches()) {
        if (IsLeftBehind(node)) continue;
        for (const std::uint32_t row : rows) {
            const std::uint32_t lid = Raw(world.port(row).info.Get(PortInfo::kLid));
            if (!RunsInCircle(world, node, lid)) continue;
            swarm_.Complain("no circle", "LID " + std::to_string(lid) + " of " +
                                             NameOf(world, row) + " runs in a circle from " +
                                             NameOf(world, world.node(node).first_row));
            return;
        }
        for (std::uint32_t mlid = 0xC000; mlid < 0xC000 + 32; ++mlid) {
            if (!FloodFrom(world, node, mlid).circles) continue;
            swarm_.Complain("no multicast circle",
                            "MLID " + std::to_string(mlid) + " from node " + std::to_string(node));
            return;
        }
    }
}

void Watch::CheckPools() {
    for (std::size_t seat = 0; seat < swarm_.seats(); ++seat) {
        if (!swarm_.world().alive(seat)) continue;
        const SubnetManager& sm = swarm_.world().sm(seat);
        const Limits& limits = sm.limits();
        if (sm.administration().transfers() > limits.max_sa_transfers) {
            swarm_.Complain(
                "pools", "answers in segments: " + std::to_string(sm.administration().transfers()));
        }
        if (sm.administration().waiting() > limits.max_sa_requests) {
            swarm_.Complain("pools", "more questions wait than there is room for");
        }
        if (sm.exchange().in_flight() > limits.max_smps) {
            swarm_.Complain("pools", "more datagrams in flight than there is room for");
        }
    }
}

/// A row that is gone is never named: another node may get it, or none.
void Watch::CheckRows() {
    for (std::size_t seat = 0; seat < swarm_.seats(); ++seat) {
        if (!swarm_.world().alive(seat)) continue;
        const std::string lost = testing::LostRowOf(swarm_.world().sm(seat).fabric());
        if (!lost.empty()) swarm_.Complain("rows are there", lost);
    }
}

void Watch::CountNotes() {
    for (std::size_t seat = 0; seat < swarm_.seats(); ++seat) {
        if (!swarm_.world().alive(seat)) continue;
        const SubnetManager& sm = swarm_.world().sm(seat);
        const std::uint64_t written = sm.log().next_sequence();
        if (written - notes_seen_[seat] > kMostNotes + sm.limits().max_ports) {
            swarm_.Complain("notes", std::to_string(written - notes_seen_[seat]) +
                                         " notes in a second by manager " + std::to_string(seat));
        }
        notes_seen_[seat] = written;
    }
}

void Watch::OnStep() {
    const std::uint64_t now_us = swarm_.now_us();
    turns_ = now_us == last_us_ ? turns_ + 1 : 0;
    last_us_ = now_us;
    if (turns_ > kMostTurns) swarm_.Complain("time goes on", "a manager is due for ever");
    CheckPools();
    if (now_us >= next_look_us_) {
        next_look_us_ = now_us + kLookUs;
        LookForCircles();
        CheckRows();
    }
    if (now_us >= next_count_us_) {
        next_count_us_ = now_us + kSecond;
        CountNotes();
    }
}

bool Watch::IsHealthy(std::string_view& oracle, std::string& complaint) {
    static const std::vector<Oracle> kOracles = HealthOracles();
    for (const Oracle& look : kOracles) {
        complaint = look.look(swarm_);
        if (complaint.empty()) continue;
        oracle = look.name;
        return false;
    }
    // Of a board that is too small less is asked than would show what is still believed wrongly.
    const bool is_judged = !swarm_.world().sm(swarm_.world().master()).fabric().shortage().any();
    if (is_judged) is_deceived_ = swarm_.deceiver().AnyLies(true);
    return true;
}

std::string Watch::Honest() {
    const sim::World& world = swarm_.hardware();
    // Of a board that is too small this is not asked; whether it is, is asked later.
    if (swarm_.world().masters() == 1 &&
        swarm_.world().sm(swarm_.world().master()).fabric().shortage().any()) {
        return {};
    }
    const auto is_honest = [&](std::uint32_t node) { return !swarm_.deceiver().Lies(node); };
    std::string twice =
        LidsAreDistinct(world, [&](std::uint32_t row) { return is_honest(world.port(row).node); });
    if (!twice.empty()) return twice;
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t node : swarm_.hosts()) {
        const std::uint32_t row = world.node(node).first_row + 1;
        if (!is_honest(node) || world.Beyond(row) == sim::kNoRow) continue;
        if (world.port(row).info.Get(PortInfo::kLid) == kNoLid) {
            return NameOf(world, row) + " has no LID";
        }
        if (world.port(row).info.Get(PortInfo::kPortState) != PortState::kActive) {
            return NameOf(world, row) + " is not ACTIVE";
        }
        rows.push_back(row);
    }
    for (const std::uint32_t from : rows) {
        for (const std::uint32_t to : rows) {
            if (std::string wrong = Reaches(world, from, to); !wrong.empty()) return wrong;
        }
    }
    if (swarm_.world().masters() != 1) return {};
    for (const auto look : {PartitionsAreKept, PacketsArrive, UpMeansUp}) {
        if (std::string wrong = look(swarm_); !wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace ember::swarm
