// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of NodeInfo leave no gap.
#include "core/wire/node_info.h"

namespace ember {

static_assert(Tiles(512,
                    {NodeInfo::kBaseVersion, NodeInfo::kClassVersion, NodeInfo::kNodeType,
                     NodeInfo::kNumPorts, NodeInfo::kSystemImageGuid, NodeInfo::kNodeGuid,
                     NodeInfo::kPortGuid, NodeInfo::kPartitionCap, NodeInfo::kDeviceId,
                     NodeInfo::kRevision, NodeInfo::kLocalPortNum, NodeInfo::kVendorId,
                     NodeInfo::kReserved320, NodeInfo::kReserved384, NodeInfo::kReserved448}));

}  // namespace ember
