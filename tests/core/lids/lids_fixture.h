// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts on one switch, to which tests give LIDs.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include "core/lids/lids.h"
#include "core/manager/storage.h"

namespace ember::lids {

inline constexpr Limits kLimits{.max_nodes = 64,
                                .max_switches = 16,
                                .max_ports = 256,
                                .max_switch_ports = 8,
                                .max_lid = 60,
                                .max_smps = 16,
                                .max_other_sms = 2,
                                .journal_notes = 64,
                                .scratch_bytes = 1U << 20U};

/// Hosts on one switch, each with the LID in its PortInfo (0: none yet).
class Subnet {
public:
    explicit Subnet(const std::vector<std::pair<std::uint64_t, std::uint16_t>>& hosts) {
        const NodeIndex hub = AddNode(NodeType::kSwitch, 0x2000, 8);
        fabric_.switch_row(fabric_.node(hub).switch_index)
            .info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{49152});
        End(fabric_.node(hub).first_port, 0x2000, 0);
        bool first = true;
        for (const auto& [guid, lid] : hosts) {
            const NodeIndex at = AddNode(NodeType::kChannelAdapter, guid, 1);
            const PortIndex port = fabric_.node(at).first_port;
            End(port, guid, lid);
            fabric_.port(port).peer = fabric_.node(hub).first_port;  // Enough for "has a link".
            if (first) fabric_.SetOwnPort(port);
            first = false;
        }
    }
    LidOutcome Assign(const Settings& settings, bool trust = true) {
        Arena scratch(storage_->memory().scratch);
        return AssignLids(fabric_, map_, settings, trust, scratch);
    }
    [[nodiscard]] unsigned LidOf(std::uint64_t guid) const {
        return Raw(fabric_.port(fabric_.FindPort(Guid{guid})).lid);
    }
    [[nodiscard]] LidMap& map() { return map_; }
    [[nodiscard]] Fabric& fabric() { return fabric_; }

private:
    NodeIndex AddNode(NodeType type, std::uint64_t guid, std::uint8_t ports) {
        NodeInfo info;
        info.Set(NodeInfo::kNodeType, type);
        info.Set(NodeInfo::kNodeGuid, Guid{guid});
        info.Set(NodeInfo::kNumPorts, ports);
        return fabric_.AddNode(info).value();
    }
    void End(PortIndex at, std::uint64_t guid, std::uint16_t lid) {
        EXPECT_TRUE(fabric_.NamePort(at, Guid{guid}));
        fabric_.port(at).has_info = true;
        fabric_.port(at).info.Set(PortInfo::kLid, Lid{lid});
    }

    std::unique_ptr<Storage<kLimits>> storage_ = std::make_unique<Storage<kLimits>>();
    Fabric fabric_{storage_->memory().fabric, kLimits};
    LidMap map_{storage_->memory().lids, kLimits.max_lid};
};

}  // namespace ember::lids
