// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a word of the mailbox is read and written, and in which order the other side sees
// it.
#pragma once

#include <bit>
#include <cstdint>

namespace ember::local {

/// A word that somebody else looks at: a register, or a word of a ring.
using Word = volatile std::uint32_t;

/// Words are little endian, whatever the processor is.
[[nodiscard]] constexpr std::uint32_t Little(std::uint32_t value) {
    if constexpr (std::endian::native == std::endian::big) return __builtin_bswap32(value);
    return value;
}

/// Everything that was read or written before is seen before everything that follows, by other
/// processors and by devices. Where the processor keeps that order by itself (x86) the compiler is
/// held to it; on Arm the domain is the outer shareable one, in which the devices are.
inline void Barrier() {
#if defined(__x86_64__) || defined(__i386__)
    asm volatile("" ::: "memory");
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
    asm volatile("dmb osh" ::: "memory");
#elif defined(__powerpc__)
    asm volatile("sync" ::: "memory");
#elif defined(__riscv)
    asm volatile("fence iorw, iorw" ::: "memory");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/// A register, at once: one access of 32 bits, in no order with others.
[[nodiscard]] inline std::uint32_t LoadRegister(const Word& word) {
    return Little(__atomic_load_n(&word, __ATOMIC_RELAXED));
}
/// The counterpart of LoadRegister().
inline void StoreRegister(Word& word, std::uint32_t value) {
    __atomic_store_n(&word, Little(value), __ATOMIC_RELAXED);
}

/// A word that says that others are there to be read: what is read after it is no older than it.
[[nodiscard]] inline std::uint32_t LoadAcquire(const Word& word) {
    const std::uint32_t value = Little(__atomic_load_n(&word, __ATOMIC_ACQUIRE));
    Barrier();
    return value;
}
/// A word that hands others over: a reader of it sees all that was written before, and nothing
/// that was read before is read after it.
inline void StoreRelease(Word& word, std::uint32_t value) {
    Barrier();
    __atomic_store_n(&word, Little(value), __ATOMIC_RELEASE);
}

/// A word of a descriptor that is ours at the moment. The compiler may neither join nor split nor
/// leave out the access; the order is that of the words above.
[[nodiscard]] inline std::uint32_t LoadOwned(const Word& word) {
    return Little(word);
}
/// The counterpart of LoadOwned().
inline void StoreOwned(Word& word, std::uint32_t value) {
    word = Little(value);
}

}  // namespace ember::local
