// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet managers of the subnet.
#pragma once

#include <cstddef>

#include "core/wire/sm_info.h"

namespace ember {

/// Who manages the subnet, or would. The role keeps count of them, the subnet administrator tells.
class Managers {
public:
    /// Bound of manager(); 0 is this SM itself.
    [[nodiscard]] virtual std::size_t manager_count() const = 0;
    /// What manager `at` last said of itself. Without a GUID: it does not count.
    [[nodiscard]] virtual SmInfo manager(std::size_t at) const = 0;

protected:
    ~Managers() = default;
};

}  // namespace ember
