// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of MultiPathRecord leave no gap.
#include "core/wire/multi_path_record.h"

namespace ember {

static_assert(Tiles(192,
                    {MultiPathRecord::kRawTraffic,
                     MultiPathRecord::kReserved1,
                     MultiPathRecord::kFlowLabel,
                     MultiPathRecord::kHopLimit,
                     MultiPathRecord::kTClass,
                     MultiPathRecord::kReversible,
                     MultiPathRecord::kNumbPath,
                     MultiPathRecord::kPKey,
                     MultiPathRecord::kQosClass,
                     MultiPathRecord::kSl,
                     MultiPathRecord::kMtuSelector,
                     MultiPathRecord::kMtu,
                     MultiPathRecord::kRateSelector,
                     MultiPathRecord::kRate,
                     MultiPathRecord::kPacketLifeTimeSelector,
                     MultiPathRecord::kPacketLifeTime,
                     MultiPathRecord::kServiceIdHigh,
                     MultiPathRecord::kIndependenceSelector,
                     MultiPathRecord::kReserved114,
                     MultiPathRecord::kSgidCount,
                     MultiPathRecord::kDgidCount,
                     MultiPathRecord::kServiceIdLow}));

}  // namespace ember
