// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of PathRecord leave no gap.
#include "core/wire/path_record.h"

namespace ember {

static_assert(Tiles(512,
                    {PathRecord::kServiceId,
                     PathRecord::kDgidPrefix,
                     PathRecord::kDgidGuid,
                     PathRecord::kSgidPrefix,
                     PathRecord::kSgidGuid,
                     PathRecord::kDlid,
                     PathRecord::kSlid,
                     PathRecord::kRawTraffic,
                     PathRecord::kReserved353,
                     PathRecord::kFlowLabel,
                     PathRecord::kHopLimit,
                     PathRecord::kTClass,
                     PathRecord::kReversible,
                     PathRecord::kNumbPath,
                     PathRecord::kPKey,
                     PathRecord::kQosClass,
                     PathRecord::kSl,
                     PathRecord::kMtuSelector,
                     PathRecord::kMtu,
                     PathRecord::kRateSelector,
                     PathRecord::kRate,
                     PathRecord::kPacketLifeTimeSelector,
                     PathRecord::kPacketLifeTime,
                     PathRecord::kPreference,
                     PathRecord::kReserved464}));

}  // namespace ember
