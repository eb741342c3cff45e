// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of LinearForwardingTable leave no gap.
#include "core/wire/linear_forwarding_table.h"

namespace ember {

static_assert(RowsTile<LinearForwardingTable::kEntries>(0, 512, LinearForwardingTable::Row));

}  // namespace ember
