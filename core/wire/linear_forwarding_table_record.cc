// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of LinearForwardingTableRecord leave no gap.
#include "core/wire/linear_forwarding_table_record.h"

namespace ember {

static_assert(
    RecordTiles(576,
                {LinearForwardingTableRecord::kLid, LinearForwardingTableRecord::kBlockNum,
                 LinearForwardingTableRecord::kReserved32, LinearForwardingTableRecord::kTable}));

}  // namespace ember
