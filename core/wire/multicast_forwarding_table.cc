// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of MulticastForwardingTable leave no gap.
#include "core/wire/multicast_forwarding_table.h"

namespace ember {

static_assert(RowsTile<MulticastForwardingTable::kEntries>(0, 512, MulticastForwardingTable::Row));

}  // namespace ember
