// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of subnet administration: what a host is answered, and whether.
#include <algorithm>
#include <array>
#include <bit>

#include "core/wire/path_record.h"
#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"
#include "tests/support/sa_client.h"

namespace ember::acts {
namespace {

using testing::SaClient;

constexpr std::uint64_t kPrefix = 0xFE80000000000000;
constexpr std::uint32_t kClient = 5;  ///< The host that asks.

constexpr std::uint64_t kByGids = 1U << PathRecord::kHasDgid | 1U << PathRecord::kHasSgid;

/// From the host that asks to `to`.
PathRecord PathTo(SaClient& client, const Gid& to) {
    PathRecord asked;
    asked.Set(PathRecord::kSgidPrefix, kPrefix);
    asked.Set(PathRecord::kSgidGuid, client.guid());
    asked.Set(PathRecord::kDgidPrefix, to.high);
    asked.Set(PathRecord::kDgidGuid, static_cast<Guid>(to.low));
    return asked;
}

SaMad AskForPath(SaClient& client, const Gid& to) {
    return client.Ask(Method::kGet, SaAttribute::kPathRecord, kByGids, PathTo(client, to));
}

/// The path between two hosts, 5 and 2.
PathRecord PathOnWay(SimWorld& world) {
    SaClient client(world, kClient);
    const Guid to = world.world().port(world.sim().RowOf(2, 1)).guid;
    const SaMad answer = AskForPath(client, {kPrefix, Raw(to)});
    EXPECT_EQ(answer.header.status, 0);
    return RecordIn<PathRecord>(answer);
}

std::string LevelOfAPath(const Settings& settings) {
    return Text(PathOnWay(*BringUp(settings)).Get(PathRecord::kSl));
}

std::string RateOfAPath(const Settings& settings) {
    return Text(PathOnWay(*BringUp(settings)).Get(PathRecord::kRate));
}

/// Between hosts with links of 400 Gb/s that know the codes of such rates.
std::string RateOfAFastPath(const Settings& settings) {
    net::Netlist tree = SmallTree();
    for (net::NetNode& node : tree.nodes) {
        for (net::NetPort& port : node.ports) {
            port.speed = 4;
            port.extended_speed = 8;
        }
    }
    SimWorld world(tree);
    for (const std::uint32_t host : {2U, kClient}) {
        PortInfo& info = world.world().port(world.sim().RowOf(host, 1)).info;
        info.Set(PortInfo::kCapabilityMask, info.Get(PortInfo::kCapabilityMask) |
                                                capability_mask::kIsCapabilityMask2Supported);
        info.Set(PortInfo::kCapabilityMask2,
                 std::uint16_t{capability_mask2::kIsLinkSpeedHdrSupported});
    }
    world.AddManager(settings);
    EXPECT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    return Text(PathOnWay(world).Get(PathRecord::kRate));
}

/// To an InfiniHost of old.
std::string MtuToAnOldAdapter(const Settings& settings) {
    net::Netlist tree = SmallTree();
    tree.nodes[2].vendor_id = 0x2C9;
    tree.nodes[2].device_id = 23108;
    return Text(PathOnWay(*BringUp(settings, tree)).Get(PathRecord::kMtu));
}

/// Whether a question with the SM_Key 0x77 is heard.
std::string WithAKey(const Settings& settings) {
    const auto world = BringUp(settings);
    SaClient client(*world, kClient);
    const Guid to = world->world().port(world->sim().RowOf(2, 1)).guid;
    SaMad question = client.Question(Method::kGet, SaAttribute::kPathRecord, kByGids,
                                     PathTo(client, {kPrefix, Raw(to)}));
    question.sm_key = 0x77;
    return client.AskOnce(question).has_value() ? "answered" : "silence";
}

/// Asks twenty times at once.
void AskInABurst(SimWorld& world, SaClient& client) {
    const Guid to = world.world().port(world.sim().RowOf(2, 1)).guid;
    for (int i = 0; i < 20; ++i) {
        client.Send(client.Question(Method::kGet, SaAttribute::kPathRecord, kByGids,
                                    PathTo(client, {kPrefix, Raw(to)})));
    }
}

std::string AnswersToABurst(const Settings& settings) {
    const auto world = BringUp(settings);
    SaClient client(*world, kClient);
    AskInABurst(*world, client);
    client.Listen(2 * kSecond);
    return fmt::format("{} of 20", client.answers);
}

/// A management port that takes nothing while it is told to.
class StuckPort final : public MadPort {
public:
    explicit StuckPort(MadPort& port) : port_(port) {}
    Status Send(const Envelope& envelope) override {
        return is_stuck ? Status::kBusy : port_.Send(envelope);
    }
    Status Receive(Envelope& envelope) override { return port_.Receive(envelope); }

    bool is_stuck = false;

private:
    MadPort& port_;
};

/// The same while our own port takes no answer for a tenth of a second.
std::string AnswersAfterAWait(const Settings& settings) {
    SimWorld world(SmallTree());
    world.AddManager(settings);
    StuckPort port(world.attachment());
    world.Interpose(port);
    world.Restart();
    EXPECT_TRUE(world.RunUntilQuiet(60 * kSecond));
    SaClient client(world, kClient);
    port.is_stuck = true;
    AskInABurst(world, client);
    client.Listen(100 * kMs);
    port.is_stuck = false;
    client.Listen(2 * kSecond);
    return fmt::format("{} of 20", client.answers);
}

/// Whether the subscription of a port that was away is kept or dropped.
std::string SubscriptionOfAPortThatWas(const Settings& settings) {
    const auto world = BringUp(settings);
    SaClient client(*world, kClient);
    const SaMad answer = client.Ask(Method::kSet, SaAttribute::kInformInfo, 0,
                                    testing::Subscription(TrapNumber::kOutOfService));
    EXPECT_EQ(answer.header.status, 0);
    EXPECT_EQ(world->sm().records().subscriptions().count(), 1U);
    world->Cut(kClient, 1);
    world->RunFor(20 * kSecond);
    return world->sm().records().subscriptions().count() == 0 ? "dropped" : "kept";
}

/// Services that are told after the first sweep.
std::string Services(const Settings& settings) {
    return Text(BringUp(settings)->sm().records().services().count());
}

}  // namespace

std::vector<Row> AdministrationRows() {
    const File services{
        "services",
        "Service Record: id=0x0000000000000007 gid=0xfe80000000000000:0x0000000000100003 "
        "pkey=0xffff lease=0xffffffff key=0x0000000000000000:0x0000000000000000 name='one' "
        "data8=0x0000000000000000:0x0000000000000000 "
        "data16=0x0000000000000000:0x0000000000000000 "
        "data32=0x0000000000000000:0x0000000000000000 "
        "data64=0x0000000000000000:0x0000000000000000 "
        "modified_time=0x00000000 lease_period=0xffffffff\n"};
    const File policy{"site-qos.conf", "qos-ulps\ndefault : 3\nend-qos-ulps\n"};
    // clang-format off
    return {
        {"qos_policy_file", "site-qos.conf", &LevelOfAPath, "0", "3", "qos TRUE\n", {policy}},
        {"sa_key", "0x77", &WithAKey, "silence", "answered"},
        {"sa_max_requests_per_source", "1", &AnswersToABurst, "20 of 20", "8 of 20"},
        {"max_msg_fifo_timeout", "50", &AnswersAfterAWait, "20 of 20", "1 of 20"},
        {"max_rate_enum", "7", &RateOfAPath, "16", "7"},
        {"use_original_extended_sa_rates_only", "TRUE", &RateOfAFastPath, "21", "18"},
        {"enable_quirks", "TRUE", &MtuToAnOldAdapter, "5", "3"},
        {"drop_event_subscriptions", "TRUE", &SubscriptionOfAPortThatWas, "kept", "dropped"},
        {"sa_db_file", "services", &Services, "0", "1", {}, {services}},
    };
    // clang-format on
}

}  // namespace ember::acts
