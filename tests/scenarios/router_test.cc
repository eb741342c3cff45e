// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet with routers: the aliases of LIDs in the GUID tables of ports, and paths that
// leave the subnet.
//
// Goal:   under `rtr_aguid_enable 1` each end port has the alias of its LID in the device, also
//         after it was off; a restart writes nothing; a path is found by the alias; 2 takes the
//         aliases back; 0 leaves all tables alone.
// Method: a tree of two levels with a router at one leaf, each engine in turn where routes matter.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "core/wire/guid_info.h"
#include "core/wire/path_record.h"
#include "tests/support/gated_port.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using P = PathRecord;

constexpr std::uint64_t kPrefix = 0xFEC0000000000001;
constexpr std::uint64_t kFar = 0xFEC0000000000002;
constexpr std::uint64_t kBase = 0x0014050000000000;
constexpr std::uint32_t kClient = 5;

class RouterScenario : public ::testing::Test {
protected:
    RouterScenario() {
        net::Netlist netlist = net::FatTree2(6);
        const std::uint32_t leaf = netlist.nodes[0].ports[1].peer;
        router_ = netlist.Add(NodeType::kRouter, 1, "router", "");
        netlist.nodes[leaf].ports.resize(netlist.nodes[leaf].ports.size() + 1);
        EXPECT_TRUE(netlist.ConnectAny(router_, leaf));
        netlist.AssignGuids();
        world_.emplace(netlist);
        for (std::uint32_t node = 0; node < netlist.nodes.size(); ++node) {
            const bool is_switch = netlist.nodes[node].type == NodeType::kSwitch;
            rows_.push_back(world_->sim().RowOf(node, is_switch ? 0 : 1));
        }
        settings_ = BriskSettings();
        settings_.subnet_prefix = kPrefix;
        settings_.rtr_aguid_enable = kMakeRouterAliases;
        settings_.manager_tables.prefix_routes = routes_;
    }
    void Start() {
        world_->AddManager(settings_);
        ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    }
    void Configure(std::uint8_t mode) {
        settings_.rtr_aguid_enable = mode;
        world_->sm().Configure(settings_);
        world_->Wake();
        ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    }
    /// GUID 1 of the port at `row`, as the device has it.
    std::uint64_t Has(std::uint32_t row) {
        const auto block = world_->world().GuidBlock(row);
        GuidInfo table;
        std::copy_n(block.begin(), table.octets().size(), table.octets().begin());
        return Raw(table.guid(1));
    }
    std::uint64_t AliasOf(std::uint32_t row) {
        return kBase + Raw(world_->world().port(row).info.Get(PortInfo::kLid));
    }
    std::size_t CountWithAlias() {
        return static_cast<std::size_t>(
            std::count_if(rows_.begin(), rows_.end(),
                          [this](std::uint32_t row) { return Has(row) == AliasOf(row); }));
    }
    SaMad AskForPath(SaClient& client, const Gid& to, bool names_source) {
        P asked;
        asked.Set(P::kSgidPrefix, kPrefix);
        asked.Set(P::kSgidGuid, client.guid());
        asked.Set(P::kSlid, client.lid());
        asked.Set(P::kDgidPrefix, to.high);
        asked.Set(P::kDgidGuid, static_cast<Guid>(to.low));
        const std::uint64_t source = 1U << (names_source ? P::kHasSgid : P::kHasSlid);
        return client.Ask(Method::kGet, SaAttribute::kPathRecord, 1U << P::kHasDgid | source,
                          asked);
    }
    static P PathIn(const SaMad& mad) {
        P path;
        std::copy_n(mad.data.begin(), path.octets().size(), path.octets().begin());
        return path;
    }

    std::optional<SimWorld> world_;
    std::uint32_t router_ = 0;
    std::vector<std::uint32_t> rows_;  ///< Of all end ports.
    const std::vector<PrefixRoute> routes_{{.prefix = kFar, .router = kNoGuid}};
    Settings settings_;
};

TEST_F(RouterScenario, EachEndPortHasTheAliasOfItsLid) {
    Start();
    EXPECT_EQ(CountWithAlias(), rows_.size());
    EXPECT_EQ(world_->Heard(Note::kRouterAliases), 1U) << world_->Notes();
    GatedPort gate(world_->attachment());
    std::size_t reads = 0;
    std::size_t writes = 0;
    gate.lets_out = [&](const Envelope& envelope) {
        if (envelope.mad.header.attribute_id == AttributeId::kGuidInfo) {
            ++(envelope.mad.header.method == Method::kSet ? writes : reads);
        }
        return true;
    };
    world_->Interpose(gate);
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(CountWithAlias(), rows_.size());
    EXPECT_EQ(reads, rows_.size());
    EXPECT_EQ(writes, 0U);
    const std::uint64_t sweeps = world_->sm().status().up_count;
    world_->Cut(kClient, 1);
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    EXPECT_GT(world_->sm().status().up_count, sweeps);
    EXPECT_EQ(reads + writes, rows_.size()) << "what is known is not asked again after a sweep";
    world_->Kill();  // The manager speaks through the gate.
}

TEST_F(RouterScenario, AHostThatWasOffGetsItsAliasAgain) {
    Start();
    const std::uint32_t row = rows_[kClient];
    world_->sim().Reboot(kClient, 5 * kSecond);
    ASSERT_TRUE(world_->RunUntil([&] { return Has(row) == 0; }, 10 * kSecond));
    EXPECT_TRUE(world_->RunUntil([&] { return Has(row) == AliasOf(row) && Has(row) != kBase; },
                                 30 * kSecond))
        << world_->Notes();
}

TEST_F(RouterScenario, AliasesComeAndGoWithTheKey) {
    settings_.rtr_aguid_enable = kLeaveRouterAliases;
    Start();
    EXPECT_EQ(CountWithAlias(), 0U);
    EXPECT_EQ(world_->Heard(Note::kRouterAliases), 0U);
    Configure(kMakeRouterAliases);
    EXPECT_EQ(CountWithAlias(), rows_.size());
    EXPECT_EQ(world_->Heard(Note::kRouterAliases), 1U) << world_->Notes();
    Configure(kLeaveRouterAliases);
    EXPECT_EQ(CountWithAlias(), rows_.size()) << "the tables are left alone";
    Configure(kEndRouterAliases);
    EXPECT_EQ(CountWithAlias(), 0U);
}

TEST_F(RouterScenario, PathsLeaveTheSubnetAndComeBackByTheAlias) {
    Start();
    SaClient client(*world_, kClient);
    const Lid router = world_->world().port(rows_[router_]).info.Get(PortInfo::kLid);
    const SaMad far = AskForPath(client, {kFar, kBase + 9}, false);
    ASSERT_EQ(far.header.status, 0);
    EXPECT_EQ(PathIn(far).Get(P::kDlid), router);
    EXPECT_EQ(Raw(PathIn(far).Get(P::kDgidGuid)), kBase + 9);
    EXPECT_EQ(Raw(PathIn(far).Get(P::kSgidGuid)), kBase + Raw(client.lid()))
        << "a source that is not named is told as routers know it";
    EXPECT_EQ(PathIn(AskForPath(client, {kFar, kBase + 9}, true)).Get(P::kSgidGuid), client.guid());
    const SaMad near = AskForPath(client, {kPrefix, AliasOf(rows_[2])}, false);
    ASSERT_EQ(near.header.status, 0);
    EXPECT_EQ(PathIn(near).Get(P::kDlid), world_->world().port(rows_[2]).info.Get(PortInfo::kLid));
    EXPECT_EQ(PathIn(near).Get(P::kSgidGuid), client.guid());
}

TEST_F(RouterScenario, EveryEngineRoutesToRouters) {
    settings_.order = Order::kOpensm;
    std::optional<SaClient> client;
    std::size_t engines = 0;
    for (const EngineKind kind :
         {EngineKind::kMinHop, EngineKind::kUpDn, EngineKind::kDnUp, EngineKind::kFtree}) {
        settings_.routing_engine = {};
        ASSERT_EQ(settings_.routing_engine.TryPush(kind), Status::kOk);
        settings_.no_fallback = true;
        if (engines++ == 0) {
            Start();
            client.emplace(*world_, kClient);
        } else {
            world_->Reconfigure(settings_);
            world_->Restart();
            ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
        }
        EXPECT_EQ(world_->Judge(), "") << static_cast<int>(kind);
        EXPECT_EQ(AskForPath(*client, {kFar, 1}, true).header.status, 0) << static_cast<int>(kind);
    }
    EXPECT_EQ(engines, 4U);
}

}  // namespace
}  // namespace ember::testing
