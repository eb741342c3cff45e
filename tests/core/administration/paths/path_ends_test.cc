// SPDX-License-Identifier: Apache-2.0
// EmberSM: paths whose ends are routers, aliases, groups, or ports with many LIDs.

#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/administration/paths/path_records.h"
#include "tests/core/administration/paths/path_records_fixture.h"

namespace ember {
namespace {

using testing::kPrefix;
using testing::Mask;
using testing::PathAnswer;
using testing::PathNet;
using testing::PathRecordsTest;
using testing::PathRecordsWithLmc;
using P = PathRecord;

TEST_F(PathRecordsTest, GidsOfOtherSubnetsAreReachedByTheRouterOfTheirPrefix) {
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kDgidPrefix, std::uint64_t{0xFEC0000000000002});
    asked.Set(P::kDgidGuid, Guid{0x99});
    EXPECT_EQ(Count(kGids, asked), 0U);  // No line fits.
    const std::vector<PrefixRoute> routes{
        {.prefix = 0xFEC0000000000001, .router = Guid{0xDEAD}},
        {.prefix = 0xFEC0000000000002, .router = Host(7).guid},
        {.prefix = 0, .router = Host(5).guid},
        {.prefix = 0xFEC0000000000003, .router = Host(7).guid},
    };
    net_.settings().manager_tables.prefix_routes = routes;
    Fabric& fabric = net_.fabric();
    Node& other = fabric.node(fabric.port(fabric.FindPort(Host(5).guid)).node);
    const auto path_to = [&](std::uint64_t prefix) {
        asked.Set(P::kDgidPrefix, prefix);
        return net_.Ask(Method::kGet, kGids, asked).records;
    };
    const PathRecord path = path_to(0xFEC0000000000002).at(0);
    EXPECT_EQ(path.Get(P::kDlid), Host(7).lid);
    EXPECT_EQ(path.Get(P::kDgidPrefix), 0xFEC0000000000002);
    EXPECT_EQ(path.Get(P::kDgidGuid), Guid{0x99});
    EXPECT_EQ(path.Get(P::kSgidPrefix), kPrefix);
    EXPECT_EQ(path.Get(P::kHopLimit), 255);
    EXPECT_TRUE(path_to(0xFEC0000000000001).empty());  // Router 0xDEAD is not here.
    EXPECT_TRUE(path_to(0xFEC0000000000003).empty());  // The first that fits names a host.
    other.type = NodeType::kRouter;
    EXPECT_EQ(path_to(0xFEC0000000000003).at(0).Get(P::kDlid), Host(5).lid);
}

TEST_F(PathRecordsTest, AnyRouterIsTheFirst) {
    const std::vector<PrefixRoute> routes{{.prefix = 0, .router = kNoGuid}};
    net_.settings().manager_tables.prefix_routes = routes;
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kDgidPrefix, std::uint64_t{0xFEC0000000000009});
    const PathAnswer answer = net_.Ask(Method::kGet, kGids, asked);
    ASSERT_EQ(answer.records.size(), 1U);
    EXPECT_EQ(answer.records[0].Get(P::kDlid), Host(7).lid);
}

TEST_F(PathRecordsTest, AnyRouterIsLookedForOnceWhileTheTablesStandStill) {
    const std::vector<PrefixRoute> routes{{.prefix = 0, .router = kNoGuid}};
    net_.settings().manager_tables.prefix_routes = routes;
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kDgidPrefix, std::uint64_t{0xFEC0000000000009});
    const auto router = [&] {
        return net_.Ask(Method::kGet, kGids, asked).records.at(0).Get(P::kDlid);
    };
    net_.view().generation = 5;
    EXPECT_EQ(router(), Host(7).lid);
    const auto make = [&](std::uint32_t host, NodeType type) {
        Fabric& fabric = net_.fabric();
        fabric.node(fabric.port(fabric.FindPort(Host(host).guid)).node).type = type;
    };
    make(7, NodeType::kChannelAdapter);
    make(5, NodeType::kRouter);
    EXPECT_EQ(router(), Host(7).lid) << "nobody has walked over the nodes again";
    net_.view().generation = 6;
    EXPECT_EQ(router(), Host(5).lid);
    make(7, NodeType::kRouter);
    make(5, NodeType::kChannelAdapter);
    net_.view().generation = 0;  // Tables on the move: nothing is remembered.
    EXPECT_EQ(router(), Host(7).lid);
}

TEST_F(PathRecordsTest, AnAliasNamesItsPortAndIsTold) {
    const Guid alias{0x1405000000000001};
    EXPECT_EQ(net_.aliases().Put(Host(4).guid, 1, alias), Status::kOk);
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kDgidGuid, alias);
    const PathRecord path = net_.Ask(Method::kGet, kGids, asked).records.at(0);
    EXPECT_EQ(path.Get(P::kDlid), Host(4).lid);
    EXPECT_EQ(path.Get(P::kDgidGuid), alias);
    EXPECT_EQ(path.Get(P::kSgidGuid), Host(0).guid);
    const PathRecord back = [&] {
        PathRecord reverse = ByGids(4, 0);
        reverse.Set(P::kSgidGuid, alias);
        return net_.Ask(Method::kGet, kGids, reverse).records.at(0);
    }();
    EXPECT_EQ(back.Get(P::kSlid), Host(4).lid);
    EXPECT_EQ(back.Get(P::kSgidGuid), alias);
}

class GroupPathTest : public PathRecordsTest {
protected:
    GroupPathTest() {
        const GroupValues values{.p_key = 0xFFFF,
                                 .mtu = Mtu::k2048,
                                 .rate = Rate::k20Gb,
                                 .packet_life_time = 14,
                                 .sl = 3,
                                 .t_class = 9,
                                 .hop_limit = 0,
                                 .scope = 2,
                                 .flow_label = 77};
        group_ = net_.groups().Create(kMgid, values, {}).value();
        EXPECT_TRUE(
            net_.groups().Join(group_, {.port_guid = Host(0).guid, .join_state = 1}, 0).ok());
        asked_.Set(P::kDgidPrefix, kMgid.high);
        asked_.Set(P::kDgidGuid, Guid{kMgid.low});
        asked_.Set(P::kSgidPrefix, kPrefix);
        asked_.Set(P::kSgidGuid, Host(0).guid);
        asked_.Set(P::kSlid, Host(0).lid);
    }
    std::size_t CountWith(std::uint64_t more) { return Count(Mask(P::kHasDgid) | more, asked_); }

    static constexpr Gid kMgid{0xFF12401BFFFF0000, 0xFFFFFFFF};
    GroupIndex group_ = kNoGroup;
    PathRecord asked_;
};

TEST_F(GroupPathTest, ThePathToAGroupHasItsValues) {
    const PathAnswer answer = net_.Ask(Method::kGet, kGids, asked_);
    ASSERT_EQ(answer.records.size(), 1U);
    PathRecord expected = asked_;
    expected.Set(P::kDlid, LidOf(net_.groups().group(group_).mlid));
    expected.Set(P::kFlowLabel, 77U);
    expected.Set(P::kTClass, std::uint8_t{9});
    expected.Set(P::kNumbPath, std::uint8_t{1});
    expected.Set(P::kPKey, std::uint16_t{0xFFFF});
    expected.Set(P::kSl, std::uint8_t{3});
    expected.Set(P::kMtuSelector, Selector::kExactly);
    expected.Set(P::kMtu, Mtu::k2048);
    expected.Set(P::kRateSelector, Selector::kExactly);
    expected.Set(P::kRate, Rate::k20Gb);
    expected.Set(P::kPacketLifeTimeSelector, Selector::kExactly);
    expected.Set(P::kPacketLifeTime, std::uint8_t{14});
    EXPECT_EQ(answer.records[0], expected);
}

TEST_F(GroupPathTest, OnlyMembersHaveIt) {
    EXPECT_EQ(CountWith(0), 1U);
    EXPECT_EQ(CountWith(Mask(P::kHasSlid)), 1U);
    EXPECT_EQ(CountWith(Mask(P::kHasSgid, P::kHasSlid)), 1U);
    asked_.Set(P::kSlid, Host(1).lid);
    EXPECT_EQ(CountWith(Mask(P::kHasSgid)), 1U);
    EXPECT_EQ(CountWith(Mask(P::kHasSgid, P::kHasSlid)), 0U);
    asked_.Set(P::kSlid, Lid{0xBFFF});
    EXPECT_EQ(CountWith(Mask(P::kHasSlid)), 0U);
    asked_.Set(P::kSgidGuid, Host(1).guid);
    EXPECT_EQ(CountWith(Mask(P::kHasSgid)), 0U);
    asked_.Set(P::kSgidGuid, Host(0).guid);
    asked_.Set(P::kSgidPrefix, std::uint64_t{1});
    EXPECT_EQ(CountWith(Mask(P::kHasSgid)), 0U);
    asked_.Set(P::kDgidGuid, Guid{1});
    EXPECT_EQ(CountWith(0), 0U);  // There is no such group.
}

TEST_F(GroupPathTest, WhatIsAskedOfAGroupMustBeItsOwn) {
    struct Case {
        unsigned component;
        std::size_t bit, width;
        std::uint64_t right;
    };
    const std::uint64_t mlid = Raw(LidOf(net_.groups().group(group_).mlid));
    for (const Case& c : {Case{P::kHasDlid, 320, 16, mlid}, Case{P::kHasPKey, 400, 16, 0xFFFF},
                          Case{P::kHasSl, 428, 4, 3}, Case{P::kHasFlowLabel, 356, 20, 77},
                          Case{P::kHasHopLimit, 376, 8, 0}, Case{P::kHasTClass, 384, 8, 9}}) {
        const Field<std::uint64_t> field{
            {static_cast<std::uint16_t>(c.bit), static_cast<std::uint16_t>(c.width)}};
        asked_.Set(field, c.right);
        EXPECT_EQ(CountWith(Mask(c.component)), 1U) << c.component;
        asked_.Set(field, c.right ^ 1U);
        EXPECT_EQ(CountWith(Mask(c.component)), 0U) << c.component;
        EXPECT_EQ(CountWith(0), 1U);
    }
}

std::vector<std::pair<unsigned, unsigned>> Offsets(const std::vector<PathRecord>& paths, Lid source,
                                                   Lid destination) {
    std::vector<std::pair<unsigned, unsigned>> offsets;
    for (const PathRecord& path : paths) {
        offsets.emplace_back(Raw(path.Get(P::kSlid)) - Raw(source),
                             Raw(path.Get(P::kDlid)) - Raw(destination));
        EXPECT_EQ(path.Get(P::kPreference), offsets.back().first == offsets.back().second ? 0 : 2);
    }
    return offsets;
}

TEST_F(PathRecordsWithLmc, AllPairsOfLidsArePathsEqualOffsetsFirst) {
    const PathAnswer answer = net_.Ask(Method::kGetTable, kGids, ByGids(0, 4));
    const auto offsets = Offsets(answer.records, Host(0).lid, Host(4).lid);
    const std::vector<std::pair<unsigned, unsigned>> expected{
        {0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 0},
        {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 3}, {3, 0}, {3, 1}, {3, 2}};
    EXPECT_EQ(offsets, expected);
}

TEST_F(PathRecordsWithLmc, ALidFixesItsEnd) {
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kSlid, static_cast<Lid>(Raw(Host(0).lid) + 2));
    const std::uint64_t mask = Mask(P::kHasSlid, P::kHasDgid);
    const PathAnswer answer = net_.Ask(Method::kGetTable, mask, asked);
    ASSERT_EQ(answer.records.size(), 4U);
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(Raw(answer.records[i].Get(P::kSlid)), Raw(Host(0).lid) + 2U);
        EXPECT_EQ(Raw(answer.records[i].Get(P::kDlid)), Raw(Host(4).lid) + i);
        EXPECT_EQ(answer.records[i].Get(P::kPreference), i == 0 ? 0 : 2);
    }
    asked.Set(P::kDlid, static_cast<Lid>(Raw(Host(4).lid) + 3));
    EXPECT_EQ(Count(mask | Mask(P::kHasDlid), asked), 1U);
}

TEST_F(PathRecordsWithLmc, NumbPathBoundsThePathsOfTwoPorts) {
    PathRecord asked = ByGids(0, 4);
    const std::uint64_t mask = kGids | Mask(P::kHasNumbPath);
    for (const unsigned most : {0U, 1U, 3U, 6U, 16U, 127U}) {
        asked.Set(P::kNumbPath, static_cast<std::uint8_t>(most));
        EXPECT_EQ(Count(mask, asked), std::min(most, 16U));
    }
    asked.Set(P::kNumbPath, std::uint8_t{2});
    EXPECT_EQ(Count(Mask(P::kHasDgid, P::kHasNumbPath), asked), 8 * 2U);
    EXPECT_EQ(net_.Ask(Method::kGet, mask, asked).records.size(), 1U);
    EXPECT_EQ(net_.Ask(Method::kGet, kGids, asked).records.size(), 1U);
}

TEST_F(PathRecordsWithLmc, PathsThatDoNotArriveDoNotCount) {
    net_.exit(3, Host(4).lid) = 255;
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kNumbPath, std::uint8_t{2});
    const PathAnswer answer = net_.Ask(Method::kGetTable, kGids | Mask(P::kHasNumbPath), asked);
    EXPECT_EQ(Offsets(answer.records, Host(0).lid, Host(4).lid),
              (std::vector<std::pair<unsigned, unsigned>>{{1, 1}, {2, 2}}));
    EXPECT_EQ(Count(kGids, asked), 12U);
}

}  // namespace
}  // namespace ember
