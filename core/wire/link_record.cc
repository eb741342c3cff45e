// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of LinkRecord leave no gap.
#include "core/wire/link_record.h"

namespace ember {

static_assert(RecordTiles(64,
                          {LinkRecord::kFromLid, LinkRecord::kFromPort, LinkRecord::kToPort,
                           LinkRecord::kToLid, LinkRecord::kReserved48}));

}  // namespace ember
