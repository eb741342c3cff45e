// SPDX-License-Identifier: Apache-2.0
// EmberSM: PortInfoRecords: which there are, how they are found, and what is hidden.
#include <array>
#include <cstdint>
#include <gtest/gtest.h>

#include "core/administration/records/port_walk.h"
#include "core/administration/records/subnet_records.h"
#include "tests/core/administration/records/told_records.h"

namespace ember {
namespace {

using testing::As;
using testing::FindsByEachComponent;
using testing::kLid;
using testing::Octets;
using testing::RecordNet;
using testing::Told;

TEST(PortInfoRecords, ThereIsOneForEachPortOfWhichAnythingIsKnown) {
    RecordNet net;
    PortInfoRecords source(net.view());
    net.trusted = true;
    const Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 6U + 9U + 7U);
    for (const Octets& octets : told.records) {
        const auto record = As<PortInfoRecord>(octets);
        const PortIndex holder = net.fabric().PortByLid(record.Get(PortInfoRecord::kLid));
        ASSERT_NE(holder, kNoPortIndex);
        const PortIndex at = net.fabric().PortOf(net.fabric().port(holder).node,
                                                 record.Get(PortInfoRecord::kPortNum));
        ASSERT_NE(at, kNoPortIndex);
        if (net.fabric().node(net.fabric().port(at).node).type != NodeType::kSwitch) {
            EXPECT_EQ(at, holder);
        }
        EXPECT_EQ(record.Get(PortInfoRecord::kOptions), 0);
        auto info = net.fabric().port(at).info;
        for (const auto field : {PortInfo::kLinkSpeedSupported, PortInfo::kLinkSpeedEnabled,
                                 PortInfo::kLinkSpeedActive}) {  // See below.
            info.Set(field, Take<PortInfo>(record, PortInfoRecord::kPortInfo).Get(field));
        }
        EXPECT_EQ(Take<PortInfo>(record, PortInfoRecord::kPortInfo), info);
    }
}

TEST(PortInfoRecords, AreFoundByEachComponent) {
    for (const bool trusted : {false, true}) {
        RecordNet net;
        net.trusted = trusted;
        PortInfoRecords source(net.view());
        FindsByEachComponent(net, source, PortInfoRecord::kComponents, {kLid, 2});
    }
}

TEST(PortInfoRecords, TellTheMKeyToTheTrustedOnly) {
    RecordNet net;
    PortInfoRecords source(net.view());
    const std::uint64_t key = net.port(1, 1).info.Get(PortInfo::kMKey);
    ASSERT_NE(key, 0U);
    PortInfoRecord asked;
    asked.Set(PortInfoRecord::kLid, net.port(1, 1).lid);
    PortInfo guess;
    guess.Set(PortInfo::kMKey, key);
    Put(asked, PortInfoRecord::kPortInfo, guess);
    const auto key_told = [&](std::uint64_t mask) {
        const Told told = net.Ask(source, mask, asked.octets());
        if (told.records.empty()) return std::uint64_t{1};
        const auto record = As<PortInfoRecord>(told.records[0]);
        return Take<PortInfo>(record, PortInfoRecord::kPortInfo).Get(PortInfo::kMKey);
    };
    EXPECT_EQ(key_told(1U << kLid), 0U);
    EXPECT_EQ(key_told(1U << kLid | 1U << 3U), 1U);  // Nor may a guess be tried.
    net.trusted = true;
    EXPECT_EQ(key_told(1U << kLid), key);
    EXPECT_EQ(key_told(1U << kLid | 1U << 3U), key);
}

TEST(PortInfoRecords, CapabilitiesMayBeAskedForBitByBit) {
    RecordNet net;
    PortInfoRecords source(net.view());
    ForEachPort(net.fabric(), [](PortIndex, Port& port) {
        port.info.Set(PortInfo::kCapabilityMask, std::uint32_t{0});
    });
    net.port(1, 1).info.Set(PortInfo::kCapabilityMask, capability_mask::kIsSm);
    net.port(2, 1).info.Set(PortInfo::kCapabilityMask,
                            capability_mask::kIsSm | capability_mask::kIsTrapSupported);
    const auto count = [&](std::uint32_t modifier, std::uint32_t capabilities) {
        PortInfo info;
        info.Set(PortInfo::kCapabilityMask, capabilities);
        PortInfoRecord asked;
        Put(asked, PortInfoRecord::kPortInfo, info);
        net.modifier = modifier;
        return net.Ask(source, 1U << 7U, asked.octets()).records.size();
    };
    EXPECT_EQ(count(0, capability_mask::kIsSm), 1U);
    EXPECT_EQ(count(0x80000000, capability_mask::kIsSm), 2U);
    EXPECT_EQ(count(0x80000000, capability_mask::kIsTrapSupported), 1U);
    EXPECT_EQ(count(0x80000000, capability_mask::kIsNoticeSupported), 0U);
    EXPECT_EQ(count(0x80000000, 0), 22U);  // Everybody has none of the bits.
    EXPECT_EQ(count(0x40000000, capability_mask::kIsSm), 1U);
}

TEST(PortInfoRecords, OptionsComeBackAsTheyWereAsked) {
    RecordNet net;
    PortInfoRecords source(net.view());
    PortInfoRecord asked;
    asked.Set(PortInfoRecord::kLid, net.port(1, 1).lid);
    asked.Set(PortInfoRecord::kOptions, std::uint8_t{0x81});
    const auto options = [&](std::uint64_t mask) {
        const Told told = net.Ask(source, mask, asked.octets());
        return told.records.empty() ? 0xEE : told.records[0][3];
    };
    EXPECT_EQ(options(1U << kLid | 1U << 2U), 0x81);
    EXPECT_EQ(options(1U << kLid), 0);  // No options were asked for.
}

TEST(PortInfoRecords, AnExtendedSpeedShowsAsQdrToThoseWhoDoNotKnowIt) {
    RecordNet net;
    PortInfoRecords source(net.view());
    // A port of a switch speaks by the capabilities of port 0, a host's by its own.
    struct Case {
        std::uint32_t node;
        unsigned number;
        unsigned speaker;
    };
    for (const Case& one : {Case{3, 7, 0}, Case{1, 1, 1}, Case{3, 0, 0}}) {
        const auto speeds = [&](bool speaks, std::uint8_t active, std::uint8_t options) {
            PortInfo& info = net.port(one.node, one.number).info;
            info.Set(PortInfo::kLinkSpeedSupported, link_speed::kSdr);
            info.Set(PortInfo::kLinkSpeedEnabled, link_speed::kDdr);
            info.Set(PortInfo::kLinkSpeedActive, link_speed::kExtended);
            info.Set(PortInfo::kLinkSpeedExtActive, active);
            PortInfo& speaker = net.port(one.node, one.speaker).info;
            info.Set(PortInfo::kCapabilityMask, std::uint32_t{0});
            speaker.Set(PortInfo::kCapabilityMask,
                        speaks ? capability_mask::kIsExtendedSpeedsSupported : 0U);
            PortInfoRecord asked;
            asked.Set(PortInfoRecord::kLid, LidOf(net.fabric(), net.at(one.node, one.number)));
            asked.Set(PortInfoRecord::kPortNum, static_cast<PortNumber>(one.number));
            asked.Set(PortInfoRecord::kOptions, options);
            const Told told = net.Ask(source, 7, asked.octets());
            EXPECT_EQ(told.records.size(), 1U);
            const auto record = As<PortInfoRecord>(told.records.at(0));
            const auto told_info = Take<PortInfo>(record, PortInfoRecord::kPortInfo);
            return std::array{told_info.Get(PortInfo::kLinkSpeedSupported),
                              told_info.Get(PortInfo::kLinkSpeedEnabled),
                              told_info.Get(PortInfo::kLinkSpeedActive)};
        };
        using Speeds = std::array<std::uint8_t, 3>;
        EXPECT_EQ(speeds(true, link_speed_ext::kEdr, 0), (Speeds{1 | 4, 2 | 4, 4}));
        EXPECT_EQ(speeds(true, link_speed_ext::kEdr, 0x80), (Speeds{1, 2, 0}));
        EXPECT_EQ(speeds(true, link_speed_ext::kNone, 0), (Speeds{1, 2, 0}));
        EXPECT_EQ(speeds(false, link_speed_ext::kEdr, 0), (Speeds{1, 2, 0}));
    }
}

}  // namespace
}  // namespace ember
