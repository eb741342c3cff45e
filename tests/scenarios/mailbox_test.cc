// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet manager behind the mailbox of its switch, and the mailbox fails.
//
// Goal:   whatever a chip loses, tears, forgets or makes up, the subnet comes up, stays healthy,
// and
//         the log says what it was.
// Method: a manager at port 0 of a switch of the simulated fabric, through driver, rings and an
//         emulated chip, in virtual time; faults at chosen moments of a sweep.
#include <array>
#include <gtest/gtest.h>
#include <memory>

#include "platform/common/headline.h"
#include "tests/asic/asic.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// A manager at the first switch, behind a mailbox of these rings.
struct Bench {
    explicit Bench(local::Shape shape) : world(net::RandomGraph(5, 8, 3, 2)) {
        std::uint32_t node = 0;
        while (!world.world().node(node).is_switch()) {
            ++node;
        }
        world.AddManager(node, 0, BriskSettings());
        port = std::make_unique<BridgedPort>(world.attachment(), world.sim().clock(), shape);
        world.Interpose(*port);
        world.Restart();
        port->port().ReportTo(world.sm().log());
    }
    /// Until this share of a bring-up's requests has been sent.
    void RunUntilSent(std::uint64_t requests) {
        const auto& counters = world.sim().counters();
        ASSERT_TRUE(world.RunUntil([&] { return counters.requests >= requests; }, 10 * kSecond));
    }
    void ExpectHealthy() {
        ASSERT_TRUE(world.RunUntilQuiet(120 * kSecond)) << world.Notes();
        EXPECT_EQ(world.Judge(), "") << world.Notes();
    }
    [[nodiscard]] const MailboxStatistics& statistics() const { return port->port().statistics(); }

    SimWorld world;
    std::unique_ptr<BridgedPort> port;
};

constexpr local::Shape kRoomy{6, 6};

TEST(ThroughTheMailbox, ASubnetComesUp) {
    Bench bench(kRoomy);
    bench.ExpectHealthy();
    EXPECT_TRUE(bench.port->asic().is_sm());
    EXPECT_EQ(bench.statistics().torn + bench.statistics().overrun, 0U);
    EXPECT_EQ(bench.statistics().asked_resets, 1U);
    EXPECT_EQ(bench.world.Heard(Note::kMailboxFaulty), 0U);
}

TEST(ThroughTheMailbox, OverrunsOfASmallRingAreAskedAgain) {
    Bench bench({2, 2});
    for (std::uint64_t requests = 20; requests < 200; requests += 20) {
        bench.RunUntilSent(requests);
        // The processor is elsewhere, and answers pile up before it.
        for (int i = 0; i < 64; ++i) {
            bench.world.sim().AdvanceToNextEvent(bench.world.now_us() + kMs);
            bench.port->TakeArrivals();
        }
    }
    bench.ExpectHealthy();
    EXPECT_GT(bench.statistics().overrun, 0U);
    EXPECT_GT(bench.world.Heard(Note::kMailboxOverrun), 0U);
}

TEST(ThroughTheMailbox, AResetAtAnyMomentOfASweepIsHealed) {
    for (std::uint64_t requests = 1; requests < 200; requests += 13) {
        SCOPED_TRACE(requests);
        Bench bench(kRoomy);
        bench.RunUntilSent(requests);
        bench.port->asic().Reset();
        bench.ExpectHealthy();
        EXPECT_EQ(bench.statistics().device_resets, 1U);
        EXPECT_EQ(bench.world.Heard(Note::kMailboxReset), 1U);
    }
}

TEST(ThroughTheMailbox, AStuckDoorbellIsRungAgain) {
    Bench bench(kRoomy);
    bench.RunUntilSent(20);
    bench.port->asic().LoseDoorbells(40);
    bench.ExpectHealthy();
    EXPECT_GT(bench.statistics().rings_again, 0U);
    EXPECT_GT(bench.world.Heard(Note::kMailboxStalled), 0U);
}

TEST(ThroughTheMailbox, TornDescriptorsAreDroppedAndAskedAgain) {
    for (const Asic::Tear tear : {Asic::Tear::kHalf, Asic::Tear::kSequence}) {
        Bench bench(kRoomy);
        std::uint64_t requests = 0;
        for (int i = 0; i < 10; ++i) {
            bench.RunUntilSent(requests += 15);
            bench.port->asic().TearNext(tear);
        }
        bench.ExpectHealthy();
        EXPECT_EQ(bench.statistics().torn, 10U);
        EXPECT_EQ(bench.world.Heard(Note::kMailboxTorn), 10U);
        EXPECT_EQ(bench.statistics().asked_resets, 1U);
    }
}

TEST(ThroughTheMailbox, ABrokenChipIsResetAndGoesOn) {
    Bench bench(kRoomy);
    bench.RunUntilSent(40);
    bench.port->asic().Break();
    bench.ExpectHealthy();
    EXPECT_EQ(bench.statistics().asked_resets, 2U);
    EXPECT_EQ(bench.world.Heard(Note::kMailboxFaulty), 1U);
}

TEST(ThroughTheMailbox, ADeadChipIsGivenUp) {
    Bench bench(kRoomy);
    bench.ExpectHealthy();
    bench.port->asic().Die();
    const auto gone = [&] { return !bench.world.sm().exchange().port_is_alive(); };
    EXPECT_TRUE(bench.world.RunUntil(gone, 60 * kSecond));
    EXPECT_EQ(bench.world.Heard(Note::kDeviceGone), 1U);
    // No sweep follows: there is no port to ask by.
    bench.world.RunFor(10 * kSecond);
    const std::uint64_t sweeps = bench.world.sm().progress().heavy_sweeps;
    bench.world.RunFor(600 * kSecond);
    EXPECT_EQ(bench.world.sm().progress().heavy_sweeps, sweeps);
    std::array<char, 256> room{};
    FixedText headline(room);
    AddHeadline(headline, bench.world.sm());
    EXPECT_EQ(headline.text(), "the subnet is NOT up: the management port is gone");
}

}  // namespace
}  // namespace ember::testing
