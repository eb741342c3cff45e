// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of SlToVlMappingTableRecord leave no gap.
#include "core/wire/sl_to_vl_mapping_table_record.h"

namespace ember {

static_assert(RecordTiles(128,
                          {SlToVlMappingTableRecord::kLid, SlToVlMappingTableRecord::kInputPort,
                           SlToVlMappingTableRecord::kOutputPort,
                           SlToVlMappingTableRecord::kReserved32,
                           SlToVlMappingTableRecord::kTable}));

}  // namespace ember
