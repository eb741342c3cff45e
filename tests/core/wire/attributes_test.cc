// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the tables by index, the texts and the notices add to fields.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <type_traits>

#include "core/wire/guid_info.h"
#include "core/wire/linear_forwarding_table.h"
#include "core/wire/multicast_forwarding_table.h"
#include "core/wire/node_description.h"
#include "core/wire/notice.h"
#include "core/wire/p_key_table.h"
#include "core/wire/port_info.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {
namespace {

TEST(PortInfo, ReadsTheStateFromTheLowNibbleOfOctet32) {
    PortInfo info;
    info.octets()[32] = 0xA4;  // LinkSpeedSupported 10, PortState 4.
    EXPECT_EQ(info.Get(PortInfo::kPortState), PortState::kActive);
    EXPECT_EQ(info.Get(PortInfo::kLinkSpeedSupported), 10);
}

TEST(PortInfo, WritingAFieldLeavesItsNeighborsAlone) {
    PortInfo info;
    info.octets().fill(0xFF);
    info.Set(PortInfo::kLmc, std::uint8_t{0});

    PortInfo expected;
    expected.octets().fill(0xFF);
    expected.octets()[34] = 0xF8;  // M_KeyProtectBits and the reserved bits keep their ones.
    EXPECT_EQ(info, expected);
}

TEST(PortInfo, TheSecondExtendedSpeedsShareOctet56) {
    PortInfo info;
    info.octets()[56] = 0x52;  // As a newer libibmad than the tests can ask reads it: 2, 2 and 2.
    EXPECT_EQ(info.Get(PortInfo::kLinkSpeedExtActive2), 2);
    EXPECT_EQ(info.Get(PortInfo::kLinkSpeedExtSupported2), 2);
    EXPECT_EQ(info.Get(PortInfo::kLinkSpeedExtEnabled2), 2);
}

TEST(NodeDescription, EndsAtTheFirstZeroOrAfter64Octets) {
    NodeDescription description;
    EXPECT_EQ(description.length(), 0U);
    description.SetText("leaf 7");
    EXPECT_EQ(description.length(), 6U);
    const std::string long_name(80, 'x');
    description.SetText(long_name);
    EXPECT_EQ(description.length(), 64U);
    const NodeDescription::Text text = description.text();
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c == 'x'; }));
    description.SetText("a");  // The text before is gone.
    EXPECT_EQ(description.length(), 1U);
    EXPECT_EQ(description.octets()[63], 0);
}

/// Writes every entry of a table with a value of its own and reads all of them back.
template <typename Table, typename Write, typename Read>
void EntriesAreApart(Write write, Read read) {
    Table table;
    for (std::size_t i = 0; i < Table::kEntries; ++i) {
        write(table, i, static_cast<std::uint8_t>(i + 1));
    }
    for (std::size_t i = 0; i < Table::kEntries; ++i) {
        EXPECT_EQ(read(table, i), static_cast<std::uint8_t>(i + 1)) << i;
    }
}

TEST(Tables, EntriesDoNotOverlap) {
    EntriesAreApart<LinearForwardingTable>(
        [](auto& t, std::size_t i, std::uint8_t v) { t.SetPort(i, PortNumber{v}); },
        [](const auto& t, std::size_t i) { return Raw(t.port(i)); });
    EntriesAreApart<MulticastForwardingTable>(
        [](auto& t, std::size_t i, std::uint8_t v) { t.SetMask(i, v); },
        [](const auto& t, std::size_t i) { return t.mask(i); });
    EntriesAreApart<PKeyTable>([](auto& t, std::size_t i, std::uint8_t v) { t.SetPKey(i, v); },
                               [](const auto& t, std::size_t i) { return t.p_key(i); });
    EntriesAreApart<GuidInfo>([](auto& t, std::size_t i, std::uint8_t v) { t.SetGuid(i, Guid{v}); },
                              [](const auto& t, std::size_t i) { return Raw(t.guid(i)); });
    EntriesAreApart<VlArbitrationTable>(
        [](auto& t, std::size_t i, std::uint8_t v) { t.SetEntry(i, v & 0xFU, v); },
        [](const auto& t, std::size_t i) {
            EXPECT_EQ(t.vl(i), t.weight(i) & 0xFU);
            return t.weight(i);
        });
}

TEST(Tables, ServiceLevelZeroIsTheTopNibbleOfTheFirstOctet) {
    SlToVlMappingTable table;
    table.SetVl(0, 5);
    table.SetVl(15, SlToVlMappingTable::kDrop);
    EXPECT_EQ(table.octets()[0], 0x50);
    EXPECT_EQ(table.octets()[7], 0x0F);
}

TEST(Tables, ModifiersAreBuiltAsTheClausesSay) {
    EXPECT_EQ(PKeyTable::Modifier(PortNumber{3}, 2), 0x00030002U);
    EXPECT_EQ(SlToVlMappingTable::Modifier(PortNumber{36}, PortNumber{1}), 0x00002401U);
    EXPECT_EQ(SlToVlMappingTable::FromEveryPort(PortNumber{9}), 0x00020009U);
    EXPECT_EQ(VlArbitrationTable::Modifier(VlArbitrationBlock::kLowerHighPriority, PortNumber{8}),
              0x00030008U);
    EXPECT_EQ(MulticastForwardingTable::Modifier(511, 15), 0xF00001FFU);
}

TEST(TablesDeathTest, AnIndexBeyondTheTableIsOurMistakeAndEndsThisIncarnation) {
    LinearForwardingTable table;
    EXPECT_DEATH(table.SetPort(64, PortNumber{1}), "");
    EXPECT_DEATH((void)SlToVlMappingTable{}.vl(16), "");
}

TEST(Notice, AVendorNoticeUsesTheSameBitsForOtherNames) {
    Notice notice;
    notice.Set(Notice::kVendorId, 0x0002C9U);
    notice.Set(Notice::kDeviceId, std::uint16_t{0xCB20});
    EXPECT_EQ(notice.Get(Notice::kIsGeneric), 0);
    EXPECT_EQ(Raw(notice.Get(Notice::kProducerType)), 0x0002C9U);
    EXPECT_EQ(Raw(notice.Get(Notice::kTrapNumber)), 0xCB20);
}

TEST(Notice, TheReturnPathOfABadMKeyBeginsAtOctet34) {
    MKeyNotice notice;
    notice.SetReturnPort(0, PortNumber{7});
    notice.SetReturnPort(29, PortNumber{9});
    EXPECT_EQ(notice.octets()[34], 7);
    EXPECT_EQ(notice.octets()[63], 9);
    EXPECT_EQ(notice.ReturnPort(29), PortNumber{9});
}

TEST(Notice, DetailsOfEveryTrapLieWhereTheClausesPutThem) {
    // Offsets into the notice, which begins DataDetails at octet 10 (bit 80).
    GidNotice gid;
    gid.Set(GidNotice::kGidPrefix, 0xFE80000000000000U);
    EXPECT_EQ(gid.octets()[16], 0xFE);
    PortErrorNotice error;
    error.Set(PortErrorNotice::kPortNo, PortNumber{36});
    EXPECT_EQ(error.octets()[14], 36);
    SystemImageGuidNotice image;
    image.Set(SystemImageGuidNotice::kSystemImageGuid, Guid{0xAB});
    EXPECT_EQ(image.octets()[23], 0xAB);
    KeyNotice key;
    key.Set(KeyNotice::kSl, std::uint8_t{0xC});
    key.Set(KeyNotice::kQp2, 0xABCDEFU);
    key.Set(KeyNotice::kGidGuid2, std::uint64_t{0x5A});
    EXPECT_EQ(key.octets()[20], 0xC0);
    EXPECT_EQ(key.octets()[25], 0xAB);
    EXPECT_EQ(key.octets()[59], 0x5A);
    SwitchPKeyNotice at_switch;
    at_switch.Set(SwitchPKeyNotice::kSwLidAddr, Lid{0x1234});
    at_switch.Set(SwitchPKeyNotice::kPortNo, PortNumber{5});
    EXPECT_EQ(at_switch.octets()[58], 0x12);
    EXPECT_EQ(at_switch.octets()[60], 5);
}

}  // namespace
}  // namespace ember
