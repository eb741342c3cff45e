// SPDX-License-Identifier: Apache-2.0
// EmberSM: memory that is lent while an image is composed, and never afterwards.
#pragma once

#include <cstddef>
#include <span>

namespace ember::bare {

/// Hands out one range of memory from front to back and takes nothing back.
///
/// The subnet manager needs none of it; a bench does for what it adds: a simulated fabric is built
/// from vectors, of a size that its netlist tells. When all is built the range is closed, and who
/// still asks is an error that ends the image.
class LentMemory {
public:
    constexpr LentMemory() = default;
    explicit constexpr LentMemory(std::span<std::byte> room) : room_(room) {}

    /// Aligned for every type. nullptr: there is not so much left, or it was closed.
    [[nodiscard]] void* Take(std::size_t bytes) {
        if (closed_ || bytes > room_.size() - used_) return nullptr;
        void* const taken = room_.data() + used_;
        const std::size_t whole = (bytes + kGrain - 1) / kGrain * kGrain;
        used_ = whole > room_.size() - used_ ? room_.size() : used_ + whole;
        return taken;
    }
    void Close() { closed_ = true; }

    [[nodiscard]] bool closed() const { return closed_; }
    [[nodiscard]] std::size_t used_bytes() const { return used_; }
    [[nodiscard]] std::size_t size() const { return room_.size(); }

    static constexpr std::size_t kGrain = 16;

private:
    std::span<std::byte> room_;  // Begins at a multiple of kGrain.
    std::size_t used_ = 0;
    bool closed_ = false;
};

/// The memory that operator new and calloc() of the image hand out: the link script's heap.
[[nodiscard]] LentMemory& TheLentMemory();

}  // namespace ember::bare
