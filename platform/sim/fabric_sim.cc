// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric of agents in this process: building it, attaching to it, breaking it.
#include "platform/sim/fabric_sim.h"

#include <algorithm>
#include <cstring>

namespace ember::sim {

Attachment::Attachment(FabricSim& sim, std::uint32_t row, std::size_t inbox, bool is_manager)
    : sim_(sim), row_(row), is_manager_(is_manager), storage_(inbox), inbox_(std::span(storage_)) {}

Status Attachment::Send(const Envelope& envelope) {
    if (sim_.random_.Happens(sim_.faults_.busy)) return Status::kBusy;
    Packet packet{};
    packet.mad = envelope.mad;
    packet.from = row_;
    packet.slid = sim_.world_.port(row_).info.Get(PortInfo::kLid);
    packet.dlid = envelope.peer;
    packet.queue_pair = envelope.queue_pair;
    packet.service_level = envelope.service_level;
    packet.p_key_index = envelope.p_key_index;
    packet.p_key =
        forged_p_key_ != kNoPKey ? forged_p_key_ : sim_.p_keys_.KeyAt(row_, packet.p_key_index);
    sim_.Launch(packet, sim_.clock_.now_ns());
    return Status::kOk;
}

Status Attachment::Receive(Envelope& envelope) {
    if (inbox_.empty()) return Status::kBusy;
    envelope = inbox_.Pop();
    return Status::kOk;
}

FabricSim::FabricSim(const net::Netlist& netlist, const Options& options)
    : world_(netlist, options.hardware),
      sma_(world_),
      timing_(options.timing),
      faults_(options.faults),
      capacity_(options.capacity),
      random_(options.faults.seed),
      packets_(options.capacity.packets),
      planned_(options.capacity.scheduled_faults),
      attached_(world_.ports().size(), nullptr),
      agent_free_(netlist.nodes.size(), 0),
      last_request_(netlist.nodes.size(), 0),
      answers_left_(netlist.nodes.size(), kForEver),
      traps_(netlist.nodes.size()) {
    const auto all_numbers = [](std::size_t count) {
        std::vector<std::uint32_t> numbers(count);
        for (std::size_t i = 0; i < count; ++i) {
            numbers[i] = static_cast<std::uint32_t>(count - 1 - i);
        }
        return numbers;
    };
    free_packets_ = all_numbers(packets_.size());
    free_planned_ = all_numbers(planned_.size());
    // Each node has at most one trap timer, each port one training and one end of a flap.
    events_.reserve(packets_.size() + planned_.size() + netlist.nodes.size() +
                    2 * world_.ports().size() + 16);
    for (std::uint32_t row = 0; row < world_.ports().size(); ++row) {
        const std::uint32_t other = world_.Wired(row);
        if (other == kNoRow || other < row) continue;
        if (world_.node_of(row).is_switch() && world_.node_of(other).is_switch()) {
            trunks_.push_back(row);
        }
    }
}

Attachment& FabricSim::Plug(std::uint32_t node, std::uint32_t number, bool is_manager) {
    EMBER_ASSERT(number <= world_.node(node).port_count);
    EMBER_ASSERT((number == 0) == world_.node(node).is_switch());
    const std::uint32_t row = RowOf(node, number);
    EMBER_ASSERT(attached_[row] == nullptr);
    attachments_.push_back(std::make_unique<Attachment>(*this, row, capacity_.inbox, is_manager));
    attached_[row] = attachments_.back().get();
    if (!is_manager) return *attachments_.back();
    PortInfo& info = world_.port(row).info;
    info.Set(PortInfo::kCapabilityMask,
             info.Get(PortInfo::kCapabilityMask) | capability_mask::kIsSm);
    return *attachments_.back();
}

Attachment& FabricSim::AttachAnywhere() {
    for (std::uint32_t i = 0; i < world_.nodes().size(); ++i) {
        const SimNode& node = world_.node(i);
        if (node.type != NodeType::kChannelAdapter) continue;
        for (std::uint32_t p = 1; p <= node.port_count; ++p) {
            if (world_.Beyond(RowOf(i, p)) != kNoRow) return Attach(i, p);
        }
    }
    return Attach(0, world_.node(0).is_switch() ? 0 : 1);
}

Attachment* FabricSim::AttachAt(Guid port_guid) {
    if (port_guid == kNoGuid) return &AttachAnywhere();
    for (std::uint32_t row = 0; row < world_.row_count(); ++row) {
        const SimPort& port = world_.port(row);
        if (port.guid == port_guid && IsEndPort(row)) return &Attach(port.node, port.number);
    }
    return nullptr;
}

std::vector<Guid> FabricSim::EndPorts() const {
    std::vector<Guid> guids;
    for (std::uint32_t row = 0; row < world_.row_count(); ++row) {
        if (IsEndPort(row)) guids.push_back(world_.port(row).guid);
    }
    return guids;
}

/// A port of a CA or router, or port 0 of a switch.
bool FabricSim::IsEndPort(std::uint32_t row) const {
    return (world_.port(row).number == 0) == world_.node_of(row).is_switch();
}

void FabricSim::Do(Action action, std::uint32_t at) {
    Trace(0x100 + static_cast<std::uint64_t>(action), at);
    switch (action) {
        case Action::kCut:
            world_.SetCut(at, true);
            break;
        case Action::kJoin:
            world_.SetCut(at, false);
            break;
        case Action::kPowerOff:
            world_.PowerOff(at);
            traps_[at].waiting = false;
            break;
        case Action::kPowerOn:
            world_.PowerOn(at);
            for (const auto& attachment : attachments_) {
                if (world_.port(attachment->row()).node != at || !attachment->is_manager_) continue;
                PortInfo& info = world_.port(attachment->row()).info;
                info.Set(PortInfo::kCapabilityMask,
                         info.Get(PortInfo::kCapabilityMask) | capability_mask::kIsSm);
            }
            break;
    }
    TakeEffects();
}

void FabricSim::DoAt(std::uint64_t time_us, Action action, std::uint32_t at) {
    EMBER_ASSERT(!free_planned_.empty());
    const std::uint32_t number = free_planned_.back();
    free_planned_.pop_back();
    planned_[number] = {action, at};
    Push(std::max(time_us * 1000, clock_.now_ns()), EventKind::kPlanned, number);
}

void FabricSim::Reboot(std::uint32_t node, std::uint64_t down_us) {
    Do(Action::kPowerOff, node);
    DoAt(clock_.NowUs() + down_us, Action::kPowerOn, node);
}

void FabricSim::SwapLinks(std::uint32_t row, std::uint32_t other) {
    Trace(0x300, row);
    world_.SwapLinks(row, other);
    TakeEffects();
}

void FabricSim::FlapRandomly(std::uint64_t mean_us, std::uint64_t down_us) {
    const bool runs_already = flap_mean_us_ != 0;
    flap_mean_us_ = mean_us;
    flap_down_us_ = down_us;
    if (mean_us == 0 || runs_already || trunks_.empty()) return;
    Push(clock_.now_ns() + mean_us * 1000, EventKind::kFlap, 0);
}

void FabricSim::Rename(std::uint32_t node, std::string_view description) {
    SmpData& text = world_.node(node).description;
    text.fill(0);
    std::memcpy(text.data(), description.data(), std::min(description.size(), text.size()));
    traps_[node].is_renamed = true;
    RaiseTrap(node, TrapNumber::kLocalChanges);
}

void FabricSim::ChangeCapabilities(std::uint32_t row, std::uint32_t mask) {
    world_.port(row).info.Set(PortInfo::kCapabilityMask, mask);
    traps_[world_.port(row).node].is_renamed = false;
    RaiseTrap(world_.port(row).node, TrapNumber::kLocalChanges);
}

/// Sends a datagram on its way. Chance may lose it, change it, delay it or double it.
void FabricSim::Launch(Packet& packet, std::uint64_t start_ns) {
    if (random_.Happens(faults_.corruption)) {
        if (!ArrivesChanged(packet.mad.header)) {
            ++counters_.corrupted;
            return;
        }
        Corrupt(packet.mad);
    }
    const Arrival arrival = ways_.Walk(packet, liar_ != nullptr);
    if (arrival.is_circle) ++counters_.looped;
    if (arrival.row == kNoRow) {
        ++counters_.undeliverable;
        return;
    }
    packet.to = arrival.row;
    packet.hops = arrival.hops;
    if (arrival.is_beyond) packet.is_beyond = true;
    packet.link_epoch = world_.link_epoch();
    packet.route_epoch = world_.route_epoch();
    if (random_.Happens(faults_.loss)) {
        ++counters_.lost;
        return;
    }
    if (timing_.instant) {
        Arrive(packet);
        return;
    }
    PutUnderWay(packet, start_ns);
    if (random_.Happens(faults_.duplication)) {
        ++counters_.duplicated;
        PutUnderWay(packet, start_ns);
    }
}

void FabricSim::PutUnderWay(const Packet& packet, std::uint64_t start_ns) {
    if (free_packets_.empty()) {
        ++counters_.overrun;
        return;
    }
    const std::uint32_t number = free_packets_.back();
    free_packets_.pop_back();
    packets_[number] = packet;
    std::uint64_t time = start_ns + std::uint64_t{packet.hops} * timing_.hop_ns;
    if (faults_.jitter_ns != 0) time += random_.Below(faults_.jitter_ns);
    if (!IsForManager(packet.mad.header)) {
        std::uint64_t& last = last_request_[world_.port(packet.to).node];
        last = time = std::max(time, last);
    }
    Push(time, EventKind::kAtNode, number);
}

/// Octets change where they matter most: anywhere in the header, the key, the data and the paths.
void FabricSim::Corrupt(Mad& mad) {
    ++counters_.corrupted;
    auto octets = std::bit_cast<std::array<std::uint8_t, kMadOctets>>(mad);
    const std::uint32_t changes = 1 + random_.Below(8);
    for (std::uint32_t i = 0; i < changes; ++i) {
        octets[random_.Below(kMadOctets)] ^= static_cast<std::uint8_t>(1 + random_.Below(255));
    }
    mad = std::bit_cast<Mad>(octets);
}

/// Whether the way that was walked at the start still leads there at the end.
bool FabricSim::StillStands(const Packet& packet) {
    const bool by_lid = !IsDirected(packet.mad);
    if (packet.link_epoch == world_.link_epoch() &&
        (!by_lid || packet.route_epoch == world_.route_epoch())) {
        return true;
    }
    if (!world_.node_of(packet.to).powered) return false;
    Packet again = packet;
    const bool returning = IsReturning(packet.mad);
    again.mad.header.hop_pointer =
        returning ? static_cast<std::uint8_t>(packet.mad.header.hop_count + 1) : std::uint8_t{0};
    if (by_lid) again.mad.header.hop_pointer = packet.mad.header.hop_pointer;
    const Arrival arrival = ways_.Walk(again, liar_ != nullptr);
    if (arrival.is_circle) ++counters_.looped;
    return arrival.row == packet.to;
}

}  // namespace ember::sim
