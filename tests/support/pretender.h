// SPDX-License-Identifier: Apache-2.0
// EmberSM: a host that plays a whole fabric of switches to any subnet manager that asks by
// directed routes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/switch_info.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

/// Stands before the manager's port and answers, at once, every directed SMP whose way leads to the
/// host or through it: behind each port of a switch of 36 ports is another such switch.
class Pretender final : public MadPort {
public:
    Pretender(MadPort& real, const DirectedPath& way) : way_(way), real_(real) {}

    Status Send(const Envelope& envelope) override {
        if (!is_on || envelope.mad.header.mgmt_class != MgmtClass::kSubnDirected) {
            return real_.Send(envelope);
        }
        const auto smp = std::bit_cast<DirectedSmp>(envelope.mad);
        const bool is_ours =
            smp.header.hop_count >= way_.hops &&
            std::equal(way_.used().begin(), way_.used().end(), smp.initial_path.begin() + 1);
        if (!is_ours) return real_.Send(envelope);
        Envelope reply = envelope;
        reply.mad = ReplyTo(envelope.mad, 0, Answer(smp));
        reply.mad.header.hop_pointer = 0;
        answers_.push_back(reply);
        ++forged;
        return Status::kOk;
    }
    Status Receive(Envelope& envelope) override {
        if (answers_.empty()) return real_.Receive(envelope);
        envelope = answers_.front();
        answers_.pop_front();
        return Status::kOk;
    }
    [[nodiscard]] bool has_more() const { return !answers_.empty(); }

    bool is_on = false;
    bool is_fickle = false;  ///< Every answer names another switch.
    std::uint64_t forged = 0;

private:
    [[nodiscard]] SmpData Answer(const DirectedSmp& smp) {
        constexpr std::uint8_t kPorts = 36;
        SmpData data = smp.data;
        const AttributeId attribute = smp.header.attribute_id;
        const bool is_get = smp.header.method == Method::kGet;
        if (attribute == AttributeId::kNodeInfo) {
            const Guid guid{GuidBehind(smp)};
            NodeInfo info;
            info.Set(NodeInfo::kBaseVersion, std::uint8_t{1});
            info.Set(NodeInfo::kClassVersion, std::uint8_t{1});
            info.Set(NodeInfo::kNodeType, NodeType::kSwitch);
            info.Set(NodeInfo::kNumPorts, kPorts);
            info.Set(NodeInfo::kNodeGuid, guid);
            info.Set(NodeInfo::kPortGuid, guid);
            info.Set(NodeInfo::kSystemImageGuid, guid);
            info.Set(NodeInfo::kLocalPortNum, PortNumber{kPorts});
            data = info.octets();
        } else if (attribute == AttributeId::kSwitchInfo && is_get) {
            SwitchInfo info;
            info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{49152});
            info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{1024});
            data = info.octets();
        } else if (attribute == AttributeId::kPortInfo && is_get) {
            PortInfo info;
            info.Set(PortInfo::kPortState, PortState::kActive);
            info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kLinkUp);
            info.Set(PortInfo::kMtuCap, Mtu::k4096);
            info.Set(PortInfo::kNeighborMtu, Mtu::k4096);
            info.Set(PortInfo::kVlCap, VlCap::kVl0To7);
            info.Set(PortInfo::kLocalPortNum, PortNumber{kPorts});
            data = info.octets();
        }
        return data;
    }
    /// The same switch at the end of the same way, unless it is fickle.
    [[nodiscard]] std::uint64_t GuidBehind(const DirectedSmp& smp) {
        std::uint64_t hash = 1469598103934665603ULL;
        for (std::size_t i = 1; i <= smp.header.hop_count; ++i) {
            hash = (hash ^ smp.initial_path[i]) * 1099511628211ULL;
        }
        if (is_fickle) hash ^= ++salt_ << 12U;
        return 0xFA4E000000000000ULL ^ hash >> 8U;
    }

    DirectedPath way_;
    MadPort& real_;
    std::deque<Envelope> answers_;
    std::uint64_t salt_ = 0;
};

}  // namespace ember::testing
