// SPDX-License-Identifier: Apache-2.0
// EmberSM: static objects that are made late.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "core/base/assert.h"

namespace ember {

/// Static room for one T that needs arguments: made once, when they are known, and never unmade. A
/// board's objects are as large as arenas, which a stack frame may not be.
template <typename T>
class Late {
public:
    Late() = default;
    Late(const Late&) = delete;
    Late& operator=(const Late&) = delete;

    template <typename... Arguments>
    T& Make(Arguments&&... arguments) {
        EMBER_ASSERT(made_ == nullptr);
        if constexpr (sizeof...(Arguments) == 0) {
            // Without parentheses: those would write zeros over tables that may never be used,
            // and what is not touched is not resident.
            made_ = ::new (static_cast<void*>(room_)) T;
        } else {
            made_ = ::new (static_cast<void*>(room_)) T(std::forward<Arguments>(arguments)...);
        }
        return *made_;
    }
    [[nodiscard]] T& Get() {
        EMBER_ASSERT(made_ != nullptr);
        return *made_;
    }

private:
    alignas(T) std::byte room_[sizeof(T)];  // Static, so the system zeroes it.
    T* made_ = nullptr;
};

}  // namespace ember
