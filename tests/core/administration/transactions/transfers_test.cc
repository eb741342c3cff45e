// SPDX-License-Identifier: Apache-2.0
// EmberSM: answers under way, while the subnet changes and somebody means harm.
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "tests/core/administration/transactions/administration_harness.h"

namespace ember::testing {
namespace {

class TransfersTest : public ::testing::Test {
protected:
    TransfersTest() { desk_.Add(records_); }

    [[nodiscard]] static Asked Table(std::uint64_t id = 1, Lid from = Lid{2}) {
        return {.method = Method::kGetTable,
                .attribute = SaAttribute::kNodeRecord,
                .id = id,
                .from = from};
    }

    ScriptedRecords records_;
    Desk desk_;
};

TEST_F(TransfersTest, ADatagramFromNoLidEndsNoAnswer) {
    records_.count = 100;
    EXPECT_EQ(desk_.Ask(Table()).size(), 1U);
    ASSERT_EQ(desk_.sa().transfers(), 1U);
    Asked blank = Table(0, kNoLid);  // The values of a free row of the table of transfers.
    Envelope letter = Reaction(blank, MakeRmppEnd(RmppStatus::kUnspecified));
    letter.remote_queue_pair = 0;
    for (const Method method : {Method{}, Method::kGetTable}) {
        SaMad mad = ToSaMad(letter.mad);
        mad.header.method = method;
        if (method == Method{}) mad.header.attribute_id = AttributeId{};
        letter.mad = ToMad(mad);
        desk_.Take(letter);
    }
    EXPECT_EQ(desk_.sa().transfers(), 1U);
    EXPECT_EQ(desk_.counted().transfers_ended, 0U);
}

TEST_F(TransfersTest, AnAnswerUnderWayFollowsWhoAsked) {
    records_.count = 100;
    EXPECT_EQ(desk_.Ask(Table(1, Lid{3})).size(), 1U);
    const PortIndex before = records_.requester;
    desk_.fabric().RemoveNode(desk_.fabric().FindNode(Guid{0x2000}));
    desk_.fabric().GatherPorts();
    ASSERT_NE(desk_.fabric().PortByLid(Lid{3}), before);
    desk_.Take(Reaction(Table(1, Lid{3}), MakeRmppAck(1, 2)));
    desk_.Step();
    EXPECT_EQ(records_.requester, desk_.fabric().PortByLid(Lid{3}));
    EXPECT_EQ(desk_.Sent().size(), 1U);
    // The LID of a client that left gets no more of its answer.
    desk_.fabric().RemoveNode(desk_.fabric().FindNode(Guid{0x2001}));
    desk_.Take(Reaction(Table(1, Lid{3}), MakeRmppAck(2, 3)));
    desk_.Step();
    EXPECT_TRUE(desk_.Sent().empty());
    EXPECT_EQ(desk_.sa().transfers(), 0U);
}

TEST_F(TransfersTest, AStepTakesFewChanges) {
    Asked change = Table();
    change.method = Method::kSet;
    for (std::uint64_t id = 1; id <= 32; ++id) {
        change.id = id;
        change.from = Lid{static_cast<std::uint16_t>(2 + id % 8)};
        desk_.Take(Letter(change));
    }
    EXPECT_TRUE(desk_.Step());
    EXPECT_LT(records_.changes, 30U);
    while (desk_.Step()) {
    }
    EXPECT_EQ(records_.changes, 32U);
}

/// Records of 200 octets, one a segment, that the test sets.
class SettableRecords final : public RecordSource {
public:
    using Record = std::array<std::uint8_t, kSaDataOctets>;

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kServiceRecord, .record_octets = kSaDataOctets};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }
    [[nodiscard]] Found Next(const Query& /*query*/, Cursor& cursor, std::uint32_t& /*budget*/,
                             std::span<std::uint8_t> record) override {
        if (cursor.row >= records.size()) return Found::kEnd;
        std::copy_n(records[cursor.row++].begin(), record.size(), record.begin());
        return Found::kRecord;
    }
    [[nodiscard]] SaStatus Change(const Query& /*query*/, std::uint64_t /*now_us*/,
                                  std::span<std::uint8_t> /*record*/) override {
        return SaStatus::kUnsupportedMethod;
    }

    std::vector<Record> records;
};

/// A record that has, as the last segment, the sum that `other` has as one that is not the last:
/// its last word is chosen so. A client that registers services can do that.
SettableRecords::Record Collide(const SettableRecords::Record& other) {
    constexpr std::uint64_t kPrime = 0x100000001B3ULL;
    constexpr std::uint64_t kBasis = 0xCBF29CE484222325ULL ^ kSaDataOctets;
    const auto word = [](const SettableRecords::Record& record, std::size_t at) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            value = value << 8U | record[at * 8 + i];
        }
        return value;
    };
    const auto sum = [&](std::uint64_t state, const SettableRecords::Record& record,
                         std::size_t words) {
        for (std::size_t i = 0; i < words; ++i) {
            state = (state ^ word(record, i)) * kPrime;
            state ^= state >> 32U;
        }
        return state;
    };
    std::uint64_t inverse = 1;
    for (int i = 0; i < 6; ++i) {
        inverse *= 2 - kPrime * inverse;
    }
    SettableRecords::Record twin{};
    const std::uint64_t wanted = sum(kBasis, other, 25) & 0xFFFFFFFF;
    const std::uint64_t last = sum(kBasis ^ 0x10000U, twin, 24) ^ wanted * inverse;
    for (std::size_t i = 0; i < 8; ++i) {
        twin[192 + i] = static_cast<std::uint8_t>(last >> (56 - 8 * i));
    }
    return twin;
}

TEST_F(TransfersTest, AnAnswerOfAnotherAttributeIsAcknowledgedInItsOwnName) {
    records_.answered_as = SaAttribute::kPathRecord;
    records_.count = 100;
    Asked asked = Table();
    asked.method = Method::kGetMulti;
    desk_.Take(Reaction(asked, MakeRmppData(1, true, 56)));
    desk_.Step();
    const auto first = desk_.Sent();
    ASSERT_EQ(first.size(), 2U);  // The question is acknowledged first.
    EXPECT_EQ(first[1].header.attribute_id, static_cast<AttributeId>(SaAttribute::kPathRecord));
    Asked heard = asked;
    for (const SaAttribute wrong : {SaAttribute{}, SaAttribute::kPortInfoRecord}) {
        heard.attribute = wrong;
        desk_.Take(Reaction(heard, MakeRmppAck(1, 3)));
        desk_.Step();
        EXPECT_TRUE(desk_.Sent().empty());
    }
    heard.attribute = SaAttribute::kPathRecord;
    desk_.Take(Reaction(heard, MakeRmppAck(1, 3)));
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 2U);
    desk_.Take(Reaction(asked, MakeRmppAck(3, 4)));  // As some do that keep the question.
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 1U);
}

TEST_F(TransfersTest, ASegmentThatBecomesTheLastOneIsAnotherWhateverItsSum) {
    SettableRecords source;
    desk_.Add(source);
    for (std::uint8_t i = 0; i < 3; ++i) {
        source.records.emplace_back().fill(i);
    }
    Asked table = Table();
    table.attribute = SaAttribute::kServiceRecord;
    EXPECT_EQ(desk_.Ask(table).size(), 1U);
    desk_.Take(Reaction(table, MakeRmppAck(1, 3)));
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 2U);
    source.records[1] = Collide(source.records[1]);
    source.records.pop_back();
    desk_.Take(Reaction(table, MakeRmppAck(1, 3)));  // The second did not come.
    desk_.Step();
    const auto sent = desk_.Sent();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(RmppTypeOf(sent[0].rmpp), RmppType::kAbort);
    EXPECT_EQ(desk_.counted().transfers_torn, 1U);
}

}  // namespace
}  // namespace ember::testing
