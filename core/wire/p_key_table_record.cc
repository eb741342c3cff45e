// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of PKeyTableRecord leave no gap.
#include "core/wire/p_key_table_record.h"

namespace ember {

static_assert(RecordTiles(576,
                          {PKeyTableRecord::kLid, PKeyTableRecord::kBlockNum,
                           PKeyTableRecord::kPortNum, PKeyTableRecord::kReserved40,
                           PKeyTableRecord::kTable}));

}  // namespace ember
