// SPDX-License-Identifier: Apache-2.0
// EmberSM: properties: the QoS policy gives each question the level that a walk along the rules
// finds.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "core/administration/policy/qos_policy.h"
#include "tests/core/administration/paths/path_records_fixture.h"
#include "tests/core/administration/policy/policy_model.h"

namespace ember {
namespace {

using testing::PathNet;
using testing::PolicyModel;
using testing::PolicyTables;
using Ranges = PolicyModel::Ranges;

/// The walk along the rules, as the documents of OpenSM tell it; no code is shared with the policy.
class Walk {
public:
    Walk(const PolicyModel& model, const Fabric& fabric) : model_(model), fabric_(fabric) {}

    [[nodiscard]] std::uint16_t LevelOf(const QosQuestion& question) const {
        for (const PolicyModel::Rule& rule : model_.rules) {
            if (Fits(rule, question)) return rule.level;
        }
        return 0;
    }

private:
    static bool IsIn(const Ranges& ranges, bool is_there, std::uint64_t value) {
        if (ranges.empty()) return true;
        if (!is_there) return false;
        return std::any_of(ranges.begin(), ranges.end(), [value](const QosRange& range) {
            return value >= range.from && value <= range.to;
        });
    }
    bool Fits(const PolicyModel::Rule& rule, const QosQuestion& question) const {
        return IsInOne(rule.sources, question.source) &&
               IsInOne(rule.destinations, question.destination) &&
               IsIn(rule.service_ids, question.values.has_service_id, question.values.service_id) &&
               IsIn(rule.p_keys, question.values.has_p_key, question.values.p_key % 0x8000) &&
               IsIn(rule.qos_classes, question.values.has_qos_class, question.values.qos_class);
    }
    bool IsInOne(const std::vector<std::uint16_t>& groups, PortIndex at) const {
        if (groups.empty()) return true;
        return std::any_of(groups.begin(), groups.end(),
                           [&](std::uint16_t group) { return IsMember(model_.groups[group], at); });
    }
    bool IsMember(const PolicyModel::Group& group, PortIndex at) const {
        const Port& port = fabric_.port(at);
        const Node& node = fabric_.node(port.node);
        const unsigned bit = node.type == NodeType::kChannelAdapter ? 1
                             : node.type == NodeType::kSwitch       ? 2
                                                                    : 4;
        if ((group.node_types & bit) != 0) return true;
        if ((group.node_types & 8) != 0 && at == fabric_.own_port()) return true;
        if (!group.guids.empty() && IsIn(group.guids, true, Raw(port.guid))) return true;
        if (!group.p_keys.empty() && IsIn(group.p_keys, true, 0x7FFF)) return true;
        std::string name;
        for (const std::uint8_t octet : node.description) {
            if (octet == 0) break;
            name += static_cast<char>(octet);
        }
        return std::any_of(group.ports.begin(), group.ports.end(), [&](const auto& named) {
            const bool is_port = node.type == NodeType::kSwitch ? named.second <= node.port_count
                                                                : named.second == Raw(port.number);
            return named.first == name && is_port;
        });
    }

    const PolicyModel& model_;
    const Fabric& fabric_;
};

/// Draws policies and questions from a seed: values are few, so that rules meet.
class Draw {
public:
    Draw(std::uint32_t seed, PathNet& net) : chance_(seed) {
        ForEachEndPort(net.fabric(), [&](PortIndex at, const Port& port) {
            ports_.push_back(at);
            guids_.push_back(Raw(port.guid));
        });
    }

    PolicyModel Policy() {
        PolicyModel model;
        model.levels.resize(1 + Index(20));
        model.groups.resize(Index(12));
        for (PolicyModel::Group& group : model.groups) {
            if (Now(30)) group.node_types = static_cast<std::uint8_t>(Below(16));
            if (Now(50)) group.guids = Guids();
            if (Now(20)) group.p_keys = AnyRanges(0x7FF0, 0x7FFF);
            if (Now(30)) group.ports = Names();
        }
        model.rules.resize(Index(Now(20) ? 400 : 40));
        for (PolicyModel::Rule& rule : model.rules) {
            rule.level = static_cast<std::uint16_t>(Below(model.levels.size()));
            if (Now(40)) rule.sources = Groups(model.groups.size());
            if (Now(40)) rule.destinations = Groups(model.groups.size());
            if (Now(40)) rule.service_ids = AnyRanges(Now(10) ? ~std::uint64_t{0} - 60 : 0, 0);
            if (Now(30)) rule.p_keys = AnyRanges(1, 0x7FFF);
            if (Now(30)) rule.qos_classes = AnyRanges(0, 0xFFF);
        }
        return model;
    }
    QosQuestion Question() {
        return {.source = ports_[Index(ports_.size())],
                .destination = ports_[Index(ports_.size())],
                .values = {.has_service_id = Now(60),
                           .has_p_key = Now(60),
                           .has_qos_class = Now(60),
                           .service_id = Now(10) ? ~std::uint64_t{0} - Below(70) : Below(70),
                           .p_key = static_cast<std::uint16_t>(Below(70) + (Now(50) ? 0x8000 : 0)),
                           .qos_class = static_cast<std::uint16_t>(Below(70))}};
    }

private:
    std::uint64_t Below(std::uint64_t bound) { return chance_() % bound; }
    std::size_t Index(std::size_t bound) { return static_cast<std::size_t>(Below(bound)); }
    bool Now(unsigned percent) { return Below(100) < percent; }

    Ranges AnyRanges(std::uint64_t from, std::uint64_t top) {
        Ranges ranges;
        for (std::uint64_t i = 1 + Below(4); i > 0; --i) {
            from += Below(12) + (ranges.empty() ? 0 : 1);
            const std::uint64_t to = from + Below(8);
            if (to < from || (top != 0 && to > top)) break;
            ranges.push_back({from, to});
            from = to;
            if (from > ~std::uint64_t{0} - 20) break;
        }
        if (ranges.empty()) ranges.push_back({top, top});
        return ranges;
    }
    Ranges Guids() {
        std::vector<std::uint64_t> some = guids_;
        std::sort(some.begin(), some.end());
        Ranges ranges;
        for (const std::uint64_t guid : some) {
            if (Now(30)) ranges.push_back({guid, guid});
        }
        if (Now(10)) ranges = {{some.front(), some[some.size() / 2]}};
        return ranges;
    }
    std::vector<std::pair<std::string, std::uint8_t>> Names() {
        std::vector<std::pair<std::string, std::uint8_t>> names;
        for (const std::string_view name : {"a", "b", "c", "d", "s", "t", "aa", "", "r"}) {
            if (!name.empty() && Now(30)) {
                names.emplace_back(name, static_cast<std::uint8_t>(1 + Below(3)));
            }
        }
        return names;
    }
    std::vector<std::uint16_t> Groups(std::size_t count) {
        std::vector<std::uint16_t> groups;
        for (std::uint16_t group = 0; group < count; ++group) {
            if (Now(20)) groups.push_back(group);
        }
        return groups;
    }

    std::mt19937 chance_;
    std::vector<PortIndex> ports_;
    std::vector<std::uint64_t> guids_;
};

/// 100 policies by 200 questions: 20,000.
RC_GTEST_PROP(QosPolicyProperty, GivesTheLevelOfAWalkAlongTheRules, ()) {
    PathNet net(testing::Pair());
    testing::Describe(net.fabric(), {"a", "b", "c", "s", "d", "aa", "t", "r"});
    Draw draw(*rc::gen::arbitrary<std::uint32_t>(), net);
    const PolicyModel model = draw.Policy();
    const PolicyTables tables(model);
    tables.PutInto(net.settings());
    RC_ASSERT(net.policy().Load() == Status::kOk);
    const Walk walk(model, net.fabric());
    const QosLevel* const levels = net.settings().manager_tables.qos_levels.data();
    std::size_t by_rule = 0;
    for (int i = 0; i < 200; ++i) {
        const QosQuestion question = draw.Question();
        const QosLevel* const level = net.policy().LevelOf(question);
        RC_ASSERT(level != nullptr);
        RC_ASSERT(static_cast<std::uint16_t>(level - levels) == walk.LevelOf(question));
        if (level != levels) ++by_rule;
    }
    RC_CLASSIFY(by_rule > 20, "rules fit");
}

}  // namespace
}  // namespace ember
