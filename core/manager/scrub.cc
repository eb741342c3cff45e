// SPDX-License-Identifier: Apache-2.0
// EmberSM: the scrub, which slowly reads the subnet again while it rests.

#include "core/manager/scrub.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/time.h"

namespace ember {
namespace {

/// The least time between two rounds for corrected blocks.
inline constexpr std::uint64_t kRoundPaceUs = 10 * kSecondUs;
/// Steps without a question, and rows without a switch, that are passed in one call.
inline constexpr std::size_t kStepsAtOnce = 1024;
/// Times that one step is begun and interrupted. Sweeps that follow each other faster than a deaf
/// port is given up would have it asked for ever.
inline constexpr std::uint8_t kMostCuts = 3;

}  // namespace

Scrub::Scrub(const Parts& parts, const Settings& settings)
    : fabric_(parts.fabric),
      asker_(parts.fabric, parts.exchange, settings, kScrubClient),
      log_(parts.log),
      programming_(parts.programming),
      multicast_(parts.multicast),
      tables_(parts.tables),
      settings_(settings) {}

std::uint64_t Scrub::IntervalUs() const {
    return settings_.scrub_interval * kSecondUs;
}

void Scrub::Pause() {
    if (is_paused_) return;
    is_paused_ = true;
    if (awaits_tables_ || asker_.in_flight() != 0) ++cuts_;
    awaits_tables_ = false;  // A check under way goes on, or ends with the next round.
    if (asker_.in_flight() != 0) asker_.Abandon();
}

/// A visit goes on where it stopped, or in a subnet with many sweeps only the first ports of a
/// switch would be read. But a sweep may have given the row to another switch.
void Scrub::Resume(std::uint64_t now_us) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    is_paused_ = false;
    const bool is_there = fabric_.IsLive(at_) && GuidOf(at_) == visited_ &&
                          phase_ != Phase::kDone && step_ < StepsOf(phase_);
    if (!is_there) phase_ = Phase::kDone;
    if (is_there && cuts_ >= kMostCuts) GoOn();
    next_us_ = is_there ? now_us + gap_us_ : std::max(now_us, visit_ends_us_);
}

std::uint64_t Scrub::NextDeadlineUs() const {
    const bool waits =
        is_paused_ || asker_.in_flight() != 0 || awaits_tables_ || settings_.scrub_interval == 0;
    if (waits) return kNever;
    return owed_to_ == kNoGuid ? next_us_ : std::min(next_us_, round_us_);
}

Scrub::Wish Scrub::TakeWish() {
    const Wish wish = wish_;
    wish_ = Wish::kNothing;
    // The suspect may be lost meanwhile.
    return wish == Wish::kRound && suspect() == kNoSwitch ? Wish::kSweep : wish;
}

SwitchIndex Scrub::suspect() const {
    const NodeIndex at = suspect_ == kNoGuid ? kNoNode : fabric_.FindNode(suspect_);
    return at == kNoNode ? kNoSwitch : fabric_.node(at).switch_index;
}

void Scrub::Step(std::uint64_t now_us) {
    if (settings_.scrub_interval == 0) return;
    if (is_paused_) Resume(now_us);
    PayRound(now_us);
    if (awaits_tables_) EndTables(now_us);
    if (awaits_tables_) return;
    if (asker_.in_flight() != 0 || now_us < next_us_) return;
    if (!asker_.is_alone() || !asker_.has_room()) {  // Questions of other parts come first.
        next_us_ = now_us + std::max(gap_us_, std::uint64_t{1000});
        return;
    }
    if (phase_ == Phase::kDone) {
        if (!BeginVisit(now_us)) {
            AskOwnNeighbor(now_us);
            next_us_ = visit_ends_us_;
            return;
        }
        tables_.TryLanesAgain(now_us);
    }
    AskNext(now_us);
    const bool is_over = phase_ == Phase::kDone;
    next_us_ = is_over ? std::max(visit_ends_us_, now_us + 1) : now_us + gap_us_;
}

/// Passes over a few steps that ask nothing.
void Scrub::AskNext(std::uint64_t now_us) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    for (std::size_t i = 0; i < kStepsAtOnce && phase_ != Phase::kDone; ++i) {
        if (Ask(now_us)) return;
        GoOn();
    }
}

/// Begins a visit to the next switch of the table, after the last to the first again.
bool Scrub::BeginVisit(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kDone);
    const std::size_t bound = fabric_.switch_bound();
    std::size_t row = Raw(at_);
    for (std::size_t i = 0; i < bound; ++i) {  // Ends: the table does.
        row = row + 1 < bound ? row + 1 : 0;
        if (row == 0) ++turn_;
        if (!fabric_.IsLive(static_cast<SwitchIndex>(row))) continue;
        at_ = static_cast<SwitchIndex>(row);
        visited_ = GuidOf(at_);
        phase_ = Phase::kNode;
        step_ = 0;
        cuts_ = 0;
        EMBER_ASSERT(visited_ != kNoGuid);
        gap_us_ = IntervalUs() / Questions();
        visit_ends_us_ = now_us + IntervalUs();
        return true;
    }
    return false;
}

/// Where no switch is known, one that lied about its type may be behind our own port: no other
/// question would ever tell.
void Scrub::AskOwnNeighbor(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kDone);
    visit_ends_us_ = now_us + IntervalUs();
    visited_ = kNoGuid;
    const PortIndex own = fabric_.own_port();
    ember::Ask ask{};
    if (own == kNoPortIndex || fabric_.port(own).peer == kNoPortIndex) return;
    if (!asker_.FindPathBeyond(own, ask)) return;
    phase_ = Phase::kOwnNeighbor;
    step_ = 0;
    ask.method = Method::kGet;
    ask.attribute = AttributeId::kNodeInfo;
    ask.tries = 1;
    asker_.Post(ask, phase_, step_, now_us);
    ++status_.questions;
}

/// The most questions of a visit.
std::uint32_t Scrub::Questions() const {
    std::uint32_t sum = 0;
    for (Phase phase = Phase::kNode; phase != Phase::kOwnNeighbor;
         phase = static_cast<Phase>(static_cast<int>(phase) + 1)) {
        sum += StepsOf(phase);
    }
    return std::max(sum, 1U);
}

std::uint32_t Scrub::StepsOf(Phase phase) const {
    EMBER_ASSERT(fabric_.IsLive(at_));
    const Switch& row = fabric_.switch_row(at_);
    const std::uint32_t ports = fabric_.node(row.node).port_count;
    const MftTables& tables = multicast_.tables();
    switch (phase) {
        case Phase::kNode:
        case Phase::kSwitch:
            return 1;
        case Phase::kPorts:
            return ports + 1;
        case Phase::kBeyond:
        case Phase::kEndPort:
            return ports;
        case Phase::kLft:
            return std::min(LftBlocks(row.info.Get(SwitchInfo::kLinearFdbTop)),
                            LftBlocks(fabric_.top_lid()));
        case Phase::kMft: {
            const bool has_run = tables.run(at_).guid == fabric_.node(row.node).guid;
            const std::size_t blocks = tables.run(at_).count * tables.block_num_count();
            return has_run ? static_cast<std::uint32_t>(blocks) : 0;
        }
        case Phase::kPKeys:
            return kTablePorts;
        case Phase::kLanes:
            return 2 * kTablePorts;  // Each port, and its peer.
        case Phase::kOwnNeighbor:
        case Phase::kDone:
            break;
    }
    return 0;
}

void Scrub::GoOn() {
    EMBER_ASSERT(phase_ != Phase::kDone);
    cuts_ = 0;
    ++step_;
    if (phase_ == Phase::kOwnNeighbor) phase_ = Phase::kDone;
    while (phase_ != Phase::kDone && step_ >= StepsOf(phase_)) {  // Ends: phases do.
        step_ = 0;
        phase_ = static_cast<Phase>(static_cast<int>(phase_) + 1);
    }
    if (phase_ == Phase::kDone) ++status_.visits;
}

/// The port of a step: from port 0 on in kPorts, else from port 1 on, as port 0 has no peer.
PortIndex Scrub::PortAt(std::uint32_t step) const {
    EMBER_ASSERT(step < StepsOf(phase_));
    const std::uint32_t first = phase_ == Phase::kPorts ? 0 : 1;
    return fabric_.PortOf(fabric_.switch_row(at_).node, static_cast<PortNumber>(first + step));
}

/// Block by block, as many positions as the switch has.
std::size_t Scrub::BlockAt(std::uint32_t step) const {
    const MftTables& tables = multicast_.tables();
    const MftTables::Run& run = tables.run(at_);
    EMBER_ASSERT(run.count != 0);
    return tables.BlockAt(step / run.count, run.first + step % run.count);
}

/// Addresses a question to a port of the switch, or to its peer. False: there is none to ask.
bool Scrub::AimAtPort(ember::Ask& ask) const {
    EMBER_ASSERT(phase_ == Phase::kPorts || phase_ == Phase::kBeyond || phase_ == Phase::kEndPort);
    EMBER_ASSERT(step_ < StepsOf(phase_));
    const Port& management = fabric_.port(fabric_.ManagementPortOf(at_));
    const PortIndex port = PortAt(step_);
    if (!fabric_.port(port).has_info) return false;
    ask.attribute = AttributeId::kPortInfo;
    if (phase_ == Phase::kPorts) {
        const PortNumber number = fabric_.port(port).number;
        const bool is_extended = SpeaksExtendedSpeeds(management.info) && number != kManagementPort;
        ask.modifier = Raw(number) | (is_extended ? kExtendedSpeedsModifier : 0U);
        return asker_.FindPath(fabric_.ManagementPortOf(at_), ask);
    }
    const PortIndex peer = fabric_.port(port).peer;
    if (peer == kNoPortIndex) return false;
    if (phase_ == Phase::kBeyond) {
        ask.attribute = AttributeId::kNodeInfo;
        return asker_.FindPathBeyond(port, ask);
    }
    const Port& end = fabric_.port(peer);
    if (!IsEndPort(fabric_, end)) return false;
    ask.modifier =
        Raw(end.number) | (SpeaksExtendedSpeeds(end.info) ? kExtendedSpeedsModifier : 0U);
    return asker_.FindPath(peer, ask);
}

/// Addresses a question for an MFT block. False for an empty block: it was never written.
bool Scrub::AimAtMft(ember::Ask& ask) const {
    EMBER_ASSERT(phase_ == Phase::kMft);
    const MftTables& tables = multicast_.tables();
    const std::size_t block = BlockAt(step_);
    const bool is_empty = tables.programmed(block) == MftTables::Block{};
    if (!tables.IsKnown(block) || is_empty) return false;
    ask.attribute = AttributeId::kMulticastForwardingTable;
    ask.modifier = MulticastForwardingTable::Modifier(
        static_cast<std::uint32_t>(tables.BlockNumOf(block)), tables.OwnPositionOf(block));
    return true;
}

/// Fills in the question of the present step. False: it asks nothing.
bool Scrub::Aim(ember::Ask& ask) const {
    switch (phase_) {
        case Phase::kNode:
            ask.attribute = AttributeId::kNodeInfo;
            break;
        case Phase::kSwitch:
            ask.attribute = AttributeId::kSwitchInfo;
            break;
        case Phase::kPorts:
        case Phase::kBeyond:
        case Phase::kEndPort:
            return AimAtPort(ask);
        case Phase::kLft:
            if (!programming_.IsKnown(at_, step_)) return false;
            ask.attribute = AttributeId::kLinearForwardingTable;
            ask.modifier = step_;
            break;
        case Phase::kMft:
            if (!AimAtMft(ask)) return false;
            break;
        case Phase::kPKeys:
        case Phase::kLanes:
        case Phase::kOwnNeighbor:
        case Phase::kDone:
            return false;
    }
    return asker_.FindPath(fabric_.ManagementPortOf(at_), ask);
}

/// Has the tables of a port read, or of the end port behind it. The ports of a visit follow those
/// of the visit before.
bool Scrub::CheckTables(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ == Phase::kPKeys || phase_ == Phase::kLanes);
    EMBER_ASSERT(!awaits_tables_);
    const Node& node = fabric_.node(fabric_.switch_row(at_).node);
    const bool of_p_keys = phase_ == Phase::kPKeys;
    const std::uint32_t nth = of_p_keys ? step_ : step_ / 2;
    const std::uint32_t number = (turn_ * kTablePorts + nth) % (node.port_count + 1U);
    PortIndex port = fabric_.PortOf(fabric_.switch_row(at_).node, static_cast<PortNumber>(number));
    const bool at_peer = of_p_keys ? number != 0 : step_ % 2 != 0;
    if (at_peer) {
        port = fabric_.port(port).peer;
        if (port == kNoPortIndex || !IsEndPort(fabric_, fabric_.port(port))) return false;
    }
    awaits_tables_ =
        of_p_keys ? tables_.CheckPKeys(port, now_us) : tables_.CheckLanes(port, now_us);
    if (awaits_tables_) ++status_.questions;
    awaits_tables_ = awaits_tables_ && tables_.is_checking();  // The check may be over.
    return awaits_tables_;
}

void Scrub::EndTables(std::uint64_t now_us) {
    EMBER_ASSERT(awaits_tables_);
    if (tables_.is_checking()) return;
    awaits_tables_ = false;
    EMBER_ASSERT(phase_ == Phase::kPKeys || phase_ == Phase::kLanes);
    const bool is_different = phase_ == Phase::kPKeys ? tables_.p_keys().found_difference()
                                                      : tables_.lanes().found_difference();
    if (is_different) ++status_.differences;
    GoOn();
    next_us_ = phase_ == Phase::kDone ? std::max(visit_ends_us_, now_us + 1) : now_us + gap_us_;
}

bool Scrub::Ask(std::uint64_t now_us) {
    EMBER_ASSERT(phase_ != Phase::kDone);
    EMBER_ASSERT(asker_.in_flight() == 0);
    if (phase_ == Phase::kPKeys || phase_ == Phase::kLanes) return CheckTables(now_us);
    ember::Ask ask{};
    if (!Aim(ask)) return false;
    ask.method = Method::kGet;
    ask.tries = 1;  // The next visit asks again.
    asker_.Post(ask, phase_, step_, now_us);
    ++status_.questions;
    return true;
}

void Scrub::Hear(const Answer& answer, std::uint64_t now_us) {
    if (!asker_.Take()) return;
    if (answer.status == Status::kOk) {
        switch (phase_) {
            case Phase::kNode:
                CheckNode(answer, now_us);
                break;
            case Phase::kSwitch:
                CheckSwitch(answer, now_us);
                break;
            case Phase::kPorts:
                CheckPort(PortAt(step_), answer, now_us);
                break;
            case Phase::kBeyond:
                CheckBeyond(fabric_.port(PortAt(step_)).peer, answer, now_us);
                break;
            case Phase::kOwnNeighbor:
                CheckBeyond(fabric_.port(fabric_.own_port()).peer, answer, now_us);
                break;
            case Phase::kEndPort:
                CheckPort(fabric_.port(PortAt(step_)).peer, answer, now_us);
                break;
            case Phase::kLft:
                CheckLft(step_, answer, now_us);
                break;
            case Phase::kMft:
                CheckMft(BlockAt(step_), answer, now_us);
                break;
            case Phase::kPKeys:
            case Phase::kLanes:
            case Phase::kDone:
                break;
        }
    }
    if (phase_ != Phase::kDone) GoOn();
    if (phase_ == Phase::kDone) next_us_ = std::max(visit_ends_us_, now_us + 1);
}

void Scrub::WishFor(Wish wish, Guid suspect) {
    EMBER_ASSERT(wish != Wish::kNothing);
    EMBER_ASSERT(wish == Wish::kSweep || suspect != kNoGuid);
    wish_ = std::max(wish_, wish);
    suspect_ = suspect;
}

/// Asks for a round for corrected blocks, at most one every kRoundPaceUs.
void Scrub::PayRound(std::uint64_t now_us) {
    if (owed_to_ == kNoGuid || now_us < round_us_) return;
    round_us_ = now_us + kRoundPaceUs;
    WishFor(Wish::kRound, owed_to_);
    owed_to_ = kNoGuid;
}

}  // namespace ember
