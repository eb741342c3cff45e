// SPDX-License-Identifier: Apache-2.0
// EmberSM: what happens in a simulated fabric, in the order of time.
#include <algorithm>

#include "platform/sim/fabric_sim.h"

namespace ember::sim {
namespace {

/// A heap with the earliest event in front: equal times keep the order in which they were pushed.
constexpr auto kLater = [](const auto& one, const auto& other) {
    if (one.time_ns != other.time_ns) return one.time_ns > other.time_ns;
    return one.sequence > other.sequence;
};

}  // namespace

void FabricSim::Trace(std::uint64_t what, std::uint64_t detail) {
    // FNV-1a over words, and a shift: enough to tell stories apart.
    trace_ = (trace_ ^ clock_.now_ns()) * 0x100000001B3ULL;
    trace_ = (trace_ ^ what) * 0x100000001B3ULL;
    trace_ = (trace_ ^ detail) * 0x100000001B3ULL;
    trace_ ^= trace_ >> 29U;
}

void FabricSim::Push(std::uint64_t time_ns, EventKind kind, std::uint32_t at) {
    EMBER_ASSERT(events_.size() < events_.capacity());
    events_.push_back({time_ns, sequence_++, kind, at});
    std::push_heap(events_.begin(), events_.end(), kLater);
}

bool FabricSim::AdvanceToNextEvent(std::uint64_t limit_us) {
    const std::uint64_t limit_ns = limit_us > kForEver / 1000 ? kForEver : limit_us * 1000;
    const auto waits = [this] {
        return std::any_of(attachments_.begin(), attachments_.end(),
                           [](const auto& attachment) { return !attachment->empty(); });
    };
    if (waits()) return true;
    delivered_ = false;
    while (!delivered_ && !events_.empty() && events_.front().time_ns <= limit_ns) {
        std::pop_heap(events_.begin(), events_.end(), kLater);
        const Event event = events_.back();
        events_.pop_back();
        clock_.Set(std::max(event.time_ns, clock_.now_ns()));
        Happen(event);
    }
    if (!delivered_ && limit_ns != kForEver) clock_.Set(std::max(limit_ns, clock_.now_ns()));
    return delivered_;
}

void FabricSim::Happen(const Event& event) {
    switch (event.kind) {
        case EventKind::kAtNode:
            EndWay(event.at);
            return;
        case EventKind::kTrained:
            Trace(0x200, event.at);
            world_.FinishTraining(event.at);
            TakeEffects();
            return;
        case EventKind::kTrap:
            traps_[event.at].timer_runs = false;
            if (traps_[event.at].waiting) SendTrap(event.at);
            return;
        case EventKind::kPlanned: {
            const Planned planned = planned_[event.at];
            free_planned_.push_back(event.at);
            Do(planned.action, planned.at);
            return;
        }
        case EventKind::kFlap:
            StartFlap();
            return;
        case EventKind::kFlapEnd:
            Do(Action::kJoin, event.at);
            return;
    }
}

void FabricSim::EndWay(std::uint32_t number) {
    Packet packet = packets_[number];
    free_packets_.push_back(number);
    if (StillStands(packet)) {
        Arrive(packet);
    } else {
        ++counters_.undeliverable;
    }
}

void FabricSim::StartFlap() {
    if (flap_mean_us_ == 0) return;
    const std::uint32_t row = trunks_[random_.Below(static_cast<std::uint32_t>(trunks_.size()))];
    if (!world_.port(row).cut) {
        Do(Action::kCut, row);
        Push(clock_.now_ns() + flap_down_us_ * 1000, EventKind::kFlapEnd, row);
    }
    const std::uint64_t pause_us = 1 + random_.Next() % (2 * flap_mean_us_);
    Push(clock_.now_ns() + pause_us * 1000, EventKind::kFlap, 0);
}

void FabricSim::TakeEffects() {
    world_.TakeEffects([this](const Effect& effect) {
        if (effect.kind == Effect::Kind::kTrain) {
            Push(clock_.now_ns() + timing_.training_ns, EventKind::kTrained, effect.at);
        } else {
            RaiseTrap(effect.at, TrapNumber::kLinkStateChange);
        }
    });
}

void FabricSim::Arrive(Packet& packet) {
    const MadHeader& header = packet.mad.header;
    Trace(Raw(header.method) | std::uint64_t{Raw(AttributeId{header.attribute_id})} << 8U |
              std::uint64_t{packet.to} << 32U,
          Raw(TransactionId{header.transaction_id}) ^ header.attribute_modifier);
    if (packet.is_beyond && (header.status & kDirectionBit) == 0) {
        AskBeyond(packet);
        return;
    }
    if (!IsForManager(header)) {
        // A request that claims to be on its way back has no receiver.
        const bool returning =
            header.mgmt_class == MgmtClass::kSubnDirected && (header.status & kDirectionBit) != 0;
        if (returning) {
            ++counters_.unanswered;
        } else {
            AskAgent(packet);
        }
        return;
    }
    Attachment* const inbox = attached_[world_.ManagementRow(packet.to)];
    const bool asks_manager = packet.queue_pair == 0 && !IsResponse(header.method);
    if (inbox == nullptr || (asks_manager && !inbox->is_manager_)) {
        ++counters_.unanswered;
        return;
    }
    if (checks_p_keys_ && packet.queue_pair != 0 && !p_keys_.Take(packet)) {
        ++counters_.p_key_violations;
        return;
    }
    Deliver(*inbox, packet);
}

void FabricSim::Deliver(Attachment& inbox, const Packet& packet) {
    Envelope envelope;
    const bool directed = packet.mad.header.mgmt_class == MgmtClass::kSubnDirected;
    envelope.peer = directed ? kPermissiveLid : packet.slid;
    envelope.queue_pair = packet.queue_pair;
    envelope.service_level = packet.service_level;
    envelope.p_key_index = packet.p_key_index;
    envelope.remote_queue_pair = packet.queue_pair;
    envelope.mad = packet.mad;
    if (inbox.inbox_.Push(envelope) != Status::kOk) {
        ++counters_.overrun;
        return;
    }
    delivered_ = true;
    if (IsResponse(packet.mad.header.method)) {
        ++counters_.answers;
    } else {
        Count(packet.mad);
    }
}

void FabricSim::Count(const Mad& mad) {
    ++counters_.requests;
    const auto id = static_cast<std::size_t>(Raw(AttributeId{mad.header.attribute_id}));
    if (id >= counters_.gets.size()) return;
    if (mad.header.method == Method::kGet) ++counters_.gets[id];
    if (mad.header.method == Method::kSet) ++counters_.sets[id];
}

void FabricSim::AskAgent(Packet& packet) {
    const std::uint32_t node = world_.port(packet.to).node;
    if (packet.mad.header.method == Method::kTrapRepress) {
        if (RepressTrap(packet.to, packet.mad)) return;
        Attachment* const inbox = attached_[world_.ManagementRow(packet.to)];
        if (inbox != nullptr) Deliver(*inbox, packet);  // Of a trap of its own.
        return;
    }
    Count(packet.mad);
    if (answers_left_[node] == 0) {
        ++counters_.undeliverable;
        return;
    }
    if (answers_left_[node] != kForEver) --answers_left_[node];
    const std::uint64_t now = clock_.now_ns();
    const std::uint64_t start = std::max(now, agent_free_[node]);
    if (timing_.agent_backlog != 0 &&
        start - now > std::uint64_t{timing_.agent_backlog} * timing_.agent_ns) {
        ++counters_.overrun;
        return;
    }
    const bool set = packet.mad.header.method == Method::kSet;
    if (set && packet.mad.header.attribute_id == AttributeId::kPortInfo) {
        const auto wanted = std::bit_cast<PortInfo>(DataOf(packet.mad));
        if (wanted.Get(PortInfo::kClientReregister) != 0) ++counters_.reregistrations;
    }
    const Mad asked = packet.mad;
    if (!LetAgentAct(asked, packet)) {
        ++counters_.unanswered;
        if (sma_.IsGuarded(packet.to, asked)) RaiseBadMKey(packet);
        return;
    }
    if (set) TakeEffects();
    const std::uint64_t ready = timing_.instant ? now : start + timing_.agent_ns;
    if (!timing_.instant) agent_free_[node] = ready;
    if (liar_ != nullptr && !liar_->Answer(node, asked, packet.mad)) {
        ++counters_.unanswered;
        return;
    }
    HandAnswerBack(packet, ready);
}

/// Turns the request in `packet` into the answer. False when there is none.
bool FabricSim::LetAgentAct(const Mad& asked, Packet& packet) {
    const std::uint32_t node = world_.port(packet.to).node;
    const Liar::Deed deed = liar_ == nullptr ? Liar::Deed::kAct : liar_->Meet(node, asked);
    if (deed == Liar::Deed::kAct) return sma_.Answer(packet.to, packet.mad, clock_.now_ns());
    packet.mad.header.method = Method::kGetResp;
    packet.mad.header.status = 0;
    return deed == Liar::Deed::kSham;
}

/// The way ended too early: only a liar has an answer to that.
void FabricSim::AskBeyond(Packet& packet) {
    const Mad asked = packet.mad;
    packet.mad.header.method = Method::kGetResp;
    packet.mad.header.status = 0;
    packet.mad.header.hop_pointer = static_cast<std::uint8_t>(asked.header.hop_count + 1);
    if (liar_ == nullptr || !liar_->AnswerBeyond(world_.port(packet.to).node, asked, packet.mad)) {
        ++counters_.undeliverable;
        return;
    }
    HandAnswerBack(packet, clock_.now_ns() + (timing_.instant ? 0 : timing_.agent_ns));
}

void FabricSim::HandAnswerBack(Packet& packet, std::uint64_t ready_ns) {
    if (packet.mad.header.mgmt_class == MgmtClass::kSubnDirected) {
        packet.mad.header.status =
            static_cast<std::uint16_t>(packet.mad.header.status | kDirectionBit);
    }
    packet.dlid = packet.slid;
    packet.slid = world_.port(world_.ManagementRow(packet.to)).info.Get(PortInfo::kLid);
    packet.from = packet.to;
    Launch(packet, ready_ns);
}

}  // namespace ember::sim
