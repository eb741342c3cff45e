// SPDX-License-Identifier: Apache-2.0
// EmberSM: the functions on memory that compilers call by themselves, and those on text that the
// crypto library calls. As ISO C says; compiled without the compiler's knowledge of their names, or
// a loop in one would become a call of itself.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace {

/// By words, aligned or not: RAM is normal memory.
constexpr std::size_t kWord = sizeof(std::uintptr_t);
struct [[gnu::packed, gnu::may_alias]] Word {
    std::uintptr_t value;
};

Word& WordAt(unsigned char* octets) {
    return *static_cast<Word*>(static_cast<void*>(octets));
}
const Word& WordAt(const unsigned char* octets) {
    return *static_cast<const Word*>(static_cast<const void*>(octets));
}

}  // namespace

extern "C" {
void* memcpy(void* target, const void* source, std::size_t bytes);
void* memmove(void* target, const void* source, std::size_t bytes);
void* memset(void* target, int octet, std::size_t bytes);
int memcmp(const void* one, const void* other, std::size_t bytes);
void* memchr(const void* memory, int octet, std::size_t bytes);
std::size_t strlen(const char* text);
int strcmp(const char* one, const char* other);
int strncmp(const char* one, const char* other, std::size_t bytes);
void explicit_bzero(void* memory, std::size_t bytes);

void* memcpy(void* target, const void* source, std::size_t bytes) {
    auto* to = static_cast<unsigned char*>(target);
    const auto* from = static_cast<const unsigned char*>(source);
    for (; bytes >= kWord; bytes -= kWord, to += kWord, from += kWord) {
        WordAt(to).value = WordAt(from).value;
    }
    for (; bytes > 0; --bytes) {
        *to++ = *from++;
    }
    return target;
}

void* memmove(void* target, const void* source, std::size_t bytes) {
    auto* const to = static_cast<unsigned char*>(target);
    const auto* const from = static_cast<const unsigned char*>(source);
    // Forwards is right unless the target begins inside the source.
    if (std::bit_cast<std::uintptr_t>(to) - std::bit_cast<std::uintptr_t>(from) >= bytes) {
        return memcpy(target, source, bytes);
    }
    for (std::size_t i = bytes; i > 0; --i) {
        to[i - 1] = from[i - 1];
    }
    return target;
}

void* memset(void* target, int octet, std::size_t bytes) {
    auto* to = static_cast<unsigned char*>(target);
    const auto value = static_cast<unsigned char>(octet);
    const std::uintptr_t word = ~std::uintptr_t{0} / 0xFFU * value;
    for (; bytes >= kWord; bytes -= kWord, to += kWord) {
        WordAt(to).value = word;
    }
    for (; bytes > 0; --bytes) {
        *to++ = value;
    }
    return target;
}

/// Of glibc, not of ISO C: zeros that no compiler leaves out.
void explicit_bzero(void* memory, std::size_t bytes) {
    memset(memory, 0, bytes);
    asm volatile("" : : "r"(memory) : "memory");
}

int memcmp(const void* one, const void* other, std::size_t bytes) {
    const auto* const a = static_cast<const unsigned char*>(one);
    const auto* const b = static_cast<const unsigned char*>(other);
    for (std::size_t i = 0; i < bytes; ++i) {
        if (a[i] != b[i]) return a[i] - b[i];
    }
    return 0;
}

void* memchr(const void* memory, int octet, std::size_t bytes) {
    const auto* const at = static_cast<const unsigned char*>(memory);
    for (std::size_t i = 0; i < bytes; ++i) {
        if (at[i] == static_cast<unsigned char>(octet)) {
            return const_cast<unsigned char*>(at + i);  // NOLINT: the signature is ISO C's.
        }
    }
    return nullptr;
}

std::size_t strlen(const char* text) {
    std::size_t length = 0;
    while (text[length] != '\0') {  // Ends: a text of C has an end.
        ++length;
    }
    return length;
}

int strncmp(const char* one, const char* other, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        const auto a = static_cast<unsigned char>(one[i]);
        const auto b = static_cast<unsigned char>(other[i]);
        if (a != b || a == 0) return a - b;
    }
    return 0;
}

int strcmp(const char* one, const char* other) {
    return strncmp(one, other, ~std::size_t{0});
}
}
