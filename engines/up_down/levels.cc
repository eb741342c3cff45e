// SPDX-License-Identifier: Apache-2.0
// EmberSM: how far a switch is from the roots or from the leaf switches.

#include "engines/up_down/levels.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/graph/leaf_switches.h"
#include "core/graph/named_roots.h"
#include "core/graph/nearest.h"

namespace ember {
void Levels::Begin(const RoutingTask& task, UpDownRule rule) {
    const Topology& topology = *task.topology;
    task_ = task;
    rule_ = rule;
    level_ = Table<SwitchIndex, std::uint16_t>(
        task.scratch->Take<std::uint16_t>(topology.switch_bound()));
    level_.fill(kNoLevel);
    by_level_ = task.scratch->Take<SwitchIndex>(topology.switch_count());
    leaves_ = {};
    is_tree_ = false;
    reached_ = 0;
    next_ = 0;
    origin_count_ = 0;
    top_ = 0;
    has_flat_link_ = false;
    end_ports_ = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        end_ports_ += topology.switch_row(at).end_port_count;
    }
    has_named_roots_ = task.options->tables.has_roots;
    phase_ = LooksForFarthest() ? Phase::kDistances : Phase::kOrigins;
}

bool Levels::LooksForFarthest() const {
    return rule_ == UpDownRule::kFromRoots && !has_named_roots_ && task_.is_balanced();
}

Progress Levels::Advance() {
    // clang-format off
    switch (phase_) {
        case Phase::kDistances: MeasureDistances(); break;
        case Phase::kOrigins:   FindOrigins();      break;
        case Phase::kSpread:    Spread();           break;
        case Phase::kDone:      break;
    }
    // clang-format on
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

/// For the time being levels are links to the nearest leaf switch. The engine may spend the hops
/// later, so all that depends on them is found now.
void Levels::MeasureDistances() {
    leaves_ = task_.scratch->Take<SwitchIndex>(by_level_.size());
    leaves_ = leaves_.first(CollectLeafSwitches(*task_.topology, task_.hops, leaves_));
    ReachFrom(leaves_);
    is_tree_ = top_ > 0 && !HasFlatLink(reached_);
    reached_ = 0;
    phase_ = Phase::kOrigins;
}

void Levels::FindOrigins() {
    bool all_found = true;
    if (rule_ == UpDownRule::kFromLeaves) {
        TakeLeaves();
    } else if (has_named_roots_) {
        TakeNamedRoots();
        if (reached_ == 0 && task_.is_balanced()) {  // A file of another fabric names no root.
            has_named_roots_ = false;
            phase_ = Phase::kDistances;
            return;
        }
    } else {
        all_found = FindRoots();
    }
    if (!all_found) return;
    if (LooksForFarthest()) KeepFarthest();
    origin_count_ = reached_;
    phase_ = origin_count_ == 0 ? Phase::kDone : Phase::kSpread;
    if (origin_count_ == 0 && rule_ == UpDownRule::kFromRoots && task_.is_balanced()) Recount();
}

void Levels::TakeNamedRoots() {
    const NamedRoots roots(*task_.options);
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        if (roots.Has(*task_.topology, at)) AddOrigin(at);
    }
}

/// Checks some switches. False: there are more.
bool Levels::FindRoots() {
    const auto switches = task_.topology->switches_by_guid();
    const std::size_t end = std::min(switches.size(), next_ + kSwitchesPerSlice);
    for (; next_ < end; ++next_) {
        if (LooksLikeRoot(switches[next_])) AddOrigin(switches[next_]);
    }
    return next_ == switches.size();
}

bool Levels::LooksLikeRoot(SwitchIndex at) const {
    const Topology& topology = *task_.topology;
    const auto hops = task_.hops[at];
    std::array<std::uint64_t, kMostDistances> end_ports_at{};
    for (std::size_t i = 0; i < topology.switch_bound(); ++i) {
        const std::uint32_t count = topology.switch_row(static_cast<SwitchIndex>(i)).end_port_count;
        if (count != 0 && hops[i] < kMostDistances) end_ports_at[hops[i]] += count;
    }
    const auto many = std::count_if(end_ports_at.begin(), end_ports_at.end(),
                                    [this](auto count) { return count * 10 > end_ports_ * 9; });
    const auto some = std::count_if(end_ports_at.begin(), end_ports_at.end(),
                                    [this](auto count) { return count * 20 > end_ports_; });
    return many == 1 && some == 1;
}

void Levels::TakeLeaves() {
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        if (task_.topology->switch_row(at).end_port_count != 0) AddOrigin(at);
    }
}

void Levels::AddOrigin(SwitchIndex at) {
    by_level_[reached_++] = at;
}

/// Keeps the farthest of the origins, and in a tree takes those that are as far.
void Levels::KeepFarthest() {
    std::uint16_t farthest = 0;
    for (const SwitchIndex at : by_level_.first(reached_)) {
        farthest = std::max(farthest, level_[at]);
    }
    const auto found = by_level_.first(reached_);
    const auto end = std::remove_if(found.begin(), found.end(),
                                    [&](SwitchIndex at) { return level_[at] != farthest; });
    reached_ = static_cast<std::size_t>(end - found.begin());
    if (!is_tree_ || reached_ == 0 || farthest == 0) return;
    reached_ = 0;
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        if (level_[at] == farthest) AddOrigin(at);
    }
}

/// Breadth first from all origins at once.
void Levels::Reach() {
    level_.fill(kNoLevel);
    for (const SwitchIndex origin : by_level_.first(reached_)) {
        level_[origin] = 0;
    }
    for (std::size_t head = 0; head < reached_; ++head) {  // Each switch joins once.
        const SwitchIndex here = by_level_[head];
        top_ = level_[here];
        for (const Trunk& trunk : task_.topology->trunks(here)) {
            if (level_[trunk.peer] != kNoLevel) continue;
            level_[trunk.peer] = static_cast<std::uint16_t>(level_[here] + 1);
            by_level_[reached_++] = trunk.peer;
        }
    }
}

void Levels::Spread() {
    Reach();
    if (rule_ == UpDownRule::kFromRoots && task_.is_balanced() && origin_count_ > 1) {
        const std::size_t odd = CountOddPorts();
        if (odd != 0) LevelByParity();
        if (odd != 0 && CountOddPorts() >= odd) {
            reached_ = origin_count_;
            Reach();
        }
    }
    End();
}

/// Among the switches that are reached.
std::size_t Levels::CountOddPorts() const {
    std::size_t count = 0;
    for (const SwitchIndex at : by_level_.first(reached_)) {
        const auto trunks = task_.topology->trunks(at);
        count += static_cast<std::size_t>(
            std::count_if(trunks.begin(), trunks.end(),
                          [&](const Trunk& trunk) { return IsOdd(at, trunk.peer); }));
    }
    return count;
}

void Levels::LevelByParity() {
    const auto roots = by_level_.first(origin_count_);
    for (const SwitchIndex at : by_level_.first(reached_).subspan(origin_count_)) {
        level_[at] = NearestByParity(task_.hops[at], roots, [](SwitchIndex) { return 1U; });
    }
    SortByLevel();
}

/// Few have moved.
void Levels::SortByLevel() {
    for (std::size_t i = 1; i < reached_; ++i) {
        const SwitchIndex at = by_level_[i];
        std::size_t place = i;
        for (; place > 0 && level_[by_level_[place - 1]] > level_[at]; --place) {
            by_level_[place] = by_level_[place - 1];
        }
        by_level_[place] = at;
    }
    top_ = level_[by_level_[reached_ - 1]];
}

void Levels::End() {
    AppendUnreached();
    has_flat_link_ = HasFlatLink(by_level_.size());
    phase_ = Phase::kDone;
    FindOddLinks();
    assumed_roots_ = {};
    if (rule_ != UpDownRule::kFromRoots || has_named_roots_) return;
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        if (level_[at] != 0) continue;
        if (assumed_roots_.count++ == 0) assumed_roots_.first = task_.topology->switch_row(at).guid;
    }
}

void Levels::FindOddLinks() {
    odd_links_.clear();
    if (!task_.is_balanced()) return;
    std::size_t all = 0;
    for (const SwitchIndex at : by_level_) {
        all += task_.topology->trunks(at).size();
        if (AddOddLinks(at)) continue;
        odd_links_.clear();
        return;
    }
    if (odd_links_.size() * kOddShare > all) odd_links_.clear();
}

/// False: there are too many, or the switch has no others.
bool Levels::AddOddLinks(SwitchIndex at) {
    bool has_others = false;
    const std::size_t before = odd_links_.size();
    for (const Trunk& trunk : task_.topology->trunks(at)) {
        const bool is_odd = IsOdd(at, trunk.peer);
        has_others = has_others || !is_odd;
        if (!is_odd) continue;
        if (odd_links_.TryPush({.at = at, .port = trunk.port}) != Status::kOk) return false;
    }
    return has_others || odd_links_.size() == before;
}

/// Among the first `count` of by_level_.
bool Levels::HasFlatLink(std::size_t count) const {
    const auto switches = by_level_.first(count);
    return std::any_of(switches.begin(), switches.end(), [this](SwitchIndex here) {
        const auto exits = task_.topology->exits(here);
        return std::any_of(exits.begin(), exits.end(), [&](const Exit& exit) {
            return exit.peer != kNoSwitch && level_[exit.peer] == level_[here];
        });
    });
}

void Levels::Recount() {
    if (!is_tree_ && origin_count_ != 0) return;
    ReachFrom(leaves_);
    if (is_tree_) {
        TurnOver();
    } else {
        TakeTops();
        origin_count_ = reached_;
        Reach();
    }
    End();
}

void Levels::ReachFrom(std::span<const SwitchIndex> origins) {
    reached_ = 0;
    for (const SwitchIndex at : origins) {
        AddOrigin(at);
    }
    Reach();
}

/// Called while levels are links to the nearest leaf switch.
void Levels::TakeTops() {
    reached_ = CollectTopSwitches(*task_.topology, task_.hops, leaves_, by_level_, *task_.scratch);
    if (reached_ == 0) AddOrigin(ChooseRoot());
}

/// The switches that were farthest from the origins become the origins.
void Levels::TurnOver() {
    const auto reached = by_level_.first(reached_);
    std::reverse(reached.begin(), reached.end());
    origin_count_ = 0;
    for (const SwitchIndex at : reached) {
        level_[at] = static_cast<std::uint16_t>(top_ - level_[at]);
        if (level_[at] == 0) ++origin_count_;
    }
}

/// Called while levels are links to the nearest leaf switch.
SwitchIndex Levels::ChooseRoot() const {
    const auto rank = [this](SwitchIndex at) {
        const std::size_t distance = level_[at] == kNoLevel ? 0 : level_[at];
        return distance << 16U | task_.topology->switch_row(at).trunk_count;
    };
    const auto switches = task_.topology->switches_by_guid();
    return *std::max_element(switches.begin(), switches.end(),
                             [&](SwitchIndex a, SwitchIndex b) { return rank(a) < rank(b); });
}

void Levels::AppendUnreached() {
    reach_all_ = reached_ == by_level_.size();
    for (const SwitchIndex at : task_.topology->switches_by_guid()) {
        if (level_[at] == kNoLevel) by_level_[reached_++] = at;
    }
    EMBER_ASSERT(reached_ == by_level_.size());
}

void NumberSwitches(const RoutingTask& task, std::span<std::uint64_t> ids) {
    const auto lines = task.options->tables.ids;
    for (const SwitchIndex at : task.topology->switches_by_guid()) {
        const Guid guid = task.topology->switch_row(at).guid;
        const auto line =
            std::lower_bound(lines.begin(), lines.end(), guid,
                             [](const GuidNumber& row, Guid wanted) { return row.guid < wanted; });
        ids[Raw(at)] = line != lines.end() && line->guid == guid ? line->number : Raw(guid);
    }
}

}  // namespace ember
