// SPDX-License-Identifier: Apache-2.0
// EmberSM: partitions as a test wants them, as the tables of a configuration.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/settings/settings.h"

namespace ember::testing {

/// Partitions with their members, by base of the P_Key. The default partition is always there: all
/// ports are limited members of it, and the subnet manager's own is a full one.
class PartitionFile {
public:
    using Members = std::map<Guid, Membership>;

    [[nodiscard]] Members& operator[](std::uint16_t base) { return members_[base]; }
    [[nodiscard]] const std::map<std::uint16_t, Members>& members() const { return members_; }
    /// A group that exists as long as its partition; ascending by MGID.
    std::vector<PartitionGroup> groups;
    /// Partitions that ask for index 0 of their members, with the line that says so.
    std::map<std::uint16_t, std::uint32_t> index_zero;

    /// The membership that the file gives a port by its GUID; kNone: none.
    [[nodiscard]] Membership Of(std::uint16_t base, Guid guid) const {
        const auto partition = members_.find(base);
        if (partition == members_.end()) return Membership::kNone;
        const auto member = partition->second.find(guid);
        return member == partition->second.end() ? Membership::kNone : member->second;
    }

    /// Puts the partitions into `settings`, which may be used as long as this file lives and Fill()
    /// is called once more at most: a subnet manager compares new tables with those in force.
    void Fill(Settings& settings) {
        turn_ = 1 - turn_;
        std::vector<PartitionRow>& rows = rows_[turn_];
        std::vector<PartitionMember>& ports = ports_[turn_];
        rows.clear();
        ports.clear();
        std::map<Guid, std::map<std::uint16_t, Membership>> by_port;
        for (const auto& [base, members] : members_) {
            rows.push_back({.p_key = base});
            for (const auto& [guid, membership] : members) {
                if (membership != Membership::kNone) by_port[guid][base] = membership;
            }
        }
        rows.push_back({.p_key = kPKeyBase});
        for (const auto& [guid, of] : by_port) {
            for (const auto& [base, membership] : of) {
                const auto first = index_zero.find(base);
                const bool is_first = first != index_zero.end();
                ports.push_back({.port_guid = guid,
                                 .line = is_first ? first->second : 0,
                                 .p_key = base,
                                 .membership = membership,
                                 .is_first = is_first});
            }
        }
        settings.manager_tables.partitions = rows;
        settings.manager_tables.partition_ports = ports;
        settings.manager_tables.partition_classes = kClasses;
        settings.manager_tables.partition_groups = groups;
    }

private:
    static constexpr std::array<PartitionClass, 2> kClasses{
        PartitionClass{.p_key = kPKeyBase,
                       .ports = PortClass::kAll,
                       .membership = Membership::kLimited,
                       .turn = 1},
        PartitionClass{.p_key = kPKeyBase,
                       .ports = PortClass::kSelf,
                       .membership = Membership::kFull,
                       .turn = 2},
    };

    std::map<std::uint16_t, Members> members_;
    std::array<std::vector<PartitionRow>, 2> rows_;  ///< Of the last Fill(), and the one before.
    std::array<std::vector<PartitionMember>, 2> ports_;
    std::size_t turn_ = 0;
};

}  // namespace ember::testing
