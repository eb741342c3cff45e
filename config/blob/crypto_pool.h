// SPDX-License-Identifier: Apache-2.0
// EmberSM: the static memory that Mbed TLS works in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ember {

/// The memory behind calloc() and free() of Mbed TLS while a signature is checked.
///
/// Debian builds Mbed TLS without a hook for its allocator, and ECDSA on P-256 makes some eight
/// thousand short allocations, 5 to 8 KiB at once. So the linker redirects the two names
/// (--wrap, see config/CMakeLists.txt) to here. While a Borrow lives they are served from this
/// pool, never from the heap: an exhausted pool is an out-of-memory answer that Mbed TLS hands up.
/// At all other times, and for memory that is not the pool's, they are the C library's own.
///
/// Not for two threads: blobs are read by the thread that composes and steps the subnet manager.
class CryptoPool {
public:
    static constexpr std::size_t kBytes = std::size_t{16} * 1024;

    /// Serves calloc() from the pool for as long as it lives.
    class Borrow {
    public:
        Borrow();
        ~Borrow();
        Borrow(const Borrow&) = delete;
        Borrow& operator=(const Borrow&) = delete;
        Borrow(Borrow&&) = delete;
        Borrow& operator=(Borrow&&) = delete;
    };

    /// Zeroed, aligned to 16; nullptr when nothing that large is free.
    [[nodiscard]] void* Take(std::size_t count, std::size_t bytes);

    /// Gives back what Take() returned.
    void Give(void* memory);

    [[nodiscard]] bool Owns(const void* memory) const;
    [[nodiscard]] bool borrowed() const { return borrowed_; }
    [[nodiscard]] std::size_t used_bytes() const { return used_bytes_; }
    [[nodiscard]] std::size_t peak_bytes() const { return peak_bytes_; }
    [[nodiscard]] std::uint64_t takes() const { return takes_; }

private:
    static constexpr std::size_t kUnitBytes = 16;
    static constexpr std::size_t kUnits = kBytes / kUnitBytes;
    static constexpr std::uint16_t kTaken = 0x8000;

    struct alignas(kUnitBytes) Unit {
        std::array<std::byte, kUnitBytes> octets;
    };

    [[nodiscard]] std::size_t UnitOf(const void* memory) const;
    void JoinFree(std::size_t unit);

    std::array<Unit, kUnits> units_{};
    /// Blocks tile the pool. At a block's first unit stands how many units it has, and kTaken.
    std::array<std::uint16_t, kUnits> runs_{};
    std::size_t used_bytes_ = 0;
    std::size_t peak_bytes_ = 0;
    std::uint64_t takes_ = 0;
    bool borrowed_ = false;
};

/// The one pool of the program.
[[nodiscard]] CryptoPool& TheCryptoPool();

}  // namespace ember
