// SPDX-License-Identifier: Apache-2.0
// EmberSM: memory that is lent while an image is composed, by the names under which it is asked
// for.

#include "platform/bare/lent_memory.h"

#include <array>
#include <cstring>
#include <new>

#include "core/log/fixed_text.h"
#include "platform/bare/exit.h"
#include "platform/bare/image.h"
#include "platform/bare/uart.h"

namespace ember::bare {
namespace {

/// Ends the image when there is too little: no caller can go on without memory.
void* TakeOrEnd(std::size_t bytes) {
    LentMemory& memory = TheLentMemory();
    void* const taken = memory.Take(bytes);
    if (taken != nullptr) return taken;
    std::array<char, 128> room{};
    FixedText text(room);
    text.Add("heap: ").AddNumber(bytes);
    if (memory.closed()) {
        text.Add(" octets are asked for after composition\n");
    } else {
        text.Add(" octets are asked for, and ").AddNumber(memory.size() - memory.used_bytes());
        text.Add(" are left\n");
    }
    Say(text.text());
    Exit(Ending::kHeap);
}

}  // namespace

LentMemory& TheLentMemory() {
    static LentMemory memory(Between(__heap_begin, __heap_end));
    return memory;
}

}  // namespace ember::bare

void* operator new(std::size_t bytes) {
    return ember::bare::TakeOrEnd(bytes);
}
void* operator new[](std::size_t bytes) {
    return ember::bare::TakeOrEnd(bytes);
}
// Memory that is given back while the image is composed is not lent again.
void operator delete(void* /*memory*/) noexcept {}
void operator delete(void* /*memory*/, std::size_t /*bytes*/) noexcept {}
void operator delete[](void* /*memory*/) noexcept {}
void operator delete[](void* /*memory*/, std::size_t /*bytes*/) noexcept {}

extern "C" {
void* calloc(std::size_t count, std::size_t bytes);
void free(void* memory);

void* calloc(std::size_t count, std::size_t bytes) {
    // RAM begins with anything. A product that is too large is more than there is.
    const bool fits = bytes == 0 || count <= ~std::size_t{0} / bytes;
    void* const taken = ember::bare::TakeOrEnd(fits ? count * bytes : ~std::size_t{0});
    return std::memset(taken, 0, count * bytes);
}
void free(void* /*memory*/) {}
}
