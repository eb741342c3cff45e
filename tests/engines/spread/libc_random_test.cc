// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the random numbers of OpenSM's scatter_ports.

#include "engines/spread/libc_random.h"

#include <array>
#include <cstdlib>
#include <gtest/gtest.h>

namespace ember {
namespace {

TEST(LibcRandom, BeginsAsTheGnuLibraryDoes) {
    struct Row {
        std::uint32_t seed = 0;
        std::array<std::uint32_t, 3> numbers;
    };
    constexpr std::array<Row, 4> kRows = {{{1, {1804289383, 846930886, 1681692777}},
                                           {0, {1804289383, 846930886, 1681692777}},
                                           {123456789, {1965102536, 1639725855, 706684578}},
                                           {0xFFFFFFFF, {254925627, 1205188300, 366127624}}}};
    for (const Row& row : kRows) {
        LibcRandom random;
        random.Seed(row.seed);
        for (const std::uint32_t number : row.numbers) {
            EXPECT_EQ(random.Next(), number) << "seed " << row.seed;
        }
    }
}

#ifdef __GLIBC__
TEST(LibcRandom, GoesOnAsTheGnuLibraryDoes) {
    for (const std::uint32_t seed : {0U, 1U, 2U, 77U, 2147483646U, 2147483647U, 2147483648U,
                                     2147483649U, 4000000000U, 4294967295U}) {
        LibcRandom random;
        random.Seed(seed);
        ::srandom(seed);
        for (int i = 0; i < 1000; ++i) {
            ASSERT_EQ(random.Next(), static_cast<std::uint32_t>(::random())) << "seed " << seed;
        }
    }
}
#endif

TEST(LibcRandom, BeginsAnewWithEverySeed) {
    LibcRandom random;
    random.Seed(5);
    const std::uint32_t first = random.Next();
    static_cast<void>(random.Next());
    random.Seed(5);
    EXPECT_EQ(random.Next(), first);
}

}  // namespace
}  // namespace ember
