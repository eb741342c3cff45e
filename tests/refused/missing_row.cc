// SPDX-License-Identifier: Apache-2.0
// EmberSM: must not compile with EMBER_MISTAKE: a role has no row for one of the cues.
// Expect: static.assertion|static_assert

#include <array>

#include "core/role/table.h"

namespace ember {

constexpr std::array<RoleRow, kRoles * kCues> Rows() {
    std::array<RoleRow, kRoles* kCues> rows = kRoleRows;
#ifdef EMBER_MISTAKE
    rows[kCues + 2] = rows[kCues + 1];
#endif
    return rows;
}
constexpr std::array<RoleRow, kRoles* kCues> kRows = Rows();
static_assert(AnswersEveryCue(kRows));

}  // namespace ember
