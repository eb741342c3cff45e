// SPDX-License-Identifier: Apache-2.0
// EmberSM: a file descriptor, and a mapping of memory, that are given back.
#pragma once

#include <cstddef>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace ember {

/// Owns a file descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    /// -1: none.
    [[nodiscard]] int number() const { return number_; }

private:
    int number_ = -1;
};

/// Owns memory that is shared with others.
class SharedMemory {
public:
    SharedMemory() = default;
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    ~SharedMemory() {
        if (address_ != nullptr) munmap(address_, bytes_);
    }
    /// Maps the first `bytes` of the file. False: the system refused, and errno says why.
    [[nodiscard]] bool Map(int file, std::size_t bytes) {
        void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (mapped == MAP_FAILED) return false;
        address_ = mapped;
        bytes_ = bytes;
        return true;
    }
    [[nodiscard]] void* address() const { return address_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    void* address_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace ember
