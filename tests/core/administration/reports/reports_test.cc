// SPDX-License-Identifier: Apache-2.0
// EmberSM: who is told of what, how often, and what a silent subscriber costs the others.
#include "core/administration/reports/reports.h"

#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <vector>

#include "core/administration/registrations/inform_infos.h"
#include "tests/core/administration/record_net.h"
#include "tests/support/fake_port.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kTimeoutUs = 200'000;  // transaction_timeout of the defaults.

/// Traps of any number from anybody.
InformInfo Everything() {
    InformInfo info;
    info.Set(InformInfo::kLidRangeBegin, InformInfo::kAnyLid);
    info.Set(InformInfo::kIsGeneric, std::uint8_t{1});
    info.Set(InformInfo::kSubscribe, std::uint8_t{1});
    info.Set(InformInfo::kType, InformInfo::kAnyType);
    info.Set(InformInfo::kTrapNumber, InformInfo::kAnyNumber);
    info.Set(InformInfo::kProducerType, InformInfo::kAnyProducer);
    return info;
}

class ReportsTest : public ::testing::Test {
protected:
    /// Host `node` asks at queue pair `queue_pair`.
    SaStatus Set(const InformInfo& info, std::uint32_t node = 0, std::uint32_t queue_pair = 77) {
        Query query = net.Question(0, info.octets());
        query.method = Method::kSet;
        query.requester = net.at(node, 1);
        query.requester_lid = net.port(node, 1).lid;
        query.requester_queue_pair = queue_pair;
        query.requester_service_level = 3;
        query.is_trusted = net.trusted;
        std::array<std::uint8_t, sizeof(InformInfo)> answer{};
        return source.Change(query, now_us, answer);
    }
    void Group(std::uint64_t low, TrapNumber trap = TrapNumber::kMulticastCreated) {
        events.Write({.trap = trap,
                      .p_key = kDefaultPKey,
                      .gid = {0xFF12401B00000000, low},
                      .at_us = now_us});
    }
    void Trap(std::uint32_t node, TrapNumber number) {
        Notice notice;
        notice.Set(Notice::kIsGeneric, std::uint8_t{1});
        notice.Set(Notice::kType, NoticeType::kUrgent);
        notice.Set(Notice::kProducerType, ProducerType::kSwitch);
        notice.Set(Notice::kTrapNumber, number);
        notice.Set(Notice::kIssuerLid, net.port(node, 1).lid);
        events.Write({.trap = number,
                      .gid = {},
                      .at_us = now_us,
                      .issuer = net.port(node, 1).guid,
                      .notice = notice});
    }
    void StepAll() {
        while (reports.Step(now_us)) {
        }
    }
    [[nodiscard]] static ReportedNotice NoticeIn(const Envelope& envelope) {
        ReportedNotice notice;
        const SaMad mad = ToSaMad(envelope.mad);
        std::copy_n(mad.data.begin(), sizeof notice, notice.octets().begin());
        return notice;
    }
    void Acknowledge(Envelope envelope) {
        envelope.mad.header.method = Method::kReportResp;
        EXPECT_TRUE(reports.Take(envelope, now_us));
    }

    RecordNet net;
    FakePort wire;
    std::vector<LogRecord> notes = std::vector<LogRecord>(64);
    Log log{notes};
    std::vector<SubnetEvent> ring = std::vector<SubnetEvent>(8);
    SubnetEvents events{ring};
    std::vector<Subscription> rows = std::vector<Subscription>(16);
    Subscriptions subscriptions{rows};
    InformInfos source{{net.view(), subscriptions, events}};
    InformInfoRecords records{net.view(), subscriptions};
    std::vector<GmpExchange::Row> transactions = std::vector<GmpExchange::Row>(16);
    FakeEntropy entropy;
    GmpExchange exchange{transactions, wire, entropy, net.view().settings};
    Reports reports{{exchange, log, net.view(), subscriptions, events}};
    std::uint64_t now_us = 1'000'000;
};

TEST_F(ReportsTest, ASubscriberIsToldWhereAndAsItAsked) {
    net.fabric().SetOwnPort(net.at(1, 1));
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    Group(5);
    StepAll();
    ASSERT_EQ(wire.sent.size(), 1U);
    const Envelope& report = wire.sent[0];
    EXPECT_EQ(report.peer, net.port(0, 1).lid);
    EXPECT_EQ(report.queue_pair, 1);
    EXPECT_EQ(report.remote_queue_pair, 77U);
    EXPECT_EQ(report.service_level, 3);
    EXPECT_EQ(report.answer_within_us, kTimeoutUs) << "or the kernel lets no answer through";
    const MadHeader& header = report.mad.header;
    EXPECT_EQ(header.method, Method::kReport);
    EXPECT_EQ(AttributeId{header.attribute_id}, AttributeId::kNotice);
    EXPECT_EQ(header.class_version, kSubnAdmClassVersion);
    const auto notice = Take<GidNotice>(NoticeIn(report), ReportedNotice::kNotice);
    EXPECT_EQ(notice.Get(Notice::kTrapNumber), TrapNumber::kMulticastCreated);
    EXPECT_EQ(notice.Get(Notice::kProducerType), ProducerType::kClassManager);
    EXPECT_EQ(notice.Get(Notice::kIssuerLid), net.port(1, 1).lid);
    EXPECT_EQ(notice.Get(GidNotice::kGidGuid), 5U);
    EXPECT_EQ(NoticeIn(report).Get(ReportedNotice::kIssuerGidLow), Raw(net.port(1, 1).guid));
}

TEST_F(ReportsTest, WhatWasBeforeTheSubscriptionIsNotTold) {
    Group(1);
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    StepAll();
    EXPECT_TRUE(wire.sent.empty());
}

TEST_F(ReportsTest, TheNextGoesOutWhenTheLastWasAcknowledged) {
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    Group(1);
    Group(2);
    StepAll();
    ASSERT_EQ(wire.sent.size(), 1U);
    Acknowledge(wire.sent[0]);
    ASSERT_EQ(wire.sent.size(), 2U);
    Acknowledge(wire.sent[0]);  // Once more: it moves nothing.
    EXPECT_EQ(wire.sent.size(), 2U);
    EXPECT_EQ(reports.statistics().strays, 1U);
    Acknowledge(wire.sent[1]);
    EXPECT_EQ(reports.statistics().acknowledged, 2U);
    StepAll();
    EXPECT_EQ(wire.sent.size(), 2U);
}

TEST_F(ReportsTest, IsRepeatedAsItWasWhileASweepHasYetToFindOurOwnPort) {
    net.fabric().SetOwnPort(net.at(1, 1));
    InformInfo info = Everything();  // From the LID of the manager only.
    info.Set(InformInfo::kLidRangeBegin, net.port(1, 1).lid);
    info.Set(InformInfo::kLidRangeEnd, net.port(1, 1).lid);
    ASSERT_EQ(Set(info), SaStatus::kOk);
    Group(1);
    StepAll();
    ASSERT_EQ(wire.sent.size(), 1U);
    net.fabric().SetOwnPort(kNoPortIndex);
    now_us += kTimeoutUs;
    StepAll();
    ASSERT_EQ(wire.sent.size(), 2U);
    EXPECT_EQ(NoticeIn(wire.sent[1]), NoticeIn(wire.sent[0]));
    Acknowledge(wire.sent[1]);
    Group(2);
    StepAll();
    EXPECT_EQ(wire.sent.size(), 3U) << "and what happens meanwhile fits as before";
}

TEST_F(ReportsTest, AnAcknowledgementFromSomebodyElseIsNone) {
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    Group(1);
    StepAll();
    ASSERT_EQ(wire.sent.size(), 1U);
    Envelope forged = wire.sent[0];
    forged.peer = net.port(1, 1).lid;
    Acknowledge(forged);
    EXPECT_EQ(reports.statistics().acknowledged, 0U);
    EXPECT_EQ(reports.statistics().strays, 1U);
}

TEST_F(ReportsTest, ASilentSubscriberIsAskedThreeTimesAndKeepsNoOtherWaiting) {
    ASSERT_EQ(Set(Everything(), 0), SaStatus::kOk);
    ASSERT_EQ(Set(Everything(), 1), SaStatus::kOk);
    Group(1);
    StepAll();
    ASSERT_EQ(wire.sent.size(), 2U);
    Acknowledge(wire.sent[1]);
    Group(2);
    StepAll();
    ASSERT_EQ(wire.sent.size(), 3U) << "the other one hears of the next";
    Acknowledge(wire.sent[2]);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(reports.NextDeadlineUs(), now_us + kTimeoutUs);
        now_us += kTimeoutUs;
        StepAll();
    }
    ASSERT_EQ(wire.sent.size(), 5U) << "two more tries, the same datagram";
    using Octets256 = std::array<std::uint8_t, kMadOctets>;
    EXPECT_TRUE(std::bit_cast<Octets256>(wire.sent[4].mad) ==
                std::bit_cast<Octets256>(wire.sent[0].mad));
    now_us += kTimeoutUs;
    StepAll();
    EXPECT_EQ(reports.statistics().given_up, 1U);
    EXPECT_EQ(log.CountOf(Note::kReportUnheard), 1U);
    ASSERT_EQ(wire.sent.size(), 6U) << "and it goes on with the second event";
    const auto notice = Take<GidNotice>(NoticeIn(wire.sent[5]), ReportedNotice::kNotice);
    EXPECT_EQ(notice.Get(GidNotice::kGidGuid), 2U);
}

TEST_F(ReportsTest, EachOfManySilentSubscribersIsAskedAgain) {
    constexpr std::size_t kMany = 6000;  // More than one step has a budget for.
    std::vector<Subscription> many(kMany);
    Subscriptions crowd{many};
    std::vector<GmpExchange::Row> own(kMany);
    GmpExchange gmps{own, wire, entropy, net.view().settings};
    Reports told{{gmps, log, net.view(), crowd, events}};
    for (std::uint32_t i = 0; i < kMany; ++i) {
        Subscription one;
        one.subscriber = net.port(0, 1).guid;
        one.info = Everything();
        one.info.Set(InformInfo::kQpn, i + 2);
        ASSERT_EQ(crowd.Restore(one), Status::kOk);
    }
    told.Begin();
    Group(1);
    for (std::size_t tries = 1; tries <= 4; ++tries) {
        int steps = 1;
        while (told.Step(now_us)) {
            ASSERT_LT(++steps, 100);
        }
        EXPECT_GT(steps, 1);
        EXPECT_EQ(wire.sent.size(), kMany * std::min<std::size_t>(tries, 3));
        now_us += kTimeoutUs;
    }
    EXPECT_EQ(told.statistics().given_up, kMany);
    EXPECT_EQ(told.NextDeadlineUs(), kNever);
}

TEST_F(ReportsTest, WhoIsTooSlowMissesTheOldest) {
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    Group(0);
    StepAll();
    for (std::uint64_t i = 1; i <= 20; ++i) {
        Group(i);
    }
    now_us += kTimeoutUs;
    StepAll();
    ASSERT_EQ(wire.sent.size(), 2U);
    const auto notice = Take<GidNotice>(NoticeIn(wire.sent[1]), ReportedNotice::kNotice);
    EXPECT_EQ(notice.Get(GidNotice::kGidGuid), 13U) << "21 events, and the ring holds 8";
    EXPECT_EQ(reports.statistics().missed, 13U);
    Acknowledge(wire.sent[0]);
    EXPECT_EQ(reports.statistics().strays, 1U) << "late, and of what was forgotten";
}

TEST_F(ReportsTest, NoTrapTakesThePlaceOfAnEvent) {
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    Trap(4, TrapNumber::kBadPKey);
    StepAll();
    ASSERT_EQ(wire.sent.size(), 1U);
    Group(1);
    for (int i = 0; i < 1000; ++i) {
        Trap(4, TrapNumber::kBadQKey);
    }
    Group(2);
    const auto number_in = [](const Envelope& report) {
        return Take<Notice>(NoticeIn(report), ReportedNotice::kNotice).Get(Notice::kTrapNumber);
    };
    EXPECT_EQ(number_in(wire.sent[0]), TrapNumber::kBadPKey);
    for (std::size_t i = 0; i < wire.sent.size() && i < 50; ++i) {
        Acknowledge(wire.sent[i]);
    }
    ASSERT_EQ(wire.sent.size(), 3U + SubnetEvents::kShare - 1)
        << "the first was the first of eight";
    EXPECT_EQ(number_in(wire.sent[1]), TrapNumber::kMulticastCreated);
    EXPECT_EQ(number_in(wire.sent[2]), TrapNumber::kMulticastCreated);
    EXPECT_EQ(number_in(wire.sent[3]), TrapNumber::kBadQKey);
    EXPECT_EQ(reports.statistics().missed, 0U);
}

TEST_F(ReportsTest, WhatIsAskedForIsToldAndNothingElse) {
    struct Case {
        const char* what;
        void (*change)(InformInfo&, RecordNet&);
        bool group;  // Told of a group that was made.
        bool trap;   // Told of trap 128 from host 4.
    };
    const Case cases[] = {
        {"everything", [](InformInfo&, RecordNet&) {}, true, true},
        {"vendor's",
         [](InformInfo& i, RecordNet&) { i.Set(InformInfo::kIsGeneric, std::uint8_t{0}); }, false,
         false},
        {"type urgent",
         [](InformInfo& i, RecordNet&) { i.Set(InformInfo::kType, std::uint16_t{1}); }, false,
         true},
        {"number 66",
         [](InformInfo& i, RecordNet&) { i.Set(InformInfo::kTrapNumber, std::uint16_t{66}); }, true,
         false},
        {"switches",
         [](InformInfo& i, RecordNet&) { i.Set(InformInfo::kProducerType, std::uint32_t{2}); },
         false, true},
        {"a LID",
         [](InformInfo& i, RecordNet& n) { i.Set(InformInfo::kLidRangeBegin, n.port(4, 1).lid); },
         false, true},
        {"a GID",
         [](InformInfo& i, RecordNet& n) {
             i.Set(InformInfo::kGidHigh, n.settings().subnet_prefix);
             i.Set(InformInfo::kGidLow, Raw(n.port(4, 1).guid));
         },
         false, true},
        {"the GID of the manager",
         [](InformInfo& i, RecordNet& n) {
             i.Set(InformInfo::kGidHigh, n.settings().subnet_prefix);
             i.Set(InformInfo::kGidLow, Raw(n.port(1, 1).guid));
         },
         true, false},
    };
    net.fabric().SetOwnPort(net.at(1, 1));
    for (const Case& one : cases) {
        InformInfo info = Everything();
        one.change(info, net);
        for (const bool is_group : {true, false}) {
            subscriptions.Clear();
            ASSERT_EQ(Set(info), SaStatus::kOk) << one.what;
            wire.sent.clear();
            if (is_group) {
                Group(1);
            } else {
                Trap(4, TrapNumber::kLinkStateChange);
            }
            StepAll();
            EXPECT_EQ(!wire.sent.empty(), is_group ? one.group : one.trap)
                << one.what << (is_group ? ", group" : ", trap");
        }
    }
}

TEST_F(ReportsTest, AFullPortPutsItOffAndLosesNothing) {
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    wire.room = 0;
    Group(1);
    StepAll();
    EXPECT_TRUE(wire.sent.empty());
    EXPECT_LT(reports.NextDeadlineUs(), now_us + kTimeoutUs);
    wire.room = 9;
    now_us = reports.NextDeadlineUs();
    StepAll();
    EXPECT_EQ(wire.sent.size(), 1U);
}

TEST_F(ReportsTest, ASubscriptionEndsByTheSameWordsFromTheSameQueuePair) {
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    ASSERT_EQ(Set(Everything()), SaStatus::kOk);
    EXPECT_EQ(subscriptions.count(), 1U) << "twice is once";
    InformInfo end = Everything();
    end.Set(InformInfo::kSubscribe, std::uint8_t{0});
    EXPECT_EQ(Set(end, 0, 78), SaStatus::kRequestInvalid);
    EXPECT_EQ(Set(end, 1), SaStatus::kRequestInvalid);
    InformInfo other = end;
    other.Set(InformInfo::kTrapNumber, std::uint16_t{66});
    EXPECT_EQ(Set(other), SaStatus::kRequestInvalid);
    EXPECT_EQ(subscriptions.count(), 1U);
    EXPECT_EQ(Set(end), SaStatus::kOk);
    EXPECT_EQ(subscriptions.count(), 0U);
}

TEST_F(ReportsTest, WhatCannotBeAskedForIsRefused) {
    InformInfo info = Everything();
    info.Set(InformInfo::kSubscribe, std::uint8_t{2});
    EXPECT_EQ(Set(info), SaStatus::kRequestInvalid);
    info = Everything();
    info.Set(InformInfo::kGidLow, std::uint64_t{0xABCD});  // No port has it.
    EXPECT_EQ(Set(info), SaStatus::kRequestInvalid);
    info = Everything();
    info.Set(InformInfo::kTrapNumber, Raw(TrapNumber::kBadPKey));
    EXPECT_EQ(Set(info), SaStatus::kRequestInvalid) << "violations of keys are not for everybody";
    net.trusted = true;
    EXPECT_EQ(Set(info), SaStatus::kOk);
}

TEST_F(ReportsTest, OnePortCannotTakeAllTheRows) {
    std::uint32_t queue_pair = 100;
    while (queue_pair < 200 && Set(Everything(), 0, queue_pair) == SaStatus::kOk) {
        ++queue_pair;
    }
    EXPECT_EQ(subscriptions.count(), 8U) << "half of the rows";
    EXPECT_EQ(Set(Everything(), 0, queue_pair), SaStatus::kNoResources);
    EXPECT_EQ(Set(Everything(), 1), SaStatus::kOk);
}

TEST_F(ReportsTest, SubscriptionsAreToldAndTheirQueuePairToTheTrusted) {
    ASSERT_EQ(Set(Everything(), 0), SaStatus::kOk);
    ASSERT_EQ(Set(Everything(), 1), SaStatus::kOk);
    const Told told = net.AskAll(records);
    ASSERT_EQ(told.records.size(), 2U);
    constexpr std::size_t kQpn = 24 + 28;
    EXPECT_EQ(told.records[0][kQpn + 2], 0);
    net.trusted = true;
    EXPECT_EQ(net.AskAll(records).records[0][kQpn + 2], 77);
    FindsByEachComponent(net, records, InformInfoRecord::kComponents);
}

}  // namespace
}  // namespace ember::testing
