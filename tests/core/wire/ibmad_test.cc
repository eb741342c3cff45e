// SPDX-License-Identifier: Apache-2.0
// EmberSM: every field lies where libibmad, another implementation, reads and writes it.

#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <infiniband/mad.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <type_traits>

#include "core/wire/guid_info.h"
#include "core/wire/node_info.h"
#include "core/wire/notice.h"
#include "core/wire/port_info.h"
#include "core/wire/sm_info.h"
#include "core/wire/smp.h"
#include "core/wire/switch_info.h"

namespace ember {
namespace {

using Octets64 = std::array<std::uint8_t, 64>;

Octets64 AnyOctets() {
    return *rc::gen::container<Octets64>(rc::gen::arbitrary<std::uint8_t>());
}

std::uint64_t TheirGet(Octets64 octets, MAD_FIELDS field, unsigned width) {
    if (width == 64) return mad_get_field64(octets.data(), 0, field);
    return mad_get_field(octets.data(), 0, field);
}

Octets64 TheirSet(Octets64 octets, MAD_FIELDS field, unsigned width, std::uint64_t value) {
    if (width == 64) {
        mad_set_field64(octets.data(), 0, field, value);
    } else {
        mad_set_field(octets.data(), 0, field, static_cast<std::uint32_t>(value));
    }
    return octets;
}

/// Reads the field from random octets and writes a random value into them, both ways.
template <typename Value>
void SameAs(MAD_FIELDS theirs, Field<Value> ours) {
    const Octets64 octets = AnyOctets();
    auto attribute = std::bit_cast<Attribute<64>>(octets);
    RC_ASSERT(static_cast<std::uint64_t>(attribute.Get(ours)) ==
              TheirGet(octets, theirs, ours.width));

    const std::uint64_t value = *rc::gen::arbitrary<std::uint64_t>() & ours.mask();
    attribute.Set(ours, static_cast<Value>(value));
    RC_ASSERT(attribute.octets() == TheirSet(octets, theirs, ours.width, value));
}

RC_GTEST_PROP(Ibmad, NodeInfoHasTheSameFields, ()) {
    using N = NodeInfo;
    SameAs(IB_NODE_BASE_VERS_F, N::kBaseVersion);
    SameAs(IB_NODE_CLASS_VERS_F, N::kClassVersion);
    SameAs(IB_NODE_TYPE_F, N::kNodeType);
    SameAs(IB_NODE_NPORTS_F, N::kNumPorts);
    SameAs(IB_NODE_SYSTEM_GUID_F, N::kSystemImageGuid);
    SameAs(IB_NODE_GUID_F, N::kNodeGuid);
    SameAs(IB_NODE_PORT_GUID_F, N::kPortGuid);
    SameAs(IB_NODE_PARTITION_CAP_F, N::kPartitionCap);
    SameAs(IB_NODE_DEVID_F, N::kDeviceId);
    SameAs(IB_NODE_REVISION_F, N::kRevision);
    SameAs(IB_NODE_LOCAL_PORT_F, N::kLocalPortNum);
    SameAs(IB_NODE_VENDORID_F, N::kVendorId);
}

RC_GTEST_PROP(Ibmad, SwitchInfoHasTheSameFields, ()) {
    using S = SwitchInfo;
    SameAs(IB_SW_LINEAR_FDB_CAP_F, S::kLinearFdbCap);
    SameAs(IB_SW_RANDOM_FDB_CAP_F, S::kRandomFdbCap);
    SameAs(IB_SW_MCAST_FDB_CAP_F, S::kMulticastFdbCap);
    SameAs(IB_SW_LINEAR_FDB_TOP_F, S::kLinearFdbTop);
    SameAs(IB_SW_DEF_PORT_F, S::kDefaultPort);
    SameAs(IB_SW_DEF_MCAST_PRIM_F, S::kDefaultMulticastPrimaryPort);
    SameAs(IB_SW_DEF_MCAST_NOT_PRIM_F, S::kDefaultMulticastNotPrimaryPort);
    SameAs(IB_SW_LIFE_TIME_F, S::kLifeTimeValue);
    SameAs(IB_SW_STATE_CHANGE_F, S::kPortStateChange);
    SameAs(IB_SW_OPT_SLTOVL_MAPPING_F, S::kOptimizedSlToVlMappingProgramming);
    SameAs(IB_SW_LIDS_PER_PORT_F, S::kLidsPerPort);
    SameAs(IB_SW_PARTITION_ENFORCE_CAP_F, S::kPartitionEnforcementCap);
    SameAs(IB_SW_PARTITION_ENF_INB_F, S::kInboundEnforcementCap);
    SameAs(IB_SW_PARTITION_ENF_OUTB_F, S::kOutboundEnforcementCap);
    SameAs(IB_SW_FILTER_RAW_INB_F, S::kFilterRawInboundCap);
    SameAs(IB_SW_FILTER_RAW_OUTB_F, S::kFilterRawOutboundCap);
    SameAs(IB_SW_ENHANCED_PORT0_F, S::kEnhancedPort0);
    SameAs(IB_SW_MCAST_FDB_TOP_F, S::kMulticastFdbTop);
}

RC_GTEST_PROP(Ibmad, PortInfoHasTheSameFields, ()) {
    using P = PortInfo;
    SameAs(IB_PORT_MKEY_F, P::kMKey);
    SameAs(IB_PORT_GID_PREFIX_F, P::kGidPrefix);
    SameAs(IB_PORT_LID_F, P::kLid);
    SameAs(IB_PORT_SMLID_F, P::kMasterSmLid);
    SameAs(IB_PORT_CAPMASK_F, P::kCapabilityMask);
    SameAs(IB_PORT_DIAG_F, P::kDiagCode);
    SameAs(IB_PORT_MKEY_LEASE_F, P::kMKeyLeasePeriod);
    SameAs(IB_PORT_LOCAL_PORT_F, P::kLocalPortNum);
    SameAs(IB_PORT_LINK_WIDTH_ENABLED_F, P::kLinkWidthEnabled);
    SameAs(IB_PORT_LINK_WIDTH_SUPPORTED_F, P::kLinkWidthSupported);
    SameAs(IB_PORT_LINK_WIDTH_ACTIVE_F, P::kLinkWidthActive);
    SameAs(IB_PORT_LINK_SPEED_SUPPORTED_F, P::kLinkSpeedSupported);
    SameAs(IB_PORT_STATE_F, P::kPortState);
    SameAs(IB_PORT_PHYS_STATE_F, P::kPortPhysicalState);
    SameAs(IB_PORT_LINK_DOWN_DEF_F, P::kLinkDownDefaultState);
    SameAs(IB_PORT_MKEY_PROT_BITS_F, P::kMKeyProtectBits);
    SameAs(IB_PORT_LMC_F, P::kLmc);
    SameAs(IB_PORT_LINK_SPEED_ACTIVE_F, P::kLinkSpeedActive);
    SameAs(IB_PORT_LINK_SPEED_ENABLED_F, P::kLinkSpeedEnabled);
    SameAs(IB_PORT_NEIGHBOR_MTU_F, P::kNeighborMtu);
    SameAs(IB_PORT_SMSL_F, P::kMasterSmSl);
    SameAs(IB_PORT_VL_CAP_F, P::kVlCap);
    SameAs(IB_PORT_INIT_TYPE_F, P::kInitType);
    SameAs(IB_PORT_VL_HIGH_LIMIT_F, P::kVlHighLimit);
    SameAs(IB_PORT_VL_ARBITRATION_HIGH_CAP_F, P::kVlArbitrationHighCap);
    SameAs(IB_PORT_VL_ARBITRATION_LOW_CAP_F, P::kVlArbitrationLowCap);
    SameAs(IB_PORT_INIT_TYPE_REPLY_F, P::kInitTypeReply);
    SameAs(IB_PORT_MTU_CAP_F, P::kMtuCap);
    SameAs(IB_PORT_VL_STALL_COUNT_F, P::kVlStallCount);
    SameAs(IB_PORT_HOQ_LIFE_F, P::kHoqLife);
    SameAs(IB_PORT_OPER_VLS_F, P::kOperationalVls);
    SameAs(IB_PORT_PART_EN_INB_F, P::kPartitionEnforcementInbound);
    SameAs(IB_PORT_PART_EN_OUTB_F, P::kPartitionEnforcementOutbound);
    SameAs(IB_PORT_FILTER_RAW_INB_F, P::kFilterRawInbound);
    SameAs(IB_PORT_FILTER_RAW_OUTB_F, P::kFilterRawOutbound);
    SameAs(IB_PORT_MKEY_VIOL_F, P::kMKeyViolations);
    SameAs(IB_PORT_PKEY_VIOL_F, P::kPKeyViolations);
    SameAs(IB_PORT_QKEY_VIOL_F, P::kQKeyViolations);
    SameAs(IB_PORT_GUID_CAP_F, P::kGuidCap);
    SameAs(IB_PORT_CLIENT_REREG_F, P::kClientReregister);
    SameAs(IB_PORT_MCAST_PKEY_SUPR_ENAB_F, P::kMulticastPKeyTrapSuppressionEnabled);
    SameAs(IB_PORT_SUBN_TIMEOUT_F, P::kSubnetTimeOut);
    SameAs(IB_PORT_RESP_TIME_VAL_F, P::kRespTimeValue);
    SameAs(IB_PORT_LOCAL_PHYS_ERR_F, P::kLocalPhyErrors);
    SameAs(IB_PORT_OVERRUN_ERR_F, P::kOverrunErrors);
    SameAs(IB_PORT_MAX_CREDIT_HINT_F, P::kMaxCreditHint);
    SameAs(IB_PORT_LINK_ROUND_TRIP_F, P::kLinkRoundTripLatency);
    SameAs(IB_PORT_CAPMASK2_F, P::kCapabilityMask2);
    SameAs(IB_PORT_LINK_SPEED_EXT_ACTIVE_F, P::kLinkSpeedExtActive);
    SameAs(IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, P::kLinkSpeedExtSupported);
    SameAs(IB_PORT_LINK_SPEED_EXT_ENABLED_F, P::kLinkSpeedExtEnabled);
}

RC_GTEST_PROP(Ibmad, SmInfoHasTheSameFields, ()) {
    using S = SmInfo;
    SameAs(IB_SMINFO_GUID_F, S::kGuid);
    SameAs(IB_SMINFO_KEY_F, S::kSmKey);
    SameAs(IB_SMINFO_ACT_F, S::kActCount);
    SameAs(IB_SMINFO_PRIO_F, S::kPriority);
    SameAs(IB_SMINFO_STATE_F, S::kSmState);
}

RC_GTEST_PROP(Ibmad, NoticeHasTheSameFields, ()) {
    using N = Notice;
    SameAs(IB_NOTICE_IS_GENERIC_F, N::kIsGeneric);
    SameAs(IB_NOTICE_TYPE_F, N::kType);
    SameAs(IB_NOTICE_PRODUCER_F, N::kProducerType);
    SameAs(IB_NOTICE_TRAP_NUMBER_F, N::kTrapNumber);
    SameAs(IB_NOTICE_ISSUER_LID_F, N::kIssuerLid);
    SameAs(IB_NOTICE_TOGGLE_F, N::kNoticeToggle);
    SameAs(IB_NOTICE_COUNT_F, N::kNoticeCount);
    SameAs(IB_NOTICE_DATA_LID_F, LinkStateNotice::kLidAddr);
    SameAs(IB_NOTICE_DATA_144_LID_F, LocalChangesNotice::kLidAddr);
    SameAs(IB_NOTICE_DATA_144_CAPMASK_F, LocalChangesNotice::kCapabilityMask);
}

RC_GTEST_PROP(Ibmad, GuidInfoHasTheSameFields, ()) {
    for (unsigned i = 0; i < GuidInfo::kEntries; ++i) {
        SameAs(static_cast<MAD_FIELDS>(IB_GI_GUID0_F + i), GuidInfo::Row(i));
    }
}

TEST(Ibmad, ReadsTheHeadersOfOurRequests) {
    DirectedPath path;
    path.hops = 3;
    path.ports = {1, 7, 36};
    const SmpRequest request{.method = Method::kSet,
                             .attribute = AttributeId::kPortInfo,
                             .modifier = 0x12345678,
                             .m_key = 0x1122334455667788,
                             .id = TransactionId{0xA1B2C3D4E5F60718}};
    Mad mad = MakeDirected(request, path);
    EXPECT_EQ(mad_get_field(&mad, 0, IB_MAD_BASEVER_F), 1U);
    EXPECT_EQ(mad_get_field(&mad, 0, IB_MAD_MGMTCLASS_F), unsigned{IB_SMI_DIRECT_CLASS});
    EXPECT_EQ(mad_get_field(&mad, 0, IB_MAD_CLASSVER_F), 1U);
    EXPECT_EQ(mad_get_field(&mad, 0, IB_MAD_METHOD_F), unsigned{IB_MAD_METHOD_SET});
    EXPECT_EQ(mad_get_field(&mad, 0, IB_MAD_RESPONSE_F), 0U);
    EXPECT_EQ(mad_get_field(&mad, 0, IB_DRSMP_HOPCNT_F), 3U);
    EXPECT_EQ(mad_get_field(&mad, 0, IB_DRSMP_HOPPTR_F), 0U);
    EXPECT_EQ(mad_get_field64(&mad, 0, IB_MAD_TRID_F), 0xA1B2C3D4E5F60718U);
    EXPECT_EQ(mad_get_field(&mad, 0, IB_MAD_ATTRID_F), unsigned{IB_ATTR_PORT_INFO});
    EXPECT_EQ(mad_get_field(&mad, 0, IB_MAD_ATTRMOD_F), 0x12345678U);
    EXPECT_EQ(mad_get_field64(&mad, 0, IB_MAD_MKEY_F), 0x1122334455667788U);
    EXPECT_EQ(mad_get_field(&mad, 0, IB_DRSMP_DRDLID_F), 0xFFFFU);
    EXPECT_EQ(mad_get_field(&mad, 0, IB_DRSMP_DRSLID_F), 0xFFFFU);
    Octets64 initial_path{};
    mad_get_array(&mad, 0, IB_DRSMP_PATH_F, initial_path.data());
    EXPECT_EQ(initial_path, (Octets64{0, 1, 7, 36}));
}

TEST(Ibmad, ReadsTheDirectionOfOurReplies) {
    const Mad request = MakeDirected({.attribute = AttributeId::kSmInfo}, DirectedPath{});
    Mad reply = ReplyTo(request, kMadStatusInvalidField, SmpData{});
    EXPECT_EQ(mad_get_field(&reply, 0, IB_MAD_RESPONSE_F), 1U);
    EXPECT_EQ(mad_get_field(&reply, 0, IB_DRSMP_DIRECTION_F), 1U);
    EXPECT_EQ(mad_get_field(&reply, 0, IB_DRSMP_STATUS_F), kMadStatusInvalidField);
}

}  // namespace
}  // namespace ember
