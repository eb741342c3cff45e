// SPDX-License-Identifier: Apache-2.0
// EmberSM: errors from outside, as values.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/assert.h"

namespace ember {

/// A type that is copied octet by octet: containers and results hold no other.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T>;

// clang-format off
/// An error from outside this program. An error inside it is a false EMBER_ASSERT.
enum class [[nodiscard]] Status : std::uint8_t {
    kOk,
    kBusy,         ///< Nothing was done; ask again after the next step.
    kTimeout,      ///< The peer stayed silent through every retry.
    kMalformed,    ///< The peer sent what the specification forbids.
    kRefused,      ///< The peer answered with a MAD status other than success.
    kUnreachable,  ///< No path leads there.
    kFull,         ///< The fabric is larger than this board's Limits.
    kAbsent,       ///< The thing that was asked for does not exist.
    kForged,       ///< A signature is wrong.
    kStale,        ///< Older than the last accepted version.
    kUnknown,      ///< Made for a version or schema that this program does not know.
    kDevice,       ///< The device or the operating system failed underneath.
};
// clang-format on

/// A value, or the reason why there is none.
template <Plain Value>
class [[nodiscard]] Result {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): `return value;` reads best.
    constexpr Result(Value value) : value_(value) {}
    // NOLINTNEXTLINE(google-explicit-constructor): so does `return Status::kBusy;`.
    constexpr Result(Status status) : status_(status) { EMBER_ASSERT(status != Status::kOk); }

    [[nodiscard]] constexpr Status status() const { return status_; }
    [[nodiscard]] constexpr bool ok() const { return status_ == Status::kOk; }
    [[nodiscard]] constexpr const Value& value() const {
        EMBER_ASSERT(ok());
        return value_;
    }

private:
    Value value_{};
    Status status_ = Status::kOk;
};

}  // namespace ember

/// Returns from the enclosing function with the Status of `expression` unless it is kOk.
#define EMBER_TRY(expression)                                                            \
    do {                                                                                 \
        if (const ::ember::Status tried = (expression); tried != ::ember::Status::kOk) { \
            return tried;                                                                \
        }                                                                                \
    } while (false)
