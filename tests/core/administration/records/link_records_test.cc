// SPDX-License-Identifier: Apache-2.0
// EmberSM: LinkRecords: each link from both ends, and how it is found.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "core/administration/records/subnet_records.h"
#include "tests/core/administration/records/told_records.h"

namespace ember {
namespace {

using testing::As;
using testing::FindsByEachComponent;
using testing::kLid;
using testing::Octets;
using testing::RecordNet;
using testing::Told;

TEST(LinkRecords, TellEachCableFromBothEnds) {
    RecordNet net;
    LinkRecords source(net.view());
    const Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 2U * 8U);
    for (const Octets& octets : told.records) {
        const auto record = As<LinkRecord>(octets);
        LinkRecord back;
        back.Set(LinkRecord::kFromLid, record.Get(LinkRecord::kToLid));
        back.Set(LinkRecord::kFromPort, record.Get(LinkRecord::kToPort));
        back.Set(LinkRecord::kToPort, record.Get(LinkRecord::kFromPort));
        back.Set(LinkRecord::kToLid, record.Get(LinkRecord::kFromLid));
        const Octets expected(back.octets().begin(), back.octets().end());
        EXPECT_EQ(std::count(told.records.begin(), told.records.end(), expected), 1);
    }
    LinkRecord one;
    one.Set(LinkRecord::kFromLid, net.port(3, 0).lid);
    one.Set(LinkRecord::kFromPort, PortNumber{8});
    one.Set(LinkRecord::kToPort, PortNumber{6});
    one.Set(LinkRecord::kToLid, net.port(5, 0).lid);
    const Octets expected(one.octets().begin(), one.octets().end());
    EXPECT_EQ(std::count(told.records.begin(), told.records.end(), expected), 1);
}

TEST(LinkRecords, AreFoundByTheirPorts) {
    RecordNet net;
    LinkRecords source(net.view());
    FindsByEachComponent(net, source, LinkRecord::kComponents, {kLid, 3});
}

TEST(LinkRecords, AreFoundByTheLidOfEitherEndAndOfBoth) {
    RecordNet net(1);
    LinkRecords source(net.view());
    LinkRecord asked;
    asked.Set(LinkRecord::kFromLid, net.port(3, 0).lid);
    asked.Set(LinkRecord::kToLid, net.port(5, 0).lid);
    EXPECT_EQ(net.Ask(source, 1U << kLid, asked.octets()).records.size(), 6U);
    EXPECT_EQ(net.Ask(source, 1U << 3U, asked.octets()).records.size(), 4U);
    EXPECT_EQ(net.Ask(source, 1U << kLid | 1U << 3U, asked.octets()).records.size(), 2U);
    // The second LID of a host's port: only that port's cable, not its node's other one.
    asked.Set(LinkRecord::kToLid, static_cast<Lid>(Raw(net.port(4, 2).lid) + 1));
    const Told told = net.Ask(source, 1U << 3U, asked.octets());
    ASSERT_EQ(told.records.size(), 1U);
    EXPECT_LE(told.looked_at, 4U);
    EXPECT_EQ(As<LinkRecord>(told.records[0]).Get(LinkRecord::kFromLid), net.port(5, 0).lid);
    EXPECT_EQ(As<LinkRecord>(told.records[0]).Get(LinkRecord::kToLid), net.port(4, 2).lid);
    EXPECT_TRUE(net.Ask(source, 1U << kLid | 1U << 3U, asked.octets()).records.empty());
    asked.Set(LinkRecord::kToLid, Lid{999});
    EXPECT_TRUE(net.Ask(source, 1U << 3U, asked.octets()).records.empty());
    EXPECT_TRUE(net.Ask(source, 1U << kLid | 1U << 3U, asked.octets()).records.empty());
}

}  // namespace
}  // namespace ember
