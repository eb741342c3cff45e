// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet managers that a role counts.
#pragma once

#include <cstddef>

#include "core/fabric/managers.h"
#include "core/role/role.h"

namespace ember {

/// The managers that a role counts, for rooms that do not know roles.
class RoleManagers final : public Managers {
public:
    explicit RoleManagers(const Role& role) : role_(role) {}
    [[nodiscard]] std::size_t manager_count() const override { return role_.manager_count(); }
    [[nodiscard]] SmInfo manager(std::size_t at) const override { return role_.manager(at); }

private:
    const Role& role_;
};

}  // namespace ember
