// SPDX-License-Identifier: Apache-2.0
// EmberSM: NodeInfo: the type, GUIDs and ports of a node.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/record.h"

namespace ember {

/// NodeInfo:NodeType. IBA vol. 1, 14.2.5.3.
enum class NodeType : std::uint8_t { kChannelAdapter = 1, kSwitch = 2, kRouter = 3 };

/// NodeInfo, Get only. IBA vol. 1, 14.2.5.3. PortGUID and LocalPortNum are those of the port that
/// received the request; a switch answers with the PortGUID of its port 0 at every port.
class NodeInfo : public Attribute<64> {
public:
    // clang-format off
    static constexpr Field<std::uint8_t>  kBaseVersion     {  0,  8};
    static constexpr Field<std::uint8_t>  kClassVersion    {  8,  8};
    static constexpr Field<NodeType>      kNodeType        { 16,  8};
    static constexpr Field<std::uint8_t>  kNumPorts        { 24,  8};
    static constexpr Field<Guid>          kSystemImageGuid { 32, 64};
    static constexpr Field<Guid>          kNodeGuid        { 96, 64};
    static constexpr Field<Guid>          kPortGuid        {160, 64};
    static constexpr Field<std::uint16_t> kPartitionCap    {224, 16};
    static constexpr Field<std::uint16_t> kDeviceId        {240, 16};
    static constexpr Field<std::uint32_t> kRevision        {256, 32};
    static constexpr Field<PortNumber>    kLocalPortNum    {288,  8};
    static constexpr Field<std::uint32_t> kVendorId        {296, 24};
    static constexpr Part                 kReserved320     {320, 192};
    // clang-format on
};

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
