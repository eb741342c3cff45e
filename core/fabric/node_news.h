// SPDX-License-Identifier: Apache-2.0
// EmberSM: what NodeInfo says of a device, beside its GUIDs, its type and its ports.
#pragma once

#include "core/base/assert.h"
#include "core/fabric/fabric.h"

namespace ember {

/// True when `info` says of the device what is known of it. A device may have told it wrong once,
/// or have become another one by new firmware.
[[nodiscard]] inline bool DescribesAlike(const Node& node, const NodeInfo& info) {
    return node.system_image_guid == info.Get(NodeInfo::kSystemImageGuid) &&
           node.partition_cap == info.Get(NodeInfo::kPartitionCap) &&
           node.device_id == info.Get(NodeInfo::kDeviceId) &&
           node.vendor_id == info.Get(NodeInfo::kVendorId) &&
           node.revision == info.Get(NodeInfo::kRevision) &&
           node.base_version == info.Get(NodeInfo::kBaseVersion) &&
           node.class_version == info.Get(NodeInfo::kClassVersion);
}

/// Takes over what `info` says of the device.
inline void TakeNodeInfo(Node& node, const NodeInfo& info) {
    EMBER_ASSERT(node.guid == info.Get(NodeInfo::kNodeGuid));
    node.system_image_guid = info.Get(NodeInfo::kSystemImageGuid);
    node.partition_cap = info.Get(NodeInfo::kPartitionCap);
    node.device_id = info.Get(NodeInfo::kDeviceId);
    node.vendor_id = info.Get(NodeInfo::kVendorId);
    node.revision = info.Get(NodeInfo::kRevision);
    node.base_version = info.Get(NodeInfo::kBaseVersion);
    node.class_version = info.Get(NodeInfo::kClassVersion);
    EMBER_ASSERT(DescribesAlike(node, info));
}

}  // namespace ember
