// SPDX-License-Identifier: Apache-2.0
// EmberSM: the mailbox between its driver and an emulated ASIC: what the rings carry.
#include "platform/local/mailbox_port.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/platform/local/mailbox_fixture.h"

namespace ember::testing {
namespace {

using local::MailboxWindow;
using local::Register;

TEST_F(Mailbox, IsRecognisedByMagicVersionAndShape) {
    EXPECT_EQ(Opened().port_guid(), kGuid);
    EXPECT_TRUE(port.link_is_up());
    EXPECT_TRUE(asic.is_sm());

    const auto verdict = [&](Register which, std::uint32_t value, std::size_t bytes) {
        const std::uint32_t before = Read(which);
        Spoil(which, value);
        MailboxPort other(MailboxWindow::At(memory.data(), bytes), clock, nullptr);
        const Status status = other.Open();
        Spoil(which, before);
        return status;
    };
    const std::size_t all = memory.size() * 4;
    EXPECT_EQ(verdict(Register::kMagic, 0, all), Status::kAbsent);
    EXPECT_EQ(verdict(Register::kVersion, 2U << 16U, all), Status::kUnknown);
    EXPECT_EQ(verdict(Register::kVersion, 1U << 16U | 7U, all), Status::kOk);
    EXPECT_EQ(verdict(Register::kShape, 0x0203, all), Status::kMalformed);
    EXPECT_EQ(verdict(Register::kShape, 0x0201, all), Status::kMalformed);
    EXPECT_EQ(verdict(Register::kShape, 0xFF02, all), Status::kMalformed);
    EXPECT_EQ(verdict(Register::kShape, kShape.word(), all - 4), Status::kMalformed);
    EXPECT_EQ(verdict(Register::kShape, kShape.word(), 4092), Status::kMalformed);
}

TEST_F(Mailbox, SaysKDeviceUntilItIsOpened) {
    Envelope envelope;
    EXPECT_EQ(port.Send(envelope), Status::kDevice);
    EXPECT_EQ(port.Receive(envelope), Status::kDevice);
}

TEST_F(Mailbox, LaysOutADescriptorAsTheManualSays) {
    Envelope envelope = Numbered(0xAB);
    envelope.peer = Lid{0x1234};
    envelope.queue_pair = 1;
    envelope.service_level = 5;
    envelope.remote_queue_pair = 0x00345678;
    envelope.p_key_index = 0x0A0B;
    envelope.answer_within_us = 2'001;
    envelope.mad.header.mgmt_class = MgmtClass::kSubnAdm;
    ASSERT_EQ(Opened().Send(envelope), Status::kOk);

    const auto* octets = reinterpret_cast<const std::uint8_t*>(memory.data()) + 4096;
    const std::array<std::uint8_t, 4> sequence{0x00, 0x00, std::uint8_t(asic.epoch()), 0x00};
    const std::array<std::uint8_t, 20> fields{0x00, 0x01, 0, 0, 0x34, 0x12, 0,    0,    0x78, 0x56,
                                              0x34, 0x00, 1, 5, 0,    0,    0x0B, 0x0A, 3,    0};
    EXPECT_TRUE(std::equal(sequence.begin(), sequence.end(), octets));
    EXPECT_TRUE(std::equal(fields.begin(), fields.end(), octets + 8));
    EXPECT_EQ(octets[64], 0xAB);
    EXPECT_EQ(octets[65], 0x03);
    EXPECT_EQ(octets[64 + 255], 0xAB);
}

TEST_F(Mailbox, CarriesEveryFieldBothWays) {
    Opened();
    Envelope out = Numbered(9);
    out.queue_pair = 1;
    out.service_level = 15;
    out.p_key_index = 0xFFFE;
    out.remote_queue_pair = 0xFFFFFF;
    out.answer_within_us = 1;
    ASSERT_EQ(port.Send(out), Status::kOk);
    Envelope taken;
    ASSERT_EQ(asic.Take(taken), Status::kOk);
    EXPECT_EQ(taken.peer, out.peer);
    EXPECT_EQ(taken.queue_pair, 1);
    EXPECT_EQ(taken.service_level, 15);
    EXPECT_EQ(taken.remote_queue_pair, 0xFFFFFFU);
    EXPECT_EQ(taken.p_key_index, 0xFFFE);
    EXPECT_EQ(taken.answer_within_us, 1000U);  // Rounded up to milliseconds.
    EXPECT_EQ(taken.mad.body, out.mad.body);

    ASSERT_TRUE(asic.Give(out));
    Envelope in;
    ASSERT_EQ(port.Receive(in), Status::kOk);
    EXPECT_EQ(in.peer, out.peer);
    EXPECT_EQ(in.queue_pair, 1);
    EXPECT_EQ(in.service_level, 15);
    EXPECT_EQ(in.p_key_index, 0xFFFE);
    EXPECT_EQ(in.remote_queue_pair, 0xFFFFFFU);
    EXPECT_EQ(in.mad.body, out.mad.body);
    EXPECT_EQ(in.mad.header.base_version, 9);
}

TEST_F(Mailbox, KeepsTheOrderOverManyLapsOfBothRings) {
    Opened();
    for (int round = 0; round < 70'000; ++round) {  // The sequence comes round as well.
        const auto number = static_cast<std::uint8_t>(round);
        ASSERT_EQ(port.Send(Numbered(number)), Status::kOk);
        ASSERT_EQ(Taken(), number);
        ASSERT_TRUE(asic.Give(Numbered(number)));
        ASSERT_EQ(Next(), number);
        ASSERT_EQ(Next(), -1);
    }
    EXPECT_EQ(port.statistics().sent, 70'000U);
    EXPECT_EQ(port.statistics().received, 70'000U);
    EXPECT_EQ(port.statistics().torn, 0U);
    EXPECT_EQ(port.statistics().asked_resets, 1U);
}

TEST_F(Mailbox, IsBusyWhileTheTransmitRingIsFull) {
    Opened();
    for (std::uint8_t i = 0; i < 4; ++i) {
        ASSERT_EQ(port.Send(Numbered(i)), Status::kOk);
    }
    EXPECT_EQ(port.Send(Numbered(4)), Status::kBusy);
    EXPECT_EQ(port.statistics().ring_full, 1U);
    EXPECT_EQ(Taken(), 0);
    EXPECT_EQ(port.Send(Numbered(4)), Status::kOk);
    for (int i = 1; i <= 4; ++i) {
        EXPECT_EQ(Taken(), i);
    }
    EXPECT_EQ(port.statistics().asked_resets, 1U);
}

TEST_F(Mailbox, CountsAndNotesWhatAFullReceiveRingLost) {
    Opened();
    for (std::uint8_t i = 0; i < 7; ++i) {
        EXPECT_EQ(asic.Give(Numbered(i)), i < 4);
    }
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(Next(), i);
    }
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().overrun, 3U);
    EXPECT_EQ(Heard(Note::kMailboxOverrun), 1U);
    EXPECT_TRUE(asic.Give(Numbered(9)));
    EXPECT_EQ(Next(), 9);
}

TEST_F(Mailbox, CountsOverrunsFromItsOpeningOn) {
    Spoil(Register::kReceiveOverrun, 0xFFFFFFFE);
    Opened();
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().overrun, 0U);
    Spoil(Register::kReceiveOverrun, 3);
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().overrun, 5U);
}

TEST_F(Mailbox, DropsATornDescriptorAndGoesOnBehindIt) {
    Opened();
    for (const Asic::Tear tear : {Asic::Tear::kHalf, Asic::Tear::kSequence}) {
        const std::uint64_t torn = port.statistics().torn;
        EXPECT_TRUE(asic.Give(Numbered(1)));
        asic.TearNext(tear);
        EXPECT_TRUE(asic.Give(Numbered(2)));
        EXPECT_TRUE(asic.Give(Numbered(3)));
        EXPECT_EQ(Next(), 1);
        EXPECT_EQ(Next(), 3);
        EXPECT_EQ(Next(), -1);
        EXPECT_EQ(port.statistics().torn, torn + 1);
    }
    EXPECT_EQ(Heard(Note::kMailboxTorn), 2U);
    EXPECT_EQ(port.statistics().asked_resets, 1U);
}

TEST_F(Mailbox, DoesNotTakeADescriptorThatIsOnlyHalfThere) {
    Opened();
    // The device is in the midst of it: all but the sequence is written, no index has moved.
    EXPECT_TRUE(asic.Give(Numbered(1)));
    const auto slot = window.Receive(kShape, 0);
    const std::uint32_t sequence = local::LoadAcquire(slot[0]);
    local::StoreRelease(slot[0], 0);
    Spoil(Register::kReceiveTail, 0);
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().torn, 0U);
    local::StoreRelease(slot[0], sequence);
    EXPECT_EQ(Next(), 1);
}

TEST_F(Mailbox, PassesOverWhatNoDatagramCanHave) {
    Opened();
    Envelope wrong_pair = Numbered(1);
    wrong_pair.queue_pair = 2;
    Envelope wrong_level = Numbered(2);
    wrong_level.service_level = 16;
    Envelope wrong_remote = Numbered(3);
    wrong_remote.remote_queue_pair = 0x1000000;
    EXPECT_TRUE(asic.Give(wrong_pair));
    EXPECT_TRUE(asic.Give(wrong_level));
    EXPECT_TRUE(asic.Give(wrong_remote));
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().malformed, 3U);
    EXPECT_TRUE(asic.Give(Numbered(4), {.status = 1}));
    EXPECT_TRUE(asic.Give(Numbered(5)));
    EXPECT_EQ(Next(), 5);
    EXPECT_EQ(port.statistics().returned, 1U);
}

TEST_F(Mailbox, NotesWhatTheDeviceRefuses) {
    Opened();
    ASSERT_EQ(port.Send(Numbered(1)), Status::kOk);
    local::StoreOwned(window.Transmit(kShape, 0)[20], 0xFFFFFFFF);  // Memory that forgets.
    EXPECT_EQ(Taken(), -1);
    EXPECT_EQ(Next(), -1);
    EXPECT_EQ(port.statistics().refused, 1U);
    EXPECT_EQ(Heard(Note::kMailboxRefused), 1U);
}

TEST_F(Mailbox, InterruptsAreLevelsAndSpuriousOnesDoNoHarm) {
    Opened();
    EXPECT_FALSE(asic.interrupt());
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(Next(), -1);  // Woken, and nothing is there.
    }
    EXPECT_EQ(port.statistics().asked_resets, 1U);
    EXPECT_TRUE(asic.Give(Numbered(1)));
    EXPECT_TRUE(asic.interrupt());
    port.SetInterrupts(local::kEvent);
    EXPECT_FALSE(asic.interrupt());
    port.SetInterrupts(local::kEvent | local::kArrival);
    EXPECT_TRUE(asic.interrupt());
    EXPECT_EQ(Next(), 1);
    EXPECT_FALSE(asic.interrupt());
    asic.Reset();
    EXPECT_TRUE(asic.interrupt());
    EXPECT_EQ(Next(), -1);
    ExpectHealed();
    EXPECT_FALSE(asic.interrupt());
}

TEST_F(Mailbox, ClosingLowersIsSm) {
    Opened();
    port.Close();
    EXPECT_FALSE(asic.running());
    EXPECT_FALSE(asic.is_sm());
    EXPECT_EQ(port.Send(Numbered(1)), Status::kDevice);
}

}  // namespace
}  // namespace ember::testing
