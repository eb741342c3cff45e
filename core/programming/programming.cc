// SPDX-License-Identifier: Apache-2.0
// EmberSM: from what shall be to Set() datagrams, and only those that change something.

#include "core/programming/programming.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/base/time.h"

namespace ember {
namespace {

/// Rounds over all ports after which what a device did not keep is tried once more.
inline constexpr std::uint8_t kUnkeptRounds = 10;
/// An activation is late after this time: no other subnet manager takes over within it from one
/// that goes on speaking.
inline constexpr std::uint64_t kLateUs = 400 * kMillisecondUs;

/// True when a port is ARMED, and neither it nor its peer has a reason to stay so.
[[nodiscard]] bool MayActivate(const Fabric& fabric, const Port& port) {
    if (port.info.Get(PortInfo::kPortState) != PortState::kArmed || port.quarantined) return false;
    // The board had no LID for it, or it might communicate with others than its partitions say.
    if ((IsEndPort(fabric, port) && port.lid == kNoLid) || port.lacks_p_keys) return false;
    if (port.number != kManagementPort) {  // An enhanced port 0 has no peer to wait for.
        if (port.peer == kNoPortIndex || fabric.port(port.peer).lacks_p_keys) return false;
        const PortState peer = fabric.port(port.peer).info.Get(PortInfo::kPortState);
        // Where the peer refused ARMED, ACTIVE would be refused too.
        if (peer != PortState::kArmed && peer != PortState::kActive) return false;
    }
    return true;
}

}  // namespace

Programming::Programming(const Memory& memory, const Limits& limits, const Parts& parts,
                         const Settings& settings)
    : fabric_(parts.fabric),
      exchange_(parts.exchange),
      asker_({parts.fabric, parts.exchange, parts.log}, settings, outcome_),
      log_(parts.log),
      planner_(parts.planner),
      settings_(settings),
      known_(memory.known, limits, parts.fabric),
      pending_(memory.pending_words),
      detour_(memory.detour_words),
      blind_(memory.blind_words),
      hot_(memory.hot_words),
      frozen_(memory.frozen_words),
      yield_(memory.yield_words),
      transition_(memory.homes, parts.fabric) {
    EMBER_ASSERT(memory.pending_words.size() >= KnownLfts::Words(limits));
    EMBER_ASSERT(memory.detour_words.size() >= KnownLfts::Words(limits));
    EMBER_ASSERT(memory.blind_words.size() >= KnownLfts::Words(limits));
    EMBER_ASSERT(memory.hot_words.size() >= LidWords(limits));
    EMBER_ASSERT(memory.frozen_words.size() >= LidWords(limits));
    EMBER_ASSERT(memory.yield_words.size() >= LidWords(limits));
    EMBER_ASSERT(memory.homes.size() >= LidStride(limits));
}

void Programming::BeginRound(bool first_master_sweep, bool only_touched, bool keeps_registrations) {
    Abandon();
    activates_ = false;
    asker_.BeginRound();
    minds_others_ = false;
    ports_from_us_ = kNever;
    were_right_ = has_written_ && !has_unlikes_ && outcome_.failed == 0;
    has_written_ = false;
    has_unlikes_ = false;
    expecting_ = false;
    outcome_ = ProgrammingOutcome{};
    all_reregister_ = first_master_sweep && !keeps_registrations;
    only_touched_ = only_touched && !first_master_sweep;
    BeginPorts();
    if (!known_.BeginRound(first_master_sweep || reads_anew_)) were_right_ = false;
    reads_anew_ = false;
}

void Programming::ExpectChanges() {
    EMBER_ASSERT(stage_ != Stage::kBlocks);
    pending_.clear();
    expecting_ = true;
}

void Programming::Begin(Stage stage) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    stage_ = stage;
    waiting_ = false;
    row_ = 0;
    block_ = 0;
    at_end_ = stage == Stage::kIdle;
}

void Programming::Abandon() {
    asker_.Abandon();
    transition_proof_.Stop();
    stage_ = Stage::kIdle;
    waiting_ = false;
    at_end_ = true;
}

void Programming::ForgetUnkept() {
    ForEachPort(fabric_, [](PortIndex, Port& port) { port.unkept = 0; });
}

/// A new master asks all clients until their ports are set. Unkept fields are set once more, as one
/// answer may have been wrong; one that would take down a link waits until that comes up anew.
void Programming::BeginPorts() {
    if (all_reregister_) ForEachPort(fabric_, [](PortIndex, Port& port) { port.fresh = true; });
    if (only_touched_ || ++unkept_rounds_ < kUnkeptRounds) return;
    unkept_rounds_ = 0;
    ForEachPort(fabric_, [](PortIndex, Port& port) {
        const bool is_up = port.info.Get(PortInfo::kPortState) > PortState::kInitialize;
        port.unkept &= is_up ? kRetrains : 0U;
    });
}

void Programming::Correct(SwitchIndex at, std::uint32_t block, const SmpData& content) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    known_.Take(at, block, content);
    has_unlikes_ = true;
}

void Programming::Step(std::uint64_t now_us) {
    switch (stage_) {
        case Stage::kIdle:
            break;
        case Stage::kPorts:
        case Stage::kActivation:
            PumpPorts(now_us);
            break;
        case Stage::kSwitches:
            PumpSwitches(now_us);
            break;
        case Stage::kReading:
            PumpReading(now_us);
            break;
        case Stage::kBlocks:
            PumpBlocks(now_us);
            break;
    }
}

/// True when the path to the node of `at` ends with the link of `at`.
bool Programming::IsOnOwnPath(PortIndex at) const {
    const Port& port = fabric_.port(at);
    EMBER_ASSERT(port.peer != kNoPortIndex);
    if (at == fabric_.own_port()) return false;
    const Node& node = fabric_.node(port.node);
    return node.type != NodeType::kSwitch || node.entry == port.peer;
}

/// When activation waits no longer for end ports.
std::uint64_t Programming::EndPortsDueUs() const {
    const bool is_over = row_ != 0 && !hurried_;  // Only the end of activation is put off.
    const std::uint32_t linger_us = exchange_.linger_us();
    return asker_.end_ports_moved_us() + (is_over ? std::max(linger_us, kEndPortsUs) : linger_us);
}

std::uint64_t Programming::NextDeadlineUs() const {
    const bool waits =
        stage_ == Stage::kActivation && waiting_ && asker_.end_ports_in_flight() != 0;
    return waits ? EndPortsDueUs() : kNever;
}

void Programming::PumpPorts(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kPorts || stage_ == Stage::kActivation);
    ports_from_us_ = std::min(ports_from_us_, now_us);
    const bool activates = stage_ == Stage::kActivation;
    const bool is_edge = row_ == 0 || row_ >= fabric_.port_bound();
    waiting_ = activates && !at_end_ && is_edge && AwaitsEndPorts(now_us);
    if (waiting_) return;
    activates_ = activates_ || activates;
    for (std::size_t i = 0; i < kRowsAtOnce && !at_end_ && asker_.has_room(); ++i) {
        if (row_ >= fabric_.port_bound()) {
            waiting_ = activates && AwaitsEndPorts(now_us);
            at_end_ = !waiting_;
            return;
        }
        PumpPort(static_cast<PortIndex>(row_++), now_us);
    }
}

void Programming::PumpPort(PortIndex at, std::uint64_t now_us) {
    const Port& port = fabric_.port(at);
    if (port.node == kNoNode || !port.has_info) return;
    if (stage_ != Stage::kPorts) {
        const bool is_active = port.info.Get(PortInfo::kPortState) == PortState::kActive;
        is_active ? Enforce(at, now_us) : Activate(at, now_us);
    } else if (!only_touched_ || port.touched) {
        SetPort(at, now_us);
    }
}

/// P_Key tables are written by now. A Set that was planned before the port was to enforce its
/// table, and repeated after that, has ended it again.
void Programming::Enforce(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kActivation);
    if (fabric_.port(at).p_key_guard == PKeyGuard::kLeftAlone) return;
    const PortPlan plan = planner_.Plan(at, false);
    if (plan.enforces_anew() && !plan.bounce) PostPlan(at, plan, now_us);
}

void Programming::SetPort(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.port(at).has_info);
    EMBER_ASSERT(stage_ == Stage::kPorts);
    fabric_.port(at).touched = false;
    const PortPlan plan = planner_.Plan(at, all_reregister_);
    if (!plan.differs) {
        ++outcome_.ports_right;
        return;
    }
    PostPlan(at, plan, now_us);
}

void Programming::PostPlan(PortIndex at, const PortPlan& plan, std::uint64_t now_us) {
    Ask ask{};
    if (!asker_.Prepare(at, AttributeId::kPortInfo, ask)) return;
    ask.method = Method::kSet;
    ask.modifier = Raw(fabric_.port(at).number) | (plan.extended ? kExtendedSpeedsModifier : 0U);
    ask.data = std::bit_cast<SmpData>(plan.set);
    ++outcome_.ports_set;
    // A host that does not answer is asked again in the next round, whatever round that is.
    fabric_.port(at).touched = asker_.IsOfHost(at);
    if (plan.bounce) ++(asker_.IsOfHostLink(at) ? outcome_.end_ports_bounced : outcome_.bounced);
    // The link takes the answer down with it, and a second try would take the link down again.
    if (plan.bounce && IsOnOwnPath(at) && !exchange_.is_lossy()) ask.tries = 1;
    if (plan.reregister) NoteReregister(fabric_.port(at), now_us);
    asker_.Post(ask, Kind::kPort, Raw(at), now_us);
}

void Programming::NoteReregister(const Port& port, std::uint64_t now_us) {
    ++outcome_.reregistered;
    log_.Write<Note::kReregisterAsked>(now_us, Raw(fabric_.node(port.node).guid), Raw(port.number));
}

void Programming::Activate(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(activates_);
    const Port& port = fabric_.port(at);
    if (!MayActivate(fabric_, port)) return;
    // The Set writes our LID into MasterSMLID. Where another master has made the port ACTIVE
    // meanwhile, its clients registered there, and nothing would show that.
    const bool is_late = minds_others_ && now_us >= ports_from_us_ + kLateUs;
    const PortPlan plan = planner_.Plan(at, is_late);
    const bool asks = is_late && plan.reregister;
    PortInfo set = plan.set;
    set.Set(PortInfo::kPortState, PortState::kActive);
    set.Set(PortInfo::kClientReregister, static_cast<std::uint8_t>(asks ? 1 : 0));
    Ask ask{};
    if (!asker_.Prepare(at, AttributeId::kPortInfo, ask)) return;
    ask.method = Method::kSet;
    ask.modifier = Raw(port.number) | (plan.extended ? kExtendedSpeedsModifier : 0U);
    ask.data = std::bit_cast<SmpData>(set);
    if (asks) NoteReregister(port, now_us);
    asker_.Post(ask, Kind::kActivate, Raw(at), now_us);
}

void Programming::PumpSwitches(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kSwitches || stage_ == Stage::kBlocks);
    for (std::size_t i = 0; i < kRowsAtOnce && !at_end_ && asker_.has_room(); ++i) {
        if (row_ >= fabric_.switch_bound()) {
            at_end_ = true;
            return;
        }
        const auto at = static_cast<SwitchIndex>(row_++);
        if (!fabric_.IsLive(at)) continue;
        const bool is_last = stage_ == Stage::kBlocks;
        if (is_last ? MustRise(at) && MayRise(at) : !MustRise(at)) SetSwitch(at, now_us);
    }
}

/// Entries above the top drop. Entries of a foreign table may lead anywhere: the top rises above
/// them when they have been written.
bool Programming::MustRise(SwitchIndex at) const {
    return known_.IsRouted(at) &&
           fabric_.switch_row(at).info.Get(SwitchInfo::kLinearFdbTop) < known_.top();
}

/// True when the entries below the new top are right, and lead to none that still leads away.
bool Programming::MayRise(SwitchIndex at) const {
    return !known_.row(at).lacking &&
           fabric_.switch_row(at).info.Get(SwitchInfo::kLinearFdbTop) >= top_frozen_;
}

void Programming::SetSwitch(SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.IsLive(at));
    const SwitchInfo& info = fabric_.switch_row(at).info;
    const bool changed = info.Get(SwitchInfo::kPortStateChange) != 0;
    // A switch that is left out cannot hold as much: its top stays.
    const Lid top = known_.IsRouted(at) ? known_.top() : info.Get(SwitchInfo::kLinearFdbTop);
    const bool right = info.Get(SwitchInfo::kLinearFdbTop) == top &&
                       info.Get(SwitchInfo::kLifeTimeValue) == settings_.packet_life_time;
    if (right && !changed) return;
    Ask ask{};
    if (!asker_.Prepare(fabric_.ManagementPortOf(at), AttributeId::kSwitchInfo, ask)) return;
    SwitchInfo set = info;  // PortStateChange is written back as it was read: 1 clears it.
    set.Set(SwitchInfo::kLinearFdbTop, top);
    set.Set(SwitchInfo::kLifeTimeValue, settings_.packet_life_time);
    ask.method = Method::kSet;
    ask.data = std::bit_cast<SmpData>(set);
    ++outcome_.switches_set;
    if (changed) ++outcome_.changes_cleared;
    asker_.Post(ask, Kind::kSwitch, Raw(at), now_us);
}

}  // namespace ember
