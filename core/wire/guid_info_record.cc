// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of GuidInfoRecord leave no gap.
#include "core/wire/guid_info_record.h"

namespace ember {

static_assert(RecordTiles(576,
                          {GuidInfoRecord::kLid, GuidInfoRecord::kBlockNum,
                           GuidInfoRecord::kReserved24, GuidInfoRecord::kReserved32,
                           GuidInfoRecord::kTable}));

}  // namespace ember
