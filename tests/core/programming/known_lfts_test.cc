// SPDX-License-Identifier: Apache-2.0
// EmberSM: when an LFT block is known, and when it is known no longer.
#include "core/programming/known_lfts.h"

#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/support/known_lfts_fixture.h"

namespace ember {
namespace {

constexpr SwitchIndex kFirst{0};
constexpr SwitchIndex kSecond{1};

/// Two switches with 2 + 2 * 16 * 4 LIDs: three blocks.
class KnownLftsTest : public KnownLftsFixture {
protected:
    KnownLftsTest() : KnownLftsFixture(net::ParallelLinks(2, 16), 2) {
        static_cast<void>(Begin(true));
    }

    [[nodiscard]] bool Begin(bool forgets_all = false) { return known_.BeginRound(forgets_all); }
};

TEST_F(KnownLftsTest, AreAsLongAsTheSubnetNeeds) {
    EXPECT_EQ(known_.top(), fabric().top_lid());
    EXPECT_EQ(known_.blocks(), 3U);
    EXPECT_GE(known_[kSecond].size(), 192U);
}

TEST_F(KnownLftsTest, HoldABlockFromItsAnswerToTheNextSet) {
    EXPECT_FALSE(known_.IsKnown(kSecond, 1));
    known_.Take(kSecond, 1, Filled(7));
    EXPECT_TRUE(known_.IsKnown(kSecond, 1));
    EXPECT_EQ(known_[kSecond][64], 7);
    EXPECT_EQ(known_[kSecond][127], 7);
    EXPECT_EQ(known_.Block(kSecond, 1)[63], 7);
    EXPECT_FALSE(known_.IsKnown(kSecond, 0));
    EXPECT_FALSE(known_.IsKnown(kFirst, 1));

    known_.NoteSent(kSecond, 1);
    EXPECT_FALSE(known_.IsKnown(kSecond, 1));
    EXPECT_TRUE(known_.IsUnconfirmed(kSecond, 1)) << "the switch may have either";
    known_.Take(kSecond, 1, Filled(8));
    EXPECT_TRUE(known_.IsKnown(kSecond, 1));
    EXPECT_FALSE(known_.IsUnconfirmed(kSecond, 1));
}

TEST_F(KnownLftsTest, KeepABlockInDoubtOverTheEndOfTheRound) {
    known_.NoteSent(kSecond, 1);
    EXPECT_TRUE(Begin());
    EXPECT_TRUE(known_.IsUnconfirmed(kSecond, 1));
    EXPECT_FALSE(known_.IsKnown(kSecond, 1));
}

TEST_F(KnownLftsTest, NumberAllSwitchesOfABlockBeforeTheNext) {
    EXPECT_EQ(known_.MarkOf(kFirst, 0), 0U);
    EXPECT_EQ(known_.MarkOf(kSecond, 0), 1U);
    EXPECT_EQ(known_.MarkOf(kFirst, 1), known_.marks_per_block());
    EXPECT_EQ(known_.MarkOf(kSecond, 2), 2 * known_.marks_per_block() + 1);
}

TEST_F(KnownLftsTest, ForgetNothingOfSwitchesThatAreAsBefore) {
    known_.Take(kFirst, 0, Filled(7));
    EXPECT_TRUE(Begin());
    EXPECT_TRUE(known_.IsKnown(kFirst, 0));
    EXPECT_EQ(known_[kFirst][63], 7);
}

TEST_F(KnownLftsTest, ForgetTheTableOfASwitchWhoseTopIsAnother) {
    known_.Take(kFirst, 0, Filled(7));
    known_.Take(kSecond, 0, Filled(7));
    known_.NoteSent(kSecond, 1);
    SetTop(kSecond, Lid{70});
    EXPECT_FALSE(Begin());
    EXPECT_TRUE(known_.IsKnown(kFirst, 0));
    EXPECT_FALSE(known_.IsKnown(kSecond, 0));
    EXPECT_FALSE(known_.IsUnconfirmed(kSecond, 1)) << "an entry in doubt went with its table";
    EXPECT_EQ(Raw(known_.row(kSecond).top), 70);
    EXPECT_FALSE(known_.row(kSecond).read) << "there are blocks to be read";
}

TEST_F(KnownLftsTest, HaveNothingToBeReadOfASwitchWithoutATop) {
    SetTop(kSecond, kNoLid);
    EXPECT_FALSE(Begin());
    EXPECT_TRUE(known_.row(kSecond).read);
}

TEST_F(KnownLftsTest, ForgetTheTableOfAnotherSwitchInTheRow) {
    known_.Take(kSecond, 0, Filled(7));
    fabric().node(fabric().switch_row(kSecond).node).guid = Guid{0x77};
    EXPECT_FALSE(Begin());
    EXPECT_FALSE(known_.IsKnown(kSecond, 0));
}

TEST_F(KnownLftsTest, ForgetTheTableOfASwitchWithoutALinkAboveInit) {
    known_.Take(kSecond, 0, Filled(7));
    for (Port& port : fabric().PortsOf(fabric().switch_row(kSecond).node)) {
        port.info.Set(PortInfo::kPortState, PortState::kInitialize);
    }
    EXPECT_FALSE(Begin());
    EXPECT_FALSE(known_.IsKnown(kSecond, 0));
}

TEST_F(KnownLftsTest, AreAllForgottenOnDemand) {
    known_.Take(kFirst, 0, Filled(7));
    EXPECT_FALSE(Begin(true));
    EXPECT_FALSE(known_.IsKnown(kFirst, 0));
}

TEST_F(KnownLftsTest, AreNotWrittenToSwitchesThatAreLeftOut) {
    EXPECT_TRUE(known_.IsRouted(kSecond));
    fabric().node(fabric().switch_row(kSecond).node).is_left_out = true;
    EXPECT_FALSE(known_.IsRouted(kSecond));
}

}  // namespace
}  // namespace ember
