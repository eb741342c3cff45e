// SPDX-License-Identifier: Apache-2.0
// EmberSM: the bare machine's functions on memory, held against those of the C library.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

// Under other names, or the whole test program would call them.
#define memcpy bare_memcpy
#define memmove bare_memmove
#define memset bare_memset
#define memcmp bare_memcmp
#define memchr bare_memchr
#define strlen bare_strlen
#define strcmp bare_strcmp
#define strncmp bare_strncmp
#define explicit_bzero bare_explicit_bzero
#include "platform/bare/memory_functions.cc"  // NOLINT(bugprone-suspicious-include)
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef memchr
#undef strlen
#undef strcmp
#undef strncmp
#undef explicit_bzero

namespace ember::bare {
namespace {

constexpr std::size_t kMost = 40;  // Some words and every rest, at every alignment.
using Buffer = std::array<unsigned char, 64>;

Buffer Counting() {
    Buffer buffer{};
    std::iota(buffer.begin(), buffer.end(), std::uint8_t{1});
    return buffer;
}

int SignOf(int number) {
    return (number > 0) - (number < 0);
}

TEST(MemoryFunctions, CopyAsTheLibraryDoes) {
    const Buffer source = Counting();
    for (std::size_t bytes = 0; bytes <= kMost; ++bytes) {
        for (std::size_t shift = 0; shift < 64; ++shift) {
            Buffer ours{};
            Buffer theirs{};
            void* const to = &ours[shift % 8];
            EXPECT_EQ(bare_memcpy(to, &source[shift / 8], bytes), to);
            std::memcpy(&theirs[shift % 8], &source[shift / 8], bytes);
            ASSERT_EQ(ours, theirs) << bytes << " " << shift;
        }
    }
}

TEST(MemoryFunctions, MoveOverThemselvesAsTheLibraryDoes) {
    for (std::size_t bytes = 0; bytes <= kMost; ++bytes) {
        for (std::size_t from = 0; from < 20; ++from) {
            for (std::size_t to = 0; to < 20; ++to) {
                Buffer ours = Counting();
                Buffer theirs = Counting();
                EXPECT_EQ(bare_memmove(&ours[to], &ours[from], bytes), &ours[to]);
                std::memmove(&theirs[to], &theirs[from], bytes);
                ASSERT_EQ(ours, theirs) << bytes << " " << from << " " << to;
            }
        }
    }
}

TEST(MemoryFunctions, FillAsTheLibraryDoes) {
    for (const int octet : {0, 1, 0xA5, 0xFF, 0x1234, -2}) {
        for (std::size_t bytes = 0; bytes <= kMost; ++bytes) {
            for (std::size_t shift = 0; shift < 8; ++shift) {
                Buffer ours = Counting();
                Buffer theirs = Counting();
                EXPECT_EQ(bare_memset(&ours[shift], octet, bytes), &ours[shift]);
                std::memset(&theirs[shift], octet, bytes);
                ASSERT_EQ(ours, theirs) << octet << " " << bytes << " " << shift;
                bare_explicit_bzero(&ours[shift], bytes);
                std::memset(&theirs[shift], 0, bytes);
                ASSERT_EQ(ours, theirs) << bytes << " " << shift;
            }
        }
    }
}

TEST(MemoryFunctions, CompareAsTheLibraryDoes) {
    const Buffer one = Counting();
    for (std::size_t bytes = 0; bytes <= kMost; ++bytes) {
        for (std::size_t at = 0; at < kMost; ++at) {
            for (const std::uint8_t octet : std::array<std::uint8_t, 4>{0x00, 0x7F, 0x80, 0xFF}) {
                Buffer other = one;
                other[at] = octet;
                EXPECT_EQ(SignOf(bare_memcmp(one.data(), other.data(), bytes)),
                          SignOf(std::memcmp(one.data(), other.data(), bytes)));
            }
        }
    }
}

TEST(MemoryFunctions, SearchAsTheLibraryDoes) {
    const Buffer buffer = Counting();
    for (const int octet : {0, 1, 20, 64, 65, 256 + 5}) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{19}, buffer.size()}) {
            EXPECT_EQ(bare_memchr(buffer.data(), octet, bytes),
                      std::memchr(buffer.data(), octet, bytes));
        }
    }
}

TEST(MemoryFunctions, CompareTextsAsTheLibraryDoes) {
    const std::array texts = {"", "a", "ab", "abc", "abd", "b", "\xFF", "a\xFF"};
    for (const char* const one : texts) {
        EXPECT_EQ(bare_strlen(one), std::strlen(one));
        for (const char* const other : texts) {
            EXPECT_EQ(SignOf(bare_strcmp(one, other)), SignOf(std::strcmp(one, other)));
            for (std::size_t bytes = 0; bytes < 5; ++bytes) {
                EXPECT_EQ(SignOf(bare_strncmp(one, other, bytes)),
                          SignOf(std::strncmp(one, other, bytes)));
            }
        }
    }
}

}  // namespace
}  // namespace ember::bare
