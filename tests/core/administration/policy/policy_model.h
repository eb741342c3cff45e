// SPDX-License-Identifier: Apache-2.0
// EmberSM: QoS policies for tests: as a plain model, and laid out as the core has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/administration/policy/qos_policy.h"
#include "core/settings/settings.h"

namespace ember::testing {

/// A policy as one writes it. Ranges ascend and do not meet.
struct PolicyModel {
    using Ranges = std::vector<QosRange>;
    struct Level {
        std::uint8_t sl = 0;
        Mtu mtu_limit = Mtu::kNone;
        Rate rate_limit = Rate::kNone;
        std::uint8_t packet_life = kNoPacketLife;
        Ranges p_keys{};
    };
    struct Group {
        std::uint8_t node_types = 0;
        Ranges guids{};
        Ranges p_keys{};
        std::vector<std::pair<std::string, std::uint8_t>> ports{};  ///< Node and port.
    };
    struct Rule {
        std::uint16_t level = 0;
        std::vector<std::uint16_t> sources{};  ///< Groups, ascending.
        std::vector<std::uint16_t> destinations{};
        Ranges service_ids{};
        Ranges p_keys{};
        Ranges qos_classes{};
    };
    std::vector<Level> levels{};
    std::vector<Group> groups{};
    std::vector<Rule> rules{};
};

/// The rows of a model. Stays where it is while settings have views of it.
class PolicyTables {
public:
    PolicyTables() = default;
    explicit PolicyTables(const PolicyModel& model) {
        const auto append = [](const PolicyModel::Ranges& from, std::vector<QosRange>& to) {
            to.insert(to.end(), from.begin(), from.end());
            return static_cast<std::uint16_t>(from.size());
        };
        for (const PolicyModel::Level& one : model.levels) {
            QosLevel row{.first = static_cast<std::uint32_t>(level_ranges_.size())};
            row.p_keys = append(one.p_keys, level_ranges_);
            row.sl = one.sl;
            row.mtu_limit = one.mtu_limit;
            row.rate_limit = one.rate_limit;
            row.packet_life = one.packet_life;
            levels_.push_back(row);
        }
        std::vector<std::tuple<std::string, std::uint8_t, std::uint16_t>> names;
        for (const PolicyModel::Group& one : model.groups) {
            QosGroup row{.first = static_cast<std::uint32_t>(group_ranges_.size())};
            row.guids = append(one.guids, group_ranges_);
            row.p_keys = append(one.p_keys, group_ranges_);
            row.node_types = one.node_types;
            for (const auto& [node, port] : one.ports) {
                names.emplace_back(node, port, static_cast<std::uint16_t>(groups_.size()));
            }
            groups_.push_back(row);
        }
        for (const PolicyModel::Rule& one : model.rules) {
            QosRule row{.first = static_cast<std::uint32_t>(rule_ranges_.size()),
                        .level = one.level};
            row.sources = append(Rows(one.sources), rule_ranges_);
            row.destinations = append(Rows(one.destinations), rule_ranges_);
            row.service_ids = append(one.service_ids, rule_ranges_);
            row.p_keys = append(one.p_keys, rule_ranges_);
            row.qos_classes = append(one.qos_classes, rule_ranges_);
            rules_.push_back(row);
        }
        std::sort(names.begin(), names.end());
        for (const auto& [node, port, group] : names) {
            port_names_.push_back({.first = static_cast<std::uint32_t>(octets_.size()),
                                   .group = group,
                                   .port = port,
                                   .octets = static_cast<std::uint8_t>(node.size())});
            octets_.insert(octets_.end(), node.begin(), node.end());
        }
    }
    PolicyTables(const PolicyTables&) = delete;
    PolicyTables& operator=(const PolicyTables&) = delete;

    void PutInto(Settings& settings) const {
        settings.qos = true;
        ManagerTables& tables = settings.manager_tables;
        tables.qos_levels = levels_;
        tables.qos_level_ranges = level_ranges_;
        tables.qos_groups = groups_;
        tables.qos_group_ranges = group_ranges_;
        tables.qos_port_names = port_names_;
        tables.qos_port_name_octets = octets_;
        tables.qos_rules = rules_;
        tables.qos_rule_ranges = rule_ranges_;
    }

private:
    static PolicyModel::Ranges Rows(const std::vector<std::uint16_t>& rows) {
        PolicyModel::Ranges ranges;
        for (const std::uint16_t row : rows) {
            ranges.push_back({.from = row, .to = row});
        }
        return ranges;
    }

    std::vector<QosLevel> levels_;
    std::vector<QosRange> level_ranges_;
    std::vector<QosGroup> groups_;
    std::vector<QosRange> group_ranges_;
    std::vector<QosPortName> port_names_;
    std::vector<std::uint8_t> octets_;
    std::vector<QosRule> rules_;
    std::vector<QosRange> rule_ranges_;
};

/// Gives nodes of a fabric the NodeDescriptions `names`, in the order of the table.
inline void Describe(Fabric& fabric, const std::vector<std::string>& names) {
    std::size_t next = 0;
    ForEachNode(fabric, [&](NodeIndex, Node& node) {
        if (next == names.size()) return;
        node.description = {};
        std::copy(names[next].begin(), names[next].end(), node.description.begin());
        ++next;
    });
}

/// Memory for a policy of a board with these limits.
class PolicyMemory {
public:
    explicit PolicyMemory(const Limits& limits)
        : ports_(QosPolicy::PortsFor(limits)),
          port_sets_(QosPolicy::PortSetsFor(limits) * QosPolicy::WordsFor(limits) * 2),
          bounds_(QosPolicy::BoundsFor(limits)),
          value_sets_(QosPolicy::SetsFor(limits) * QosPolicy::WordsFor(limits)) {}
    [[nodiscard]] QosPolicy::Memory memory() { return {ports_, port_sets_, bounds_, value_sets_}; }

private:
    std::vector<QosPolicy::PortMark> ports_;
    std::vector<std::uint64_t> port_sets_;
    std::vector<std::uint64_t> bounds_;
    std::vector<std::uint64_t> value_sets_;
};

/// Limits with room for a policy.
[[nodiscard]] inline Limits WithPolicy(Limits limits, std::uint32_t rules = 512,
                                       std::uint32_t ranges = 4096) {
    limits.max_qos_rules = rules;
    limits.max_qos_ranges = ranges;
    return limits;
}

}  // namespace ember::testing
