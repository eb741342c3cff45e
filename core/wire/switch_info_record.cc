// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of SwitchInfoRecord leave no gap.
#include "core/wire/switch_info_record.h"

namespace ember {

static_assert(RecordTiles(192,
                          {SwitchInfoRecord::kLid, SwitchInfoRecord::kReserved16,
                           SwitchInfoRecord::kSwitchInfo}));

}  // namespace ember
