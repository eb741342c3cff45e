// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of SmInfoRecord leave no gap.
#include "core/wire/sm_info_record.h"

namespace ember {

static_assert(RecordTiles(256,
                          {SmInfoRecord::kLid, SmInfoRecord::kReserved16, SmInfoRecord::kSmInfo,
                           SmInfoRecord::kPadding200, SmInfoRecord::kPadding208,
                           SmInfoRecord::kPadding224}));

}  // namespace ember
