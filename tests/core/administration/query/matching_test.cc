// SPDX-License-Identifier: Apache-2.0
// EmberSM: does a record have what a question asks for?
#include "core/administration/query/matching.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

namespace ember {
namespace {

TEST(Matching, ARecordThatCameWithoutItsEndMatchesNothingThere) {
    const std::array<Extent, 2> components{Extent{0, 8}, Extent{16, 8}};
    const std::array<std::uint8_t, 4> record{1, 2, 0, 0};
    Query query;
    const std::array<std::uint8_t, 2> asked{1, 2};
    query.record = asked;
    query.component_mask = 1;
    EXPECT_TRUE(Matches(query, components, record, 0));
    query.component_mask = 3;
    EXPECT_FALSE(Matches(query, components, record, 0));
    EXPECT_TRUE(Matches(query, components, record, 2));  // Settled otherwise.
}

}  // namespace
}  // namespace ember
