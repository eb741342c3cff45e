// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the fuzz targets share: an input as a script, and what they promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

namespace ember::testing {

/// Ends the process when it does not hold.
inline void Demand(bool promise, const char* what) {
    if (promise) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

/// The input of a fuzz target, octet by octet; zeros behind its end. Never call it twice in one
/// list of arguments: in which order those are evaluated is the compiler's choice, and an input
/// then means one thing to libFuzzer and another to the replay in ctest.
class Script {
public:
    explicit Script(std::span<const std::uint8_t> octets) : octets_(octets) {}
    [[nodiscard]] bool ended() const { return next_ >= octets_.size(); }
    std::uint8_t Next() { return ended() ? std::uint8_t{0} : octets_[next_++]; }
    std::uint32_t Next32() {
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            value = value << 8U | Next();
        }
        return value;
    }
    std::uint64_t Next64() {
        const std::uint64_t high = Next32();
        return high << 32U | Next32();
    }
    void Fill(std::span<std::uint8_t> target) {
        for (std::uint8_t& octet : target) {
            octet = Next();
        }
    }
    /// All that is left.
    [[nodiscard]] std::span<const std::uint8_t> rest() const {
        return octets_.subspan(ended() ? octets_.size() : next_);
    }
    [[nodiscard]] std::string RestAsText() const { return {rest().begin(), rest().end()}; }

private:
    std::span<const std::uint8_t> octets_;
    std::size_t next_ = 0;
};

}  // namespace ember::testing
