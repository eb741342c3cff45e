// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is told of a path, and by what it can be asked for.
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

#include "core/administration/paths/path_records.h"
#include "tests/core/administration/paths/path_records_fixture.h"

namespace ember {
namespace {

using testing::Mask;
using testing::PathRecordsTest;
using P = PathRecord;

TEST_F(PathRecordsTest, TheNarrowestPortOnTheWayCounts) {
    net_.port(0, 1).info.Set(PortInfo::kMtuCap, Mtu::k2048);  // Source.
    net_.port(3, 4).info.Set(PortInfo::kMtuCap, Mtu::k1024);  // Both cables between
    net_.port(3, 5).info.Set(PortInfo::kMtuCap, Mtu::k1024);  // the switches.
    net_.port(5, 1).info.Set(PortInfo::kMtuCap, Mtu::k256);   // Destination.
    net_.port(6, 4).info.Set(PortInfo::kLinkWidthActive, link_width::k1x);
    net_.port(6, 5).info.Set(PortInfo::kLinkWidthActive, link_width::k1x);
    const auto values = [&](std::uint32_t from, std::uint32_t to) {
        const auto paths = Between(from, to);
        EXPECT_EQ(paths.size(), 1U);
        return std::pair(paths.at(0).Get(P::kMtu), paths.at(0).Get(P::kRate));
    };
    EXPECT_EQ(values(1, 2), std::pair(Mtu::k4096, Rate::k10Gb));
    EXPECT_EQ(values(0, 1), std::pair(Mtu::k2048, Rate::k10Gb));
    EXPECT_EQ(values(1, 0), std::pair(Mtu::k2048, Rate::k10Gb));
    EXPECT_EQ(values(1, 4), std::pair(Mtu::k1024, Rate::k2Gb5));
    EXPECT_EQ(values(4, 1), std::pair(Mtu::k1024, Rate::k2Gb5));
    EXPECT_EQ(values(0, 5), std::pair(Mtu::k256, Rate::k2Gb5));
    EXPECT_EQ(values(5, 5), std::pair(Mtu::k256, Rate::k10Gb));
    EXPECT_EQ(values(3, 4), std::pair(Mtu::k1024, Rate::k2Gb5));
    EXPECT_EQ(values(4, 3), std::pair(Mtu::k1024, Rate::k2Gb5));
}

TEST_F(PathRecordsTest, APlainPortZeroLimitsNoRate) {
    net_.port(3, 0).info.Set(PortInfo::kLinkWidthActive, std::uint8_t{0});
    EXPECT_EQ(Between(0, 3).at(0).Get(P::kRate), Rate::k10Gb);
    net_.port(3, 0).info.Set(PortInfo::kLinkWidthActive, link_width::k1x);
    EXPECT_EQ(Between(0, 3).at(0).Get(P::kRate), Rate::k2Gb5);
}

TEST_F(PathRecordsTest, AnMtuIsAskedInFourWays) {
    net_.port(0, 1).info.Set(PortInfo::kMtuCap, Mtu::k2048);
    struct Case {
        Selector selector;
        Mtu asked;
        Mtu told;  ///< kNone: there is no path.
    };
    for (const Case& c : {Case{Selector::kAbove, Mtu::k1024, Mtu::k2048},
                          Case{Selector::kAbove, Mtu::k2048, Mtu::kNone},
                          Case{Selector::kBelow, Mtu::k4096, Mtu::k2048},
                          Case{Selector::kBelow, Mtu::k2048, Mtu::k1024},
                          Case{Selector::kBelow, Mtu::k512, Mtu::k256},
                          Case{Selector::kBelow, Mtu::k256, Mtu::kNone},
                          Case{Selector::kExactly, Mtu::k2048, Mtu::k2048},
                          Case{Selector::kExactly, Mtu::k512, Mtu::k512},
                          Case{Selector::kExactly, Mtu::k4096, Mtu::kNone},
                          Case{Selector::kBest, Mtu::k256, Mtu::k2048}}) {
        PathRecord asked;
        asked.Set(P::kMtuSelector, c.selector);
        asked.Set(P::kMtu, c.asked);
        const auto paths = Between(0, 4, Mask(P::kHasMtu, P::kHasMtuSelector), asked);
        ASSERT_EQ(paths.size(), c.told == Mtu::kNone ? 0U : 1U) << unsigned(c.asked);
        if (!paths.empty()) {
            EXPECT_EQ(paths[0].Get(P::kMtu), c.told) << unsigned(c.asked);
        }
        // Without its selector the value means nothing.
        EXPECT_EQ(Between(0, 4, Mask(P::kHasMtu), asked).at(0).Get(P::kMtu), Mtu::k2048);
        EXPECT_EQ(Between(0, 4, Mask(P::kHasMtuSelector), asked).size(), 1U);
    }
}

TEST_F(PathRecordsTest, ARateIsAskedInFourWaysBySpeed) {
    net_.port(0, 1).info.Set(PortInfo::kLinkSpeedActive, link_speed::kQdr);
    net_.port(3, 1).info.Set(PortInfo::kLinkSpeedActive, link_speed::kQdr);
    net_.port(1, 1).info.Set(PortInfo::kLinkSpeedActive, link_speed::kQdr);
    net_.port(3, 2).info.Set(PortInfo::kLinkSpeedActive, link_speed::kQdr);
    struct Case {
        Selector selector;
        Rate asked;
        Rate told;
    };
    for (const Case& c :
         {Case{Selector::kAbove, Rate::k30Gb, Rate::k40Gb},
          Case{Selector::kAbove, Rate::k14Gb, Rate::k40Gb},
          Case{Selector::kAbove, Rate::k40Gb, Rate::kNone},
          Case{Selector::kAbove, Rate::k56Gb, Rate::kNone},
          Case{Selector::kBelow, Rate::k56Gb, Rate::k40Gb},
          Case{Selector::kBelow, Rate::k40Gb, Rate::k20Gb},  // The code of 28 is not known.
          Case{Selector::kBelow, Rate::k5Gb, Rate::k2Gb5},
          Case{Selector::kBelow, Rate::k2Gb5, Rate::kNone},
          Case{Selector::kExactly, Rate::k40Gb, Rate::k40Gb},
          Case{Selector::kExactly, Rate::k20Gb, Rate::kNone},
          Case{Selector::kBest, Rate::k2Gb5, Rate::k40Gb}}) {
        PathRecord asked;
        asked.Set(P::kRateSelector, c.selector);
        asked.Set(P::kRate, c.asked);
        const auto paths = Between(0, 1, Mask(P::kHasRate, P::kHasRateSelector), asked);
        ASSERT_EQ(paths.size(), c.told == Rate::kNone ? 0U : 1U) << unsigned(c.asked);
        if (!paths.empty()) {
            EXPECT_EQ(paths[0].Get(P::kRate), c.told) << unsigned(c.asked);
        }
    }
}

TEST_F(PathRecordsTest, ALifeTimeIsAskedInFourWays) {
    struct Case {
        Selector selector;
        std::uint8_t asked;
        int told;
    };
    for (const Case& c : {Case{Selector::kAbove, 17, 18}, Case{Selector::kAbove, 18, -1},
                          Case{Selector::kBelow, 19, 18}, Case{Selector::kBelow, 18, 17},
                          Case{Selector::kBelow, 2, 1}, Case{Selector::kBelow, 1, -1},
                          Case{Selector::kBelow, 0, -1}, Case{Selector::kExactly, 18, 18},
                          Case{Selector::kExactly, 10, 10}, Case{Selector::kExactly, 19, -1},
                          Case{Selector::kBest, 3, 18}}) {
        PathRecord asked;
        asked.Set(P::kPacketLifeTimeSelector, c.selector);
        asked.Set(P::kPacketLifeTime, c.asked);
        const auto paths =
            Between(0, 4, Mask(P::kHasPacketLifeTime, P::kHasPacketLifeTimeSelector), asked);
        ASSERT_EQ(paths.size(), c.told < 0 ? 0U : 1U) << unsigned(c.asked);
        if (!paths.empty()) {
            EXPECT_EQ(paths[0].Get(P::kPacketLifeTime), c.told) << unsigned(c.asked);
        }
    }
    EXPECT_EQ(Between(4, 4).at(0).Get(P::kPacketLifeTime), 0);  // The packet never leaves the port.
}

TEST_F(PathRecordsTest, ThePartitionAskedForMustBeShared) {
    PathRecord asked;
    for (const unsigned p_key : {0xFFFFU, 0x7FFFU}) {
        asked.Set(P::kPKey, static_cast<std::uint16_t>(p_key));
        EXPECT_EQ(Between(0, 4, Mask(P::kHasPKey), asked).at(0).Get(P::kPKey), p_key);
    }
    asked.Set(P::kPKey, std::uint16_t{0x8001});
    EXPECT_TRUE(Between(0, 4, Mask(P::kHasPKey), asked).empty());
}

TEST_F(PathRecordsTest, RawTrafficHasNoPartition) {
    PathRecord asked;
    asked.Set(P::kRawTraffic, std::uint8_t{1});
    const PathRecord path = Between(0, 4, Mask(P::kHasRawTraffic), asked).at(0);
    EXPECT_EQ(path.Get(P::kPKey), 0);
    EXPECT_EQ(path.Get(P::kRawTraffic), 0);                          // As OpenSM tells it.
    EXPECT_EQ(Between(0, 4, 0, asked).at(0).Get(P::kPKey), 0xFFFF);  // Not asked.
}

TEST_F(PathRecordsTest, TheServiceLevelAskedForIsTold) {
    PathRecord asked;
    asked.Set(P::kSl, std::uint8_t{7});
    EXPECT_EQ(Between(0, 4, Mask(P::kHasSl), asked).at(0).Get(P::kSl), 7);
    EXPECT_EQ(Between(0, 4, 0, asked).at(0).Get(P::kSl), 0);
}

TEST_F(PathRecordsTest, APathWithoutAWayBackIsNotReversible) {
    net_.exit(6, Host(0).lid) = 255;  // Nothing comes back to host 0 from switch 6.
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kReversible), 0);
    EXPECT_EQ(Between(0, 1).at(0).Get(P::kReversible), 1);
    EXPECT_TRUE(Between(4, 0).empty());
    PathRecord asked;
    EXPECT_EQ(Between(0, 4, Mask(P::kHasReversible), asked).size(), 1U);  // 0: either way.
    asked.Set(P::kReversible, std::uint8_t{1});
    EXPECT_TRUE(Between(0, 4, Mask(P::kHasReversible), asked).empty());
    EXPECT_EQ(Between(0, 1, Mask(P::kHasReversible), asked).size(), 1U);
}

TEST_F(PathRecordsTest, OnlyAWayThatArrivesIsAPath) {
    const Lid lid = Host(4).lid;
    const std::uint8_t out = net_.exit(3, lid);
    for (const unsigned wrong : {0U, 1U, 7U, 9U, 200U, 255U}) {
        net_.exit(3, lid) = static_cast<std::uint8_t>(wrong);
        EXPECT_TRUE(Between(0, 4).empty()) << wrong;
    }
    net_.exit(3, lid) = out;
    EXPECT_EQ(Between(0, 4).size(), 1U);
    net_.exit(6, lid) = 4;  // A ring of two switches.
    EXPECT_TRUE(Between(0, 4).empty());
    EXPECT_TRUE(Between(5, 4).empty());
    net_.exit(6, lid) = 2;  // To the host beside it.
    EXPECT_TRUE(Between(0, 4).empty());
    net_.exit(6, Host(6).lid) = 4;  // A switch that sends its own LID away.
    EXPECT_TRUE(Between(0, 6).empty());
}

TEST_F(PathRecordsTest, WhatIsRememberedEndsWithItsGeneration) {
    net_.view().generation = 1;
    EXPECT_EQ(Between(0, 4).size(), 1U);
    const std::uint8_t out = net_.exit(3, Host(4).lid);
    net_.exit(3, Host(4).lid) = 255;
    net_.port(4, 1).info.Set(PortInfo::kMtuCap, Mtu::k512);
    net_.view().generation = 2;
    EXPECT_TRUE(Between(0, 4).empty());
    net_.exit(3, Host(4).lid) = out;
    net_.view().generation = 3;
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kMtu), Mtu::k512);
    net_.view().generation = 0;  // Nothing may be remembered.
    net_.port(4, 1).info.Set(PortInfo::kMtuCap, Mtu::k256);
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kMtu), Mtu::k256);
    net_.port(4, 1).info.Set(PortInfo::kMtuCap, Mtu::k1024);
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kMtu), Mtu::k1024);
}

TEST_F(PathRecordsTest, NewRatesAreToldToThoseWhoKnowThem) {
    const auto make_fast = [&](Port& port, std::uint8_t width, std::uint8_t speed) {
        port.info.Set(PortInfo::kLinkWidthActive, width);
        port.info.Set(PortInfo::kLinkSpeedExtActive, speed);
    };
    ForEachPort(net_.fabric(), [&](PortIndex, Port& port) {
        make_fast(port, link_width::k2x, link_speed_ext::kEdr);  // 50 Gb/s.
        port.info.Set(PortInfo::kLinkSpeedActive, link_speed::kQdr);
    });
    EXPECT_EQ(Between(0, 1).at(0).Get(P::kRate), Rate::k20Gb);  // No port supports extended speeds.
    ForEachPort(net_.fabric(), [&](PortIndex, Port& port) {
        port.info.Set(PortInfo::kCapabilityMask, capability_mask::kIsExtendedSpeedsSupported);
    });
    EXPECT_EQ(Between(0, 1).at(0).Get(P::kRate), Rate::k40Gb);
    const auto knows = [&](std::uint32_t node) {
        PortInfo& info = net_.port(node, 1).info;
        info.Set(PortInfo::kCapabilityMask, capability_mask::kIsExtendedSpeedsSupported |
                                                capability_mask::kIsCapabilityMask2Supported);
        info.Set(PortInfo::kCapabilityMask2, capability_mask2::kIsLinkSpeedHdrSupported);
    };
    knows(0);
    EXPECT_EQ(Between(0, 1).at(0).Get(P::kRate), Rate::k40Gb);  // The way back is another's.
    knows(1);
    EXPECT_EQ(Between(0, 1).at(0).Get(P::kRate), Rate::k50Gb);
    net_.settings().max_rate_enum = 18;
    EXPECT_EQ(Between(0, 1).at(0).Get(P::kRate), Rate::k60Gb);  // 48 Gb/s of data.
    net_.settings().max_rate_enum = 20;
    EXPECT_EQ(Between(0, 2).at(0).Get(P::kRate), Rate::k50Gb);  // The setting says who knows.
}

TEST_F(PathRecordsTest, OldAdaptersGetSmallPacketsUnderQuirks) {
    Node& old = net_.fabric().node(net_.built().node(4));
    old.vendor_id = 0x0002C9;
    old.device_id = 23108;
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kMtu), Mtu::k4096);
    net_.settings().enable_quirks = true;
    EXPECT_EQ(Between(0, 4).at(0).Get(P::kMtu), Mtu::k1024);
    EXPECT_EQ(Between(4, 0).at(0).Get(P::kMtu), Mtu::k1024);
    EXPECT_EQ(Between(0, 5).at(0).Get(P::kMtu), Mtu::k4096);
    struct Case {
        Selector selector;
        Mtu asked, told;
    };
    for (const Case& c : {Case{Selector::kBest, Mtu::k1024, Mtu::k4096},
                          Case{Selector::kExactly, Mtu::k2048, Mtu::k2048},
                          Case{Selector::kExactly, Mtu::k1024, Mtu::k1024},
                          Case{Selector::kAbove, Mtu::k1024, Mtu::k4096},
                          Case{Selector::kAbove, Mtu::k512, Mtu::k1024},
                          Case{Selector::kBelow, Mtu::k4096, Mtu::k1024}}) {
        PathRecord asked;
        asked.Set(P::kMtuSelector, c.selector);
        asked.Set(P::kMtu, c.asked);
        const auto paths = Between(0, 4, Mask(P::kHasMtu, P::kHasMtuSelector), asked);
        ASSERT_EQ(paths.size(), 1U) << unsigned(c.asked);
        EXPECT_EQ(paths[0].Get(P::kMtu), c.told) << unsigned(c.selector) << unsigned(c.asked);
    }
}

}  // namespace
}  // namespace ember
