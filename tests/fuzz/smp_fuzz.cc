// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: any 256 octets at the edge of the wire, and every attribute read from them.
//
// Input: one datagram; what is missing is zeros. Findings are a crash, a failed assertion, what the
// sanitizers see, and a broken promise of core/wire, which ends the process below.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "core/wire/guid_info.h"
#include "core/wire/linear_forwarding_table.h"
#include "core/wire/multicast_forwarding_table.h"
#include "core/wire/node_description.h"
#include "core/wire/node_info.h"
#include "core/wire/notice.h"
#include "core/wire/p_key_table.h"
#include "core/wire/port_info.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/sm_info.h"
#include "core/wire/smp.h"
#include "core/wire/smp_check.h"
#include "core/wire/switch_info.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {
namespace {

void Demand(bool promise, const char* what) {
    if (promise) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

/// Fields that were read can be written back without a change.
template <typename A, typename... Fields>
void Rewrite(const SmpData& data, Fields... fields) {
    auto attribute = std::bit_cast<A>(data);
    (attribute.Set(fields, attribute.Get(fields)), ...);
    Demand(attribute.octets() == data, "rewriting a field changes nothing");
}

/// The same for a table by index.
template <typename Table, typename RowOf>
void RewriteRows(const SmpData& data, RowOf row) {
    for (std::size_t i = 0; i < Table::kEntries; ++i) {
        Rewrite<Table>(data, row(i));
    }
}

void ReadPortInfo(const SmpData& data) {
    using P = PortInfo;
    Rewrite<P>(data, P::kMKey, P::kGidPrefix, P::kLid, P::kMasterSmLid, P::kCapabilityMask,
               P::kLocalPortNum, P::kPortState, P::kPortPhysicalState, P::kLinkDownDefaultState,
               P::kLmc, P::kNeighborMtu, P::kVlCap, P::kMtuCap, P::kOperationalVls,
               P::kSubnetTimeOut, P::kLinkRoundTripLatency, P::kLinkSpeedExtEnabled);
}

void ReadNodeDescription(const SmpData& data) {
    const auto description = std::bit_cast<NodeDescription>(data);
    Demand(description.length() <= 64, "a description has 64 octets at most");
    NodeDescription copy;
    const NodeDescription::Text text = description.text();
    copy.SetText({text.data(), description.length()});
    Demand(copy.length() == description.length(), "a description is as long as its copy");
}

void ReadNotices(const SmpData& data) {
    using N = Notice;
    Rewrite<N>(data, N::kIsGeneric, N::kType, N::kProducerType, N::kTrapNumber, N::kIssuerLid,
               N::kNoticeToggle, N::kNoticeCount);
    using K = KeyNotice;
    Rewrite<K>(data, K::kKey, K::kSl, K::kQp1, K::kQp2, K::kGidGuid2);
    auto wrong_key = std::bit_cast<MKeyNotice>(data);
    for (std::size_t hop = 0; hop < MKeyNotice::kPathHops; ++hop) {
        wrong_key.SetReturnPort(hop, wrong_key.ReturnPort(hop));
    }
    Demand(wrong_key.octets() == data, "rewriting a return path changes nothing");
}

void ReadEveryAttribute(const SmpData& data) {
    ReadPortInfo(data);
    ReadNodeDescription(data);
    ReadNotices(data);
    Rewrite<NodeInfo>(data, NodeInfo::kNodeType, NodeInfo::kNumPorts, NodeInfo::kNodeGuid,
                      NodeInfo::kPortGuid, NodeInfo::kLocalPortNum, NodeInfo::kVendorId);
    Rewrite<SwitchInfo>(data, SwitchInfo::kLinearFdbCap, SwitchInfo::kLinearFdbTop,
                        SwitchInfo::kLifeTimeValue, SwitchInfo::kPortStateChange,
                        SwitchInfo::kEnhancedPort0, SwitchInfo::kMulticastFdbTop);
    Rewrite<SmInfo>(data, SmInfo::kGuid, SmInfo::kSmKey, SmInfo::kPriority, SmInfo::kSmState);
    RewriteRows<GuidInfo>(data, GuidInfo::Row);
    RewriteRows<PKeyTable>(data, PKeyTable::Row);
    RewriteRows<SlToVlMappingTable>(data, SlToVlMappingTable::Row);
    RewriteRows<VlArbitrationTable>(data, VlArbitrationTable::WeightRow);
    RewriteRows<LinearForwardingTable>(data, LinearForwardingTable::Row);
    RewriteRows<MulticastForwardingTable>(data, MulticastForwardingTable::Row);
}

/// A request that passed the edge can be answered, and the answer passes it at home.
void Answer(const Mad& request) {
    Mad reply = ReplyTo(request, kMadStatusInvalidField, DataOf(request));
    Demand(IsResponse(reply.header.method), "a reply is a response");
    Demand(StatusOf(reply.header) == kMadStatusInvalidField, "a reply has the status given");
    if (reply.header.mgmt_class == MgmtClass::kSubnDirected) {
        const int end = request.header.hop_pointer == 0 ? 0 : reply.header.hop_count + 1;
        Demand(reply.header.hop_pointer == end, "a reply starts at its end");
        reply.header.hop_pointer = 0;
    }
    Demand(CheckSmp(reply) == Status::kOk, "a reply passes the edge");
}

}  // namespace
}  // namespace ember

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::array<std::uint8_t, ember::kMadOctets> octets{};
    std::copy_n(data, std::min(size, octets.size()), octets.begin());
    const auto mad = std::bit_cast<ember::Mad>(octets);
    ember::ReadEveryAttribute(ember::DataOf(mad));
    const bool passed = ember::CheckSmp(mad) == ember::Status::kOk;
    if (passed && !ember::IsResponse(mad.header.method)) ember::Answer(mad);
    return 0;
}
