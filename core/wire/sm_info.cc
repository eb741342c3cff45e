// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of SMInfo leave no gap.
#include "core/wire/sm_info.h"

namespace ember {

static_assert(Tiles(512,
                    {SmInfo::kGuid, SmInfo::kSmKey, SmInfo::kActCount, SmInfo::kPriority,
                     SmInfo::kSmState, SmInfo::kReserved168, SmInfo::kReserved192,
                     SmInfo::kReserved256, SmInfo::kReserved320, SmInfo::kReserved384,
                     SmInfo::kReserved448}));

}  // namespace ember
