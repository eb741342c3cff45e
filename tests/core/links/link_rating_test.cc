// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a link can.

#include "core/links/link_rating.h"

#include <gtest/gtest.h>

namespace ember {
namespace {

TEST(DataVls, AreAsManyAsTheCodeSaysAndNoneForOtherCodes) {
    EXPECT_EQ(DataVls(VlCap::kVl0), 1U);
    EXPECT_EQ(DataVls(VlCap::kVl0To1), 2U);
    EXPECT_EQ(DataVls(VlCap::kVl0To3), 4U);
    EXPECT_EQ(DataVls(VlCap::kVl0To7), 8U);
    EXPECT_EQ(DataVls(VlCap::kVl0To14), 15U);
    EXPECT_EQ(DataVls(VlCap::kNoChange), 0U);
    EXPECT_EQ(DataVls(VlCap{15}), 0U);
}

TEST(LinkVls, AreTheSmallestOfThreeAndAlwaysACode) {
    const auto vls = [](std::uint8_t one, std::uint8_t other, std::uint8_t most) {
        PortInfo near_end;
        PortInfo far_end;
        near_end.Set(PortInfo::kVlCap, static_cast<VlCap>(one));
        far_end.Set(PortInfo::kVlCap, static_cast<VlCap>(other));
        return LinkVls(near_end, far_end, most);
    };
    EXPECT_EQ(vls(5, 4, 5), VlCap::kVl0To7);
    EXPECT_EQ(vls(2, 4, 5), VlCap::kVl0To1);
    EXPECT_EQ(vls(5, 5, 3), VlCap::kVl0To3) << "max_op_vls";
    EXPECT_EQ(vls(0, 4, 5), VlCap::kVl0) << "faulty firmware";
    EXPECT_EQ(vls(15, 15, 15), VlCap::kVl0To14) << "a code that does not exist";
}

}  // namespace
}  // namespace ember
