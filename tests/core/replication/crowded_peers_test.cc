// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of peers among strangers and floods.
#include <gtest/gtest.h>
#include <vector>

#include "tests/core/replication/peers_fixture.h"

namespace ember::peers {
namespace {

TEST_F(PeersTest, StrangersAreLookedAtSoOftenAndNoMore) {
    Meet();
    const std::vector<Lid> met = {kMasterLid};
    standby_.peers.SetMet(met);
    for (std::uint16_t i = 0; i < 10'000; ++i) {  // All at one time, each from another place.
        EXPECT_FALSE(standby_.peers.Take(Forged(i, Lid(100 + i)), now_us_));
    }
    EXPECT_LE(standby_.peers.statistics().forged, StrangerBudget::kMost);
    EXPECT_GE(standby_.peers.statistics().refused, 10'000U - StrangerBudget::kMost);
    RunFor(kSecondUs);
    EXPECT_TRUE(AreBothProved()) << "the session goes on meanwhile";
}

/// Neither by its master, whose place its role knows, nor by one that it has never met.
TEST_F(PeersTest, AFloodFromElsewhereKeepsNoneFromBeingProved) {
    for (const bool is_met : {true, false}) {
        Side master{Guid{0x40}, Lid{9}, SmState::kMaster, 40, kKey};
        const std::vector<Lid> met = {Lid{9}};
        if (is_met) standby_.peers.SetMet(met);
        ASSERT_EQ(master.peers.Meet(kStandby, standby_.lid, 0, now_us_), Status::kOk);
        std::uint64_t took_us = 0;
        while (standby_.TrustIn(Guid{0x40}) != PeerTrust::kProved && took_us < 10 * kSecondUs) {
            for (std::uint16_t i = 0; i < 100; ++i) {
                static_cast<void>(standby_.peers.Take(Forged(i, Lid{50}), now_us_));
            }
            master.peers.Step(true, now_us_);
            for (const Envelope& envelope : master.Sent()) {
                static_cast<void>(standby_.peers.Take(envelope, now_us_));
            }
            for (const Envelope& envelope : standby_.Sent()) {
                if (envelope.peer == standby_.lid) master.peers.Take(envelope, now_us_);
            }
            now_us_ += 10 * kMs;
            took_us += 10 * kMs;
        }
        EXPECT_LE(took_us, is_met ? 100 * kMs : 400 * kMs);
        standby_.peers.SetMet({});
        now_us_ += 3 * kSecondUs;
        standby_.peers.Step(false, now_us_);
    }
}

TEST_F(PeersTest, AnAnswerThatIsNotLookedAtIsNoSilence) {
    ASSERT_EQ(master_.peers.Meet(kStandby, standby_.lid, 0, now_us_), Status::kOk);
    for (int i = 0; i < 100; ++i) {
        for (std::uint16_t forged = 0; forged < 100; ++forged) {
            static_cast<void>(master_.peers.Take(Forged(forged, standby_.lid), now_us_));
        }
        now_us_ += ReplicationPeers::kGreetUs;
        master_.peers.Step(true, now_us_);
    }
    EXPECT_LT(master_.peers.Find(kStandby)->unanswered, ReplicationPeers::kPatience);
}

TEST_F(PeersTest, ManyPeersTakeNoRowOfOneThatIsThere) {
    Meet();
    for (std::uint64_t i = 0; i < 16; ++i) {
        now_us_ += StrangerBudget::kWindowUs;
        const Envelope other = Changed(heard_by_standby_[0], kKey, [i](ReplicationMad& mad) {
            mad.head.sender = Guid{100 + i};
        });
        static_cast<void>(standby_.peers.Take(other, now_us_));
    }
    EXPECT_EQ(standby_.TrustIn(kMaster), PeerTrust::kProved);
}

}  // namespace
}  // namespace ember::peers
