// SPDX-License-Identifier: Apache-2.0
// EmberSM: which LFT blocks differ, and which entries lead away from their LID.
#include "core/programming/lft_differences.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/known_lfts_fixture.h"

namespace ember {
namespace {

constexpr std::uint8_t kDrop = 255;

/// A ring of four switches with a host each, and a table of all entries to the first host: packets
/// go round the ring upwards, or downwards.
class LftDifferencesTest : public KnownLftsFixture {
protected:
    LftDifferencesTest()
        : KnownLftsFixture(net::Ring(4, 1)),
          differing_(known_words_.size()),
          detour_(known_words_.size()),
          blind_(known_words_.size()),
          hot_(LftDifferences::LidWords(built_.limits())),
          yield_(hot_.size()),
          homes_(LidStride(built_.limits())),
          planned_(entries_.size(), kDrop),
          differences_({.differing_words = differing_,
                        .detour_words = detour_,
                        .blind_words = blind_,
                        .hot_words = hot_,
                        .yield_words = yield_,
                        .homes = homes_},
                       built_.limits(), built_.fabric(), known_, outcome_) {
        static_cast<void>(known_.BeginRound(true));
        home_ = SwitchIndex{0};
        for (const Port& port : fabric().PortsOf(fabric().switch_row(home_).node)) {
            if (port.number == kManagementPort || port.peer == kNoPortIndex) continue;
            const Port& peer = fabric().port(port.peer);
            if (fabric().node(peer.node).type != NodeType::kSwitch) lid_ = Raw(peer.lid);
        }
    }

    /// The port to another switch.
    [[nodiscard]] std::uint8_t PortTo(SwitchIndex at, SwitchIndex next) {
        for (const Port& port : fabric().PortsOf(fabric().switch_row(at).node)) {
            if (port.number == kManagementPort || port.peer == kNoPortIndex) continue;
            const Node& node = fabric().node(fabric().port(port.peer).node);
            if (node.type == NodeType::kSwitch && node.switch_index == next)
                return Raw(port.number);
        }
        return kDrop;
    }
    [[nodiscard]] std::uint8_t& planned(std::uint32_t at, std::uint32_t lid) {
        return planned_[at * LidStride(built_.limits()) + lid];
    }
    /// Of the path to the first host, from a switch that is not its own.
    void Plan(std::uint32_t at, bool up) {
        const auto next = static_cast<SwitchIndex>((at + (up ? 1U : 3U)) % 4U);
        planned(at, lid_) = PortTo(static_cast<SwitchIndex>(at), next);
    }
    void PlanAll(bool up) {
        for (std::uint32_t at = 1; at < 4; ++at) {
            Plan(at, up);
        }
    }
    /// The switches have what is planned.
    void BurnIn() {
        for (std::uint32_t at = 0; at < 4; ++at) {
            SmpData block;
            for (std::uint32_t lid = 0; lid < 64; ++lid) {
                block[lid] = planned(at, lid);
            }
            known_.Take(static_cast<SwitchIndex>(at), 0, block);
        }
    }
    void Compare(bool may_trust = false, bool only_known = false) {
        differences_.Begin(
            {.lfts = {planned_, LftShape(built_.limits())}, .hops = {}, .only_known = only_known},
            may_trust);
        for (int slices = 0; differences_.Advance() == Progress::kMore; ++slices) {
            ASSERT_LT(slices, 1000);
        }
    }
    [[nodiscard]] bool Differs(std::uint32_t at) const {
        return differences_.differing().Has(known_.MarkOf(static_cast<SwitchIndex>(at), 0));
    }
    [[nodiscard]] bool NeedsDetour(std::uint32_t at) const {
        return differences_.detours().Has(known_.MarkOf(static_cast<SwitchIndex>(at), 0));
    }

    std::vector<std::uint64_t> differing_, detour_, blind_, hot_, yield_;
    std::vector<SwitchIndex> homes_;
    std::vector<std::uint8_t> planned_;
    ProgrammingOutcome outcome_;
    LftDifferences differences_;
    SwitchIndex home_ = kNoSwitch;
    std::uint16_t lid_ = 0;
};

TEST_F(LftDifferencesTest, AreNoneOfTablesThatAreRight) {
    PlanAll(true);
    BurnIn();
    Compare();
    EXPECT_EQ(differences_.differing().count(), 0U);
    EXPECT_EQ(outcome_.blocks_right, 4U);
}

TEST_F(LftDifferencesTest, AreAllBlocksOfTablesThatAreNotKnown) {
    PlanAll(true);
    Compare();
    EXPECT_EQ(differences_.differing().count(), 4U);
    EXPECT_TRUE(differences_.WasUnknown(SwitchIndex{2}, 0));
    EXPECT_EQ(differences_.hot().count(), 0U) << "a table that was never written leads nowhere";
    Compare(false, true);
    EXPECT_EQ(differences_.differing().count(), 0U) << "no routing: they stay as they are";
}

/// 3 -> 2 -> 1 -> 0 becomes 1 -> 2 -> 3 -> 0. Switch 1 is three hops away then, and led to the
/// home: that is nearer. Switch 2, two hops, led to switch 1, which is farther; 3 led to 2.
TEST_F(LftDifferencesTest, NameTheEntriesThatLeadAway) {
    PlanAll(false);
    BurnIn();
    PlanAll(true);
    Compare();
    EXPECT_FALSE(Differs(0));
    EXPECT_TRUE(Differs(1));
    EXPECT_TRUE(Differs(2));
    EXPECT_TRUE(Differs(3));
    EXPECT_FALSE(NeedsDetour(1));
    EXPECT_TRUE(NeedsDetour(2));
    EXPECT_TRUE(NeedsDetour(3));
    EXPECT_EQ(differences_.hot().count(), 1U);
    EXPECT_TRUE(differences_.hot().Has(lid_));
    EXPECT_FALSE(differences_.has_yielding()) << "there is no proof to ask";
}

TEST_F(LftDifferencesTest, LetEntriesBeThatLeadNearer) {
    PlanAll(false);
    BurnIn();
    Plan(3, true);  // Was three hops away, and is the home's other neighbor.
    Plan(2, true);
    Compare();
    EXPECT_TRUE(Differs(2));
    EXPECT_FALSE(NeedsDetour(2)) << "switch 1 is as near the home as switch 3";
    EXPECT_TRUE(NeedsDetour(3)) << "switch 2 is behind it now";
    planned(3, lid_) = kDrop;
    planned(2, lid_) = kDrop;
    Compare();
    EXPECT_EQ(differences_.hot().count(), 0U) << "where no path is planned nothing leads away";
}

TEST_F(LftDifferencesTest, DoNotTrustEntriesOfABlockInDoubt) {
    PlanAll(true);
    BurnIn();
    known_.NoteSent(SwitchIndex{2}, 0);
    Compare();
    EXPECT_TRUE(Differs(2));
    EXPECT_TRUE(NeedsDetour(2)) << "the entry is planned, and may still be another";
    EXPECT_TRUE(differences_.hot().Has(lid_));
}

TEST_F(LftDifferencesTest, DoNotMindEntriesAboveTheTop) {
    PlanAll(false);
    BurnIn();
    PlanAll(true);
    for (std::uint32_t at = 0; at < 4; ++at) {
        SetTop(static_cast<SwitchIndex>(at), static_cast<Lid>(lid_ - 1));
    }
    Compare();
    EXPECT_TRUE(Differs(2));
    EXPECT_EQ(differences_.detours().count(), 0U);
}

TEST_F(LftDifferencesTest, AreLookedForOnlyWhereTheyAreExpected) {
    PlanAll(false);
    BurnIn();
    PlanAll(true);
    differences_.ExpectChanges();
    differences_.Expect(SwitchIndex{1}, Lid{lid_});
    Compare(true);
    EXPECT_TRUE(Differs(1));
    EXPECT_FALSE(Differs(2));
    EXPECT_EQ(outcome_.blocks_right, 3U);
    differences_.ExpectChanges();
    Compare(false);
    EXPECT_TRUE(Differs(2)) << "after a round that did not end well all are compared";
    differences_.BeginRound();
    Compare(true);
    EXPECT_TRUE(Differs(2)) << "nothing was said of this round";
}

}  // namespace
}  // namespace ember
