// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of PKeyTable leave no gap.
#include "core/wire/p_key_table.h"

namespace ember {

static_assert(RowsTile<PKeyTable::kEntries>(0, 512, PKeyTable::Row));

}  // namespace ember
