// SPDX-License-Identifier: Apache-2.0
// EmberSM: NodeRecord: NodeInfo and NodeDescription of a port's node.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/node_info.h"
#include "core/wire/record.h"

namespace ember {

/// NodeRecord. IBA vol. 1, 15.2.5.2. There is one for each port that has a LID. Its NodeInfo is the
/// one that a request received by that port would get.
class NodeRecord : public Attribute<112> {
public:
    // clang-format off
    static constexpr Field<Lid>           kLid            {  0,  16};
    static constexpr Field<std::uint16_t> kReserved16     { 16,  16};
    static constexpr Part                 kNodeInfo       { 32, 320};
    static constexpr Part                 kNodeDescription{352, 512};
    static constexpr Field<std::uint32_t> kPadding864     {864,  32};

    /// By number, as the component mask counts them.
    static constexpr std::array kComponents{
        Extent{kLid},                                   //  0
        kNotCompared,                                   //  1
        Inside(kNodeInfo, NodeInfo::kBaseVersion),      //  2
        Inside(kNodeInfo, NodeInfo::kClassVersion),     //  3
        Inside(kNodeInfo, NodeInfo::kNodeType),         //  4
        Inside(kNodeInfo, NodeInfo::kNumPorts),         //  5
        Inside(kNodeInfo, NodeInfo::kSystemImageGuid),  //  6
        Inside(kNodeInfo, NodeInfo::kNodeGuid),         //  7
        Inside(kNodeInfo, NodeInfo::kPortGuid),         //  8
        Inside(kNodeInfo, NodeInfo::kPartitionCap),     //  9
        Inside(kNodeInfo, NodeInfo::kDeviceId),         // 10
        Inside(kNodeInfo, NodeInfo::kRevision),         // 11
        Inside(kNodeInfo, NodeInfo::kLocalPortNum),     // 12
        Inside(kNodeInfo, NodeInfo::kVendorId),         // 13
        Extent{kNodeDescription},                       // 14
    };
    // clang-format on
};

}  // namespace ember
