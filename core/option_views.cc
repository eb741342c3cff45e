// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether two configurations' option files show the same.
#include "core/option_views.h"

namespace ember {

bool EngineTables::operator==(const EngineTables& other) const {
    return ShowTheSame(*this, other, kEngineTables);
}

bool ManagerTables::operator==(const ManagerTables& other) const {
    return ShowTheSame(*this, other, kManagerTables);
}

}  // namespace ember
