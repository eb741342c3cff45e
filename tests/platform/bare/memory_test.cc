// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a bare image says of its memory: paint on the stack, and what is lent.

#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "platform/bare/lent_memory.h"
#include "platform/bare/stack.h"

namespace ember::bare {
namespace {

TEST(Stack, IsAsDeepAsItsLowestOctetWrittenTo) {
    std::array<std::byte, 256> stack{};
    stack.fill(kPaint);
    EXPECT_EQ(DeepestBytes(stack), 0U);
    stack[255] = std::byte{1};
    EXPECT_EQ(DeepestBytes(stack), 1U);
    stack[100] = std::byte{1};
    stack[200] = kPaint;
    EXPECT_EQ(DeepestBytes(stack), 156U);
    stack[0] = std::byte{0};
    EXPECT_EQ(DeepestBytes(stack), 256U);
}

TEST(LentMemory, HandsOutAlignedPiecesThatDoNotOverlap) {
    alignas(LentMemory::kGrain) std::array<std::byte, 128> room{};
    LentMemory memory(room);
    EXPECT_EQ(memory.Take(1), &room[0]);
    EXPECT_EQ(memory.Take(17), &room[16]);
    EXPECT_EQ(memory.Take(0), &room[48]);
    EXPECT_EQ(memory.used_bytes(), 48U);
}

TEST(LentMemory, HasAnEnd) {
    alignas(LentMemory::kGrain) std::array<std::byte, 40> room{};
    LentMemory memory(room);
    EXPECT_EQ(memory.Take(41), nullptr);
    EXPECT_EQ(memory.Take(~std::size_t{0}), nullptr);
    EXPECT_EQ(memory.Take(33), &room[0]);
    EXPECT_EQ(memory.used_bytes(), 40U);
    EXPECT_EQ(memory.Take(1), nullptr);
}

TEST(LentMemory, LendsNothingOnceItIsClosed) {
    alignas(LentMemory::kGrain) std::array<std::byte, 64> room{};
    LentMemory memory(room);
    ASSERT_NE(memory.Take(8), nullptr);
    memory.Close();
    EXPECT_TRUE(memory.closed());
    EXPECT_EQ(memory.Take(8), nullptr);
    EXPECT_EQ(memory.used_bytes(), 16U);
}

}  // namespace
}  // namespace ember::bare
