// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of SMs that were met while they discovered.

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "core/base/time.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

constexpr std::uint64_t kPauseUs = 300'000;

using Peer = LoneRole::Peer;

constexpr Peer kNew{0x60, 2, SmState::kDiscovering};

[[nodiscard]] Peer As(Peer peer, SmState state) {
    peer.state = state;
    return peer;
}

/// A master of priority 9 that met `peers` and has served them.
struct MasterOf : LoneRole {
    explicit MasterOf(const std::vector<Peer>& peers) {
        settings.sm_priority = 9;
        BringTo(SmState::kMaster);
        HoldElection(peers);
        static_cast<void>(role.EndFirstSweep());
        static_cast<void>(role.TakeAct());
        port.sent.clear();
    }

    /// Datagrams sent since the last call.
    [[nodiscard]] std::vector<Envelope> TakeSent() {
        role.Step(now);
        std::vector<Envelope> sent(port.sent.begin(), port.sent.end());
        port.sent.clear();
        return sent;
    }

    /// Lets the pause end, in which nothing is sent, and answers the question as `peer`.
    void TellAfterPause(const Peer& peer) {
        Pass(kPauseUs - 1);
        EXPECT_TRUE(TakeSent().empty());
        EXPECT_EQ(role.NextDeadlineUs(), now + 1);
        Pass(1);
        const std::vector<Envelope> asked = TakeSent();
        ASSERT_EQ(asked.size(), 1U);
        EXPECT_EQ(asked[0].mad.header.method, Method::kGet);
        EXPECT_EQ(asked[0].mad.header.attribute_id, AttributeId::kSmInfo);
        Deliver(InfoAnswer(asked[0], peer));
    }

    [[nodiscard]] bool IsOffered(const std::vector<Envelope>& sent) const {
        return sent.size() == 1 && sent[0].mad.header.method == Method::kSet &&
               sent[0].mad.header.attribute_modifier == Raw(SmControl::kHandover);
    }
};

TEST(Newcomer, IsAskedUntilItSaysWhatItHasBecome) {
    MasterOf master(std::vector{kNew});
    master.TellAfterPause(kNew);
    EXPECT_EQ(master.role.others()[0].state, SmState::kDiscovering);
    master.TellAfterPause(As(kNew, SmState::kStandby));
    EXPECT_EQ(master.role.others()[0].state, SmState::kStandby);
    EXPECT_EQ(master.role.TakeAct(), Act::kNothing);
    EXPECT_EQ(master.role.NextDeadlineUs(), kNever);
}

TEST(Newcomer, ThatStandsByIsHandedTheSubnetAtTheEnd) {
    MasterOf master(std::vector{kNew});
    master.TellAfterPause(As(kNew, SmState::kStandby));
    master.role.Leave(master.now);
    EXPECT_TRUE(master.IsOffered(master.TakeSent()));
}

TEST(Newcomer, IsAskedAtOnceWhenTheMasterEnds) {
    MasterOf master(std::vector{kNew});
    master.role.Leave(master.now);
    EXPECT_TRUE(master.role.leaves(master.now));
    std::vector<Envelope> asked = master.TakeSent();
    ASSERT_EQ(asked.size(), 1U);
    master.Deliver(LoneRole::InfoAnswer(asked[0], kNew));
    EXPECT_TRUE(master.TakeSent().empty());
    master.Pass(50'000);
    asked = master.TakeSent();
    ASSERT_EQ(asked.size(), 1U);
    master.Deliver(LoneRole::InfoAnswer(asked[0], As(kNew, SmState::kStandby)));
    EXPECT_TRUE(master.IsOffered(master.TakeSent()));
}

TEST(Newcomer, ThatDiscoversForEverHoldsUpNoEnd) {
    MasterOf master(std::vector{kNew});
    master.role.Leave(master.now);
    EXPECT_TRUE(master.role.leaves(master.now + 999'999));
    EXPECT_FALSE(master.role.leaves(master.now + 1'000'000));
}

TEST(Newcomer, ThatDiscoversForEverHoldsUpNoOther) {
    const Peer second{0x70, 3, SmState::kDiscovering};
    MasterOf master({kNew, second});
    for (int i = 0; i < 2; ++i) {
        master.Pass(kPauseUs);
        const std::vector<Envelope> asked = master.TakeSent();
        ASSERT_EQ(asked.size(), 1U);
        const bool is_second = std::bit_cast<DirectedSmp>(asked[0].mad).initial_path[1] == 2;
        master.Deliver(
            LoneRole::InfoAnswer(asked[0], is_second ? As(second, SmState::kStandby) : kNew));
    }
    EXPECT_EQ(master.role.others()[0].state, SmState::kDiscovering);
    EXPECT_EQ(master.role.others()[1].state, SmState::kStandby);
}

TEST(Newcomer, ThatRanksAboveOrIsMasterIsMetByASweep) {
    Peer higher = kNew;
    higher.priority = 12;
    MasterOf outranked(std::vector{higher});
    outranked.TellAfterPause(As(higher, SmState::kStandby));
    EXPECT_EQ(outranked.role.TakeAct(), Act::kLook);
    MasterOf rivalled(std::vector{kNew});
    rivalled.TellAfterPause(As(kNew, SmState::kMaster));
    EXPECT_EQ(rivalled.role.TakeAct(), Act::kLook);
    EXPECT_TRUE(rivalled.role.is_master());
}

TEST(Newcomer, ThatIsSilentIsAskedAgain) {
    MasterOf master(std::vector{kNew});
    master.Pass(kPauseUs);
    ASSERT_EQ(master.TakeSent().size(), 1U);
    master.Pass(5'000'000);
    master.Pass(5'000'000);
    master.Pass(kPauseUs);
    EXPECT_FALSE(master.TakeSent().empty());
}

}  // namespace
}  // namespace ember
