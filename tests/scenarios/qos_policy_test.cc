// SPDX-License-Identifier: Apache-2.0
// EmberSM: clients are told paths by the QoS policy that is in force.
//
// Goal:   a policy acts from the first sweep on, a new one when settings change, and one that the
//         board has no room for is told and does not act.
// Method: a host of a simulated subnet asks for paths.
#include <gtest/gtest.h>

#include "core/wire/path_record.h"
#include "tests/core/administration/policy/policy_model.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember {
namespace {

using testing::kSecond;
using testing::PolicyModel;
using testing::PolicyTables;
using testing::SaClient;
using testing::SimWorld;
using P = PathRecord;

/// Paths have SL 1; those to a service ID below 10 have SL 2.
PolicyModel TwoLevels() {
    return {.levels = {{.sl = 1}, {.sl = 2}}, .rules = {{.level = 1, .service_ids = {{0, 9}}}}};
}

unsigned ToldSl(SaClient& client, std::uint64_t service_id) {
    P asked;
    asked.Set(P::kSlid, client.lid());
    asked.Set(P::kDlid, Lid{1});
    asked.Set(P::kServiceId, service_id);
    const auto bit = [](unsigned component) { return std::uint64_t{1} << component; };
    const SaMad answer = client.Ask(
        Method::kGet, SaAttribute::kPathRecord,
        bit(P::kHasSlid) | bit(P::kHasDlid) | bit(P::kHasServiceIdHigh) | bit(P::kHasServiceIdLow),
        asked);
    P path;
    std::copy_n(answer.data.begin(), sizeof path, path.octets().begin());
    EXPECT_EQ(path.Get(P::kDlid), Lid{1});
    return path.Get(P::kSl);
}

TEST(QosPolicyOfASubnet, ActsUntilTheSettingsChange) {
    const PolicyTables first(TwoLevels());
    PolicyModel other = TwoLevels();
    other.levels[0].sl = 6;
    other.rules[0].service_ids = {{5, 5}};
    const PolicyTables second(other);
    SimWorld world(net::FatTree2(4));
    Settings settings = testing::BriskSettings();
    first.PutInto(settings);
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilUp(60 * kSecond)) << world.Notes();
    SaClient client(world, world.node_of_seat() + 1);
    EXPECT_EQ(ToldSl(client, 10), 1U);
    EXPECT_EQ(ToldSl(client, 9), 2U);

    second.PutInto(settings);
    world.sm().Configure(settings);
    world.Wake();
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    EXPECT_EQ(ToldSl(client, 9), 6U);
    EXPECT_EQ(ToldSl(client, 5), 2U);

    PolicyTables{}.PutInto(settings);
    world.sm().Configure(settings);
    world.Wake();
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    EXPECT_EQ(ToldSl(client, 5), 0U);
    EXPECT_EQ(world.Heard(Note::kQosPolicyTooLarge), 0U);
}

TEST(QosPolicyOfASubnet, DoesNotActWhenTheBoardHasNoRoomForIt) {
    PolicyModel model = TwoLevels();
    model.rules.resize(kSimSmall.max_qos_rules + 1, model.rules[0]);
    const PolicyTables tables(model);
    SimWorld world(net::FatTree2(4));
    Settings settings = testing::BriskSettings();
    tables.PutInto(settings);
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilUp(60 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Heard(Note::kQosPolicyTooLarge), 1U) << world.Notes();
    SaClient client(world, world.node_of_seat() + 1);
    EXPECT_EQ(ToldSl(client, 9), 0U);
}

}  // namespace
}  // namespace ember
