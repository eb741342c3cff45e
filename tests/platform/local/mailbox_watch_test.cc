// SPDX-License-Identifier: Apache-2.0
// EmberSM: the mailbox between its driver and an emulated ASIC: stalls, resets, contradictions.
#include <cstdint>
#include <gtest/gtest.h>

#include "platform/local/mailbox_port.h"
#include "tests/platform/local/mailbox_fixture.h"

namespace ember::testing {
namespace {

using local::Register;

TEST_F(Mailbox, RingsAStuckDoorbellAgain) {
    Opened();
    asic.LoseDoorbells(2);
    ASSERT_EQ(port.Send(Numbered(1)), Status::kOk);
    EXPECT_EQ(Taken(), -1);
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().rings_again, 0U);  // Too early.
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(Taken(), -1);
        clock.now_us += MailboxPort::kStallUs;
        EXPECT_EQ(Next(), -1);
    }
    EXPECT_EQ(Taken(), 1);
    EXPECT_EQ(port.statistics().rings_again, 2U);
    EXPECT_EQ(Heard(Note::kMailboxStalled), 2U);
    EXPECT_EQ(port.statistics().asked_resets, 1U);
}

TEST_F(Mailbox, RingsTheDoorbellsOfAResetAgain) {
    asic.LoseDoorbells(3);
    ASSERT_EQ(port.Open(), Status::kOk);
    EXPECT_EQ(port.Poll(), Status::kBusy);
    clock.now_us += MailboxPort::kStallUs;
    EXPECT_EQ(port.Poll(), Status::kBusy);
    EXPECT_EQ(port.statistics().rings_again, 1U);
    EXPECT_EQ(port.Poll(), Status::kBusy);
    EXPECT_EQ(port.statistics().rings_again, 1U);  // Too early.
    clock.now_us += MailboxPort::kStallUs;
    EXPECT_EQ(port.Poll(), Status::kBusy);
    clock.now_us += MailboxPort::kStallUs;
    EXPECT_EQ(port.Poll(), Status::kBusy);  // The reset has been heard of. Not so its epoch:
    asic.LoseDoorbells(1);
    EXPECT_EQ(port.Poll(), Status::kBusy);
    EXPECT_FALSE(asic.running());
    clock.now_us += MailboxPort::kStallUs;
    EXPECT_EQ(port.Poll(), Status::kBusy);
    EXPECT_EQ(port.Poll(), Status::kOk);
    EXPECT_EQ(port.statistics().rings_again, 4U);
    EXPECT_EQ(port.statistics().asked_resets, 1U);
}

TEST_F(Mailbox, IsPatientAfterALongRest) {
    Opened();
    clock.now_us += 3'600'000'000;
    ASSERT_EQ(port.Send(Numbered(1)), Status::kOk);
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().rings_again, 0U);
}

TEST_F(Mailbox, ResetsADeviceThatTakesNothing) {
    Opened();
    ASSERT_EQ(port.Send(Numbered(1)), Status::kOk);
    for (std::uint32_t i = 0; i <= MailboxPort::kRingsAgain; ++i) {
        clock.now_us += MailboxPort::kStallUs;
        EXPECT_EQ(Next(), -1);
    }
    EXPECT_EQ(port.statistics().rings_again, MailboxPort::kRingsAgain);
    EXPECT_EQ(port.statistics().asked_resets, 2U);
    EXPECT_EQ(Heard(Note::kMailboxFaulty), 1U);
    ExpectHealed();
}

TEST_F(Mailbox, GivesADeadDeviceUpForGood) {
    Opened();
    asic.Die();
    ASSERT_EQ(port.Send(Numbered(1)), Status::kOk);
    const std::uint64_t begun_us = clock.now_us;
    Envelope envelope;
    while (port.Receive(envelope) != Status::kDevice && clock.now_us < begun_us + 60'000'000) {
        clock.now_us += 10'000;
    }
    EXPECT_EQ(port.Send(Numbered(2)), Status::kDevice);
    EXPECT_LT(clock.now_us - begun_us, 6'000'000U);
    EXPECT_GT(clock.now_us - begun_us, 4'000'000U);
    EXPECT_EQ(Heard(Note::kDeviceGone), 1U);
    EXPECT_EQ(port.Poll(), Status::kDevice);
}

TEST_F(Mailbox, ADeviceThatComesUpAndTakesNothingIsGivenUpToo) {
    Opened();
    const std::uint64_t begun_us = clock.now_us;
    Envelope envelope;
    while (port.Receive(envelope) != Status::kDevice && clock.now_us < begun_us + 60'000'000) {
        (void)port.Send(Numbered(1));  // Take() is not called.
        clock.now_us += 10'000;
    }
    EXPECT_EQ(port.Poll(), Status::kDevice);
    EXPECT_LT(clock.now_us - begun_us, 6'000'000U);
}

TEST_F(Mailbox, HealsAfterTheDeviceResetItself) {
    Opened();
    ASSERT_EQ(port.Send(Numbered(1)), Status::kOk);
    EXPECT_TRUE(asic.Give(Numbered(2)));
    asic.Reset();
    EXPECT_EQ(Next(), 2);  // The datagram was whole; no harm.
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().device_resets, 1U);
    EXPECT_EQ(Heard(Note::kMailboxReset), 1U);
    ExpectHealed();
    EXPECT_EQ(Taken(), -1);  // Datagrams in the ring are lost, and come in no other epoch.
    EXPECT_EQ(port.statistics().asked_resets, 1U);
}

TEST_F(Mailbox, ADeviceThatResetsItselfForEverIsGivenUp) {
    Opened();
    const std::uint64_t begun_us = clock.now_us;
    Envelope envelope;
    Status heard = Status::kBusy;
    for (int i = 0; heard != Status::kDevice && i < 1000; ++i) {
        asic.Reset();
        for (int looks = 0; looks < 10 && heard != Status::kDevice; ++looks) {
            heard = port.Receive(envelope);
            clock.now_us += 10'000;
        }
    }
    EXPECT_EQ(port.Poll(), Status::kDevice);
    EXPECT_LT(clock.now_us - begun_us, MailboxPort::kOwnResetsUs);
    EXPECT_EQ(port.statistics().device_resets, MailboxPort::kMostResets);
    EXPECT_EQ(Heard(Note::kDeviceGone), 1U);
}

TEST_F(Mailbox, ADeviceThatResetsItselfBeforeItRunsIsGivenUpToo) {
    Opened();
    wire.asic = nullptr;  // The device never hears of an epoch.
    for (int i = 0; i < 1000 && port.Poll() != Status::kDevice; ++i) {
        asic.Reset();
        Envelope envelope;
        static_cast<void>(port.Receive(envelope));
        clock.now_us += 10'000;
    }
    EXPECT_EQ(port.Poll(), Status::kDevice);
    EXPECT_EQ(port.statistics().asked_resets, 1U);
    EXPECT_EQ(Heard(Note::kDeviceGone), 1U);
}

TEST_F(Mailbox, ADeviceThatResetsItselfNowAndThenIsKept) {
    Opened();
    for (int i = 0; i < 100; ++i) {
        asic.Reset();
        clock.now_us += MailboxPort::kOwnResetsUs / 10;
        EXPECT_EQ(Next(), -1);
        ExpectHealed();
    }
    EXPECT_EQ(port.statistics().device_resets, 100U);
}

TEST_F(Mailbox, HealsAfterTheDeviceSaidThatItIsBroken) {
    Opened();
    asic.Break();
    EXPECT_TRUE(asic.interrupt());
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().asked_resets, 2U);
    ExpectHealed();
}

TEST_F(Mailbox, IsNotConfusedWhenTheEpochComesRound) {
    Opened();
    asic.SetEpoch(0xFFFF);
    asic.Reset();
    EXPECT_EQ(asic.epoch(), 1U);
    EXPECT_EQ(Next(), -1);
    ExpectHealed();
}

TEST_F(Mailbox, ResetsWhatContradictsItself) {
    Opened();
    const auto expect_reset = [&](Register which, std::uint32_t value) {
        const std::uint64_t before = port.statistics().asked_resets;
        ASSERT_EQ(port.Send(Numbered(1)), Status::kOk);
        Spoil(which, value);
        EXPECT_EQ(Next(), -1);
        EXPECT_EQ(port.statistics().asked_resets, before + 1) << value;
        ExpectHealed();
        EXPECT_EQ(Next(), -1);
    };
    expect_reset(Register::kTransmitHead, 9);           // Past the tail.
    expect_reset(Register::kTransmitHead, 0xFFFFFFFF);  // Backwards.
    expect_reset(Register::kReceiveTail, 0x10000);      // More than the ring holds.
    EXPECT_EQ(Heard(Note::kMailboxFaulty), 3U);
}

TEST_F(Mailbox, ADeviceThatIsSlowWithItsResetIsWaitedFor) {
    wire.asic = nullptr;
    EXPECT_EQ(port.Open(), Status::kOk);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(port.Poll(), Status::kBusy);
        clock.now_us += MailboxPort::kResetUs / 5;
    }
    EXPECT_EQ(port.statistics().asked_resets, 1U);
    asic.Doorbell();
    EXPECT_EQ(port.Poll(), Status::kBusy);
    EXPECT_EQ(port.Poll(), Status::kBusy);  // The device does not run yet.
    asic.Doorbell();
    EXPECT_EQ(port.Poll(), Status::kOk);
}

}  // namespace
}  // namespace ember::testing
