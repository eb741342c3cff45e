// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of MulticastForwardingTableRecord leave no gap.
#include "core/wire/multicast_forwarding_table_record.h"

namespace ember {

static_assert(RecordTiles(
    576,
    {MulticastForwardingTableRecord::kLid, MulticastForwardingTableRecord::kPosition,
     MulticastForwardingTableRecord::kReserved20, MulticastForwardingTableRecord::kBlockNum,
     MulticastForwardingTableRecord::kReserved32, MulticastForwardingTableRecord::kTable}));

}  // namespace ember
