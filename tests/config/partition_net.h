// SPDX-License-Identifier: Apache-2.0
// EmberSM: six hosts, a switch and a router, for what partition files make of them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "core/partitions/partitions.h"
#include "tests/support/fabric_builder.h"

namespace ember::test {

/// GUIDs are as ibsim gives them to one switch with six hosts: that of host n is 0x100000 + 2n, and
/// its port's is one more; the switch is 0x200000. The subnet manager is at host 0.
class PartitionNet {
public:
    static constexpr std::uint64_t kHosts = 6;
    static constexpr std::uint64_t kFirstHost = 0x100001;
    static constexpr std::uint64_t kSwitch = 0x200000;
    static constexpr std::uint64_t kRouter = 0x300001;

    /// The end ports by PortGUID.
    static std::vector<Guid> Ports() {
        std::vector<Guid> ports;
        for (std::uint64_t host = 0; host < kHosts; ++host) {
            ports.push_back(Guid{kFirstHost + 2 * host});
        }
        ports.push_back(Guid{kSwitch});
        ports.push_back(Guid{kRouter});
        return ports;
    }

    explicit PartitionNet(const emberc::PartitionConf& conf) {
        for (const emberc::PartitionConf::Partition& partition : conf.partitions) {
            rows_.push_back({.line = partition.line, .p_key = partition.p_key});
        }
        ports_ = conf.ports;
        classes_ = conf.classes;
        tables_.partitions = rows_;
        tables_.partition_ports = ports_;
        tables_.partition_classes = classes_;
    }
    PartitionNet(const PartitionNet&) = delete;
    PartitionNet& operator=(const PartitionNet&) = delete;

    [[nodiscard]] const Partitions& partitions() const { return partitions_; }
    [[nodiscard]] PortIndex At(Guid port) { return built_.fabric().FindPort(port); }

    /// The P_Keys that a port's table shall hold.
    [[nodiscard]] std::set<std::uint16_t> PKeys(Guid port) {
        std::set<std::uint16_t> p_keys;
        PortPartition one{};
        for (PartitionWalk walk = partitions_.Of(At(port)); walk.Next(one);) {
            const auto forms = static_cast<unsigned>(one.membership);
            if ((forms & 1U) != 0) p_keys.insert(one.p_key);
            if ((forms & 2U) != 0) p_keys.insert(one.p_key | kFullMembership);
        }
        return p_keys;
    }

    /// Pairs of ports that may communicate, and in which partition.
    using Pairs = std::set<std::tuple<Guid, Guid, std::uint16_t>>;
    [[nodiscard]] Pairs MayCommunicate() {
        Pairs pairs;
        for (const Guid one : Ports()) {
            for (const Guid other : Ports()) {
                for (const PartitionRow& row : rows_) {
                    if (one != other && partitions_.Share(At(one), At(other), row.p_key)) {
                        pairs.insert({one, other, row.p_key});
                    }
                }
            }
        }
        return pairs;
    }

private:
    static net::Netlist Net() {
        net::Netlist netlist;
        for (std::uint64_t host = 0; host < kHosts; ++host) {
            netlist.Add(NodeType::kChannelAdapter, 1, "h" + std::to_string(host), "");
        }
        const auto the_switch = netlist.Add(NodeType::kSwitch, 8, "s", "");
        const auto router = netlist.Add(NodeType::kRouter, 1, "r", "");
        for (std::uint32_t host = 0; host < kHosts; ++host) {
            netlist.Connect(host, 1, the_switch, host + 1);
        }
        netlist.Connect(router, 1, the_switch, 8);
        netlist.AssignGuids();
        return netlist;
    }

    testing::BuiltFabric built_{Net()};
    std::vector<PartitionRow> rows_;
    std::vector<PartitionMember> ports_;
    std::vector<PartitionClass> classes_;
    ManagerTables tables_;
    Partitions partitions_{built_.fabric(), tables_};
};

}  // namespace ember::test
