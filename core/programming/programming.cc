// SPDX-License-Identifier: Apache-2.0
// EmberSM: from what shall be to Set() datagrams, and only those that change something.

#include "core/programming/programming.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/assert.h"
#include "core/base/time.h"
#include "core/fabric/untrusted_switches.h"
#include "core/port_tables/devices.h"

namespace ember {
namespace {

/// Rounds over all ports after which what a device did not keep is tried once more.
inline constexpr std::uint8_t kUnkeptRounds = 10;

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
      asker_(parts.fabric, parts.exchange, settings, kProgrammingClient),
      log_(parts.log),
      planner_(parts.planner),
      settings_(settings),
      programmed_(memory.programmed, limits),
      known_(memory.known_words),
      pending_(memory.pending_words),
      detour_(memory.detour_words),
      blind_(memory.blind_words),
      unconfirmed_(memory.unconfirmed_words),
      hot_(memory.hot_words),
      frozen_(memory.frozen_words),
      yield_(memory.yield_words),
      transition_(memory.homes, parts.fabric),
      marks_per_block_(limits.max_switches),
      tables_(memory.tables),
      blocks_per_row_(LidStride(limits) / 64) {
    EMBER_ASSERT(memory.known_words.size() >= KnownWords(limits));
    EMBER_ASSERT(memory.pending_words.size() >= KnownWords(limits));
    EMBER_ASSERT(memory.detour_words.size() >= KnownWords(limits));
    EMBER_ASSERT(memory.blind_words.size() >= KnownWords(limits));
    EMBER_ASSERT(memory.unconfirmed_words.size() >= KnownWords(limits));
    EMBER_ASSERT(memory.hot_words.size() >= LidWords(limits));
    EMBER_ASSERT(memory.frozen_words.size() >= LidWords(limits));
    EMBER_ASSERT(memory.yield_words.size() >= LidWords(limits));
    EMBER_ASSERT(memory.homes.size() >= LidStride(limits));
    EMBER_ASSERT(tables_.size() >= limits.max_switches);
}

void Programming::BeginRound(bool first_master_sweep, bool only_touched, bool keeps_registrations) {
    EMBER_ASSERT(fabric_.switch_bound() <= tables_.size());
    Abandon();
    activates_ = false;
    hastens_ = false;
    minds_others_ = false;
    were_right_ = has_written_ && !has_unlikes_ && outcome_.failed == 0;
    has_written_ = false;
    has_unlikes_ = false;
    expecting_ = false;
    outcome_ = ProgrammingOutcome{};
    all_reregister_ = first_master_sweep && !keeps_registrations;
    only_touched_ = only_touched && !first_master_sweep;
    BeginPorts();
    const bool forgets_all = first_master_sweep || reads_anew_;
    reads_anew_ = false;
    top_ = fabric_.top_lid();
    programmed_.Fit(top_, rows_);
    rows_ = std::max(rows_, fabric_.switch_bound());
    for (std::size_t i = 0; i < fabric_.switch_bound(); ++i) {
        const auto at = static_cast<SwitchIndex>(i);
        KnownTable& table = tables_[at];
        const Switch& row = fabric_.switch_row(at);
        const Guid guid = fabric_.IsLive(at) ? fabric_.node(row.node).guid : kNoGuid;
        const Lid top = row.info.Get(SwitchInfo::kLinearFdbTop);
        // A first sweep follows a time in which another subnet manager may have written any table
        // without changing its top: what is known of tables is void then.
        const bool kept = !forgets_all && guid != kNoGuid && table.guid == guid &&
                          table.top == top && HasOurTables(fabric_, row.node);
        if (kept || (guid == kNoGuid && table.guid == kNoGuid)) continue;
        were_right_ = false;
        // Another switch, or this one was reset, or another master may have programmed it.
        for (std::uint32_t block = 0; block < blocks_per_row_; ++block) {
            MarkKnown(at, block, false);
            unconfirmed_.Remove(MarkOf(at, block));
        }
        table = KnownTable{.guid = guid, .top = top, .read = top == kNoLid};
    }
}

void Programming::ExpectChanges() {
    EMBER_ASSERT(stage_ != Stage::kBlocks);
    pending_.clear();
    expecting_ = true;
}

void Programming::Begin(Stage stage) {
    EMBER_ASSERT(in_flight() == 0);
    stage_ = stage;
    waiting_ = false;
    row_ = 0;
    block_ = 0;
    at_end_ = stage == Stage::kIdle;
}

void Programming::Abandon() {
    asker_.Abandon();
    transition_proof_.Stop();
    end_ports_in_flight_ = 0;
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

void Programming::MarkKnown(SwitchIndex at, std::uint32_t block, bool known) {
    const std::size_t bit = Raw(at) * blocks_per_row_ + block;
    if (known) {
        known_.Add(bit);
    } else {
        known_.Remove(bit);
    }
}

void Programming::Correct(SwitchIndex at, std::uint32_t block, const SmpData& content) {
    EMBER_ASSERT(in_flight() == 0);
    EMBER_ASSERT(std::size_t{block} * 64 + content.size() <= programmed_[at].size());
    std::memcpy(programmed_[at].data() + std::size_t{block} * 64, content.data(), content.size());
    MarkKnown(at, block, true);
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

/// The port of a host or router, but not ours, or of a switch that a host may play.
bool Programming::IsOfHost(PortIndex at) const {
    EMBER_ASSERT(at != kNoPortIndex);
    const Node& node = fabric_.node(fabric_.port(at).node);
    return at != fabric_.own_port() &&
           (node.type != NodeType::kSwitch || IsUntrustedSwitch(fabric_, node));
}

/// Either end of a link, known or not, to a host or router, but not to us.
bool Programming::IsOfHostLink(PortIndex at) const {
    const Port& port = fabric_.port(at);
    if (IsOfHost(at)) return true;
    if (at == fabric_.own_port() || port.number == kManagementPort) return false;
    return port.peer == kNoPortIndex || IsOfHost(port.peer);
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
    return end_ports_moved_us_ + (is_over ? std::max(linger_us, kEndPortsUs) : linger_us);
}

std::uint64_t Programming::NextDeadlineUs() const {
    const bool waits = stage_ == Stage::kActivation && waiting_ && end_ports_in_flight_ != 0;
    return waits ? EndPortsDueUs() : kNever;
}

/// Fills in the path to a port's node. False, and counted, when there is none.
bool Programming::Prepare(PortIndex at, AttributeId attribute, Ask& ask) {
    EMBER_ASSERT(at != kNoPortIndex);
    ask.attribute = attribute;
    if (asker_.FindPath(at, ask)) return true;
    CountFailure(at, Status::kUnreachable);
    return false;
}

void Programming::Post(Ask& ask, Kind kind, std::uint32_t subject, std::uint64_t now_us) {
    EMBER_ASSERT(ask.method == Method::kGet || ask.method == Method::kSet);
    EMBER_ASSERT((ask.cookie.detail & kEndPortLane) == 0);
    bool is_of_host = false;
    bool is_untrusted = false;
    if (ask.attribute == AttributeId::kPortInfo) {
        is_of_host = IsOfHost(static_cast<PortIndex>(subject));
        if (is_of_host) ask.cookie.detail |= kEndPortLane;
    } else {  // Tables have no such lane: an untrusted switch is given less time.
        const Switch& row = fabric_.switch_row(static_cast<SwitchIndex>(subject));
        is_untrusted = IsUntrustedSwitch(fabric_, fabric_.node(row.node));
    }
    const std::uint8_t tries = ask.tries;
    if (is_untrusted || (hastens_ && !is_of_host)) exchange_.Hasten(ask);
    if (tries != 0) ask.tries = tries;
    asker_.Post(ask, kind, subject, now_us);
    if (!is_of_host) return;
    ++end_ports_in_flight_;
    EMBER_ASSERT(end_ports_in_flight_ <= asker_.in_flight());
    end_ports_moved_us_ = now_us;
}

void Programming::PumpPorts(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kPorts || stage_ == Stage::kActivation);
    const bool activates = stage_ == Stage::kActivation;
    const bool is_edge = row_ == 0 || row_ >= fabric_.port_bound();
    waiting_ = activates && !at_end_ && is_edge && AwaitsEndPorts(now_us);
    if (waiting_) return;
    activates_ = activates_ || activates;
    for (std::size_t i = 0; i < kRowsAtOnce && !at_end_ && exchange_.has_room(); ++i) {
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
    const PortPlan plan = planner_.Plan(at, IsLate(now_us));
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
    PostPlan(at, IsLate(now_us) ? planner_.Plan(at, true) : plan, now_us);
}

void Programming::PostPlan(PortIndex at, const PortPlan& plan, std::uint64_t now_us) {
    Ask ask{};
    if (!Prepare(at, AttributeId::kPortInfo, ask)) return;
    ask.method = Method::kSet;
    ask.modifier = Raw(fabric_.port(at).number) | (plan.extended ? kExtendedSpeedsModifier : 0U);
    ask.data = std::bit_cast<SmpData>(plan.set);
    ++outcome_.ports_set;
    // A host that does not answer is asked again in the next round, whatever round that is.
    fabric_.port(at).touched = IsOfHost(at);
    if (plan.bounce) ++(IsOfHostLink(at) ? outcome_.end_ports_bounced : outcome_.bounced);
    // The link takes the answer down with it, and a second try would take the link down again.
    if (plan.bounce && IsOnOwnPath(at) && !exchange_.is_lossy()) ask.tries = 1;
    if (plan.reregister) NoteReregister(fabric_.port(at), now_us);
    Post(ask, Kind::kPort, Raw(at), now_us);
}

void Programming::NoteReregister(const Port& port, std::uint64_t now_us) {
    ++outcome_.reregistered;
    log_.Write<Note::kReregisterAsked>(now_us, Raw(fabric_.node(port.node).guid), Raw(port.number));
}

void Programming::Activate(PortIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(activates_);
    const Port& port = fabric_.port(at);
    if (!MayActivate(fabric_, port)) return;
    const bool is_late = IsLate(now_us);
    const PortPlan plan = planner_.Plan(at, is_late);
    const bool asks = is_late && plan.reregister;
    PortInfo set = plan.set;
    set.Set(PortInfo::kPortState, PortState::kActive);
    set.Set(PortInfo::kClientReregister, static_cast<std::uint8_t>(asks ? 1 : 0));
    Ask ask{};
    if (!Prepare(at, AttributeId::kPortInfo, ask)) return;
    ask.method = Method::kSet;
    ask.modifier = Raw(port.number) | (plan.extended ? kExtendedSpeedsModifier : 0U);
    ask.data = std::bit_cast<SmpData>(set);
    if (asks) NoteReregister(port, now_us);
    Post(ask, Kind::kActivate, Raw(at), now_us);
}

void Programming::PumpSwitches(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kSwitches || stage_ == Stage::kBlocks);
    for (std::size_t i = 0; i < kRowsAtOnce && !at_end_ && exchange_.has_room(); ++i) {
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
    return IsRouted(at) && fabric_.switch_row(at).info.Get(SwitchInfo::kLinearFdbTop) < top_;
}

/// True when the entries below the new top are right, and lead to none that still leads away.
bool Programming::MayRise(SwitchIndex at) const {
    return !tables_[at].lacking &&
           fabric_.switch_row(at).info.Get(SwitchInfo::kLinearFdbTop) >= top_frozen_;
}

void Programming::SetSwitch(SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.IsLive(at));
    const SwitchInfo& info = fabric_.switch_row(at).info;
    const bool changed = info.Get(SwitchInfo::kPortStateChange) != 0;
    // A switch that is left out cannot hold as much: its top stays.
    const Lid top = IsRouted(at) ? top_ : info.Get(SwitchInfo::kLinearFdbTop);
    const bool right = info.Get(SwitchInfo::kLinearFdbTop) == top &&
                       info.Get(SwitchInfo::kLifeTimeValue) == settings_.packet_life_time;
    if (right && !changed) return;
    Ask ask{};
    if (!Prepare(fabric_.ManagementPortOf(at), AttributeId::kSwitchInfo, ask)) return;
    SwitchInfo set = info;  // PortStateChange is written back as it was read: 1 clears it.
    set.Set(SwitchInfo::kLinearFdbTop, top);
    set.Set(SwitchInfo::kLifeTimeValue, settings_.packet_life_time);
    ask.method = Method::kSet;
    ask.data = std::bit_cast<SmpData>(set);
    ++outcome_.switches_set;
    if (changed) ++outcome_.changes_cleared;
    Post(ask, Kind::kSwitch, Raw(at), now_us);
}

}  // namespace ember
