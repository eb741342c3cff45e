// SPDX-License-Identifier: Apache-2.0
// EmberSM: opensm-sa.dump has the lines of OpenSM 3.3.23.
//
// Goal:   the form of every kind of line, at its corners: what a client may put into a name, many
//         members of a group, a lease that ends.
// Method: tables filled by hand beside a small simulated fabric; the lines are those which OpenSM
//         wrote for the same contents, with other GUIDs.

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

#include "platform/linux/dump/dump_text.h"
#include "tests/support/routing_run.h"
#include "tests/support/sim_world.h"

namespace ember {
namespace {

using testing::SimWorld;

constexpr std::uint64_t kPrefix = 0xFE80000000000000;
constexpr std::uint64_t kUnixTime = 0x6B025D73;

class SaDumpLinesTest : public ::testing::Test {
protected:
    SaDumpLinesTest() {
        world_.AddManager(testing::OpensmSettings());
        EXPECT_TRUE(world_.RunUntilUp(60 * testing::kSecond));
        switches_.resize(64);
        nodes_.resize(64);
        const SortedCounts counts = SortAsOpensm(world_.sm().fabric(), nodes_, switches_);
        nodes_.resize(counts.nodes);
        ForEachEndPort(world_.sm().fabric(), [&](PortIndex, const Port& port) {
            const bool is_host = world_.sm().fabric().node(port.node).type != NodeType::kSwitch;
            if (is_host && host_.guid == kNoGuid) host_ = port;
        });
    }

    std::string Dump() {
        SubnetManager& sm = world_.sm();
        const DumpView view{sm.fabric(),  sm.programming(),
                            sm.lid_map(), sm.multicast().tables(),
                            groups(),     aliases_,
                            services_,    subscriptions_,
                            kPrefix,      kUnixTime,
                            hops_,        order_,
                            nodes_,       std::span(switches_)};
        std::string all;
        DumpCursor cursor;
        bool more = true;
        for (int i = 0; i < 1'000'000 && more; ++i) {
            std::array<char, kMaxDumpPiece> room{};
            FixedText text(room);
            more = AddRegistrations(view, cursor, text);
            EXPECT_FALSE(text.full());
            all += text.text();
        }
        EXPECT_FALSE(more);
        return all;
    }
    Groups& groups() { return world_.sm().multicast().groups(); }
    static std::string Hex(std::uint64_t number, int digits) {
        std::array<char, 32> room{};
        std::snprintf(room.data(), room.size(), "%0*llx", digits,
                      static_cast<unsigned long long>(number));
        return room.data();
    }
    [[nodiscard]] std::string HostGuid() const { return Hex(Raw(host_.guid), 16); }

    SimWorld world_{net::FatTree2(4)};
    Port host_;
    std::vector<NodeIndex> nodes_;
    std::vector<SwitchIndex> switches_;
    HopReport hops_;
    NodeOrder order_;
    std::array<AliasGuids::Row, 4> alias_rows_{};
    std::array<AliasIndex, RowIndex<AliasIndex>::SlotsFor(4)> alias_slots_{};
    std::array<AliasIndex, RowIndex<AliasIndex>::SlotsFor(4)> place_slots_{};
    AliasGuids aliases_{{alias_rows_, alias_slots_, place_slots_}};
    std::array<Services::Row, 4> service_rows_{};
    std::array<ServiceIndex, RowIndex<ServiceIndex>::SlotsFor(4)> service_slots_{};
    Services services_{{service_rows_, service_slots_}};
    std::array<Subscription, 4> subscription_rows_{};
    Subscriptions subscriptions_{subscription_rows_};
};

TEST_F(SaDumpLinesTest, HasEveryMemberOfALargeGroupOnce) {
    const Gid mgid{0xFF15A01C00000000, 7};
    const GroupValues values = {.q_key = 7,
                                .p_key = 0xFFFF,
                                .mtu = Mtu::k2048,
                                .rate = Rate::k10Gb,
                                .packet_life_time = 0x12,
                                .sl = 3,
                                .t_class = 5,
                                .hop_limit = 9,
                                .scope = 2,
                                .flow_label = 0xABCDE};
    const Result<GroupIndex> made = groups().Create(mgid, values, {});
    ASSERT_TRUE(made.ok());
    constexpr std::uint64_t kMembers = 200;
    for (std::uint64_t i = 1; i <= kMembers; ++i) {
        Member who;
        who.port_guid = static_cast<Guid>(i);
        who.join_state = i % 2 == 0 ? join_state::kNon : join_state::kFull;
        who.is_proxied = i == 4;
        ASSERT_TRUE(groups().Join(made.value(), who, 0).ok());
    }
    const std::string text = Dump();
    EXPECT_NE(text.find(" qkey=0x00000007 mlid=0xc001 mtu=0x84 tclass=0x05 pkey=0xffff rate=0x83 "
                        "pkt_life=0x92 sl_flow_hop=0x3abcde09 scope_state=0x21 proxy_join=0x0\n\n"),
              std::string::npos)
        << text.substr(0, 800);
    EXPECT_NE(text.find("MC Group 0xc001 : mgid=0xff15a01c00000000:0x0000000000000007 port_gid="),
              std::string::npos);
    for (std::uint64_t i = 1; i <= kMembers; ++i) {
        const std::string line = "mcm_port: port_gid=0xfe80000000000000:0x" + Hex(i, 16) +
                                 " scope_state=0x2" + (i % 2 == 0 ? "2" : "1") + " proxy_join=0x" +
                                 (i == 4 ? "1" : "0") + "\n\n";
        const std::size_t at = text.find(line);
        ASSERT_NE(at, std::string::npos) << line;
        EXPECT_EQ(text.find(line, at + 1), std::string::npos) << line;
    }
}

TEST_F(SaDumpLinesTest, TellsSubscriptionsTheLatestFirst) {
    for (const std::uint16_t trap : {std::uint16_t{66}, std::uint16_t{67}}) {
        Subscription row;
        row.subscriber = host_.guid;
        row.info.Set(InformInfo::kLidRangeBegin, InformInfo::kAnyLid);
        row.info.Set(InformInfo::kIsGeneric, std::uint8_t{1});
        row.info.Set(InformInfo::kSubscribe, std::uint8_t{1});
        row.info.Set(InformInfo::kType, InformInfo::kAnyType);
        row.info.Set(InformInfo::kTrapNumber, trap);
        row.info.Set(InformInfo::kQpn, std::uint32_t{1});
        row.info.Set(InformInfo::kProducerType, std::uint32_t{4});
        ASSERT_EQ(subscriptions_.Put(row), Status::kOk);
    }
    const auto line = [&](const char* trap) {
        return "InformInfo Record: subscriber_gid=0xfe80000000000000:0x" + HostGuid() +
               " subscriber_enum=0x0 InformInfo: gid=0x0000000000000000:0x0000000000000000 "
               "lid_range_begin=0xffff lid_range_end=0x0 is_generic=0x1 subscribe=0x1 "
               "trap_type=0xffff trap_num=0x" +
               trap + " qpn_resp_time_val=0x100 node_type=0x000004 rep_addr: lid=0x" +
               Hex(Raw(host_.lid), 4) +
               " path_bits=0x00 static_rate=0x00 remote_qp=0x00000001 remote_qkey=0x00000000 "
               "pkey_ix=0x0000 sl=0x00\n\n";
    };
    EXPECT_NE(Dump().find("\n\n" + line("43") + line("42")), std::string::npos) << Dump();
}

TEST_F(SaDumpLinesTest, TellsWhatIsLeftOfALeaseAndLetsNoNameEndTheLine) {
    ServiceRecord record;
    record.Set(ServiceRecord::kServiceId, std::uint64_t{2});
    record.SetGid({kPrefix, Raw(host_.guid)});
    record.Set(ServiceRecord::kServicePKey, std::uint16_t{0xFFFF});
    record.Set(ServiceRecord::kServiceLease, std::uint32_t{3600});
    std::memcpy(record.octets().data() + 32, "key", 3);
    std::memcpy(record.octets().data() + 48, "a'\nMC Group", 11);
    std::fill(record.octets().begin() + 112, record.octets().end(), std::uint8_t{2});
    ASSERT_EQ(services_.Put(record, host_.guid, 0), Status::kOk);
    services_.Expire(600 * testing::kSecond);
    const std::string data = "0x0202020202020202:0x0202020202020202";
    const std::string line = "Service Record: id=0x0000000000000002 gid=0xfe80000000000000:0x" +
                             HostGuid() +
                             " pkey=0xffff lease=0xe10 key=0x6b65790000000000:0x0000000000000000 "
                             "name='a??MC Group' data8=" +
                             data + " data16=" + data + " data32=" + data + " data64=" + data +
                             " modified_time=0x6b025d73 lease_period=0xbb8\n\n";
    const std::string text = Dump();
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST_F(SaDumpLinesTest, TellsWholeTablesOfPortsThatHaveAliases) {
    ASSERT_EQ(aliases_.Put(host_.guid, 2, static_cast<Guid>(0x2222)), Status::kOk);
    const std::string head =
        "GUIDInfo Record: base_guid=0x" + HostGuid() + " lid=0x" + Hex(Raw(host_.lid), 4);
    const std::string zero = "=0x0000000000000000";
    const std::string text = Dump();
    EXPECT_EQ(text.find(head + " block_num=0x0 guid0=0x" + HostGuid() + " guid1" + zero +
                        " guid2=0x0000000000002222 guid3" + zero),
              0U)
        << text.substr(0, 600);
    const unsigned blocks = (host_.info.Get(PortInfo::kGuidCap) + 7U) / 8U;
    EXPECT_EQ(static_cast<unsigned>(text.find("MC Group") != std::string::npos), 1U);
    std::size_t lines = 0;
    for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
        ++lines;
    }
    EXPECT_EQ(lines, blocks);
}

}  // namespace
}  // namespace ember
