// SPDX-License-Identifier: Apache-2.0
// EmberSM: what NodeInfo says of a device is compared field by field.
#include "core/fabric/node_news.h"

#include <array>
#include <gtest/gtest.h>

namespace ember {
namespace {

constexpr Guid kGuid{0x10};

[[nodiscard]] NodeInfo Told() {
    NodeInfo info{};
    info.Set(NodeInfo::kNodeGuid, kGuid);
    info.Set(NodeInfo::kNodeType, NodeType::kSwitch);
    info.Set(NodeInfo::kNumPorts, std::uint8_t{36});
    info.Set(NodeInfo::kPartitionCap, std::uint16_t{32});
    return info;
}

TEST(NodeNews, AreAllFieldsThatARowHasOfTheDevice) {
    constexpr std::array kFields = {static_cast<Extent>(NodeInfo::kSystemImageGuid),
                                    static_cast<Extent>(NodeInfo::kPartitionCap),
                                    static_cast<Extent>(NodeInfo::kDeviceId),
                                    static_cast<Extent>(NodeInfo::kVendorId),
                                    static_cast<Extent>(NodeInfo::kRevision),
                                    static_cast<Extent>(NodeInfo::kBaseVersion),
                                    static_cast<Extent>(NodeInfo::kClassVersion)};
    Node node;
    node.guid = kGuid;
    TakeNodeInfo(node, Told());
    ASSERT_TRUE(DescribesAlike(node, Told()));
    for (const Extent extent : kFields) {
        const Field<std::uint64_t> field{extent};
        NodeInfo other = Told();
        other.Set(field, other.Get(field) ^ 1U);
        EXPECT_FALSE(DescribesAlike(node, other)) << extent.bit;
        Node follower = node;
        TakeNodeInfo(follower, other);
        EXPECT_TRUE(DescribesAlike(follower, other)) << extent.bit;
    }
}

TEST(NodeNews, AreNotWhatBelongsToThePortThatAnswers) {
    Node node;
    node.guid = kGuid;
    TakeNodeInfo(node, Told());
    NodeInfo other = Told();
    other.Set(NodeInfo::kPortGuid, Guid{0x11});
    other.Set(NodeInfo::kLocalPortNum, PortNumber{2});
    EXPECT_TRUE(DescribesAlike(node, other));
}

}  // namespace
}  // namespace ember
