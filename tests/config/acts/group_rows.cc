// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of multicast.
#include "core/multicast/own_groups.h"
#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"
#include "tests/support/air.h"
#include "tests/support/sa_client.h"

namespace ember::acts {
namespace {

using testing::FullMember;
using testing::SaClient;

/// A join by the host at `node`, with what it needs to make the group.
bool Joins(SimWorld& world, std::uint32_t node, McMemberRecord wanted) {
    SaClient client(world, node);
    wanted.Set(McMemberRecord::kPortGidGuid, client.guid());
    const SaMad answer =
        client.Ask(Method::kSet, SaAttribute::kMcMemberRecord, testing::kToJoin, wanted);
    return answer.header.status == 0;
}

/// Whether packets of a group with two members are forwarded.
std::string Forwarding(const Settings& settings) {
    const auto world = BringUp(settings);
    for (const std::uint32_t host : {3U, 5U}) {
        EXPECT_TRUE(Joins(*world, host, FullMember(kNoGuid)));
    }
    world->RunFor(kSecond);
    const bool any = world->sim().counters().Sets(AttributeId::kMulticastForwardingTable) != 0;
    return any ? "forwarded" : "kept only";
}

/// A group of IPv4 with another Q_Key than its broadcast group has.
std::string OddIpGroup(const Settings& settings) {
    const auto world = BringUp(settings);
    McMemberRecord wanted = FullMember(kNoGuid);
    wanted.SetMgid({0xFF12401BFFFF0000, 0x7});
    wanted.Set(McMemberRecord::kQKey, std::uint32_t{0x5EC2E7});
    return Joins(*world, 5, wanted) ? "made" : "refused";
}

/// A host with a link of 2.5 Gb/s and the broadcast group, which has 10.
std::string SlowMember(const Settings& settings) {
    net::Netlist tree = SmallTree();
    net::NetPort& port = tree.nodes[5].ports[1];
    port.width = 1;
    port.speed = 1;
    const auto world = BringUp(settings, tree);
    SaClient client(*world, 5);
    McMemberRecord wanted = FullMember(client.guid());
    wanted.SetMgid(BroadcastMgid(2, 0xFFFF));
    constexpr std::uint64_t kMask = 1U << McMemberRecord::kHasMgid |
                                    1U << McMemberRecord::kHasPortGid |
                                    1U << McMemberRecord::kHasJoinState;
    const SaMad answer = client.Ask(Method::kSet, SaAttribute::kMcMemberRecord, kMask, wanted);
    return answer.header.status == 0 ? "joined" : "refused";
}

/// The MLIDs of two solicited-node groups of IPv6.
std::string SolicitedNodes(const Settings& settings) {
    const auto world = BringUp(settings);
    const Groups& groups = world->sm().multicast().groups();
    std::vector<MlidIndex> mlids;
    for (const std::uint32_t host : {3U, 5U}) {
        McMemberRecord wanted = FullMember(kNoGuid);
        const Gid mgid{0xFF12601BFFFF0000, 0x00000001FF000000ULL + host};
        wanted.SetMgid(mgid);
        wanted.Set(McMemberRecord::kQKey, std::uint32_t{0xB1B});
        EXPECT_TRUE(Joins(*world, host, wanted));
        EXPECT_NE(groups.Find(mgid), kNoGroup);
        mlids.push_back(groups.group(groups.Find(mgid)).mlid);
    }
    return mlids[0] == mlids[1] ? "one MLID" : "two MLIDs";
}

/// A host puts another one into a group.
std::string Proxy(const Settings& settings) {
    const auto world = BringUp(settings);
    SaClient client(*world, 5);
    const Guid other = world->world().port(world->sim().RowOf(3, 1)).guid;
    const SaMad answer =
        client.Ask(Method::kSet, SaAttribute::kMcMemberRecord, testing::kToJoin, FullMember(other));
    return answer.header.status == 0 ? "joined" : "denied";
}

/// Whether the switches forward a group that the next master does not know.
std::string AfterATakeover(const Settings& settings) {
    const auto world = BringUp(settings);
    for (const std::uint32_t host : {3U, 5U}) {
        EXPECT_TRUE(Joins(*world, host, FullMember(kNoGuid)));
    }
    world->RunFor(kSecond);
    world->state_log().SetBroken(true);
    world->Restart();
    EXPECT_TRUE(world->RunUntilQuiet(60 * kSecond)) << world->Notes();
    EXPECT_EQ(world->sm().multicast().status().members, 0U);
    testing::Air air(*world);
    const std::uint32_t leaf =
        world->world().port(world->world().Beyond(world->sim().RowOf(3, 1))).node;
    return air.Flood(leaf, 1).size() == 2 ? "kept" : "emptied";
}

}  // namespace

std::vector<Row> GroupRows() {
    // clang-format off
    return {
        {"disable_multicast", "TRUE", &Forwarding, "forwarded", "kept only"},
        {"ipoib_mcgroup_creation_validation", "FALSE", &OddIpGroup, "refused", "made"},
        {"mcgroup_join_validation", "FALSE", &SlowMember, "refused", "joined"},
        {"sa_allow_proxies", "TRUE", &Proxy, "denied", "joined"},
        {"multicast_hold", "0", &AfterATakeover, "kept", "emptied"},
        {"consolidate_ipv6_snm_req", "TRUE", &SolicitedNodes, "two MLIDs", "one MLID",
         "ipoib_mcgroup_creation_validation FALSE\n"},
    };
    // clang-format on
}

}  // namespace ember::acts
