// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store that keeps nothing.
#pragma once

#include <cstddef>
#include <span>

#include "core/platform.h"

namespace ember {

/// Takes everything and has nothing.
class NoStore final : public Store {
public:
    Status Save(StoreSlot, std::span<const std::byte>) override { return Status::kOk; }
    Result<std::size_t> Load(StoreSlot, std::span<std::byte>) override { return Status::kAbsent; }
};

}  // namespace ember
