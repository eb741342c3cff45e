// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast member records, beside libibmad and beside octets that OpenSM sent.
#include "core/wire/mc_member_record.h"

#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <infiniband/mad.h>
#include <rapidcheck/gtest.h>
#include <string_view>

namespace ember {
namespace {

using Octets56 = std::array<std::uint8_t, 56>;

std::uint64_t Number(const Octets56& octets, std::size_t first) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        number = number << 8U | octets[first + i];
    }
    return number;
}

RC_GTEST_PROP(McMemberRecord, LibibmadFindsTheSameFields, ()) {
    Octets56 octets = *rc::gen::container<Octets56>(rc::gen::arbitrary<std::uint8_t>());
    const auto record = std::bit_cast<McMemberRecord>(octets);
    const auto reads_alike = [&](MAD_FIELDS theirs, auto ours) {
        RC_ASSERT(static_cast<std::uint32_t>(record.Get(ours)) ==
                  mad_get_field(octets.data(), 0, theirs));
    };
    reads_alike(IB_SA_MCM_QKEY_F, McMemberRecord::kQKey);
    reads_alike(IB_SA_MCM_MLID_F, McMemberRecord::kMlid);
    reads_alike(IB_SA_MCM_MTU_F, McMemberRecord::kMtu);
    reads_alike(IB_SA_MCM_TCLASS_F, McMemberRecord::kTClass);
    reads_alike(IB_SA_MCM_PKEY_F, McMemberRecord::kPKey);
    reads_alike(IB_SA_MCM_RATE_F, McMemberRecord::kRate);
    reads_alike(IB_SA_MCM_SL_F, McMemberRecord::kSl);
    reads_alike(IB_SA_MCM_FLOW_LABEL_F, McMemberRecord::kFlowLabel);
    reads_alike(IB_SA_MCM_JOIN_STATE_F, McMemberRecord::kJoinState);
    reads_alike(IB_SA_MCM_PROXY_JOIN_F, McMemberRecord::kProxyJoin);
    RC_ASSERT(record.mgid() == (Gid{Number(octets, 0), Number(octets, 8)}));
    RC_ASSERT(record.Get(McMemberRecord::kPortGidPrefix) == Number(octets, 16));
    RC_ASSERT(Raw(record.Get(McMemberRecord::kPortGidGuid)) == Number(octets, 24));
}

/// The answer of OpenSM 3.3.23 to a Set that made a group.
TEST(McMemberRecord, ReadsWhatOpenSmSent) {
    constexpr std::string_view kSent =
        "ff1511112222000a0000000000000000fe80000000000000000000000010000b"
        "00001234c0018409ffff8384312345073100000000000000";
    Octets56 octets{};
    for (std::size_t i = 0; i < kSent.size() / 2; ++i) {
        const auto digit = [&](std::size_t at) {
            const char letter = kSent[at];
            return letter <= '9' ? letter - '0' : letter - 'a' + 10;
        };
        octets[i] = static_cast<std::uint8_t>(digit(2 * i) * 16 + digit(2 * i + 1));
    }
    const auto record = std::bit_cast<McMemberRecord>(octets);
    EXPECT_EQ(record.mgid(), (Gid{0xFF1511112222000AULL, 0}));
    EXPECT_EQ(record.Get(McMemberRecord::kPortGidGuid), Guid{0x10000B});
    EXPECT_EQ(record.Get(McMemberRecord::kQKey), 0x1234U);
    EXPECT_EQ(record.Get(McMemberRecord::kMlid), Lid{0xC001});
    EXPECT_EQ(record.Get(McMemberRecord::kMtuSelector), Selector::kExactly);
    EXPECT_EQ(record.Get(McMemberRecord::kMtu), Mtu::k2048);
    EXPECT_EQ(record.Get(McMemberRecord::kTClass), 9U);
    EXPECT_EQ(record.Get(McMemberRecord::kPKey), 0xFFFFU);
    EXPECT_EQ(record.Get(McMemberRecord::kRateSelector), Selector::kExactly);
    EXPECT_EQ(record.Get(McMemberRecord::kRate), Rate::k10Gb);
    EXPECT_EQ(record.Get(McMemberRecord::kPacketLifeTimeSelector), Selector::kExactly);
    EXPECT_EQ(record.Get(McMemberRecord::kPacketLifeTime), 4U);
    EXPECT_EQ(record.Get(McMemberRecord::kSl), 3U);
    EXPECT_EQ(record.Get(McMemberRecord::kFlowLabel), 0x12345U);
    EXPECT_EQ(record.Get(McMemberRecord::kHopLimit), 7U);
    EXPECT_EQ(record.Get(McMemberRecord::kScope), 3U);
    EXPECT_EQ(record.Get(McMemberRecord::kJoinState), 1U);
    EXPECT_EQ(record.Get(McMemberRecord::kProxyJoin), 0U);
}

}  // namespace
}  // namespace ember
