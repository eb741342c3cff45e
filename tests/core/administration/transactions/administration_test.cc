// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the subnet administrator hears, and what it answers.
#include <gtest/gtest.h>

#include "core/administration/records/class_port_infos.h"
#include "tests/core/administration/transactions/administration_harness.h"

namespace ember::testing {
namespace {

TEST_F(AdministrationTest, AnswersAGetWithTheRecordAndItsLengthInUnitsOfEight) {
    const auto sent = desk_.Ask(One(0x123456789ABC));
    ASSERT_EQ(sent.size(), 1U);
    const SaMad& mad = sent[0];
    EXPECT_EQ(mad.header.method, Method::kGetResp);
    EXPECT_EQ(mad.header.status, 0);
    EXPECT_EQ(TransactionId{mad.header.transaction_id}, TransactionId{0x123456789ABC});
    EXPECT_EQ(mad.attribute_offset, 112 / 8);
    EXPECT_EQ(mad.sm_key, 0U);
    EXPECT_FALSE(IsRmpp(mad.rmpp));
    EXPECT_TRUE(std::equal(mad.data.begin(), mad.data.begin() + 112, records_.All().begin()));
}

TEST_F(AdministrationTest, AnswersOnThePKeyIndexThatTheQuestionCameOn) {
    records_.count = 1;
    Asked asked = Table();
    for (const Method method : {Method::kGet, Method::kGetTable, Method::kDelete}) {
        asked.method = method;
        ++asked.id;
        Envelope letter = Letter(asked);
        letter.p_key_index = static_cast<std::uint16_t>(40 + asked.id);
        desk_.Take(letter);
        desk_.Step();
        ASSERT_EQ(desk_.port().sent.size(), 1U) << static_cast<int>(method);
        EXPECT_EQ(desk_.port().sent[0].p_key_index, 40 + asked.id);
        desk_.port().sent.clear();
    }
}

TEST_F(AdministrationTest, SaysWhenAGetMatchesNothingOrMore) {
    records_.count = 0;
    EXPECT_EQ(desk_.Ask(One()).at(0).header.status, 0x0300);
    records_.count = 2;
    EXPECT_EQ(desk_.Ask(One()).at(0).header.status, 0x0400);
    EXPECT_EQ(desk_.counted().refused, 2U);
}

TEST_F(AdministrationTest, SaysWhatTheSourceHasAgainstAQuestion) {
    Asked asked = One();
    asked.mask = std::uint64_t{1} << 63U;
    EXPECT_EQ(desk_.Ask(asked).at(0).header.status, 0x0600);
    asked.method = Method::kGetTable;
    const auto sent = desk_.Ask(asked);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].header.status, 0x0600);
    EXPECT_EQ(sent[0].header.method, Method::kGetTableResp);
}

TEST_F(AdministrationTest, AnswersAnEmptyTableWithOneEmptySegment) {
    records_.count = 0;
    const auto sent = desk_.Ask(Table());
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].header.status, 0);
    EXPECT_EQ(sent[0].header.method, Method::kGetTableResp);
    EXPECT_EQ(RmppFlagsOf(sent[0].rmpp), 7);
    EXPECT_EQ(sent[0].rmpp.length, 20U);
    EXPECT_EQ(sent[0].attribute_offset, 0);
    EXPECT_EQ(desk_.sa().transfers(), 0U);
}

TEST_F(AdministrationTest, TellsTablesOfAnyLengthOctetForOctet) {
    for (const unsigned octets : {8U, 64U, 112U, 176U, 200U, 256U}) {
        for (const std::uint32_t count : {1U, 2U, 3U, 25U, 1000U}) {
            for (const std::uint32_t window : {1U, 2U, 64U}) {
                SCOPED_TRACE(::testing::Message() << octets << " x " << count << " by " << window);
                records_.record_octets = static_cast<std::uint16_t>(octets);
                records_.count = count;
                EXPECT_EQ(Hear(Table(), window), records_.All());
                EXPECT_EQ(desk_.sa().transfers(), 0U);
            }
        }
    }
}

TEST_F(AdministrationTest, MakesLostSegmentsAnewFromTheTables) {
    records_.count = 2000;
    const Asked asked = Table();
    desk_.Take(Letter(asked));
    std::vector<std::uint8_t> octets;
    std::uint32_t taken = 0;
    bool ended = false;
    for (int i = 0; i < 3000 && !ended; ++i) {
        desk_.Step();
        for (const SaMad& mad : desk_.Sent()) {
            const std::uint32_t number = mad.rmpp.segment;
            const bool is_lost = (number * 31 + static_cast<std::uint32_t>(i) * 7) % 11 == 0;
            if (is_lost || number != taken + 1) continue;
            ++taken;
            ended = (RmppFlagsOf(mad.rmpp) & rmpp_flag::kLast) != 0;
            const std::size_t count = ended ? std::uint32_t{mad.rmpp.length} - 20 : 200;
            octets.insert(octets.end(), mad.data.begin(),
                          mad.data.begin() + static_cast<std::ptrdiff_t>(count));
        }
        desk_.Take(Reaction(asked, MakeRmppAck(taken, taken + 64)));
        desk_.now_us += 10'000;
    }
    EXPECT_EQ(octets, records_.All());
    EXPECT_EQ(desk_.sa().transfers(), 0U);
    EXPECT_EQ(desk_.counted().transfers_torn, 0U);
}

TEST_F(AdministrationTest, EndsATransferRatherThanMixOldAndNewRecords) {
    records_.count = 1000;
    const Asked asked = Table();
    desk_.Ask(asked);
    desk_.Take(Reaction(asked, MakeRmppAck(1, 65)));
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 64U);
    records_.version = 1;
    // Segment 40 was lost: what would be made anew is not what the receiver has of 41.
    desk_.Take(Reaction(asked, MakeRmppAck(39, 65)));
    desk_.now_us += 300'000;
    desk_.Step();
    const auto sent = desk_.Sent();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(RmppTypeOf(sent[0].rmpp), RmppType::kAbort);
    EXPECT_EQ(sent[0].rmpp.status, 127);
    EXPECT_EQ(desk_.counted().transfers_torn, 1U);
    EXPECT_EQ(desk_.sa().transfers(), 0U);
}

TEST_F(AdministrationTest, GoesOnWhenTheTablesChangeBehindWhatIsUnderWay) {
    records_.count = 1000;
    const Asked asked = Table();
    desk_.Ask(asked);
    records_.version = 1;
    desk_.Take(Reaction(asked, MakeRmppAck(1, 65)));
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 64U);
    EXPECT_EQ(desk_.counted().transfers_torn, 0U);
}

TEST_F(AdministrationTest, SendsASegmentAgainAfterATimeout) {
    records_.count = 50;
    const Asked asked = Table();
    const auto first = desk_.Ask(asked);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(desk_.sa().NextDeadlineUs(), desk_.now_us + 200'000);
    desk_.now_us += 200'000;
    desk_.Step();
    const auto again = desk_.Sent();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].data, first[0].data);
    EXPECT_EQ(again[0].rmpp.segment, 1U);
}

TEST_F(AdministrationTest, DropsWhatNoSourceServesAndRefusesOtherMethods) {
    Asked asked = One();
    asked.attribute = SaAttribute::kTraceRecord;
    EXPECT_TRUE(desk_.Ask(asked).empty());
    EXPECT_EQ(desk_.counted().unknown, 1U);
    asked = One();
    asked.method = Method::kDelete;
    const auto sent = desk_.Ask(asked);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].header.status, 0x000C);
    EXPECT_EQ(sent[0].header.method, Method::kDeleteResp);
}

TEST_F(AdministrationTest, LeavesReportsTrapsAndAnswersToOthers) {
    for (const Method method : {Method::kReport, Method::kReportResp, Method::kTrap,
                                Method::kGetResp, Method::kSend, static_cast<Method>(0x77)}) {
        Asked asked = One();
        asked.method = method;
        EXPECT_FALSE(desk_.Take(Letter(asked)));
    }
    EXPECT_EQ(desk_.counted().questions, 0U);
}

TEST_F(AdministrationTest, TrustsItsKeyAndHearsNoOther) {
    Asked asked = One();
    desk_.settings().sa_key = 0x55;
    desk_.Ask(asked);
    EXPECT_FALSE(records_.trusted);
    asked.key = 0x55;
    EXPECT_EQ(desk_.Ask(asked).size(), 1U);
    EXPECT_TRUE(records_.trusted);
    asked.key = 0x54;
    EXPECT_TRUE(desk_.Ask(asked).empty());
    EXPECT_EQ(desk_.counted().wrong_keys, 1U);
    EXPECT_EQ(desk_.log().CountOf(Note::kSaKeyWrong), 1U);
    bool found = false;
    for (const SaSource& source : desk_.sa().sources()) {
        if (source.lid == Lid{2}) found = source.wrong_keys == 1 && source.questions == 3;
    }
    EXPECT_TRUE(found);
}

TEST_F(AdministrationTest, HearsOnlyEndPortsOfThisSubnet) {
    for (const Lid lid : {Lid{0}, Lid{200}, Lid{0xC000}, Lid{0xFFFF}}) {
        EXPECT_TRUE(desk_.Ask(One(1, lid)).empty());
    }
    EXPECT_EQ(desk_.counted().strangers, 4U);
}

/// IBA vol. 1, 13.4.7: code 1 in bits 2 to 4 of the status.
TEST_F(AdministrationTest, TellsAnAskerOfAnotherVersionThatItHasNone) {
    Envelope of_class = Letter(One());
    of_class.mad.header.class_version = 1;
    Envelope of_all = Letter(One());
    of_all.mad.header.base_version = 2;
    for (const Envelope& envelope : {of_class, of_all}) {
        desk_.Take(envelope);
        desk_.Step();
        const std::vector<SaMad> sent = desk_.Sent();
        ASSERT_EQ(sent.size(), 1U);
        const MadHeader& header = sent[0].header;
        EXPECT_EQ(std::uint16_t{header.status}, 0x0004);
        EXPECT_EQ(header.method, Method::kGetResp);
        EXPECT_EQ(TransactionId{header.transaction_id},
                  TransactionId{envelope.mad.header.transaction_id});
    }
    EXPECT_EQ(desk_.counted().malformed, 2U);
    EXPECT_EQ(desk_.counted().refused, 2U);
}

/// An answer of another class version gets no reply, nor does the question of a stranger.
TEST_F(AdministrationTest, SaysNothingOfVersionsToAnswersAndStrangers) {
    Envelope answer = Letter(One());
    answer.mad.header.class_version = 1;
    answer.mad.header.method = Method::kGetResp;
    desk_.Take(answer);
    Envelope stranger = Letter(One());
    stranger.mad.header.class_version = 1;
    stranger.peer = Lid{0xBFF0};
    desk_.Take(stranger);
    desk_.Step();
    EXPECT_TRUE(desk_.Sent().empty());
    EXPECT_EQ(desk_.counted().malformed, 1U);
    EXPECT_EQ(desk_.counted().strangers, 1U);
}

TEST_F(AdministrationTest, SaysNothingWhileItDoesNotServeAndForgetsWhatWasUnderWay) {
    records_.count = 1000;
    desk_.Ask(Table());
    desk_.Take(Letter(One(7)));
    desk_.sa().Serve(false);
    EXPECT_EQ(desk_.sa().transfers(), 0U);
    EXPECT_EQ(desk_.sa().waiting(), 0U);
    EXPECT_TRUE(desk_.Ask(One(8)).empty());
    EXPECT_EQ(desk_.sa().NextDeadlineUs(), ~std::uint64_t{0});
    desk_.sa().Serve(true);
    EXPECT_TRUE(desk_.Ask(One(9)).size() == 1);
    for (const SaSource& source : desk_.sa().sources()) {
        EXPECT_EQ(source.waiting + source.transfers, 0);
    }
}

TEST_F(AdministrationTest, DoesWhatASetAsksAndTellsTheOutcome) {
    Asked asked = One();
    asked.method = Method::kSet;
    auto sent = desk_.Ask(asked);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].header.method, Method::kGetResp);
    EXPECT_EQ(sent[0].header.status, 0);
    EXPECT_EQ(records_.changes, 1U);
    records_.refuses = true;
    sent = desk_.Ask(asked);
    EXPECT_EQ(sent.at(0).header.status, 0x0700);
}

TEST_F(AdministrationTest, WaitsForADeviceWithoutKeepingOthersWaiting) {
    records_.awaits_device = true;
    EXPECT_TRUE(desk_.Ask(One(1)).empty());
    EXPECT_TRUE(desk_.Ask(Table(2)).empty());
    EXPECT_EQ(desk_.sa().transfers(), 2U);
    EXPECT_FALSE(desk_.Step());  // Nothing that could be done at once.
    desk_.Take(Letter(One(1)));
    EXPECT_EQ(desk_.counted().duplicates, 1U);
    records_.awaits_device = false;
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 2U);
    EXPECT_EQ(desk_.sa().transfers(), 0U);
}

TEST_F(AdministrationTest, CutsLongSearchesIntoSlices) {
    records_.rows_between = 1'000'000;
    records_.count = 1;
    desk_.Take(Letter(One()));
    int steps = 0;
    while (desk_.Sent().empty() && steps < 1000) {
        EXPECT_TRUE(desk_.Step() || desk_.port().sent.size() == 1);
        ++steps;
    }
    EXPECT_GE(steps, 10);
    EXPECT_LT(steps, 100);
}

TEST_F(AdministrationTest, KeepsAnAnswerForAFullPort) {
    desk_.port().room = 0;
    EXPECT_TRUE(desk_.Ask(One(1)).empty());
    desk_.Take(Letter(One(2)));
    desk_.Step();
    EXPECT_EQ(desk_.sa().waiting(), 1U);
    EXPECT_EQ(desk_.sa().NextDeadlineUs(), desk_.now_us + 100);
    desk_.port().room = 100;
    desk_.now_us += 100;
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 2U);
    EXPECT_GE(desk_.counted().port_busy, 1U);
}

TEST_F(AdministrationTest, DropsWhatHasWaitedTooLong) {
    desk_.settings().max_msg_fifo_timeout = 10;
    desk_.Take(Letter(One()));
    desk_.now_us += 10'001;
    desk_.Step();
    EXPECT_TRUE(desk_.Sent().empty());
    EXPECT_EQ(desk_.counted().stale, 1U);
    desk_.settings().max_msg_fifo_timeout = 0;
    desk_.Take(Letter(One()));
    desk_.now_us += 100'000'000;
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 1U);
}

TEST_F(AdministrationTest, AcknowledgesAQuestionInOneSegmentAndAnswersIt) {
    Asked asked = One();
    asked.method = Method::kGetMulti;
    desk_.Take(Reaction(asked, MakeRmppData(1, true, 56)));
    desk_.Step();
    const auto sent = desk_.Sent();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(RmppTypeOf(sent[0].rmpp), RmppType::kAck);
    EXPECT_EQ(sent[0].rmpp.segment, 1U);
    EXPECT_EQ(sent[0].header.method, Method::kGetMultiResp);
    EXPECT_EQ(RmppTypeOf(sent[1].rmpp), RmppType::kData);
    EXPECT_EQ(records_.last_record.size(), 56U);
}

TEST_F(AdministrationTest, PutsAQuestionTogetherFromItsSegments) {
    Asked asked = One();
    asked.method = Method::kGetMulti;
    for (const std::uint32_t number : {1U, 3U, 2U, 2U, 3U}) {
        asked.data.fill(static_cast<std::uint8_t>(number));
        desk_.Take(Reaction(asked, MakeRmppData(number, number == 3, 100)));
    }
    desk_.Step();
    ASSERT_EQ(records_.last_record.size(), 500U);
    EXPECT_EQ(records_.last_record[199], 1);
    EXPECT_EQ(records_.last_record[200], 2);
    EXPECT_EQ(records_.last_record[499], 3);
}

TEST_F(AdministrationTest, WantsRmppForAListOfEnds) {
    Asked asked = One();
    asked.method = Method::kGetMulti;
    EXPECT_EQ(desk_.Ask(asked).at(0).header.status, 0x0200);
}

TEST(ClassPortInfosTest, ClaimsWhatItIsToldAndNamesTheTimeOfAnAnswer) {
    Desk desk;
    ClassPortInfos infos(desk.view());
    infos.Claim(sa_capability::kUdMulticast, sa_capability2::kAliasGuids);
    infos.Claim(sa_capability::kMultiPath, 0);
    desk.Add(infos);
    const auto sent = desk.Ask({.from = Lid{2}});
    ASSERT_EQ(sent.size(), 1U);
    ClassPortInfo info;
    std::copy_n(sent[0].data.begin(), sizeof info, info.octets().begin());
    EXPECT_EQ(info.Get(ClassPortInfo::kBaseVersion), 1);
    EXPECT_EQ(info.Get(ClassPortInfo::kClassVersion), 2);
    EXPECT_EQ(info.Get(ClassPortInfo::kCapabilityMask), 0x0600);
    EXPECT_EQ(info.Get(ClassPortInfo::kCapabilityMask2), 0x20U);
    EXPECT_EQ(info.Get(ClassPortInfo::kRespTimeValue), 16);  // 268 ms for 200 ms.
    EXPECT_EQ(info.Get(ClassPortInfo::kRedirectQp), 1U);
    EXPECT_EQ(info.Get(ClassPortInfo::kTrapQKey), 0x80010000U);
    const auto table = desk.Ask({.method = Method::kGetTable, .from = Lid{2}});
    EXPECT_EQ(table.at(0).header.status, 0x000C);
}

}  // namespace
}  // namespace ember::testing
