// SPDX-License-Identifier: Apache-2.0
// EmberSM: the VL arbitration and SL to VL tables of ports.

#include "core/lanes/lane_upkeep.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/base/time.h"
#include "core/lanes/routed_maps.h"
#include "core/port_tables/devices.h"

namespace ember {
namespace {

/// Port rows looked at in one Step().
inline constexpr std::uint32_t kRowsAtOnce = 2048;
/// How long others wait at least for a port that does not answer: one try may be lost.
inline constexpr std::uint32_t kPatienceUs = 250'000;

}  // namespace

LaneUpkeep::LaneUpkeep(const Parts& parts, const Settings& settings)
    : parts_(parts),
      settings_(settings),
      trust_(parts.fabric, parts.log),
      writer_(known_,
              TableProgramming::Parts{parts.fabric, parts.exchange, parts.log, *this, kLaneClient},
              settings) {}

/// An external port that is down has no link to share.
bool LaneUpkeep::HasLanes(const Port& port) const {
    const Fabric& fabric = parts_.fabric;
    if (port.node == kNoNode || !port.has_info) return false;
    const Node& node = fabric.node(port.node);
    const bool is_reached = port.peer != kNoPortIndex || fabric.own_port() == fabric.IndexOf(port);
    if (node.type != NodeType::kSwitch) return port.lid != kNoLid && is_reached;
    if (port.number == kManagementPort) return HasEnhancedPort0(fabric, node) || MapsAtOnce(node);
    return port.info.Get(PortInfo::kPortState) != PortState::kDown;
}

bool LaneUpkeep::MapsAtOnce(const Node& node) const {
    if (!settings_.use_optimized_slvl || node.type != NodeType::kSwitch) return false;
    if (HasRoutedLanes() && lanes_->lane_map.form() != LaneMap::Form::kIdentity) return false;
    const SwitchInfo& info = parts_.fabric.switch_row(node.switch_index).info;
    return info.Get(SwitchInfo::kOptimizedSlToVlMappingProgramming) != 0;
}

/// Of two that as many ports have, the one that was met first.
VlCap LaneUpkeep::MostUsedVls(const Node& node, NodeIndex at) const {
    EMBER_ASSERT(node.type == NodeType::kSwitch);
    std::array<std::uint16_t, Raw(VlCap::kVl0To14) + 1> ports{};
    auto most = VlCap::kVl0;
    for (const Port& port : parts_.fabric.PortsOf(at).subspan(1)) {
        if (!HasLanes(port)) continue;
        const VlCap vls = PlannedVls(parts_.fabric, port, settings_);
        EMBER_ASSERT(vls >= VlCap::kVl0 && vls <= VlCap::kVl0To14);
        if (++ports[Raw(vls)] > ports[Raw(most)]) most = vls;
    }
    return most;
}

/// Decides which ports of a node are still as they shall be, by what the sweep has seen.
void LaneUpkeep::Review(const Node& node, NodeIndex at, Recheck recheck) {
    const Fabric& fabric = parts_.fabric;
    const bool is_switch = node.type == NodeType::kSwitch;
    const bool has_switch = is_switch && IsAsWeLeftIt(fabric, at);
    bool has_changed = false;
    for (Port& port : fabric.PortsOf(at)) {
        const bool is_left = is_switch ? has_switch : IsAsWeLeftIt(fabric, fabric.IndexOf(port));
        const bool has_lanes = HasLanes(port);
        const bool fits = has_lanes && port.lane_vls == PlannedVls(fabric, port, settings_);
        if (recheck == Recheck::kNone && is_left && fits) continue;
        has_changed = has_changed || has_lanes;
        if (recheck == Recheck::kRead && is_left) {
            port.lane_state = LaneState::kUnconfirmed;
        } else if (port.lane_state != LaneState::kFailed) {
            port.lane_state = LaneState::kUnknown;
        }
    }
    Port& first = fabric.PortsOf(at).front();
    const bool is_partly_right = first.lane_state == LaneState::kRight;
    if (has_changed && is_partly_right && MapsAtOnce(node)) first.lane_state = LaneState::kUnknown;
}

/// Tables once written are looked after for good: a map of other routes, or of keys that count no
/// longer, drops what those never sent. Returns whether it was on before.
bool LaneUpkeep::TurnOn() {
    const bool was_on = is_on_;
    is_on_ = is_on_ || settings_.qos || HasRoutedLanes();
    return was_on;
}

void LaneUpkeep::Begin(bool forgets_all, std::uint64_t now_us) {
    Abandon();  // The round before may be under way.
    const bool was_on = TurnOn();
    silent_ = 0;
    forgets_all_ = forgets_all;
    trust_.Begin(settings_.qos || OffersLanes(settings_), forgets_all, now_us);
    cursor_ = static_cast<std::uint32_t>(parts_.fabric.port_bound());  // Until there are routes.
    if (!is_on_) return;
    const bool is_changed = SumOfLanes(settings_) != sum_ || !was_on;
    ReviewAll(forgets_all ? Recheck::kRead : is_changed ? Recheck::kWrite : Recheck::kNone);
}

void LaneUpkeep::ReviewAll(Recheck recheck) {
    sum_ = SumOfLanes(settings_);
    for (std::size_t i = 0; i < parts_.fabric.node_bound(); ++i) {
        const auto at = static_cast<NodeIndex>(i);
        if (!parts_.fabric.IsLive(at)) continue;
        const Node& node = parts_.fabric.node(at);
        const bool is_others = BearsOtherMaster(parts_.fabric, node.first_port);
        Review(node, at, is_others && recheck == Recheck::kNone ? Recheck::kRead : recheck);
    }
}

void LaneUpkeep::Compare(const RoutingLanes& before, const RoutingLanes& next) {
    Abandon();
    const Fabric& fabric = parts_.fabric;
    if (!next.MapsLike(before)) {
        ForEachPort(fabric, [&](PortIndex at, const Port&) { Forget(at); });
        return;
    }
    ForEachSwitch(fabric, [&](SwitchIndex at, const Switch& row) {
        if (next.lane_map.IsSameAt(before.lane_map, at)) return;
        for (const Port& port : fabric.PortsOf(row.node)) {
            if (next.lane_map.IsSameTo(before.lane_map, at, port.number)) continue;
            Forget(fabric.IndexOf(port));
        }
    });
}

/// Tables that were right may not be so any more.
void LaneUpkeep::Forget(PortIndex at) const {
    Port& port = parts_.fabric.port(at);
    if (port.lane_state == LaneState::kRight) port.lane_state = LaneState::kUnknown;
}

void LaneUpkeep::FollowRoutes(const RoutingLanes& lanes) {
    EMBER_ASSERT(lanes.count != 0);
    Abandon();
    lanes_ = &lanes;
    const bool was_on = TurnOn();
    // Routes of one lane have no circle on whatever lanes a map of others spreads them over.
    if (!is_on_) return;
    // A run before this one may have written what the routes of this one need.
    if (!was_on) ReviewAll(forgets_all_ ? Recheck::kRead : Recheck::kWrite);
    cursor_ = 0;
    is_walking_ = true;
    is_settled_ = false;
    has_moved_ = true;
    writer_.Begin();
}

void LaneUpkeep::Abandon() {
    if (!is_on_) return;  // Nothing was asked.
    writer_.Abandon();
    for (Job& job : jobs_) {
        job.port = kNoPortIndex;
    }
    cursor_ = static_cast<std::uint32_t>(parts_.fabric.port_bound());
    checked_ = kNoPortIndex;
    is_settled_ = true;
    is_walking_ = false;
    is_trial_ = false;
    trials_.clear();
    trial_differs_ = 0;
    changed_ = kNoSwitch;
}

bool LaneUpkeep::Check(PortIndex at, std::uint64_t now_us) {
    const Fabric& fabric = parts_.fabric;
    const bool is_busy = std::any_of(jobs_.begin(), jobs_.end(),
                                     [](const Job& job) { return job.port != kNoPortIndex; });
    if (!is_on_ || is_walking_ || is_busy || !writer_.done()) return false;
    const Port& port = fabric.port(at);
    const bool is_right = HasLanes(port) && port.lane_state == LaneState::kRight &&
                          port.lane_vls == PlannedVls(fabric, port, settings_);
    if (!is_right) return false;
    // Port 0 stands for all ports of such a switch, which are checked one by one.
    const bool is_for_all = port.number == kManagementPort && MapsAtOnce(fabric.node(port.node));
    if (is_for_all) return false;
    jobs_[0] = {.port = at, .number = 0, .reads = true, .checks = true};
    checked_ = at;
    set_before_ = writer_.outcome().set;
    is_different_ = false;
    Advance(jobs_[0]);
    writer_.TryAgain();
    static_cast<void>(Step(now_us));
    return true;
}

void LaneUpkeep::EndCheck(std::uint64_t now_us) {
    if (!is_checking() || jobs_[0].port != kNoPortIndex) return;
    const Port& port = parts_.fabric.port(checked_);
    checked_ = kNoPortIndex;
    EMBER_ASSERT(writer_.outcome().set >= set_before_);
    const std::uint32_t tables = writer_.outcome().set - set_before_;
    is_different_ = tables != 0;
    ObserveCheck(port, now_us);
    if (!is_different_) return;
    parts_.log.WriteSparingly<Note::kScrubLanes>(now_us, Raw(parts_.fabric.node(port.node).guid),
                                                 Raw(port.number), tables);
}

bool LaneUpkeep::IsDue(const Port& port) const {
    if (!HasLanes(port) || port.lane_state == LaneState::kRight) return false;
    if (!is_trial_) return true;
    SwitchIndex at = SwitchOf(port);
    // At rest an end port whose tables failed is tried with the switch in front of it.
    const bool is_end = at == kNoSwitch && port.peer != kNoPortIndex;
    if (is_end && is_settled_ && port.lane_state == LaneState::kFailed) {
        at = SwitchOf(parts_.fabric.port(port.peer));
    }
    return at != kNoSwitch && std::find(trials_.begin(), trials_.end(), at) != trials_.end();
}

/// Gives free jobs to ports whose tables are not right.
void LaneUpkeep::Fill() {
    const Fabric& fabric = parts_.fabric;
    auto* job = jobs_.begin();
    for (std::uint32_t i = 0; i < kRowsAtOnce && cursor_ < fabric.port_bound(); ++i) {
        job =
            std::find_if(job, jobs_.end(), [](const Job& one) { return one.port == kNoPortIndex; });
        if (job == jobs_.end()) return;
        const auto at = static_cast<PortIndex>(cursor_++);
        Port& port = fabric.port(at);
        if (!IsDue(port)) continue;
        port.lane_vls = PlannedVls(fabric, port, settings_);
        *job = {.port = at, .number = 0, .reads = port.lane_state == LaneState::kUnconfirmed};
        Advance(*job);
        looks_again_ = true;
    }
}

bool LaneUpkeep::Step(std::uint64_t now_us) {
    // Our own port is known from the first answer of the first sweep on.
    if (!is_on_ || lanes_ == nullptr || parts_.fabric.own_port() == kNoPortIndex) return false;
    if (has_moved_) moved_us_ = now_us;
    has_moved_ = false;
    Fill();
    if (looks_again_) writer_.LookAgain();
    looks_again_ = false;
    writer_.Step(now_us);
    EndCheck(now_us);
    GoOn(now_us);
    const bool is_over = cursor_ >= parts_.fabric.port_bound() && !looks_again_;
    const bool has_free_job = std::any_of(jobs_.begin(), jobs_.end(),
                                          [](const Job& job) { return job.port == kNoPortIndex; });
    return looks_again_ || (!is_over && has_free_job);
}

std::uint64_t LaneUpkeep::PatienceEndsUs() const {
    return moved_us_ + std::max(parts_.exchange.linger_us(), kPatienceUs);
}

std::uint64_t LaneUpkeep::NextDeadlineUs() const {
    if (!is_on_) return kNever;
    const bool is_patient = is_settled_ || (HasRoutedLanes() && AwaitsSwitch());
    return std::min(writer_.NextDeadlineUs(), is_patient ? kNever : PatienceEndsUs());
}

void LaneUpkeep::Hear(const Answer& answer, std::uint64_t now_us) {
    if (answer.method == Method::kSet) {
        const bool is_map = answer.attribute == AttributeId::kSlToVlMappingTable;
        (is_map ? maps_ : arbitrations_)
            .Count(answer.status == Status::kOk, is_checking() || (is_trial_ && is_settled_));
    }
    NoteAnswer(answer);
    writer_.Hear(answer, now_us);
    EndCheck(now_us);
}

TableIndex LaneUpkeep::Next(std::uint32_t& cursor) const {
    while (cursor < jobs_.size()) {
        const std::uint32_t at = cursor++;
        if (jobs_[at].port != kNoPortIndex) return static_cast<TableIndex>(at);
    }
    return kNoTable;
}

bool LaneUpkeep::Find(TableIndex at, PortTable& table, SmpData& wanted) const {
    EMBER_ASSERT(Raw(at) < jobs_.size());
    const Job& job = jobs_[Raw(at)];
    return job.port != kNoPortIndex && TableAt(job, table, wanted);
}

void LaneUpkeep::Settle(TableIndex at, Status status) {
    EMBER_ASSERT(Raw(at) < jobs_.size());
    Job& job = jobs_[Raw(at)];
    EMBER_ASSERT(job.port != kNoPortIndex);
    looks_again_ = true;
    if (status == Status::kOk || (status == Status::kRefused && !is_trial_)) {
        job.has_failed = job.has_failed || status != Status::kOk;
        has_moved_ = true;
        ++job.number;
        Advance(job);
        return;
    }
    if (job.checks) {  // Its tables were right before.
        Close(job, LaneState::kRight);
        return;
    }
    if (status == Status::kTimeout) {
        ++silent_;
        const SwitchIndex owner = SwitchOf(parts_.fabric.port(job.port));
        const bool is_new = std::find(trials_.begin(), trials_.end(), owner) == trials_.end();
        if (owner != kNoSwitch && !is_trial_ && is_new) static_cast<void>(trials_.TryPush(owner));
    }
    Close(job, LaneState::kFailed);
}

void LaneUpkeep::Advance(Job& job) const {
    EMBER_ASSERT(job.port != kNoPortIndex);
    if (SkipToTable(job) || (ReadsAgain(job) && SkipToTable(job))) return;
    Close(job, job.has_failed ? LaneState::kFailed : LaneState::kRight);
}

void LaneUpkeep::Close(Job& job, LaneState state) const {
    EMBER_ASSERT(job.port != kNoPortIndex);
    parts_.fabric.port(job.port).lane_state = state;
    job.port = kNoPortIndex;
}

}  // namespace ember
