// SPDX-License-Identifier: Apache-2.0
// EmberSM: the working memory of one computation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "core/base/assert.h"
#include "core/base/status.h"

namespace ember {

/// True if `place` is a multiple of `grain` octets.
[[nodiscard]] inline bool IsAligned(const void* place, std::size_t grain) {
    // clang-tidy 14 ends in a fault where it follows a std::bit_cast of an address.
    return reinterpret_cast<std::uintptr_t>(place) % grain == 0;
}

/// The working memory of one computation, handed out front to back and given back all at once.
///
/// An arena does not fail at run time. Each computation publishes the bytes that it takes as a
/// constexpr function built from BytesFor(); the board asserts that its scratch arena has as many.
/// The storage must be aligned to kGrain.
class Arena {
public:
    static constexpr std::size_t kGrain = 64;  ///< Alignment of every value taken, in octets.

    /// Octets that Take<T>(count) uses.
    template <typename T>
    [[nodiscard]] static constexpr std::size_t BytesFor(std::size_t count) {
        static_assert(alignof(T) <= kGrain);
        return (count * sizeof(T) + kGrain - 1) / kGrain * kGrain;
    }

    constexpr Arena() = default;
    explicit constexpr Arena(std::span<std::byte> storage) : storage_(storage) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// `count` value-initialized T, alive until the enclosing Frame ends or Reset() is called.
    /// Asserts that the arena has room.
    template <Plain T>
    [[nodiscard]] std::span<T> Take(std::size_t count) {
        const std::span<T> taken = TakeUnset<T>(count);
        for (T& value : taken) {
            ::new (static_cast<void*>(&value)) T{};
        }
        return taken;
    }
    /// As Take(), but what the values are is not known: each is written before it is read. So room
    /// for the largest subnet costs a small one neither time nor resident memory.
    template <Plain T>
    [[nodiscard]] std::span<T> TakeUnset(std::size_t count) {
        const std::size_t bytes = BytesFor<T>(count);
        EMBER_ASSERT(bytes <= storage_.size() - used_);
        std::byte* const place = storage_.data() + used_;
        EMBER_ASSERT(IsAligned(place, alignof(T)));
        used_ += bytes;
        peak_ = used_ > peak_ ? used_ : peak_;
        return {static_cast<T*>(static_cast<void*>(place)), count};  // Aligned to kGrain.
    }

    /// Gives everything back. For computations that outlive a scope because they run in slices.
    void Reset() { used_ = 0; }
    /// Takes again, as it is, what was given back and not used by others since: up to where
    /// used_bytes() was `mark`.
    void TakeAgain(std::size_t mark) {
        EMBER_ASSERT(used_ <= mark && mark <= peak_);
        used_ = mark;
    }
    /// Gives back what was taken since used_bytes() was `mark`.
    void Rewind(std::size_t mark) {
        EMBER_ASSERT(mark <= used_);
        used_ = mark;
    }

    /// The end of a Frame gives back everything that was taken since its begin.
    class Frame {
    public:
        explicit Frame(Arena& arena) : arena_(arena), mark_(arena.used_) {}
        ~Frame() { arena_.Rewind(mark_); }
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

    private:
        Arena& arena_;
        std::size_t mark_;
    };

    [[nodiscard]] std::size_t used_bytes() const { return used_; }
    /// The most that was ever taken at a time.
    [[nodiscard]] std::size_t peak_bytes() const { return peak_; }
    [[nodiscard]] std::size_t size_bytes() const { return storage_.size(); }

private:
    std::span<std::byte> storage_;
    std::size_t used_ = 0;
    std::size_t peak_ = 0;
};

}  // namespace ember
