// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the memory that Mbed TLS works in.
#include "config/blob/crypto_pool.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace ember::test {
namespace {

TEST(CryptoPool, GivesZeroedMemoryOnBoundariesOf16) {
    const auto pool = std::make_unique<CryptoPool>();
    void* const first = pool->Take(3, 7);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(std::bit_cast<std::uintptr_t>(first) % 16, 0U);
    std::memset(first, 0xFF, 21);
    pool->Give(first);
    const auto* const again = static_cast<const unsigned char*>(pool->Take(21, 1));
    for (int i = 0; i < 21; ++i) {
        EXPECT_EQ(again[i], 0);
    }
}

TEST(CryptoPool, SaysNoWhenItIsExhaustedAndRecovers) {
    const auto pool = std::make_unique<CryptoPool>();
    std::vector<void*> taken;
    while (void* const memory = pool->Take(1, 1000)) {
        taken.push_back(memory);
    }
    EXPECT_EQ(taken.size(), CryptoPool::kBytes / 1008);
    for (void* const memory : taken) {
        pool->Give(memory);
    }
    EXPECT_EQ(pool->used_bytes(), 0U);
    EXPECT_NE(pool->Take(1, CryptoPool::kBytes), nullptr) << "free neighbors must join";
}

TEST(CryptoPool, RefusesAProductThatOverflows) {
    const auto pool = std::make_unique<CryptoPool>();
    EXPECT_EQ(pool->Take(SIZE_MAX, 2), nullptr);
    EXPECT_EQ(pool->Take(2, SIZE_MAX), nullptr);
    EXPECT_EQ(pool->Take(CryptoPool::kBytes + 1, 1), nullptr);
}

TEST(CryptoPool, LeavesTheHeapToEverybodyElse) {
    void* const memory = std::calloc(4, 4);
    EXPECT_FALSE(TheCryptoPool().Owns(memory));
    {
        const CryptoPool::Borrow borrow;
        void* const borrowed = std::calloc(4, 4);
        EXPECT_TRUE(TheCryptoPool().Owns(borrowed));
        std::free(memory);  // The heap's own, even now.
        std::free(borrowed);
    }
    EXPECT_EQ(TheCryptoPool().used_bytes(), 0U);
}

RC_GTEST_PROP(CryptoPool, NeverHandsOutTheSameOctetTwice, ()) {
    const auto pool = std::make_unique<CryptoPool>();
    struct Piece {
        unsigned char* memory;
        std::size_t bytes;
        unsigned char mark;
    };
    std::vector<Piece> pieces;
    const auto steps =
        *rc::gen::container<std::vector<std::uint16_t>>(200, rc::gen::arbitrary<std::uint16_t>());
    for (const std::uint16_t step : steps) {
        if (step % 3 == 0 && !pieces.empty()) {
            const std::size_t which = step % pieces.size();
            const Piece piece = pieces[which];
            for (std::size_t i = 0; i < piece.bytes; ++i) {
                RC_ASSERT(piece.memory[i] == piece.mark);
            }
            pool->Give(piece.memory);
            pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(which));
            continue;
        }
        const std::size_t bytes = step % 600 + 1;
        auto* const memory = static_cast<unsigned char*>(pool->Take(1, bytes));
        if (memory == nullptr) continue;
        const auto mark = static_cast<unsigned char>(step >> 8U);
        std::memset(memory, mark, bytes);
        pieces.push_back({memory, bytes, mark});
    }
}

}  // namespace
}  // namespace ember::test
