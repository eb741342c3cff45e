// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet managers of the subnet.
#pragma once

#include <cstddef>

#include "core/wire/sm_info.h"

namespace ember {

/// The subnet managers of the subnet, this one included. core/role keeps their rows;
/// core/administration answers from them.
class Managers {
public:
    /// Number of rows; row 0 is this SM.
    [[nodiscard]] virtual std::size_t manager_count() const = 0;
    /// The last SMInfo of manager `at`. An SMInfo without a GUID does not count.
    [[nodiscard]] virtual SmInfo manager(std::size_t at) const = 0;

protected:
    ~Managers() = default;
};

}  // namespace ember
