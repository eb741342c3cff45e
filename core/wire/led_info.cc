// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of LedInfo leave no gap.
#include "core/wire/led_info.h"

namespace ember {

static_assert(Tiles(512,
                    {LedInfo::kLedMask, LedInfo::kReserved1, LedInfo::kReserved32,
                     LedInfo::kReserved64, LedInfo::kReserved128, LedInfo::kReserved192,
                     LedInfo::kReserved256, LedInfo::kReserved320, LedInfo::kReserved384,
                     LedInfo::kReserved448}));

}  // namespace ember
