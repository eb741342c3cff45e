// SPDX-License-Identifier: Apache-2.0
// EmberSM: a writer of tables before devices that the test holds in its hand.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/port_tables/table_programming.h"
#include "core/wire/p_key_table.h"
#include "tests/core/administration/record_net.h"

namespace ember::table_programming {

inline constexpr Client kWriterClient{1};
inline constexpr Client kOtherClient{2};

using testing::Devices;
using testing::FixedEntropy;
using testing::RecordNet;

inline constexpr std::uint16_t kRefusal = 0x1C;
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
    std::vector<Where> refused_;  ///< Tables that no Set changes.
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

}  // namespace ember::table_programming
