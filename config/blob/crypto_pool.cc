// SPDX-License-Identifier: Apache-2.0
// EmberSM: the static memory that Mbed TLS works in, and the names by which it is reached.
#include "config/blob/crypto_pool.h"

#include <bit>
#include <cstring>

#include "core/base/assert.h"

namespace ember {
namespace {

// All zeros, so that it takes memory and no place in the image.
constinit CryptoPool the_pool;

}  // namespace

CryptoPool& TheCryptoPool() {
    return the_pool;
}

CryptoPool::Borrow::Borrow() {
    EMBER_ASSERT(!the_pool.borrowed_);
    the_pool.borrowed_ = true;
}

CryptoPool::Borrow::~Borrow() {
    the_pool.borrowed_ = false;
}

bool CryptoPool::Owns(const void* memory) const {
    const auto address = std::bit_cast<std::uintptr_t>(memory);
    const auto first = std::bit_cast<std::uintptr_t>(units_.data());
    return address >= first && address - first < kBytes;
}

std::size_t CryptoPool::UnitOf(const void* memory) const {
    EMBER_ASSERT(Owns(memory));
    const std::size_t offset =
        std::bit_cast<std::uintptr_t>(memory) - std::bit_cast<std::uintptr_t>(units_.data());
    EMBER_ASSERT(offset % kUnitBytes == 0);
    return offset / kUnitBytes;
}

/// Adds every free block that follows to the free block at `unit`. Ends: each adds a unit at least.
void CryptoPool::JoinFree(std::size_t unit) {
    std::size_t next = unit + runs_[unit];
    while (next < kUnits && (runs_[next] & kTaken) == 0) {
        runs_[unit] = static_cast<std::uint16_t>(runs_[unit] + runs_[next]);
        next = unit + runs_[unit];
    }
}

void* CryptoPool::Take(std::size_t count, std::size_t bytes) {
    if (bytes != 0 && count > kBytes / bytes) return nullptr;
    const std::size_t wanted = (count * bytes + kUnitBytes - 1) / kUnitBytes;
    const std::size_t units = wanted > 0 ? wanted : 1;
    if (runs_[0] == 0) runs_[0] = kUnits;  // The first take: one free block.

    for (std::size_t at = 0; at < kUnits; at += runs_[at] & ~std::size_t{kTaken}) {
        if ((runs_[at] & kTaken) != 0) continue;
        JoinFree(at);
        const std::size_t found = runs_[at];
        if (found < units) continue;
        if (found > units) runs_[at + units] = static_cast<std::uint16_t>(found - units);
        runs_[at] = static_cast<std::uint16_t>(units | kTaken);
        used_bytes_ += units * kUnitBytes;
        peak_bytes_ = used_bytes_ > peak_bytes_ ? used_bytes_ : peak_bytes_;
        ++takes_;
        std::memset(&units_[at], 0, units * kUnitBytes);
        return &units_[at];
    }
    return nullptr;
}

void CryptoPool::Give(void* memory) {
    const std::size_t at = UnitOf(memory);
    EMBER_ASSERT((runs_[at] & kTaken) != 0);
    runs_[at] = static_cast<std::uint16_t>(runs_[at] & ~kTaken);
    used_bytes_ -= runs_[at] * kUnitBytes;
    JoinFree(at);
}

}  // namespace ember

// The linker puts these in the place of calloc() and free() in every object of the program.
// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier, cert-dcl37-c,
// cert-dcl51-cpp)
extern "C" {
void* __real_calloc(std::size_t count, std::size_t bytes);
void __real_free(void* memory);
void* __wrap_calloc(std::size_t count, std::size_t bytes);
void __wrap_free(void* memory);

void* __wrap_calloc(std::size_t count, std::size_t bytes) {
    ember::CryptoPool& pool = ember::TheCryptoPool();
    return pool.borrowed() ? pool.Take(count, bytes) : __real_calloc(count, bytes);
}

void __wrap_free(void* memory) {
    ember::CryptoPool& pool = ember::TheCryptoPool();
    if (memory != nullptr && pool.Owns(memory)) {
        pool.Give(memory);
        return;
    }
    __real_free(memory);
}
}
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier, cert-dcl37-c,
// cert-dcl51-cpp)
