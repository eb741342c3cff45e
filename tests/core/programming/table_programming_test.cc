// SPDX-License-Identifier: Apache-2.0
// EmberSM: which tables of ports are read and written, in which order, and what becomes of those
// that are not taken.

#include "core/programming/table_programming.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/wire/p_key_table.h"
#include "tests/core/administration/record_net.h"

namespace ember {
namespace {

constexpr Client kWriterClient{1};
constexpr Client kOtherClient{2};

using testing::Devices;
using testing::FixedEntropy;
using testing::RecordNet;

constexpr std::uint16_t kRefusal = 0x1C;
using Where = std::pair<PortIndex, std::uint32_t>;  ///< Port and modifier.

/// Wants what the test says, in the order of its list.
class ListPlanner final : public PortTablePlanner {
public:
    struct Entry {
        PortTable table;
        SmpData wanted{};
    };
    [[nodiscard]] TableIndex Next(std::uint32_t& cursor) const override {
        return cursor < order.size() ? order[cursor++] : kNoTable;
    }
    [[nodiscard]] bool Find(TableIndex at, PortTable& table, SmpData& wanted) const override {
        const auto found = entries.find(at);
        if (found == entries.end()) return false;
        table = found->second.table;
        wanted = found->second.wanted;
        return true;
    }
    void Settle(TableIndex at, Status status) override { settled.emplace_back(at, status); }

    std::map<TableIndex, Entry> entries;
    std::vector<TableIndex> order;
    std::vector<std::pair<TableIndex, Status>> settled;
};

/// P_Key tables of hosts a (0), b (1), c (2), e (6), and of ports of switch s (3).
class TableProgrammingTest : public ::testing::Test {
protected:
    /// As ports of a subnet are that we have set up.
    void LetAllBearOurLid() {
        const Lid own = net_.fabric().port(net_.fabric().own_port()).lid;
        ForEachPort(net_.fabric(), [own](PortIndex, Port& port) {
            port.info.Set(PortInfo::kLid, Lid{5});
            port.info.Set(PortInfo::kMasterSmLid, own);
            port.info.Set(PortInfo::kPortState, PortState::kActive);
        });
    }
    static constexpr std::size_t kRows = 8;

    TableProgrammingTest() {
        exchange_.Configure(net_.settings());
        Start();
    }
    /// A subnet manager that knows nothing starts over what another one left.
    void Start(std::uint32_t gap_us = 0) {
        writer_.emplace(known_,
                        TableProgramming::Parts{net_.fabric(), exchange_, log_, planner_,
                                                kWriterClient, gap_us},
                        net_.settings());
    }
    static SmpData Content(std::uint8_t value) {
        SmpData data{};
        data.fill(value);
        return data;
    }
    /// A table of port `number` of node `node`, wanted after all that were added before.
    TableIndex Add(std::uint32_t node, unsigned number, std::uint8_t value) {
        const auto at = static_cast<TableIndex>(planner_.entries.size());
        const PortTable table{.port = net_.at(node, number),
                              .attribute = AttributeId::kPKeyTable,
                              .modifier = PKeyTable::Modifier(static_cast<PortNumber>(number), 0)};
        planner_.entries[at] = {.table = table, .wanted = Content(value)};
        planner_.order.push_back(at);
        return at;
    }
    SmpData& wanted(TableIndex at) { return planner_.entries.at(at).wanted; }
    PortTable& table(TableIndex at) { return planner_.entries.at(at).table; }
    [[nodiscard]] Where WhereIs(TableIndex at) {
        const PortTable& table = planner_.entries.at(at).table;
        const Node& node = net_.fabric().node(net_.fabric().port(table.port).node);
        return {node.type == NodeType::kSwitch ? node.first_port : table.port, table.modifier};
    }
    SmpData& device(TableIndex at) { return devices_has_[WhereIs(at)]; }

    /// A step, and the answers of all devices that answer.
    void Serve(std::uint64_t later_us = 100) {
        now_us_ += later_us;
        writer_->Step(now_us_);
        Answer();
    }
    void Answer() {
        const auto hear = [this](const ember::Answer& answer) {
            if (answer.cookie.client == kWriterClient) writer_->Hear(answer, now_us_);
        };
        devices_.AnswerAll(exchange_, now_us_, hear);
        ember::Answer answer{};
        while (exchange_.Expire(now_us_, answer)) {
            hear(answer);
        }
    }
    /// A round to its end.
    const TableOutcome& Round() {
        writer_->Begin();
        for (int i = 0; i < 100'000 && !writer_->done(); ++i) {
            Serve();
        }
        EXPECT_TRUE(writer_->done());
        return writer_->outcome();
    }
    /// The tables that were written, in order.
    std::vector<Where> Written() { return std::exchange(written_, {}); }

    RecordNet net_;
    std::map<Where, SmpData> devices_has_;
    std::vector<Where> written_;
    std::vector<Where> refused_;  ///< What no Set changes.
    bool is_unreadable_ = false;
    Devices devices_{net_, [this](PortIndex port, const DirectedSmp& request, SmpData& data) {
                         const Where where{port, request.header.attribute_modifier};
                         const bool is_set = request.header.method == Method::kSet;
                         if (!is_set && is_unreadable_) return kRefusal;
                         if (!is_set) {
                             data = devices_has_[where];
                             return std::uint16_t{0};
                         }
                         written_.push_back(where);
                         if (std::count(refused_.begin(), refused_.end(), where) != 0) {
                             return kRefusal;
                         }
                         devices_has_[where] = data;
                         return std::uint16_t{0};
                     }};
    FixedEntropy entropy_;
    std::vector<Exchange::Transaction> transactions_ = std::vector<Exchange::Transaction>(64);
    std::vector<DueQueue::Entry> due_ = std::vector<DueQueue::Entry>(64);
    Exchange exchange_{{transactions_, due_}, devices_, entropy_};
    std::vector<LogRecord> notes_ = std::vector<LogRecord>(64);
    Log log_{notes_};
    ListPlanner planner_;
    std::vector<TableProgramming::Known> known_ = std::vector<TableProgramming::Known>(kRows);
    std::optional<TableProgramming> writer_;
    std::uint64_t now_us_ = 0;
};

TEST_F(TableProgrammingTest, WhatIsRightIsReadOnceAndWhatDiffersIsWritten) {
    const TableIndex right = Add(0, 1, 1);
    const TableIndex wrong = Add(1, 1, 2);
    device(right) = Content(1);
    device(wrong) = Content(7);
    EXPECT_EQ(Round().read, 2U);
    EXPECT_EQ(writer_->outcome().set, 1U);
    EXPECT_EQ(Written(), std::vector{WhereIs(wrong)});
    EXPECT_EQ(device(wrong), Content(2));
    // By now all is known: what the planner changes is written, and nothing is read.
    wanted(right) = Content(3);
    EXPECT_EQ(Round().read, 0U);
    EXPECT_EQ(Written(), std::vector{WhereIs(right)});
    EXPECT_EQ(Round().set, 0U);
    EXPECT_EQ(planner_.settled.back(), (std::pair{wrong, Status::kOk}));
}

TEST_F(TableProgrammingTest, TablesAreWrittenInTheOrderOfThePlanner) {
    std::vector<TableIndex> tables;
    for (unsigned port = 1; port <= 4; ++port) {
        tables.push_back(Add(3, port, 1));
    }
    tables.push_back(Add(0, 1, 1));
    static_cast<void>(Round());
    static_cast<void>(Written());
    planner_.order = {tables[4], tables[2], tables[0], tables[3], tables[1]};
    std::vector<Where> expected;
    for (const TableIndex at : planner_.order) {
        wanted(at) = Content(2);
        expected.push_back(WhereIs(at));
    }
    EXPECT_EQ(Round().set, 5U);
    EXPECT_EQ(Written(), expected);
}

TEST_F(TableProgrammingTest, ATableWaitsForTheOneThatItsPlannerNamesAndNoOtherDoes) {
    const TableIndex close = Add(3, 1, 1);
    const TableIndex open = Add(0, 1, 1);
    const TableIndex other = Add(1, 1, 1);
    table(close).after = open;
    refused_ = {WhereIs(open)};
    EXPECT_EQ(Round().failed, 1U);
    EXPECT_EQ(Written(), (std::vector{WhereIs(open), WhereIs(other)}));
    refused_.clear();
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(Written(), (std::vector{WhereIs(open), WhereIs(close)}));
    EXPECT_EQ(device(close), Content(1));
}

TEST_F(TableProgrammingTest, AFailedSetIsToldOnceAndTriedAgainInEachRound) {
    const TableIndex at = Add(0, 1, 1);
    refused_ = {WhereIs(at)};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(Round().failed, 1U);
        EXPECT_EQ(Written().size(), 1U);
        EXPECT_EQ(planner_.settled.back(), (std::pair{at, Status::kRefused}));
    }
    EXPECT_EQ(log_.CountOf(Note::kSetRefused), 1U);
    // In the same round it is left alone, until something else is wanted.
    writer_->Revise();
    Serve();
    EXPECT_TRUE(Written().empty());
    wanted(at) = Content(2);
    writer_->Revise();
    for (int i = 0; i < 5; ++i) {
        Serve();
    }
    EXPECT_EQ(Written().size(), 1U);
    EXPECT_EQ(log_.CountOf(Note::kSetRefused), 2U);
    refused_.clear();
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(device(at), Content(2));
    // What it is told after it was right once is news again.
    wanted(at) = Content(3);
    refused_ = {WhereIs(at)};
    EXPECT_EQ(Round().failed, 1U);
    EXPECT_EQ(log_.CountOf(Note::kSetRefused), 3U);
}

TEST_F(TableProgrammingTest, ASilentPortHoldsUpNoOther) {
    Settings narrow = net_.settings();
    narrow.max_wire_smps = 2;
    narrow.max_smps_timeout = 0xFFFFFFFF;
    exchange_.Configure(narrow);
    const TableIndex silent = Add(0, 1, 1);
    const TableIndex same_node = Add(0, 1, 2);
    table(same_node).modifier = PKeyTable::Modifier(kManagementPort, 1);
    const std::vector<TableIndex> others{Add(1, 1, 1), Add(2, 1, 1), Add(6, 1, 1),
                                         Add(3, 1, 1), Add(3, 2, 1), Add(3, 3, 1)};
    planner_.order = {silent};
    planner_.order.insert(planner_.order.end(), others.begin(), others.end());
    planner_.order.push_back(same_node);
    std::uint64_t last_us = 0;
    devices_.silent = net_.at(0, 1);
    writer_->Begin();
    for (int i = 0; i < 100'000 && !writer_->done(); ++i) {
        Serve();
        const bool all = std::all_of(others.begin(), others.end(),
                                     [this](TableIndex at) { return device(at) == Content(1); });
        if (all && last_us == 0) last_us = now_us_;
    }
    EXPECT_NE(last_us, 0U);
    EXPECT_LT(last_us, 5000U) << "the others have theirs long before one try is over";
    EXPECT_GT(now_us_, 200'000U);
    EXPECT_EQ(writer_->outcome().failed, 2U);
    EXPECT_EQ(log_.CountOf(Note::kSetUnanswered), 0U) << "a Get is no Set";
    devices_.silent = kNoPortIndex;
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(device(silent), Content(1));
    EXPECT_EQ(device(same_node), Content(2));
}

TEST_F(TableProgrammingTest, ANodeThatIsSilentIsAskedOnceARound) {
    Settings narrow = net_.settings();
    narrow.max_wire_smps = 1;
    narrow.max_smps_timeout = 0xFFFFFFFF;
    exchange_.Configure(narrow);
    const std::vector<TableIndex> tables{Add(3, 1, 1), Add(3, 2, 1), Add(3, 3, 1)};
    static_cast<void>(Round());
    devices_.silent = net_.at(3, 0);
    for (const TableIndex at : tables) {
        wanted(at) = Content(2);
    }
    EXPECT_EQ(Round().failed, 3U);
    EXPECT_EQ(writer_->outcome().set, 1U);
    EXPECT_EQ(exchange_.statistics().given_up, 1U);
    EXPECT_EQ(log_.CountOf(Note::kSetUnanswered), 1U);
    // In the next round it has another chance.
    devices_.silent = kNoPortIndex;
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(device(tables[2]), Content(2));
}

TEST_F(TableProgrammingTest, AfterARestartNothingIsWrittenThatIsRight) {
    std::vector<TableIndex> tables{Add(0, 1, 1), Add(1, 1, 2), Add(3, 1, 3)};
    EXPECT_EQ(Round().set, 3U);
    for (int restart = 0; restart < 2; ++restart) {
        restart == 0 ? Start() : writer_->Observe(true);
        EXPECT_EQ(Round().read, 3U);
        EXPECT_EQ(writer_->outcome().set, 0U);
        EXPECT_EQ(Round().read, 0U);
    }
}

TEST_F(TableProgrammingTest, TheTablesOfADeviceThatBearsAnotherMasterAreReadAgain) {
    static_cast<void>(Add(0, 1, 1));
    static_cast<void>(Add(1, 1, 1));
    LetAllBearOurLid();
    static_cast<void>(Round());
    net_.port(1, 1).info.Set(PortInfo::kMasterSmLid, Lid{40});
    writer_->Observe(false);
    EXPECT_EQ(Round().read, 1U);
}

TEST_F(TableProgrammingTest, TheTablesOfADeviceThatWasResetAreReadAgain) {
    const TableIndex host = Add(0, 1, 1);
    const TableIndex other = Add(1, 1, 1);
    const TableIndex of_switch = Add(3, 1, 1);
    LetAllBearOurLid();
    static_cast<void>(Round());
    static_cast<void>(Written());
    writer_->Observe(false);
    EXPECT_EQ(Round().read, 0U);
    net_.port(0, 1).info.Set(PortInfo::kPortState, PortState::kInitialize);
    device(host) = Content(0);
    device(other) = Content(0);  // It shows no reset.
    writer_->Observe(false);
    EXPECT_EQ(Round().read, 1U);
    EXPECT_EQ(Written(), std::vector{WhereIs(host)});
    net_.port(0, 1).info.Set(PortInfo::kPortState, PortState::kActive);
    net_.port(1, 1).info.Set(PortInfo::kLid, kNoLid);
    for (unsigned port = 1; port <= 8; ++port) {
        net_.port(3, port).info.Set(PortInfo::kPortState, PortState::kInitialize);
    }
    writer_->Observe(false);
    EXPECT_EQ(Round().read, 2U);
    EXPECT_EQ(Written(), std::vector{WhereIs(other)});
    EXPECT_EQ(device(of_switch), Content(1));
}

TEST_F(TableProgrammingTest, WhatChangesWhileASetIsUnderWayFollowsIt) {
    const TableIndex at = Add(0, 1, 1);
    static_cast<void>(Round());
    static_cast<void>(Written());
    wanted(at) = Content(2);
    writer_->Begin();
    writer_->Step(++now_us_);
    wanted(at) = Content(3);
    writer_->Revise();
    writer_->Step(++now_us_);
    EXPECT_EQ(exchange_.in_flight(), 1U) << "two Sets of one table could overtake each other";
    for (int i = 0; i < 5; ++i) {
        Serve();
    }
    EXPECT_EQ(Written().size(), 2U);
    EXPECT_EQ(device(at), Content(3));
    EXPECT_TRUE(writer_->done());
}

TEST_F(TableProgrammingTest, WhatCannotBeReadIsTakenToBeEmpty) {
    const TableIndex full = Add(0, 1, 1);
    static_cast<void>(Add(1, 1, 0));
    is_unreadable_ = true;
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(Written(), std::vector{WhereIs(full)});
}

TEST_F(TableProgrammingTest, ABlindTableIsWrittenUnreadWheneverItIsNamed) {
    const TableIndex at = Add(0, 1, 1);
    table(at).is_blind = true;
    table(at).is_passing = true;
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(Round().read, 0U);
        EXPECT_EQ(Written().size(), 1U);
    }
}

TEST_F(TableProgrammingTest, APassingTableIsReadWheneverItIsNamed) {
    const TableIndex at = Add(0, 1, 1);
    table(at).is_passing = true;
    EXPECT_EQ(Round().read, 1U);
    EXPECT_EQ(Written().size(), 1U);
    EXPECT_EQ(Round().read, 1U);
    EXPECT_EQ(Written().size(), 0U) << "it is right";
}

TEST_F(TableProgrammingTest, ANumberThatIsGivenToAnotherTableIsNotTakenForTheOldOne) {
    const TableIndex at = Add(0, 1, 1);
    static_cast<void>(Round());
    static_cast<void>(Written());
    table(at).port = net_.at(1, 1);
    EXPECT_EQ(Round().set, 1U);
    table(at).modifier = PKeyTable::Modifier(kManagementPort, 3);
    EXPECT_EQ(Round().set, 1U);
    EXPECT_EQ(device(at), Content(1));
}

TEST_F(TableProgrammingTest, WhatWasAbandonedIsNotKnown) {
    const TableIndex at = Add(0, 1, 1);
    static_cast<void>(Round());
    wanted(at) = Content(2);
    writer_->Begin();
    writer_->Step(++now_us_);
    writer_->Abandon();
    EXPECT_TRUE(writer_->done());
    Answer();  // It was taken all the same; the answer is late.
    EXPECT_EQ(Round().read, 1U);
    EXPECT_EQ(writer_->outcome().set, 0U);
}

TEST_F(TableProgrammingTest, APortThatCannotBeReachedFails) {
    const TableIndex at = Add(6, 1, 1);
    static_cast<void>(Add(0, 1, 1));
    net_.fabric().Disconnect(net_.at(6, 1));
    EXPECT_EQ(Round().failed, 1U);
    EXPECT_EQ(writer_->outcome().set, 1U);
    EXPECT_EQ(planner_.settled.front(), (std::pair{at, Status::kUnreachable}));
}

TEST_F(TableProgrammingTest, TheWindowAndOurOwnPortAreWaitedFor) {
    Settings narrow = net_.settings();
    narrow.max_wire_smps = 1;
    narrow.max_smps_timeout = 0xFFFFFFFF;
    exchange_.Configure(narrow);
    static_cast<void>(Add(0, 1, 1));
    static_cast<void>(Add(1, 1, 1));
    EXPECT_EQ(writer_->NextDeadlineUs(), kNever);
    const PortIndex own = net_.fabric().own_port();
    net_.fabric().SetOwnPort(kNoPortIndex);  // As at the beginning of each sweep.
    writer_->Begin();
    writer_->Step(++now_us_);
    EXPECT_EQ(exchange_.in_flight(), 0U);
    EXPECT_EQ(writer_->NextDeadlineUs(), kNever);
    net_.fabric().SetOwnPort(own);
    EXPECT_EQ(writer_->NextDeadlineUs(), 0U);
    writer_->Step(++now_us_);
    EXPECT_EQ(exchange_.in_flight(), 1U);
    EXPECT_EQ(writer_->NextDeadlineUs(), kNever);
    for (int i = 0; i < 5; ++i) {
        Answer();
        Serve();
    }
    EXPECT_TRUE(writer_->done());
    EXPECT_EQ(writer_->outcome().set, 2U);
}

TEST_F(TableProgrammingTest, BesideOthersItTakesItsTime) {
    Settings wide = net_.settings();
    wide.max_wire_smps = 16;
    exchange_.Configure(wide);
    Start(1000);
    for (unsigned port = 1; port <= 4; ++port) {
        static_cast<void>(Add(3, port, 0));
    }
    writer_->Begin();
    writer_->Step(now_us_ = 10'000);
    EXPECT_EQ(writer_->outcome().read, 4U) << "alone as the window admits";
    Answer();
    Ask ask{};
    ask.attribute = AttributeId::kNodeInfo;
    ask.cookie.client = kOtherClient;
    exchange_.Post(ask, now_us_);  // Not answered yet.
    writer_->Observe(true);
    writer_->Begin();
    for (; now_us_ <= 13'000; now_us_ += 100) {
        writer_->Step(now_us_);
    }
    EXPECT_EQ(writer_->outcome().read, 3U) << "at 11,000, 12,000 and 13,000";
    EXPECT_EQ(writer_->NextDeadlineUs(), 14'000U);
}

TEST_F(TableProgrammingTest, ABoardWithoutSuchTablesSpendsNothing) {
    writer_.emplace(
        std::span<TableProgramming::Known>{},
        TableProgramming::Parts{net_.fabric(), exchange_, log_, planner_, kWriterClient},
        net_.settings());
    writer_->Observe(true);
    EXPECT_EQ(Round().read, 0U);
    EXPECT_EQ(writer_->NextDeadlineUs(), kNever);
}

}  // namespace
}  // namespace ember
