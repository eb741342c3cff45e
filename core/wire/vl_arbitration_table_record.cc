// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of VlArbitrationTableRecord leave no gap.
#include "core/wire/vl_arbitration_table_record.h"

namespace ember {

static_assert(RecordTiles(576,
                          {VlArbitrationTableRecord::kLid, VlArbitrationTableRecord::kOutputPort,
                           VlArbitrationTableRecord::kBlockNum,
                           VlArbitrationTableRecord::kReserved32,
                           VlArbitrationTableRecord::kTable}));

}  // namespace ember
