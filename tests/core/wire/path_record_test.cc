// SPDX-License-Identifier: Apache-2.0
// EmberSM: path records beside libibmad, and rates.
#include "core/wire/path_record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <infiniband/mad.h>
#include <rapidcheck/gtest.h>

#include "core/wire/multi_path_record.h"

namespace ember {
namespace {

using Octets64 = std::array<std::uint8_t, 64>;

Octets64 AnyOctets() {
    return *rc::gen::container<Octets64>(rc::gen::arbitrary<std::uint8_t>());
}

template <typename Value>
void ReadsAlike(MAD_FIELDS theirs, Field<Value> ours) {
    Octets64 octets = AnyOctets();
    const auto attribute = std::bit_cast<Attribute<64>>(octets);
    RC_ASSERT(static_cast<std::uint32_t>(attribute.Get(ours)) ==
              mad_get_field(octets.data(), 0, theirs));
}

std::uint64_t Number(const Octets64& octets, std::size_t first) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        number = number << 8U | octets[first + i];
    }
    return number;
}

RC_GTEST_PROP(PathRecord, LibibmadFindsTheSameFields, ()) {
    ReadsAlike(IB_SA_PR_DLID_F, PathRecord::kDlid);
    ReadsAlike(IB_SA_PR_SLID_F, PathRecord::kSlid);
    ReadsAlike(IB_SA_PR_NPATH_F, PathRecord::kNumbPath);
    ReadsAlike(IB_SA_PR_SL_F, PathRecord::kSl);
    ReadsAlike(IB_SA_MP_NPATH_F, MultiPathRecord::kNumbPath);
    ReadsAlike(IB_SA_MP_NSRC_F, MultiPathRecord::kSgidCount);
    ReadsAlike(IB_SA_MP_NDEST_F, MultiPathRecord::kDgidCount);

    Octets64 octets = AnyOctets();
    const auto path = std::bit_cast<PathRecord>(octets);
    Octets64 gid{};
    mad_get_array(octets.data(), 0, IB_SA_PR_DGID_F, gid.data());
    RC_ASSERT(path.Get(PathRecord::kDgidPrefix) == Number(gid, 0));
    RC_ASSERT(Raw(path.Get(PathRecord::kDgidGuid)) == Number(gid, 8));
    mad_get_array(octets.data(), 0, IB_SA_PR_SGID_F, gid.data());
    RC_ASSERT(path.Get(PathRecord::kSgidPrefix) == Number(gid, 0));
    RC_ASSERT(Raw(path.Get(PathRecord::kSgidGuid)) == Number(gid, 8));
    mad_get_array(octets.data(), 0, IB_SA_MP_GID0_F, gid.data());
    RC_ASSERT(std::equal(gid.begin(), gid.begin() + MultiPathRecord::kGidOctets,
                         octets.begin() + sizeof(MultiPathRecord)));
}

TEST(Rate, RanksFollowTheSpeedAndNotTheCode) {
    EXPECT_LT(RateRank(Rate::k2Gb5), RateRank(Rate::k5Gb));
    EXPECT_LT(RateRank(Rate::k25Gb), RateRank(Rate::k28Gb));
    EXPECT_LT(RateRank(Rate::k30Gb), RateRank(Rate::k25Gb)) << "it carries 24";
    EXPECT_LT(RateRank(Rate::k60Gb), RateRank(Rate::k50Gb));
    EXPECT_LT(RateRank(Rate::k120Gb), RateRank(Rate::k100Gb));
    EXPECT_LT(RateRank(Rate::k50Gb), RateRank(Rate::k56Gb));
    EXPECT_LT(RateRank(Rate::k100Gb), RateRank(Rate::k112Gb));
    EXPECT_EQ(RateRank(Rate::kNone), 0);
    EXPECT_EQ(RateRank(Rate{1}), 0);
    EXPECT_EQ(RateRank(Rate{63}), 0);
    EXPECT_EQ(RateRank(Rate{255}), 0);
    for (unsigned code = 2; code <= 26; ++code) {
        const auto rate = static_cast<Rate>(code);
        EXPECT_TRUE(IsRate(rate));
        EXPECT_EQ(RateOfRank(RateRank(rate)), rate);
    }
    EXPECT_FALSE(IsRate(Rate{1}));
    EXPECT_FALSE(IsRate(Rate{27}));
}

TEST(Rate, TheNextSlowerIsNextBySpeed) {
    EXPECT_EQ(NextSlower(Rate::k30Gb), Rate::k20Gb);
    EXPECT_EQ(NextSlower(Rate::k2Gb5), Rate::kNone);
    EXPECT_EQ(NextSlower(Rate{63}), Rate::kNone);
}

TEST(Rate, WhoKnowsNoNewCodesIsToldTheFastestItKnows) {
    EXPECT_EQ(CapRate(Rate::k28Gb, kTopClassicRate), Rate::k25Gb);
    EXPECT_EQ(CapRate(Rate::k50Gb, kTopClassicRate), Rate::k60Gb) << "which carries 48";
    EXPECT_EQ(CapRate(Rate::k400Gb, kTopClassicRate), Rate::k300Gb);
    EXPECT_EQ(CapRate(Rate::k100Gb, kTopClassicRate), Rate::k100Gb);
    EXPECT_EQ(CapRate(Rate::k100Gb, Rate::k120Gb), Rate::k120Gb) << "which carries 96";
    EXPECT_EQ(CapRate(Rate::k20Gb, Rate::k5Gb), Rate::k5Gb) << "10 Gb/s has a lower code";
    EXPECT_EQ(CapRate(Rate::k5Gb, Rate::k2Gb5), Rate::k2Gb5);
}

TEST(Rate, ALinkIsAsFastAsWidthBySpeed) {
    struct Case {
        std::uint8_t width, speed, extended, extended2;
        Rate as_told, as_of_old;
    };
    for (const Case& c : {Case{link_width::k4x, 1, 0, 0, Rate::k10Gb, Rate::k10Gb},
                          Case{link_width::k1x, 1, 0, 0, Rate::k2Gb5, Rate::k2Gb5},
                          Case{link_width::k12x, 4, 0, 0, Rate::k120Gb, Rate::k120Gb},
                          Case{link_width::k4x, 4, 1, 0, Rate::k56Gb, Rate::k40Gb},
                          Case{link_width::k2x, 4, 1, 0, Rate::k28Gb, Rate::k20Gb},
                          Case{link_width::k4x, 4, 2, 0, Rate::k100Gb, Rate::k40Gb},
                          Case{link_width::k4x, 4, 4, 0, Rate::k200Gb, Rate::k40Gb},
                          Case{link_width::k2x, 4, 4, 0, Rate::k100Gb, Rate::k20Gb},
                          Case{link_width::k4x, 4, 8, 0, Rate::k400Gb, Rate::k40Gb},
                          Case{link_width::k4x, 4, 0, 1, Rate::k800Gb, Rate::k40Gb},
                          Case{link_width::k8x, 2, 0, 0, Rate::k40Gb, Rate::k40Gb},
                          Case{0, 0, 0, 0, Rate::k2Gb5, Rate::k2Gb5}}) {
        PortInfo info;
        info.Set(PortInfo::kLinkWidthActive, c.width);
        info.Set(PortInfo::kLinkSpeedActive, c.speed);
        info.Set(PortInfo::kLinkSpeedExtActive, c.extended);
        info.Set(PortInfo::kLinkSpeedExtActive2, c.extended2);
        EXPECT_EQ(LinkRate(info, true), c.as_told) << unsigned{c.width} << ' ' << unsigned{c.speed};
        EXPECT_EQ(LinkRate(info, false), c.as_of_old);
    }
}

}  // namespace
}  // namespace ember
