// SPDX-License-Identifier: Apache-2.0
// EmberSM: after a change only routes that must move do, and the balance is restored later.
//
// Goal:   under EmberSM's own order a lost or returned cable moves no route that could stay, the
//         blocks sent are the least possible, and off-sweep balancing then brings the routes to
//         where a fresh start would have put them.
// Method: the hardware's tables before and after, judged by distances over the links that are up.
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "board/linux_bench/profile.h"
#include "platform/sim/liar.h"
#include "tests/support/checkers.h"
#include "tests/support/min_hop_settings.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;
using Tables = std::map<std::uint32_t, std::vector<std::uint8_t>>;  ///< By node: port by LID.

constexpr std::uint32_t kFar = ~std::uint32_t{0};

Settings Balanced() {
    Settings settings = MinHopSettings();
    settings.order = Order::kBalanced;
    return settings;
}

/// Cables between switches to `home`, over links that are up.
std::vector<std::uint32_t> Distances(const sim::World& world, std::uint32_t home) {
    std::vector<std::uint32_t> distance(world.node_count(), kFar);
    std::vector<std::uint32_t> queue = {home};
    distance[home] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const sim::SimNode& node = world.node(queue[i]);
        for (std::uint32_t port = 1; port <= node.port_count; ++port) {
            const std::uint32_t beyond = world.Beyond(node.first_row + port);
            if (beyond == sim::kNoRow || !world.node_of(beyond).is_switch()) continue;
            const std::uint32_t next = world.port(beyond).node;
            if (distance[next] != kFar) continue;
            distance[next] = distance[queue[i]] + 1;
            queue.push_back(next);
        }
    }
    return distance;
}

class Mending : public ::testing::Test {
protected:
    void Seat(const Settings& settings) {
        world_ = std::make_unique<SimWorld>(net::FatTree3(6));
        world_->AddManager<kLinuxBench>(settings);
        ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
        ASSERT_EQ(world_->Judge(), "");
    }
    [[nodiscard]] const sim::World& world() { return world_->world(); }
    [[nodiscard]] std::vector<std::uint32_t> Trunks() {
        std::vector<std::uint32_t> rows;
        for (std::uint32_t row = 0; row < world().row_count(); ++row) {
            const std::uint32_t other = world().Beyond(row);
            if (other == sim::kNoRow || other < row) continue;
            const bool trunk =
                world().node_of(row).is_switch() && world().node_of(other).is_switch();
            if (trunk) rows.push_back(row);
        }
        return rows;
    }
    [[nodiscard]] Tables ReadTables() {
        Tables tables;
        const std::size_t lids = Raw(world_->sm().status().top_lid) + std::size_t{1};
        for (std::uint32_t node = 0; node < world().node_count(); ++node) {
            if (!world().node(node).is_switch()) continue;
            for (std::uint32_t lid = 0; lid < lids; ++lid) {
                tables[node].push_back(world().LftEntry(node, lid));
            }
        }
        return tables;
    }
    [[nodiscard]] std::uint64_t LftSets() {
        return world_->sim().counters().Sets(AttributeId::kLinearForwardingTable);
    }
    /// Whether an entry still leads to the LID's own switch by a shortest way.
    [[nodiscard]] bool MayStay(std::uint32_t node, std::uint8_t port,
                               const std::vector<std::uint32_t>& distance) {
        const sim::SimNode& here = world().node(node);
        if (distance[node] == 0) return true;
        if (port == 0 || port > here.port_count) return distance[node] == kFar && port == 255;
        const std::uint32_t beyond = world().Beyond(here.first_row + port);
        if (beyond == sim::kNoRow || !world().node_of(beyond).is_switch()) return false;
        return distance[world().port(beyond).node] + 1 == distance[node];
    }
    /// Compares with tables of before: what may stay has stayed. Returns the blocks of which some
    /// entry had to change.
    std::size_t ExpectStayed(const Tables& before) {
        const Tables after = ReadTables();
        std::set<std::pair<std::uint32_t, std::size_t>> least;
        const Fabric& fabric = world_->sm().fabric();
        for (std::size_t lid = 1; lid < before.begin()->second.size(); ++lid) {
            const PortIndex owner = fabric.PortByLid(static_cast<Lid>(lid));
            if (owner == kNoPortIndex) continue;
            const std::uint32_t node = NodeOf(fabric.node(fabric.port(owner).node).guid);
            const std::uint32_t home =
                world().node(node).is_switch()
                    ? node
                    : world().port(world().Beyond(world().node(node).first_row + 1)).node;
            const std::vector<std::uint32_t> distance = Distances(world(), home);
            for (const auto& [at, row] : before) {
                const bool may_stay = MayStay(at, row[lid], distance);
                if (!may_stay) least.insert({at, lid / 64});
                EXPECT_EQ(after.at(at)[lid] == row[lid], may_stay) << "LID " << lid;
            }
        }
        return least.size();
    }
    [[nodiscard]] std::uint32_t NodeOf(Guid guid) {
        for (std::uint32_t node = 0; node < world().node_count(); ++node) {
            if (world().node(node).guid == guid) return node;
        }
        ADD_FAILURE() << "no such node";
        return 0;
    }

    std::unique_ptr<SimWorld> world_;
};

TEST_F(Mending, ALostCableMovesOnlyWhatItMustAndSendsTheLeastBlocks) {
    Seat(Balanced());
    const std::vector<std::uint32_t> trunks = Trunks();
    for (const std::uint32_t row : {trunks.front(), trunks[trunks.size() / 2], trunks.back()}) {
        const Tables before = ReadTables();
        const std::uint64_t sets = LftSets();
        world_->sim().Do(Action::kCut, row);
        ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
        EXPECT_EQ(world_->Judge(), "");
        EXPECT_TRUE(world_->sm().router().verdict().was_mended);
        EXPECT_EQ(world_->sm().router().verdict().mended.entries, 0U) << "confirmed by the timer";
        const std::size_t least = ExpectStayed(before);
        EXPECT_GT(least, 0U);
        EXPECT_EQ(LftSets() - sets, least);
        EXPECT_TRUE(world_->sm().status().mended);
    }
}

TEST_F(Mending, AReturnedCableMovesOnlyWhatIsNowTooLong) {
    Seat(Balanced());
    const std::uint32_t row = Trunks().back();
    world_->sim().Do(Action::kCut, row);
    ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
    const Tables before = ReadTables();
    const std::uint64_t sets = LftSets();
    world_->sim().Do(Action::kJoin, row);
    ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
    EXPECT_EQ(world_->Judge(), "");
    EXPECT_EQ(EveryPairShortest(world(), world_->node_of_seat()), "");
    EXPECT_EQ(LftSets() - sets, ExpectStayed(before));
}

TEST_F(Mending, ALostAndReturnedSwitchTakesItsPlaceAgain) {
    Seat(Balanced());
    for (std::uint32_t node = 0; node < world().node_count(); ++node) {
        if (!world().node(node).is_switch()) continue;
        const std::uint32_t home =
            world().port(world().Beyond(world().node(world_->node_of_seat()).first_row + 1)).node;
        if (node == home) continue;
        world_->sim().Do(Action::kPowerOff, node);
        ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
        EXPECT_EQ(world_->Judge(), "");
        world_->sim().Do(Action::kPowerOn, node);
        ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
        EXPECT_EQ(world_->Judge(), "");
        EXPECT_EQ(EveryPairShortest(world(), world_->node_of_seat()), "");
        if (node % 5 != 0) node += 3;  // Some of each level will do.
    }
}

TEST_F(Mending, ALostCableIsProvedByWhatChangedAndConfirmedAsAWhole) {
    Seat(Balanced());
    const Verdict& verdict = world_->sm().router().verdict();
    const std::uint32_t row = Trunks().back();
    for (const Action action : {Action::kCut, Action::kJoin}) {
        world_->sim().Do(action, row);
        ASSERT_TRUE(world_->RunUntil([&] { return verdict.proved_changes_only; }, 10 * kSecond))
            << world_->Notes();
        EXPECT_TRUE(verdict.was_mended);
        ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
        EXPECT_FALSE(verdict.proved_changes_only) << "confirmed by the timer";
        EXPECT_EQ(world_->Judge(), "");
    }
}

TEST_F(Mending, WithoutConfirmationTargetedSweepsKeepTheSubnetWell) {
    // Nothing but what is touched is looked at: no port, no LID, no block may be forgotten.
    Settings settings = Balanced();
    settings.sweep_interval = 1'000'000;
    Seat(settings);
    const std::uint64_t whole =
        world_->sm().progress().heavy_sweeps - world_->sm().progress().targeted_sweeps;
    const Verdict& verdict = world_->sm().router().verdict();
    std::vector<std::uint32_t> cables;
    for (std::uint32_t row = 0; row < world().row_count(); ++row) {
        const std::uint32_t other = world().Beyond(row);
        const bool is_own = world().port(row).node == world_->node_of_seat();
        if (other == sim::kNoRow || other < row || is_own) continue;
        if (world().port(other).node == world_->node_of_seat()) continue;
        cables.push_back(row);
    }
    std::vector<std::uint32_t> lost;
    std::size_t by_changes = 0;
    std::mt19937 dice(7);
    for (int i = 0; i < 60; ++i) {
        const bool joins = lost.size() > 4 || (!lost.empty() && dice() % 3 == 0);
        const std::size_t which = dice() % (joins ? lost.size() : cables.size());
        const std::uint32_t row = joins ? lost[which] : cables[which];
        (joins ? lost : cables)
            .erase((joins ? lost : cables).begin() + static_cast<std::ptrdiff_t>(which));
        (joins ? cables : lost).push_back(row);
        world_->sim().Do(joins ? Action::kJoin : Action::kCut, row);
        ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
        ASSERT_EQ(world_->Judge(), "") << "after change " << i << "\n" << world_->Notes();
        EXPECT_EQ(EveryPairShortest(world(), world_->node_of_seat()), "");
        if (verdict.proved_changes_only) ++by_changes;
    }
    EXPECT_GT(by_changes, 20U);
    EXPECT_GT(world_->sm().progress().targeted_sweeps, 50U);
    EXPECT_LE(world_->sm().progress().heavy_sweeps - world_->sm().progress().targeted_sweeps,
              whole + 5);
}

TEST_F(Mending, BalancingRestoresWhatAFreshStartWouldMake) {
    Settings settings = Balanced();
    settings.offsweep_balancing_enabled = true;
    settings.offsweep_balancing_window = 10;
    Seat(settings);
    const std::uint64_t sweeps = world_->sm().progress().heavy_sweeps;
    world_->sim().Do(Action::kCut, Trunks().back());
    world_->RunFor(5 * kSecond);
    EXPECT_EQ(world_->sm().progress().balancings, 0U);
    EXPECT_TRUE(world_->sm().status().mended);
    world_->RunFor(10 * kSecond);
    EXPECT_EQ(world_->sm().progress().balancings, 1U);
    EXPECT_EQ(world_->Heard(Note::kBalancingStarted), 1U);
    EXPECT_EQ(world_->Heard(Note::kRoutesBalanced), 1U);
    EXPECT_FALSE(world_->sm().status().mended);
    EXPECT_EQ(world_->Judge(), "");
    EXPECT_LE(world_->sm().progress().heavy_sweeps, sweeps + 3) << "off-sweep";
    world_->RunFor(30 * kSecond);
    EXPECT_EQ(world_->sm().progress().balancings, 1U) << "once is enough";

    const Tables balanced = ReadTables();
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    EXPECT_EQ(ReadTables(), balanced);
}

TEST_F(Mending, WithoutBalancingTheMendedRoutesStayUntilSomebodyAsks) {
    Seat(Balanced());
    world_->sim().Do(Action::kCut, Trunks().back());
    world_->RunFor(300 * kSecond);
    EXPECT_EQ(world_->sm().progress().balancings, 0U);
    EXPECT_TRUE(world_->sm().status().mended);
    world_->sm().RequestSweep(SweepCue::kHeavyRequest);
    world_->Wake();
    ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond)) << world_->Notes();
    EXPECT_FALSE(world_->sm().status().mended);
    EXPECT_FALSE(world_->sm().router().verdict().was_mended);
    EXPECT_EQ(world_->Judge(), "");
}

TEST_F(Mending, OpenSmsOrdersHaveNoMemory) {
    for (const Order order : {Order::kOpensm, Order::kGuid}) {
        Settings settings = Balanced();
        settings.order = order;
        Seat(settings);
        const Tables before = ReadTables();
        const std::uint32_t row = Trunks().back();
        for (const Action action : {Action::kCut, Action::kJoin}) {
            world_->sim().Do(action, row);
            ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
            EXPECT_FALSE(world_->sm().router().verdict().was_mended);
        }
        EXPECT_EQ(ReadTables(), before);
        EXPECT_FALSE(world_->sm().status().mended);
    }
}

TEST_F(Mending, ACableLostWhileTheBalanceIsRestoredIsMendedAfterwards) {
    Settings settings = Balanced();
    settings.offsweep_balancing_enabled = true;
    settings.offsweep_balancing_window = 10;
    Seat(settings);
    const std::vector<std::uint32_t> trunks = Trunks();
    world_->sim().Do(Action::kCut, trunks.back());
    ASSERT_TRUE(world_->RunUntil(
        [&] {
            return world_->sm().progress().balancings == 1 &&
                   world_->sm().stage() == Stage::kProgramming;
        },
        30 * kSecond));
    world_->sim().Do(Action::kCut, trunks.front());
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond)) << world_->Notes();
    EXPECT_EQ(world_->Judge(), "") << world_->Notes();
}

/// Hears no Set of one host's port.
class DeafToSets final : public sim::Liar {
public:
    explicit DeafToSets(std::uint32_t node) : node_(node) {}
    Deed Meet(std::uint32_t node, const Mad& asked) override {
        const bool is_deaf = node == node_ && asked.header.method == Method::kSet;
        if (is_deaf) ++unheard_;
        return is_deaf ? Deed::kDeaf : Deed::kAct;
    }
    bool Answer(std::uint32_t, const Mad&, Mad&) override { return true; }
    [[nodiscard]] std::uint32_t unheard() const { return unheard_; }

private:
    std::uint32_t node_;
    std::uint32_t unheard_ = 0;
};

class MendingBesideADeafHost : public Mending {
protected:
    /// Nothing but the host's answers, or their lack, has it asked again.
    void SetUp() override {
        Settings settings = Balanced();
        settings.offsweep_balancing_enabled = true;
        settings.offsweep_balancing_window = 1;
        settings.sweep_interval = 1'000;
        settings.scrub_interval = 0;
        Seat(settings);
        while (world().node(host_).is_switch() || host_ == world_->node_of_seat()) {
            ++host_;
        }
    }
    /// Its link comes back, and with it routes that are to be balanced.
    void Join(DeafToSets& deaf) {
        world_->sim().Do(Action::kCut, world().node(host_).first_row + 1);
        ASSERT_TRUE(world_->RunUntilQuiet(20 * kSecond)) << world_->Notes();
        world_->sim().SetLiar(&deaf);
        world_->sim().Do(Action::kJoin, world().node(host_).first_row + 1);
        balancings_ = world_->sm().progress().balancings;
    }

    std::uint32_t host_ = 0;
    std::uint64_t balancings_ = 0;
};

TEST_F(MendingBesideADeafHost, TheBalanceWaitsUntilASetIsAnsweredOrGivenUp) {
    DeafToSets deaf(host_);
    Join(deaf);
    world_->RunFor(2 * kSecond);
    world_->sim().SetLiar(nullptr);
    ASSERT_GT(deaf.unheard(), 0U);
    world_->RunFor(10 * kSecond);
    EXPECT_GT(world_->sm().progress().balancings, balancings_);
    EXPECT_EQ(world_->Judge(), "") << world_->Notes();
}

TEST_F(MendingBesideADeafHost, TheBalanceIsRestoredAndTheHostStillCountsAsFailed) {
    DeafToSets deaf(host_);
    Join(deaf);
    world_->RunFor(60 * kSecond);
    EXPECT_GT(world_->sm().progress().balancings, balancings_);
    EXPECT_EQ(world_->sm().programming().outcome().end_ports_failed, 1U) << world_->Notes();
    world_->sim().SetLiar(nullptr);
}

}  // namespace
}  // namespace ember::testing
