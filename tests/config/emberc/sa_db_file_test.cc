// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of sa_db_file. What is said of mistakes, word for word, is in
// tests/golden/emberc/option_files.txt.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/blob/option_files.h"
#include "config/blob/payload.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/emberc/option_files/option_files.h"
#include "core/administration/registrations/sa_file.h"
#include "core/administration/registrations/sa_frames.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::OptionContents;

constexpr emberc::SubnetFacts kSubnet{.prefix = 0xFE80000000000000, .lmc = 1};

const std::string kGroup =
    "MC Group 0xc001 : mgid=0xff12401bffff0000:0x0000000000000001 "
    "port_gid=0xfe80000000000000:0x0000000000000011 qkey=0x00000b1b mlid=0xc001 mtu=0x84 "
    "tclass=0x07 pkey=0xffff rate=0x83 pkt_life=0x92 sl_flow_hop=0x30012304 scope_state=0x21 "
    "proxy_join=0x0";
const std::string kMember =
    "mcm_port: port_gid=0xfe80000000000000:0x0000000000000011 scope_state=0x21 proxy_join=0x1";
const std::string kAlias =
    "GUIDInfo Record: base_guid=0x0000000000000011 lid=0x0005 block_num=0x0 "
    "guid0=0x0000000000000011 guid1=0x0000000000001111 guid2=0x0000000000000000 "
    "guid3=0x0000000000002222 guid4=0x0000000000000000 guid5=0x0000000000000000 "
    "guid6=0x0000000000000000 guid7=0x0000000000000000";
const std::string kService =
    "Service Record: id=0x0000000000000007 gid=0xfe80000000000000:0x0000000000001111 pkey=0xffff "
    "lease=0x64 key=0x0102030405060708:0x090a0b0c0d0e0f10 name='it's a # name' "
    "data8=0x0102030405060708:0x090a0b0c0d0e0f10 data16=0x0000000000000000:0x0000000000000001 "
    "data32=0x0000000000000000:0x0000000000000002 data64=0x0000000000000003:0x0000000000000004 "
    "modified_time=0x6650a1b2 lease_period=0x64";
const std::string kInform =
    "InformInfo Record: subscriber_gid=0xfe80000000000000:0x0000000000000011 subscriber_enum=0x0 "
    "InformInfo: gid=0x0000000000000000:0x0000000000000000 lid_range_begin=0xffff "
    "lid_range_end=0x0 is_generic=0x1 subscribe=0x1 trap_type=0xffff trap_num=0x42 "
    "qpn_resp_time_val=0x112 node_type=0x000004 rep_addr: lid=0x0005 path_bits=0x00 "
    "static_rate=0x00 remote_qp=0x00000001 remote_qkey=0x80010000 pkey_ix=0x0000 sl=0x03";

/// The journal made of a text, the codes of its diagnostics, and how many are errors.
struct Outcome {
    std::vector<std::byte> journal;
    std::string codes;
    std::size_t errors = 0;
    std::string said;
};

Outcome Parse(const std::string& text) {
    Diagnostics diagnostics("file");
    Outcome outcome;
    outcome.journal = emberc::ParseSaDbFile(text, diagnostics, kSubnet);
    for (const emberc::Diagnostic& one : diagnostics.all()) {
        outcome.codes += (outcome.codes.empty() ? "" : " ") + std::string(emberc::WordOf(one.code));
    }
    outcome.errors = diagnostics.CountOf(emberc::Severity::kError);
    outcome.said = RenderText(diagnostics);
    return outcome;
}

template <typename Body>
std::vector<Body> BodiesOf(const std::vector<std::byte>& journal, SaEntryKind kind) {
    std::vector<Body> bodies;
    for (std::span<const std::byte> octets = journal; !octets.empty();) {
        const Result<SaFrame> frame = ReadFrame(octets);
        if (!frame.ok()) return {};
        for (std::span<const std::byte> rest = frame.value().entries; !rest.empty();) {
            const SaEntry entry = TakeEntry(rest).value();
            if (entry.kind != kind) continue;
            std::memcpy(&bodies.emplace_back(), entry.body.data(), sizeof(Body));
        }
        octets = octets.subspan(frame.value().bytes());
    }
    return bodies;
}

std::string Lines(std::initializer_list<std::string> lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n\n";
    }
    return text;
}

/// `line` with its first `from` replaced.
std::string With(std::string line, std::string_view from, std::string_view to) {
    const std::size_t at = line.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return line.replace(at, from.size(), to);
}

TEST(SaDbFile, BecomesAJournal) {
    const Outcome all = Parse(Lines({kAlias, kGroup, kMember, kInform, kService}));
    EXPECT_EQ(all.said, "");
    ASSERT_TRUE(IsSaFile(all.journal));

    const auto groups = BodiesOf<GroupEntry>(all.journal, SaEntryKind::kGroup);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].mgid.gid(), (Gid{0xFF12401BFFFF0000, 1}));
    EXPECT_EQ(Lid{groups[0].mlid}, Lid{0xC001});
    EXPECT_EQ(std::uint32_t{groups[0].q_key}, 0xB1BU);
    EXPECT_EQ(Mtu{groups[0].mtu}, Mtu::k2048);
    EXPECT_EQ(Rate{groups[0].rate}, Rate::k10Gb);
    EXPECT_EQ(groups[0].packet_life_time, 0x12);
    EXPECT_EQ(groups[0].sl, 3);
    EXPECT_EQ(std::uint32_t{groups[0].flow_label}, 0x123U);
    EXPECT_EQ(groups[0].hop_limit, 4);
    EXPECT_EQ(groups[0].t_class, 7);
    EXPECT_EQ(groups[0].scope, 2);
    EXPECT_EQ(groups[0].is_well_known, 0);

    const auto members = BodiesOf<MemberEntry>(all.journal, SaEntryKind::kMember);
    ASSERT_EQ(members.size(), 1U);
    EXPECT_EQ(members[0].mgid.gid(), groups[0].mgid.gid());
    EXPECT_EQ(Guid{members[0].port_guid}, Guid{0x11});
    EXPECT_EQ(Guid{members[0].owner}, Guid{0x11});
    EXPECT_EQ(members[0].join_state, 1);
    EXPECT_EQ(members[0].is_proxied, 1);

    const auto aliases = BodiesOf<AliasEntry>(all.journal, SaEntryKind::kAlias);
    ASSERT_EQ(aliases.size(), 2U);
    EXPECT_EQ(Guid{aliases[1].alias}, Guid{0x2222});
    EXPECT_EQ(Guid{aliases[1].port}, Guid{0x11});
    EXPECT_EQ(aliases[1].place, 3);

    const auto subscriptions = BodiesOf<SubscriptionEntry>(all.journal, SaEntryKind::kSubscription);
    ASSERT_EQ(subscriptions.size(), 1U);
    EXPECT_EQ(Guid{subscriptions[0].subscriber}, Guid{0x11});
    EXPECT_EQ(subscriptions[0].path_bits, 1) << "of LID 5 under LMC 1";
    EXPECT_EQ(subscriptions[0].service_level, 3);
    EXPECT_EQ(subscriptions[0].info.Get(InformInfo::kTrapNumber), 0x42);
    EXPECT_EQ(subscriptions[0].info.Get(InformInfo::kQpn), 1U);
    EXPECT_EQ(subscriptions[0].info.Get(InformInfo::kRespTimeValue), 0x12);
    EXPECT_EQ(subscriptions[0].info.Get(InformInfo::kProducerType), 4U);
}

TEST(SaDbFile, KeepsServicesToTheLastOctet) {
    const Outcome all = Parse(Lines({kService, kAlias}));
    EXPECT_EQ(all.said, "");
    const auto services = BodiesOf<ServiceEntry>(all.journal, SaEntryKind::kService);
    ASSERT_EQ(services.size(), 1U);
    const ServiceRecord& record = services[0].record;
    EXPECT_EQ(record.Get(ServiceRecord::kServiceId), 7U);
    EXPECT_EQ(record.gid(), (Gid{kSubnet.prefix, 0x1111}));
    EXPECT_EQ(Guid{services[0].owner}, Guid{0x11}) << "the alias is told further down";
    EXPECT_EQ(record.Get(ServiceRecord::kServiceLease), 100U);
    const auto octets = record.octets();
    EXPECT_EQ(octets[32], 1);
    EXPECT_EQ(octets[47], 16);
    const std::string name = "it's a # name";
    EXPECT_EQ(std::string(octets.begin() + 48, octets.begin() + 48 + 13), name);
    EXPECT_EQ(octets[48 + 13], 0);
    EXPECT_EQ(octets[112 + 15], 16);
    EXPECT_EQ(octets[128 + 15], 1);
    EXPECT_EQ(octets[175], 4);
    // The lease counts from modified_time.
    EXPECT_EQ(std::uint64_t{services[0].ends_us}, (0x6650A1B2 + 100) * std::uint64_t{1'000'000});
    EXPECT_EQ(std::uint64_t{ReadFrame(all.journal).value().head.clock_us},
              0x6650A1B2 * std::uint64_t{1'000'000});
    const Outcome endless = Parse(With(kService, "lease_period=0x64", "lease_period=0xffffffff"));
    EXPECT_EQ(
        std::uint64_t{BodiesOf<ServiceEntry>(endless.journal, SaEntryKind::kService).at(0).ends_us},
        ~std::uint64_t{0});
}

TEST(SaDbFile, TakesWhatOpensmWritesOfWellKnownGroups) {
    const std::string known =
        With(With(kGroup, "0xc001 :", "0xc001  (well known):"), "0xfe80000000000000", "0x0");
    const Outcome outcome = Parse("# by hand\r\n" + known + "\r\n");
    EXPECT_EQ(outcome.said, "");
    const auto groups = BodiesOf<GroupEntry>(outcome.journal, SaEntryKind::kGroup);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].is_well_known, 1);
}

TEST(SaDbFile, IsRefusedForEveryKindOfBadLine) {
    struct Case {
        std::string text;
        std::string codes;
    };
    const std::vector<Case> cases = {
        {"Multicast group", "unknown-line"},
        {"Service Record", "unknown-line"},
        {kMember, "no-group"},
        {With(kGroup, "0xc001 :", "0xc001 "), "missing-value"},
        {With(kGroup, "0xc001 :", "0xbfff :"), "out-of-range"},
        {With(kGroup, "0xc001 :", "c001 :"), "bad-number"},
        {With(kGroup, "mlid=0xc001", "mlid=0xc002"), "contradiction"},
        {With(kGroup, "mgid=0xff", "mgid=0xfe"), "out-of-range"},
        {With(kGroup, "qkey=0x00000b1b", "qkey=0x100000000"), "out-of-range"},
        {With(kGroup, "mtu=0x84", "mtu=0x86"), "out-of-range"},
        {With(kGroup, "rate=0x83", "rate=0x81"), "out-of-range"},
        {With(kGroup, "pkey=0xffff", "pkey=0x8000"), "out-of-range"},
        {With(kGroup, " tclass=0x07", ""), "missing-value"},
        {With(kGroup, "mgid=0xff12401bffff0000:", "mgid=0xff12401bffff0000 "), "bad-number"},
        {kGroup + " more", "trailing-text"},
        {kGroup.substr(0, kGroup.size() - 1), "bad-number"},
        {Lines({kGroup, With(kMember, "0xfe80000000000000", "0xfe80000000000001")}),
         "other-subnet"},
        {Lines({kGroup, With(kMember, ":0x0000000000000011", ":0x0")}), "out-of-range"},
        {Lines({kGroup, With(kMember, "scope_state=0x21", "scope_state=0x20")}), "out-of-range"},
        {Lines({kGroup, With(kMember, "scope_state=0x21", "scope_state=0x121")}), "out-of-range"},
        {With(kAlias, "base_guid=0x0000000000000011", "base_guid=0x0"), "out-of-range"},
        {With(kAlias, "block_num=0x0", "block_num=0x20"), "out-of-range"},
        {With(kAlias, " guid7=0x0000000000000000", ""), "missing-value"},
        {With(kService, "name='", "name="), "bad-text"},
        {With(kService, "a # name", std::string(70, 'x')), "too-long"},
        {With(kService, "data8=0x0102030405060708:", "data8=0x0102030405060708"), "bad-number"},
        {With(kService, "modified_time=0x6650a1b2", "modified_time=0x10000000000"), "out-of-range"},
        {With(kService, "gid=0xfe8", "gid=0xfec"), "other-subnet"},
        {With(kInform, "InformInfo: ", ""), "missing-value"},
        {With(kInform, "sl=0x03", "sl=0x10"), "out-of-range"},
        {With(kInform, "trap_num=0x42", "trap_num=66"), "bad-number"},
    };
    for (const Case& wrong : cases) {
        const Outcome outcome = Parse(wrong.text);
        EXPECT_EQ(outcome.codes, wrong.codes) << wrong.text << '\n' << outcome.said;
        EXPECT_EQ(outcome.errors, 1U) << wrong.text;
    }
    // Of a group that is wrong, its members are not told as well.
    EXPECT_EQ(Parse(Lines({With(kGroup, "mtu=0x84", "mtu=0x80"), kMember})).codes, "out-of-range");
}

TEST(SaDbFile, SaysWhatIsThereTwice) {
    const std::string other = With(kMember, "scope_state=0x21", "scope_state=0x24");
    const Outcome twice = Parse(Lines({kAlias, kGroup, kMember, kMember, kGroup, kMember, kService,
                                       kService, kInform, kInform, kAlias}));
    EXPECT_EQ(twice.codes,
              "duplicate-entry duplicate-entry duplicate-entry duplicate-entry duplicate-entry "
              "duplicate-entry duplicate-entry");
    EXPECT_EQ(twice.errors, 0U);
    EXPECT_EQ(twice.journal, Parse(Lines({kAlias, kGroup, kMember, kService, kInform})).journal);
    EXPECT_EQ(Parse(Lines({kGroup, kMember, other})).codes, "contradiction");
    EXPECT_EQ(Parse(Lines({kGroup, With(kGroup, "qkey=0x0", "qkey=0x1")})).codes, "contradiction");
    EXPECT_EQ(Parse(Lines({kAlias, With(kAlias, "0x0000000000002222", "0x2223")})).codes,
              "duplicate-entry contradiction");
    EXPECT_EQ(Parse(Lines({kAlias, With(kAlias, "base_guid=0x0000000000000011",
                                        "base_guid=0x0000000000000012")}))
                  .codes,
              "contradiction contradiction");
    EXPECT_EQ(Parse(Lines({kService, With(kService, "data64=0x0", "data64=0x1")})).codes,
              "contradiction");
}

TEST(SaDbFile, WarnsOfOtherPartitions) {
    const Outcome outcome = Parse(With(kGroup, "pkey=0xffff", "pkey=0x8001"));
    EXPECT_EQ(outcome.codes, "other-partition");
    EXPECT_EQ(outcome.errors, 0U);
}

TEST(SaDbFile, HasFramesThatEveryBoardCanRead) {
    std::string text = kGroup + "\n";
    for (int i = 1; i <= 300; ++i) {
        text += With(kMember, ":0x0000000000000011", fmt::format(":{:#x}", 0x1000 + i)) + "\n";
    }
    const Outcome outcome = Parse(text);
    EXPECT_EQ(outcome.said, "");
    EXPECT_TRUE(IsSaFile(outcome.journal));
    EXPECT_EQ(BodiesOf<MemberEntry>(outcome.journal, SaEntryKind::kMember).size(), 300U);
    EXPECT_GT(outcome.journal.size(), 10 * kMaxSaFileFrameBytes);
    // Every octet matters, and so does the end.
    for (std::size_t i = 0; i < outcome.journal.size(); i += 7) {
        std::vector<std::byte> damaged = outcome.journal;
        damaged[i] ^= std::byte{4};
        EXPECT_FALSE(IsSaFile(damaged)) << i;
        damaged = outcome.journal;
        damaged.resize(i);
        EXPECT_FALSE(IsSaFile(damaged)) << i;
    }
    std::vector<std::byte> longer = outcome.journal;
    longer.push_back(std::byte{});
    EXPECT_FALSE(IsSaFile(longer));
}

TEST(SaDbFile, ThatIsEmptySaysThatNothingIsRegistered) {
    const Outcome outcome = Parse("# nothing\n\n");
    EXPECT_TRUE(IsSaFile(outcome.journal));
    EXPECT_EQ(emberc::ContentsAsText({.registrations = outcome.journal}, true),
              "# sa_db_file: 0 records\n");
}

TEST(SaDbFile, ArrivesInTheSettings) {
    OptionContents contents;
    contents.registrations = Parse(Lines({kAlias, kGroup, kMember, kInform, kService})).journal;
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), room.room(), settings).accepted());
    EXPECT_TRUE(std::ranges::equal(settings.manager_tables.registrations, *contents.registrations));
    EXPECT_EQ(emberc::ReadContents(payload), contents);
    const std::string shown = emberc::ContentsAsText(contents, true);
    EXPECT_NE(shown.find("# sa_db_file: 6 records"), std::string::npos) << shown;
    EXPECT_NE(shown.find("alias 0x0000000000002222 of 0x0000000000000011, place 3"),
              std::string::npos)
        << shown;
    // A payload that was signed with the right key, but not made by emberc, is not believed either.
    contents.registrations->back() ^= std::byte{1};
    const Octets forged = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    const PayloadReport report = ReadPayload(Aligned(forged).octets(), room.room(), settings);
    EXPECT_FALSE(report.accepted());
    EXPECT_EQ(report.field_out_of_range, "sa_db_file");
    // A board without room for the table says so.
    RoomForTables none(64);
    const PayloadReport refused = ReadPayload(copy.octets(), none.room(), settings);
    EXPECT_FALSE(refused.accepted());
    EXPECT_FALSE(refused.room_suffices);
}

}  // namespace
}  // namespace ember::test
