// SPDX-License-Identifier: Apache-2.0
// EmberSM: RMPP, each statement of its two sides by name.
#include <gtest/gtest.h>

#include "core/exchange/rmpp_receiver.h"
#include "core/exchange/rmpp_sender.h"

namespace ember {
namespace {

constexpr std::uint32_t kTimeoutUs = 200'000;

/// Sends all that may be sent; segment `last` is the last one. How many there were.
std::uint32_t SendAll(RmppSender& sender, std::uint32_t last, std::uint64_t now_us = 0) {
    std::uint32_t count = 0;
    for (; sender.wants_segment(); ++count) {
        sender.OnSent(sender.next() == last, now_us);
    }
    return count;
}

TEST(RmppHeader, CountsTheClassHeaderInPayloadLengthAndLeavesTheTotalOpen) {
    const RmppHeader first = MakeRmppData(1, false, 200);
    EXPECT_EQ(first.version, 1);
    EXPECT_EQ(first.type, 1);
    EXPECT_EQ(RmppFlagsOf(first), rmpp_flag::kActive | rmpp_flag::kFirst);
    EXPECT_EQ(RespTimeOf(first), kNoRespTime);
    EXPECT_EQ(first.length, 0U);
    const RmppHeader last = MakeRmppData(7, true, 64);
    EXPECT_EQ(RmppFlagsOf(last), rmpp_flag::kActive | rmpp_flag::kLast);
    EXPECT_EQ(last.segment, 7U);
    EXPECT_EQ(last.length, 84U);
    const RmppHeader only = MakeRmppData(1, true, 0);
    EXPECT_EQ(RmppFlagsOf(only), 7);
    EXPECT_EQ(only.length, 20U);
}

TEST(RmppHeader, TellsStopFromAbort) {
    EXPECT_EQ(RmppTypeOf(MakeRmppEnd(RmppStatus::kResourcesExhausted)), RmppType::kStop);
    const RmppHeader abort = MakeRmppEnd(RmppStatus::kTooManyRetries);
    EXPECT_EQ(RmppTypeOf(abort), RmppType::kAbort);
    EXPECT_EQ(abort.status, 126);
}

TEST(RmppSender, SendsOneSegmentUntilTheWindowOpens) {
    RmppSender sender(kTimeoutUs);
    EXPECT_EQ(SendAll(sender, 100), 1U);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(1, 65), 10), RmppEvent::kMoved);
    EXPECT_EQ(SendAll(sender, 100), 64U);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(65, 129), 20), RmppEvent::kMoved);
    EXPECT_EQ(SendAll(sender, 100), 35U);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(100, 129), 30), RmppEvent::kDone);
    EXPECT_EQ(sender.deadline_us(), kNever);
}

TEST(RmppSender, GoesBackToWhatIsNotAcknowledgedAfterATimeout) {
    RmppSender sender(kTimeoutUs);
    SendAll(sender, 9);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(1, 6), 0), RmppEvent::kMoved);
    SendAll(sender, 9);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(3, 6), 0), RmppEvent::kMoved);
    EXPECT_EQ(sender.OnTime(kTimeoutUs - 1), RmppEvent::kNothing);
    EXPECT_EQ(sender.OnTime(kTimeoutUs), RmppEvent::kMoved);
    EXPECT_EQ(sender.next(), 4U);
    EXPECT_EQ(sender.sent(), 6U);
    EXPECT_EQ(SendAll(sender, 9, kTimeoutUs), 3U);
}

TEST(RmppSender, WaitsTwiceAsLongEachTimeAndGivesUp) {
    RmppSender sender(kTimeoutUs);
    SendAll(sender, 1);
    std::uint64_t now_us = 0;
    std::uint64_t wait_us = kTimeoutUs;
    for (std::uint32_t tries = 1; tries < RmppSender::kTries; ++tries) {
        EXPECT_EQ(sender.deadline_us(), now_us + wait_us);
        now_us = sender.deadline_us();
        ASSERT_EQ(sender.OnTime(now_us), RmppEvent::kMoved);
        SendAll(sender, 1, now_us);
        if (tries <= 3) wait_us *= 2;
    }
    EXPECT_EQ(sender.OnTime(sender.deadline_us()), RmppEvent::kFailed);
    EXPECT_EQ(sender.end_status(), RmppStatus::kTooManyRetries);
}

TEST(RmppSender, GivesUpOnAPeerThatNeverOpensTheWindow) {
    RmppSender sender(kTimeoutUs);
    SendAll(sender, 5);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(1, 1), 0), RmppEvent::kMoved);
    EXPECT_FALSE(sender.wants_segment());
    RmppEvent event = RmppEvent::kNothing;
    for (int i = 0; i < 10 && event != RmppEvent::kFailed; ++i) {
        event = sender.OnTime(sender.deadline_us());
    }
    EXPECT_EQ(event, RmppEvent::kFailed);
}

TEST(RmppSender, DoesNotCountItsOwnSlownessAsATry) {
    RmppSender sender(kTimeoutUs);
    SendAll(sender, 5);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(1, 9), 0), RmppEvent::kMoved);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(sender.OnTime(sender.deadline_us()), RmppEvent::kNothing);
    }
    EXPECT_EQ(sender.next(), 2U);
}

TEST(RmppSender, GoesBackAtOnceButOnceWhenTheReceiverRepeatsItself) {
    RmppSender sender(kTimeoutUs);
    SendAll(sender, 9);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(1, 5), 0), RmppEvent::kMoved);
    SendAll(sender, 9);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(1, 5), 0), RmppEvent::kMoved);
    EXPECT_EQ(sender.next(), 2U);
    SendAll(sender, 9);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(1, 5), 0), RmppEvent::kNothing);
    EXPECT_FALSE(sender.wants_segment());
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(2, 5), 0), RmppEvent::kMoved);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(2, 5), 0), RmppEvent::kMoved);
    EXPECT_EQ(sender.next(), 3U);
}

TEST(RmppSender, IgnoresAnAckThatWasOvertaken) {
    RmppSender sender(kTimeoutUs);
    SendAll(sender, 9);
    sender.OnHeard(MakeRmppAck(1, 5), 0);
    SendAll(sender, 9);
    sender.OnHeard(MakeRmppAck(5, 9), 0);
    EXPECT_EQ(sender.OnHeard(MakeRmppAck(1, 5), 0), RmppEvent::kNothing);
    EXPECT_EQ(sender.acknowledged(), 5U);
}

TEST(RmppSender, EndsTheConversationWhenTheReceiverBreaksTheProtocol) {
    struct Case {
        RmppHeader header;
        RmppStatus status;
    };
    RmppHeader old = MakeRmppAck(1, 5);
    old.version = 2;
    RmppHeader odd = MakeRmppAck(1, 5);
    odd.type = 9;
    const Case cases[] = {{MakeRmppAck(2, 9), RmppStatus::kSegmentTooBig},
                          {MakeRmppAck(0xFFFFFFFF, 0xFFFFFFFF), RmppStatus::kSegmentTooBig},
                          {MakeRmppAck(1, 0), RmppStatus::kWindowTooSmall},
                          {old, RmppStatus::kUnsupportedVersion},
                          {odd, RmppStatus::kBadType}};
    for (const Case& wrong : cases) {
        RmppSender sender(kTimeoutUs);
        SendAll(sender, 9);
        EXPECT_EQ(sender.OnHeard(wrong.header, 0), RmppEvent::kFailed);
        EXPECT_EQ(sender.end_status(), wrong.status);
    }
}

TEST(RmppSender, ObeysStopAndAbort) {
    for (const RmppStatus status : {RmppStatus::kResourcesExhausted, RmppStatus::kUnspecified}) {
        RmppSender sender(kTimeoutUs);
        SendAll(sender, 9);
        EXPECT_EQ(sender.OnHeard(MakeRmppEnd(status), 0), RmppEvent::kEnded);
    }
}

TEST(RmppSender, IsAsPatientAsTheReceiverAsksButNotForever) {
    RmppSender sender(kTimeoutUs);
    SendAll(sender, 9);
    RmppHeader ack = MakeRmppAck(1, 5);
    ack.resp_time_flags = std::uint8_t{17 << 3 | 1};  // 0.54 s.
    sender.OnHeard(ack, 0);
    SendAll(sender, 9);
    EXPECT_EQ(sender.deadline_us(), 1'073'740U);
    ack = MakeRmppAck(2, 6);
    ack.resp_time_flags = std::uint8_t{30 << 3 | 1};  // 73 minutes.
    sender.OnHeard(ack, 0);
    EXPECT_EQ(sender.deadline_us(), RmppSender::kLongestPatienceUs);
}

RmppHeader Segment(std::uint32_t number, std::uint8_t flags, std::uint32_t length) {
    RmppHeader header = MakeRmppData(number, false, 0);
    header.resp_time_flags = static_cast<std::uint8_t>(kNoRespTime << 3 | 1 | flags);
    header.length = length;
    return header;
}

TEST(RmppReceiver, TakesSegmentsInOrderAndAcknowledgesFirstWindowAndLast) {
    RmppReceiver receiver(3);
    auto verdict = receiver.OnData(Segment(1, rmpp_flag::kFirst, 2 * 220 + 100));
    EXPECT_EQ(verdict.event, RmppEvent::kMoved);
    EXPECT_EQ(verdict.octets, 200U);
    EXPECT_TRUE(verdict.acknowledge);
    EXPECT_EQ(receiver.window_last(), 3U);
    verdict = receiver.OnData(Segment(2, 0, 0));
    EXPECT_EQ(verdict.event, RmppEvent::kMoved);
    EXPECT_FALSE(verdict.acknowledge);
    verdict = receiver.OnData(Segment(3, rmpp_flag::kLast, 100));
    EXPECT_EQ(verdict.event, RmppEvent::kDone);
    EXPECT_EQ(verdict.octets, 80U);
    EXPECT_TRUE(verdict.acknowledge);
    EXPECT_EQ(receiver.received(), 3U);
}

TEST(RmppReceiver, AnswersWhatIsLateOrTooEarlyByWhereItStands) {
    RmppReceiver receiver(4);
    receiver.OnData(Segment(1, rmpp_flag::kFirst, 0));
    for (const std::uint32_t number : {3U, 4U, 1U}) {
        const std::uint8_t flags = number == 1 ? rmpp_flag::kFirst : std::uint8_t{0};
        const auto verdict = receiver.OnData(Segment(number, flags, 0));
        EXPECT_EQ(verdict.event, RmppEvent::kNothing);
        EXPECT_TRUE(verdict.acknowledge);
        EXPECT_EQ(receiver.received(), 1U);
    }
    receiver.OnData(Segment(2, rmpp_flag::kLast, 20));
    const auto again = receiver.OnData(Segment(2, rmpp_flag::kLast, 20));
    EXPECT_EQ(again.event, RmppEvent::kNothing);
    EXPECT_TRUE(again.acknowledge);
}

TEST(RmppReceiver, RefusesWhatContradictsItself) {
    struct Case {
        RmppHeader header;
        RmppStatus status;
    };
    RmppHeader version = Segment(1, rmpp_flag::kFirst, 0);
    version.version = 0;
    RmppHeader status = Segment(1, rmpp_flag::kFirst, 0);
    status.status = 5;
    const Case cases[] = {
        {Segment(1, 0, 0), RmppStatus::kBadFirst},
        {Segment(2, rmpp_flag::kFirst, 0), RmppStatus::kBadFirst},
        {Segment(1, rmpp_flag::kFirst | rmpp_flag::kLast, 19), RmppStatus::kBadLength},
        {Segment(1, rmpp_flag::kFirst | rmpp_flag::kLast, 221), RmppStatus::kBadLength},
        {Segment(1, rmpp_flag::kFirst, 220), RmppStatus::kBadLength},
        {version, RmppStatus::kUnsupportedVersion},
        {status, RmppStatus::kIllegalStatus},
    };
    for (const Case& wrong : cases) {
        RmppReceiver receiver(4);
        EXPECT_EQ(receiver.OnData(wrong.header).event, RmppEvent::kFailed);
        EXPECT_EQ(receiver.end_status(), wrong.status);
    }
}

TEST(RmppReceiver, RefusesALastSegmentThatBreaksThePromiseOfTheFirst) {
    RmppReceiver receiver(4);
    receiver.OnData(Segment(1, rmpp_flag::kFirst, 300));
    EXPECT_EQ(receiver.OnData(Segment(2, rmpp_flag::kLast, 79)).event, RmppEvent::kFailed);
    EXPECT_EQ(receiver.end_status(), RmppStatus::kBadLength);
}

TEST(RmppReceiver, TakesNoMoreThanThereIsRoomFor) {
    RmppReceiver receiver(2);
    receiver.OnData(Segment(1, rmpp_flag::kFirst, 0));
    EXPECT_TRUE(receiver.OnData(Segment(2, 0, 0)).acknowledge);
    EXPECT_EQ(receiver.OnData(Segment(3, 0, 0)).event, RmppEvent::kFailed);
    EXPECT_EQ(receiver.end_status(), RmppStatus::kResourcesExhausted);
}

}  // namespace
}  // namespace ember
