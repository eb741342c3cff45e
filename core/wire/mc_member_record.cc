// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of MCMemberRecord leave no gap.
#include "core/wire/mc_member_record.h"

namespace ember {

static_assert(Tiles(448,
                    {McMemberRecord::kMgidHigh,
                     McMemberRecord::kMgidLow,
                     McMemberRecord::kPortGidPrefix,
                     McMemberRecord::kPortGidGuid,
                     McMemberRecord::kQKey,
                     McMemberRecord::kMlid,
                     McMemberRecord::kMtuSelector,
                     McMemberRecord::kMtu,
                     McMemberRecord::kTClass,
                     McMemberRecord::kPKey,
                     McMemberRecord::kRateSelector,
                     McMemberRecord::kRate,
                     McMemberRecord::kPacketLifeTimeSelector,
                     McMemberRecord::kPacketLifeTime,
                     McMemberRecord::kSl,
                     McMemberRecord::kFlowLabel,
                     McMemberRecord::kHopLimit,
                     McMemberRecord::kScope,
                     McMemberRecord::kJoinState,
                     McMemberRecord::kProxyJoin,
                     McMemberRecord::kReserved393,
                     McMemberRecord::kReserved416}));

}  // namespace ember
