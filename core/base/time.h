// SPDX-License-Identifier: Apache-2.0
// EmberSM: times and durations in microseconds.
#pragma once

#include <cstdint>

namespace ember {

/// The deadline of work that is not due. Every clock value is smaller: 2^64 us are 584,000 years.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// A millisecond, in microseconds.
inline constexpr std::uint64_t kMillisecondUs = 1'000;
/// A second, in microseconds.
inline constexpr std::uint64_t kSecondUs = 1'000'000;

}  // namespace ember
