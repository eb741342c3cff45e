// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of SLtoVLMappingTable leave no gap.
#include "core/wire/sl_to_vl_mapping_table.h"

namespace ember {

using T = SlToVlMappingTable;
static_assert(RowsTile<T::kEntries>(0, 64, T::Row));
static_assert(Tiles(512,
                    {Extent{0, 64}, T::kReserved64, T::kReserved128, T::kReserved192,
                     T::kReserved256, T::kReserved320, T::kReserved384, T::kReserved448}));

}  // namespace ember
