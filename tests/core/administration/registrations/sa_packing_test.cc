// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of packed frames.
//
// Goal:   what is unpacked is the frame that was packed, octet for octet, and most joins take six
//         octets at most; whatever a master sends, nothing is read or written out of bounds, and no
//         frame with a wrong octet is taken for one.
// Method: frames of every kind with bodies drawn by seed; each octet of a packed frame changed, and
//         each length cut.
#include "core/administration/registrations/sa_packing.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace ember::testing {
namespace {

using Octets = std::vector<std::byte>;

class Frame {
public:
    void Add(SaEntryKind kind, const Octets& body) {
        octets_.push_back(static_cast<std::byte>(kind));
        octets_.push_back(static_cast<std::byte>(body.size()));
        octets_.insert(octets_.end(), body.begin(), body.end());
    }
    void AddJoin(std::uint64_t group, std::uint64_t guid, std::uint64_t owner) {
        MemberEntry entry;
        entry.mgid = Gid{0xFF12A01C00000000, group};
        entry.port_guid = Guid{guid};
        entry.owner = Guid{owner};
        entry.join_state = 1;
        Octets body(sizeof(entry));
        std::memcpy(body.data(), &entry, sizeof(entry));
        Add(SaEntryKind::kMember, body);
    }
    const Octets& Close() {
        SaFrameHead head;
        head.generation = 7;
        head.sequence = 3;
        head.clock_us = 1000;
        CloseFrame(octets_, head);
        return octets_;
    }

private:
    Octets octets_ = Octets(sizeof(SaFrameHead));
};

Octets Packed(const Octets& frame) {
    Octets packed(frame.size());
    const Result<std::size_t> octets = PackFrame(frame, packed);
    if (!octets.ok()) return {};
    packed.resize(octets.value());
    return packed;
}

Octets Unpacked(const Octets& packed, std::size_t room = 4096) {
    Octets frame(room);
    const Result<std::size_t> octets = UnpackFrame(packed, frame);
    if (!octets.ok()) return {};
    frame.resize(octets.value());
    return frame;
}

/// Entries of all kinds, in which a body mostly differs little from one of before.
Octets DrawFrame(std::uint64_t seed) {
    std::mt19937_64 chance(seed);
    std::array<Octets, 17> last;
    Frame frame;
    for (int i = 0; i < 40; ++i) {
        const auto kind = static_cast<SaEntryKind>(1 + chance() % 16);
        Octets& body = last[static_cast<std::size_t>(kind)];
        body.resize(BodyBytes(kind));
        for (std::size_t changes = chance() % 5; changes > 0 && !body.empty(); --changes) {
            body[chance() % body.size()] = static_cast<std::byte>(chance());
        }
        frame.Add(kind, body);
    }
    return frame.Close();
}

TEST(SaPacking, WhatIsUnpackedIsWhatWasPacked) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Octets frame = DrawFrame(seed);
        const Octets packed = Packed(frame);
        ASSERT_FALSE(packed.empty()) << "replay with seed " << seed;
        EXPECT_LT(packed.size(), frame.size());
        EXPECT_TRUE(IsPacked(packed));
        ASSERT_EQ(Unpacked(packed), frame) << "replay with seed " << seed;
    }
    EXPECT_FALSE(IsPacked(DrawFrame(1)));
}

/// docs/replication-records.md, octet for octet: two joins of one group.
TEST(SaPacking, IsWhatTheSpecificationSays) {
    Frame frame;
    frame.AddJoin(1, 0x100, 0x100);
    frame.AddJoin(1, 0x203, 0x203);
    const Octets& plain = frame.Close();
    Octets expected(plain.begin(), plain.begin() + sizeof(SaFrameHead));
    expected[2] = std::byte{0x50};  // "ESP1"
    for (const int octet :
         {0x04, 0x17, 0x0F, 0xFF, 0x12, 0xA0, 0x1C, 0x80, 0x01, 0x40, 0x01, 0x01, 0x01,  //
          0x04, 0x04, 0xC0, 0x02, 0x03}) {
        expected.push_back(static_cast<std::byte>(octet));
    }
    EXPECT_EQ(Packed(plain), expected);
}

TEST(SaPacking, AJoinTakesSixOctetsAtMost) {
    Frame frame;
    constexpr std::size_t kJoins = 100;
    for (std::uint64_t i = 0; i < kJoins; ++i) {
        frame.AddJoin(5, 0x0002C90300000000 + i * 300, 0x0002C90300000000 + i * 300);
    }
    const Octets& plain = frame.Close();
    EXPECT_GT(plain.size(), 36 * kJoins);
    EXPECT_LE(Packed(plain).size(), sizeof(SaFrameHead) + 30 + 6 * kJoins);
}

TEST(SaPacking, WhatWouldGrowIsNotPacked) {
    std::mt19937_64 chance(4);
    Octets body(BodyBytes(SaEntryKind::kLids));
    for (std::byte& octet : body) {
        octet = static_cast<std::byte>(1 + chance() % 255);
    }
    Frame frame;
    frame.Add(SaEntryKind::kLids, body);
    EXPECT_TRUE(Packed(frame.Close()).empty());
}

TEST(SaPacking, NoChangedOctetGoesUnnoticed) {
    const Octets packed = Packed(DrawFrame(9));
    for (std::size_t at = 0; at < packed.size(); ++at) {
        for (const int mask : {0x01, 0x10, 0x80, 0xFF}) {
            Octets changed = packed;
            changed[at] ^= static_cast<std::byte>(mask);
            const Octets frame = Unpacked(changed);
            const bool is_taken = !frame.empty() && ReadFrame(frame).ok() &&
                                  ReadFrame(frame).value().bytes() == frame.size();
            EXPECT_FALSE(is_taken) << at;
        }
    }
}

TEST(SaPacking, NoShorterOneIsTaken) {
    const Octets packed = Packed(DrawFrame(10));
    for (std::size_t length = 0; length < packed.size(); ++length) {
        const Octets frame =
            Unpacked(Octets(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(length)));
        EXPECT_TRUE(frame.empty() || !ReadFrame(frame).ok()) << length;
    }
}

TEST(SaPacking, AFrameThatIsLongerThanItsRoomIsRefused) {
    const Octets frame = DrawFrame(11);
    EXPECT_TRUE(Unpacked(Packed(frame), frame.size() - 1).empty());
    EXPECT_EQ(Unpacked(Packed(frame), frame.size()), frame);
    EXPECT_TRUE(Unpacked(Packed(frame), 10).empty());
}

/// Frames that a master may send and PackFrame() never makes.
TEST(SaPacking, NothingThatMakesNoSenseIsUnpacked) {
    const auto take = [](std::initializer_list<int> entries) {
        Frame frame;
        Octets octets = frame.Close();
        octets[2] = std::byte{0x50};
        for (const int octet : entries) {
            octets.push_back(static_cast<std::byte>(octet));
        }
        return !Unpacked(octets).empty();
    };
    EXPECT_TRUE(take({1}));
    EXPECT_TRUE(take({12, 0x01, 0x80, 0x07}));
    EXPECT_FALSE(take({0})) << "no kind";
    EXPECT_FALSE(take({18, 0x00})) << "no kind";
    EXPECT_FALSE(take({12})) << "nothing behind the kind";
    EXPECT_FALSE(take({12, 0x04, 0x80, 0x07})) << "a body of twelve octets has two groups";
    EXPECT_FALSE(take({12, 0x01, 0x00})) << "a group that differs in nothing";
    EXPECT_FALSE(take({12, 0x02, 0x10, 0x07})) << "the second has four octets";
    EXPECT_FALSE(take({12, 0x01, 0x80})) << "the octet is not there";
}

class OneFrame final : public StateLog {
public:
    Result<std::size_t> Read(std::uint64_t, std::span<std::byte>) override {
        return Status::kAbsent;
    }
    std::uint64_t AgeSeconds() override { return 0; }
    Status Begin() override { return Status::kOk; }
    Status Append(std::span<const std::byte> octets) override {
        if (is_busy) return Status::kBusy;
        frame.assign(octets.begin(), octets.end());
        return Status::kOk;
    }
    Status Commit() override { return is_busy ? Status::kBusy : Status::kOk; }
    [[nodiscard]] std::uint64_t SafeBytes() const override { return 0; }
    Octets frame;
    bool is_busy = false;
};

TEST(SaPacking, ALogPacksWhatItPassesOn) {
    OneFrame below;
    Octets buffer(4096);
    PackingLog log(buffer, below);
    const Octets frame = DrawFrame(12);
    below.is_busy = true;
    EXPECT_EQ(log.Append(frame), Status::kBusy);
    below.is_busy = false;
    ASSERT_EQ(log.Append(frame), Status::kOk);
    EXPECT_EQ(below.frame, Packed(frame));
    EXPECT_EQ(log.entries(), 40U);
}

}  // namespace
}  // namespace ember::testing
