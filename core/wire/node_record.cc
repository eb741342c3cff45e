// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of NodeRecord leave no gap.
#include "core/wire/node_record.h"

namespace ember {

static_assert(RecordTiles(896,
                          {NodeRecord::kLid, NodeRecord::kReserved16, NodeRecord::kNodeInfo,
                           NodeRecord::kNodeDescription, NodeRecord::kPadding864}));

}  // namespace ember
