// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the QoS policy: which rule fits a question.
#include "core/administration/policy/qos_policy.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/core/administration/paths/path_records_fixture.h"
#include "tests/core/administration/policy/policy_model.h"

namespace ember {
namespace {

using testing::PolicyMemory;
using testing::PolicyModel;
using testing::PolicyTables;

constexpr std::uint64_t kTop = ~std::uint64_t{0};

/// Hosts 0, 1, 2 at switch 3; hosts 4, 5 and router 7 at switch 6.
class QosPolicyTest : public testing::PathRecordsTest {
protected:
    QosPolicyTest() {
        for (const auto& [node, name] : {std::pair{0U, "a"}, {2U, "c"}, {3U, "s"}, {6U, "t"}}) {
            auto& description = net_.fabric().node(Host(node).node).description;
            description.front() = static_cast<std::uint8_t>(*name);
        }
    }
    PortIndex At(std::uint32_t node) { return net_.fabric().IndexOf(Host(node)); }
    QosQuestion From(std::uint32_t from, std::uint32_t to) {
        return {.source = At(from), .destination = At(to)};
    }
    /// Takes over a policy, whose levels are told by their SLs.
    void Load(const PolicyModel& model) {
        tables_.emplace(model);
        tables_->PutInto(net_.settings());
        ASSERT_EQ(net_.policy().Load(), Status::kOk);
    }
    int SlOf(const QosQuestion& question) {
        const QosLevel* const level = net_.policy().LevelOf(question);
        return level == nullptr ? -1 : level->sl;
    }
    /// Levels 0 to 9 with these SLs.
    static PolicyModel TenLevels() {
        PolicyModel model;
        for (std::uint8_t sl = 0; sl < 10; ++sl) {
            model.levels.push_back({.sl = sl});
        }
        return model;
    }
    QosRange GuidOf(std::uint32_t node) {
        return {.from = Raw(Host(node).guid), .to = Raw(Host(node).guid)};
    }

    std::optional<PolicyTables> tables_;
};

TEST_F(QosPolicyTest, WithoutAPolicyThereIsNoLevel) {
    EXPECT_FALSE(net_.policy().is_in_force());
    EXPECT_EQ(SlOf(From(0, 1)), -1);
    EXPECT_EQ(net_.policy().Load(), Status::kOk);
    EXPECT_FALSE(net_.policy().is_in_force());
    EXPECT_EQ(SlOf(From(0, 1)), -1);
}

TEST_F(QosPolicyTest, WithoutRulesAllHaveTheDefault) {
    Load({.levels = {{.sl = 5}, {.sl = 6}}});
    EXPECT_TRUE(net_.policy().is_in_force());
    EXPECT_EQ(SlOf(From(0, 1)), 5);
}

TEST_F(QosPolicyTest, TheFirstRuleThatFitsCounts) {
    PolicyModel model = TenLevels();
    model.rules = {{.level = 1, .service_ids = {{10, 20}}},
                   {.level = 2, .service_ids = {{0, 15}, {30, kTop}}},
                   {.level = 3, .qos_classes = {{7, 9}, {11, 11}}},
                   {.level = 4, .p_keys = {{0x10, 0x1F}}}};
    Load(model);
    const auto by_service = [&](std::uint64_t id) {
        QosQuestion question = From(0, 1);
        question.values.has_service_id = true;
        question.values.service_id = id;
        return SlOf(question);
    };
    EXPECT_EQ(by_service(0), 2);
    EXPECT_EQ(by_service(9), 2);
    EXPECT_EQ(by_service(10), 1);
    EXPECT_EQ(by_service(15), 1);
    EXPECT_EQ(by_service(20), 1);
    EXPECT_EQ(by_service(21), 0);
    EXPECT_EQ(by_service(29), 0);
    EXPECT_EQ(by_service(30), 2);
    EXPECT_EQ(by_service(kTop), 2);
    QosQuestion question = From(0, 1);
    question.values.has_qos_class = true;
    question.values.qos_class = 11;
    EXPECT_EQ(SlOf(question), 3);
    question.values.qos_class = 10;
    EXPECT_EQ(SlOf(question), 0);
    question.values.has_p_key = true;
    for (const unsigned p_key : {0x10U, 0x801FU}) {
        question.values.p_key = static_cast<std::uint16_t>(p_key);
        EXPECT_EQ(SlOf(question), 4) << "either membership";
    }
    question.values.p_key = 0x20;
    EXPECT_EQ(SlOf(question), 0);
}

TEST_F(QosPolicyTest, ARuleFitsNoQuestionThatLacksWhatItNames) {
    PolicyModel model = TenLevels();
    model.rules = {{.level = 1, .service_ids = {{0, kTop}}},
                   {.level = 2, .p_keys = {{1, 0x7FFF}}},
                   {.level = 3, .qos_classes = {{0, 0xFFF}}}};
    Load(model);
    QosQuestion question = From(0, 1);
    EXPECT_EQ(SlOf(question), 0);
    question.values.has_qos_class = true;
    EXPECT_EQ(SlOf(question), 3);
    question.values.has_p_key = true;
    question.values.p_key = 1;
    EXPECT_EQ(SlOf(question), 2);
    question.values.has_service_id = true;
    EXPECT_EQ(SlOf(question), 1);
}

TEST_F(QosPolicyTest, AllThatARuleNamesMustFit) {
    PolicyModel model = TenLevels();
    model.groups = {{.guids = {GuidOf(0)}}, {.guids = {GuidOf(4)}}};
    model.rules = {{.level = 1,
                    .sources = {0},
                    .destinations = {1},
                    .service_ids = {{5, 5}},
                    .p_keys = {{0x7FFF, 0x7FFF}},
                    .qos_classes = {{3, 3}}}};
    Load(model);
    const QosQuestion fits{.source = At(0),
                           .destination = At(4),
                           .values = {.has_service_id = true,
                                      .has_p_key = true,
                                      .has_qos_class = true,
                                      .service_id = 5,
                                      .p_key = 0xFFFF,
                                      .qos_class = 3}};
    EXPECT_EQ(SlOf(fits), 1);
    QosQuestion other = fits;
    other.source = At(1);
    EXPECT_EQ(SlOf(other), 0);
    other = fits;
    other.destination = At(5);
    EXPECT_EQ(SlOf(other), 0);
    other = fits;
    other.values.service_id = 6;
    EXPECT_EQ(SlOf(other), 0);
    other = fits;
    other.values.p_key = 0x8001;
    EXPECT_EQ(SlOf(other), 0);
    other = fits;
    other.values.qos_class = 2;
    EXPECT_EQ(SlOf(other), 0);
    other = fits;
    std::swap(other.source, other.destination);
    EXPECT_EQ(SlOf(other), 0);
}

TEST_F(QosPolicyTest, PortsAreInGroupsByAllTheirProperties) {
    PolicyModel model = TenLevels();
    model.groups = {{.node_types = qos_node_type::kRouter}, {.node_types = qos_node_type::kSwitch},
                    {.node_types = qos_node_type::kSelf},   {.guids = {GuidOf(1)}},
                    {.ports = {{"c", 1}, {"nobody", 1}}},   {.p_keys = {{2, 0x7FFE}}},
                    {.p_keys = {{0x7FFF, 0x7FFF}}}};
    for (std::uint16_t group = 0; group < 7; ++group) {
        model.rules.push_back({.level = static_cast<std::uint16_t>(group + 1), .sources = {group}});
    }
    Load(model);
    ASSERT_EQ(net_.fabric().own_port(), At(0));
    EXPECT_EQ(SlOf(From(7, 4)), 1);
    EXPECT_EQ(SlOf(From(3, 4)), 2);
    EXPECT_EQ(SlOf(From(0, 4)), 3);
    EXPECT_EQ(SlOf(From(1, 4)), 4);
    EXPECT_EQ(SlOf(From(2, 4)), 5) << "by the name of its node";
    EXPECT_EQ(SlOf(From(4, 0)), 7) << "all are in the default partition, and in no other";
}

TEST_F(QosPolicyTest, AnyPortOfASwitchStandsForItsPortZero) {
    PolicyModel model = TenLevels();
    model.groups = {{.ports = {{"s", 8}}}, {.ports = {{"t", 9}}}, {.ports = {{"a", 2}}}};
    model.rules = {{.level = 1, .destinations = {0}},
                   {.level = 2, .destinations = {1}},
                   {.level = 3, .destinations = {2}}};
    Load(model);
    EXPECT_EQ(SlOf(From(0, 3)), 1);
    EXPECT_EQ(SlOf(From(0, 6)), 0) << "it has eight ports";
    EXPECT_EQ(SlOf(From(1, 0)), 0) << "it has one port";
}

TEST_F(QosPolicyTest, APortIsInTheGroupsOfThisSweep) {
    PolicyModel model = TenLevels();
    model.groups = {{.ports = {{"new", 1}}}};
    model.rules = {{.level = 1, .sources = {0}}};
    Load(model);
    EXPECT_EQ(SlOf(From(1, 4)), 0);
    auto& description = net_.fabric().node(Host(1).node).description;
    description = {'n', 'e', 'w'};
    EXPECT_EQ(SlOf(From(1, 4)), 0) << "its name was read in this sweep";
    net_.policy().FollowSweep();
    EXPECT_EQ(SlOf(From(1, 4)), 1);
}

TEST_F(QosPolicyTest, ALidThatMovesTakesNoGroupsAlong) {
    PolicyModel model = TenLevels();
    model.groups = {{.guids = {GuidOf(1)}}};
    model.rules = {{.level = 1, .sources = {0}}};
    Load(model);
    EXPECT_EQ(SlOf(From(1, 4)), 1);
    EXPECT_EQ(SlOf(From(2, 4)), 0);
    const Lid one = Host(1).lid;
    const Lid two = Host(2).lid;
    net_.fabric().GiveLids(At(2), one, 0);
    Host(2).lid = one;
    EXPECT_EQ(SlOf(From(2, 4)), 0);
    Host(1).lid = two;
    EXPECT_EQ(SlOf(From(1, 4)), 1);
}

TEST_F(QosPolicyTest, NewSettingsBringANewPolicy) {
    PolicyModel model = TenLevels();
    model.groups = {{.guids = {GuidOf(1)}}};
    model.rules = {{.level = 1, .sources = {0}}};
    Load(model);
    EXPECT_EQ(SlOf(From(1, 4)), 1);
    model.groups[0].guids = {GuidOf(2)};
    model.rules[0].level = 2;
    Load(model);
    EXPECT_EQ(SlOf(From(1, 4)), 0);
    EXPECT_EQ(SlOf(From(2, 4)), 2);
    Load({});
    EXPECT_EQ(SlOf(From(2, 4)), -1);
}

TEST_F(QosPolicyTest, ABoardWithoutRoomHasNoPolicy) {
    PolicyModel model = TenLevels();
    for (std::uint64_t i = 0; i < 65; ++i) {
        model.rules.push_back({.level = 1, .service_ids = {{10 * i, 10 * i + 1}}});
    }
    const PolicyTables tables(model);
    tables.PutInto(net_.settings());
    const auto load = [&](std::uint32_t rules, std::uint32_t ranges) {
        const Limits limits = testing::WithPolicy(net_.built().limits(), rules, ranges);
        PolicyMemory memory(limits);
        QosPolicy policy(memory.memory(), net_.fabric(), net_.view().partitions, net_.settings());
        const Status status = policy.Load();
        EXPECT_EQ(policy.is_in_force(), status == Status::kOk);
        EXPECT_EQ(policy.rule_count(), 65U);
        EXPECT_EQ(policy.CountRanges(), 65U);
        return status;
    };
    EXPECT_EQ(load(128, 65), Status::kOk);
    EXPECT_EQ(load(64, 65), Status::kFull);
    EXPECT_EQ(load(128, 64), Status::kFull);
    EXPECT_EQ(load(0, 65), Status::kFull);
}

TEST_F(QosPolicyTest, WithoutQosThereIsNone) {
    const PolicyTables tables(TenLevels());
    tables.PutInto(net_.settings());
    EXPECT_EQ(net_.policy().Load(), Status::kOk);
    EXPECT_TRUE(net_.policy().is_in_force());
    net_.settings().qos = false;
    EXPECT_EQ(net_.policy().Load(), Status::kOk);
    EXPECT_FALSE(net_.policy().is_in_force());
}

/// Each host is in a group of its own, and there are more of them than the policy keeps sets for.
TEST(QosPolicyOfManyHosts, TellsThemAllApart) {
    constexpr std::size_t kRules = kMostQosRules;
    testing::PathNet net(net::FatTree2(36), {});
    PolicyModel model;
    for (std::uint8_t sl = 0; sl < 10; ++sl) {
        model.levels.push_back({.sl = sl});
    }
    std::vector<PortIndex> hosts;
    ForEachEndPort(net.fabric(), [&](PortIndex at, Port& port) {
        if (net.fabric().node(port.node).type != NodeType::kSwitch) hosts.push_back(at);
    });
    ASSERT_GT(hosts.size(), kRules + 1);
    for (std::uint16_t i = 0; i < kRules; ++i) {
        const std::uint64_t guid = Raw(net.fabric().port(hosts[i]).guid);
        model.groups.push_back({.guids = {{guid, guid}}});
        model.rules.push_back({.level = static_cast<std::uint16_t>(1 + i % 9), .sources = {i}});
    }
    const PolicyTables tables(model);
    tables.PutInto(net.settings());
    PolicyMemory memory(testing::WithPolicy(net.built().limits(), kRules, 1024));
    QosPolicy policy(memory.memory(), net.fabric(), net.view().partitions, net.settings());
    ASSERT_EQ(policy.Load(), Status::kOk);
    for (int turn = 0; turn < 3; ++turn) {
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            const std::size_t other = (i * 7 + 1) % hosts.size();
            const QosLevel* const level =
                policy.LevelOf({.source = hosts[i], .destination = hosts[other], .values = {}});
            ASSERT_NE(level, nullptr);
            EXPECT_EQ(level->sl, i < kRules ? 1 + i % 9 : 0U) << "host " << i;
        }
    }
}

}  // namespace
}  // namespace ember
