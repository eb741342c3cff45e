// SPDX-License-Identifier: Apache-2.0
// EmberSM: the last words of an image: claims that do not hold, and traps.

#include <array>
#include <bit>
#include <cstdint>

#include "core/base/assert.h"
#include "core/log/fixed_text.h"
#include "platform/bare/exit.h"
#include "platform/bare/image.h"
#include "platform/bare/uart.h"

namespace ember {

void Panic(const char* file, int line, const char* claim) {
    std::array<char, 512> room{};
    FixedText text(room);
    text.Add("panic: ").Add(file).Add(':').AddNumber(static_cast<unsigned>(line));
    text.Add(": this does not hold: ").Add(claim).Add('\n');
    bare::Say(text.text());
    bare::Exit(bare::Ending::kPanic);
}

}  // namespace ember

namespace {

/// Far more than the largest frame that the compiler lets pass (-Wstack-usage).
constexpr std::uintptr_t kNearStackBytes = 64 * 1024;

}  // namespace

/// Called by the vectors on the emergency stack: says what happened, and ends.
extern "C" [[noreturn]] void ember_trap(std::uintptr_t vector, std::uintptr_t syndrome,
                                        std::uintptr_t where, std::uintptr_t address) {
    std::array<char, 256> room{};
    ember::FixedText text(room);
    const auto stack = std::bit_cast<std::uintptr_t>(&__stack_begin[0]);
    if (address < stack && stack - address <= kNearStackBytes) text.Add("stack overflow: ");
    text.Add("trap ").AddNumber(vector).Add(", syndrome 0x").AddHex(syndrome);
    text.Add(", at 0x").AddHex(where).Add(", address 0x").AddHex(address).Add('\n');
    ember::bare::Say(text.text());
    ember::bare::Exit(ember::bare::Ending::kTrap);
}
