// SPDX-License-Identifier: Apache-2.0
// EmberSM: in whose name is asked, and what is under way.

#include "core/exchange/asker.h"

#include <bit>
#include <gtest/gtest.h>
#include <vector>

#include "core/wire/smp.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/fake_port.h"

namespace ember {
namespace {

constexpr Client kOwnClient{1};
constexpr Client kOtherClient{2};

enum class Kind : std::uint8_t { kNone, kThis };

TEST(Asker, AsksWithTheMKeyInTheNameOfItsClientAndCountsWhatIsUnderWay) {
    std::vector<Exchange::Transaction> transactions(8);
    std::vector<DueQueue::Entry> due(8);
    FakePort port;
    FakeEntropy entropy;
    Exchange exchange({transactions, due}, port, entropy);
    Settings settings;
    settings.m_key = 0x1234;
    exchange.Configure(settings);
    net::Netlist netlist;
    netlist.Add(NodeType::kChannelAdapter, 1, "a", "a");
    netlist.Add(NodeType::kChannelAdapter, 1, "b", "b");
    netlist.AssignGuids();
    testing::BuiltFabric built(netlist);
    const Fabric& fabric = built.fabric();
    const PortIndex own = fabric.own_port();
    const PortIndex stranger = fabric.node(built.node(1)).first_port;

    Asker asker(fabric, exchange, settings, kOwnClient);
    Asker other(fabric, exchange, settings, kOtherClient);
    Ask ask{};
    EXPECT_FALSE(asker.FindPath(stranger, ask));
    ASSERT_TRUE(asker.FindPath(own, ask));
    ask.attribute = AttributeId::kPortInfo;
    ask.cookie.detail = 7;
    EXPECT_FALSE(asker.Take());
    asker.Post(ask, Kind::kThis, 42, 0);
    asker.Post(ask, Kind::kThis, 43, 0);
    EXPECT_TRUE(asker.is_alone());
    other.Post(ask, Kind::kNone, 1, 0);
    EXPECT_FALSE(asker.is_alone());
    EXPECT_EQ(asker.in_flight(), 2U);

    ASSERT_EQ(port.sent.size(), 3U);
    EXPECT_EQ(std::uint64_t{std::bit_cast<DirectedSmp>(port.sent[0].mad).m_key}, 0x1234U);
    Answer answer{};
    ASSERT_EQ(exchange.Take(ResponseTo(port.sent[0]), 10, answer), Status::kOk);
    EXPECT_EQ(answer.cookie.client, kOwnClient);
    EXPECT_EQ(answer.cookie.kind, 1);
    EXPECT_EQ(answer.cookie.subject, 42U);
    EXPECT_EQ(answer.cookie.detail, 7);
    EXPECT_TRUE(asker.Take());
    EXPECT_EQ(asker.in_flight(), 1U);
    asker.Abandon();
    EXPECT_EQ(asker.in_flight(), 0U);
    EXPECT_EQ(exchange.in_flight(), 1U) << "the other client's";
    EXPECT_FALSE(asker.Take());
}

}  // namespace
}  // namespace ember
