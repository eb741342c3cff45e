// SPDX-License-Identifier: Apache-2.0
// EmberSM: somebody keeps telling that something changed.
//
// Goal:   traps of a switch that lead to nothing keep the subnet manager busy with that switch
//         only, and at its pace.
// Method: a port that slips forged traps, each different from all before, in among the real
//         datagrams of a simulated fabric.
#include <bit>
#include <gtest/gtest.h>
#include <memory>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// A management port into which somebody speaks every ten milliseconds.
class Interloper final : public MadPort {
public:
    Interloper(sim::Attachment& port, const Clock& clock) : port_(port), clock_(clock) {}
    Status Send(const Envelope& envelope) override { return port_.Send(envelope); }
    Status Receive(Envelope& envelope) override {
        if (from == kNoLid || clock_.NowUs() < next_us_) return port_.Receive(envelope);
        next_us_ = clock_.NowUs() + 10 * kMs;
        Notice notice;
        notice.Set(Notice::kIsGeneric, std::uint8_t{1});
        notice.Set(Notice::kTrapNumber, TrapNumber::kLinkStateChange);
        notice.Set(Notice::kIssuerLid, from);
        notice.Set(Notice::kDataDetails0, ++told);
        envelope = {};
        envelope.peer = from;
        envelope.mad = MakeLidRouted(SmpRequest{.method = Method::kTrap,
                                                .attribute = AttributeId::kNotice,
                                                .data = std::bit_cast<SmpData>(notice)});
        return Status::kOk;
    }
    [[nodiscard]] std::uint64_t next_us() const { return from == kNoLid ? ~0ULL : next_us_; }

    Lid from = kNoLid;
    std::uint64_t told = 0;

private:
    sim::Attachment& port_;
    const Clock& clock_;
    std::uint64_t next_us_ = 0;
};

/// A subnet that is up, and somebody in front of its manager.
class TrapFlood : public ::testing::Test {
protected:
    void SetUp() override {
        RunUntil(5 * kSecond);
        ASSERT_TRUE(sm.is_up());
        before = sm.status();
    }
    void RunUntil(std::uint64_t end_us) {
        while (sim.clock().NowUs() < end_us) {
            const std::uint64_t next_us = std::min(sm.Step(), port.next_us());
            sim.AdvanceToNextEvent(std::min(std::max(next_us, sim.clock().NowUs()), end_us));
        }
    }

    sim::FabricSim sim{net::FatTree2(4)};
    Interloper port{sim.AttachAnywhere(), sim.clock()};
    std::unique_ptr<Storage<kSimSmall>> storage = std::make_unique<Storage<kSimSmall>>();
    sim::SimStore store;
    sim::SimEntropy entropy{1};
    Engines engines;
    SubnetManager sm{storage->memory(),
                     kSimSmall,
                     {port, sim.clock(), sim.clock(), store, entropy},
                     BriskSettings(),
                     engines.All()};
    SubnetStatus before;
};

TEST_F(TrapFlood, OfASwitchIsObeyedAtItsPaceAndAsksThatSwitchOnly) {
    port.from = sm.fabric().port(sm.fabric().ManagementPortOf(SwitchIndex{0})).lid;
    RunUntil(25 * kSecond);
    EXPECT_GT(port.told, 1000U);
    const SubnetStatus after = sm.status();
    const std::uint64_t targeted = after.targeted_sweeps - before.targeted_sweeps;
    EXPECT_LE(targeted, 32U + 4U * 20U);
    EXPECT_GE(targeted, 20U);  // Paced, not deaf.
    EXPECT_LE(after.heavy_sweeps - before.heavy_sweeps - targeted, 22U) << "those of the timer";
    EXPECT_TRUE(sm.is_up());
    EXPECT_EQ(sm.log().CountOf(Note::kTrapUnusable), 0U);
}

TEST_F(TrapFlood, OfNobodyIsDropped) {
    port.from = Lid{0xBFFF};
    RunUntil(6 * kSecond);
    EXPECT_GT(sm.log().CountOf(Note::kTrapUnusable), 0U);
}

}  // namespace
}  // namespace ember::testing
