// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof that the rows of every attribute and record leave no gap and do not overlap.
#include "core/wire/class_port_info.h"
#include "core/wire/guid_info.h"
#include "core/wire/guid_info_record.h"
#include "core/wire/inform_info.h"
#include "core/wire/linear_forwarding_table.h"
#include "core/wire/link_record.h"
#include "core/wire/mc_member_record.h"
#include "core/wire/multi_path_record.h"
#include "core/wire/multicast_forwarding_table.h"
#include "core/wire/node_info.h"
#include "core/wire/notice.h"
#include "core/wire/p_key_table.h"
#include "core/wire/path_record.h"
#include "core/wire/port_info.h"
#include "core/wire/port_info_record.h"
#include "core/wire/service_record.h"
#include "core/wire/sl_to_vl_mapping_table.h"
#include "core/wire/sm_info.h"
#include "core/wire/switch_info.h"
#include "core/wire/vl_arbitration_table.h"

namespace ember {
namespace {

// A class is derived from each attribute for its proof alone, so that the rows need no prefix. The
// rows stand in the order of the printed table.

// clang-format off
// Attributes of subnet management, and ClassPortInfo.
struct ClassPortInfoRows : ClassPortInfo {
    static_assert(Tiles<ClassPortInfo>({
        kBaseVersion, kClassVersion, kCapabilityMask, kCapabilityMask2, kRespTimeValue,
        kRedirectGidPrefix, kRedirectGidGuid, kRedirectTc, kRedirectSl, kRedirectFl, kRedirectLid,
        kRedirectPKey, kReserved256, kRedirectQp, kRedirectQKey, kTrapGidPrefix, kTrapGidGuid,
        kTrapTc, kTrapSl, kTrapFl, kTrapLid, kTrapPKey, kTrapHl, kTrapQp, kTrapQKey}));
};

struct GuidInfoRows : GuidInfo {
    static_assert(RowsTile<kEntries>(0, 512, Row));
};

struct LinearForwardingTableRows : LinearForwardingTable {
    static_assert(RowsTile<kEntries>(0, 512, Row));
};

struct MulticastForwardingTableRows : MulticastForwardingTable {
    static_assert(RowsTile<kEntries>(0, 512, Row));
};

struct NodeInfoRows : NodeInfo {
    static_assert(Tiles<NodeInfo>({
        kBaseVersion, kClassVersion, kNodeType, kNumPorts, kSystemImageGuid, kNodeGuid, kPortGuid,
        kPartitionCap, kDeviceId, kRevision, kLocalPortNum, kVendorId, kReserved320}));
};

struct NoticeRows : Notice {
    static_assert(Tiles<Notice>({
        kIsGeneric, kType, kProducerType, kTrapNumber, kIssuerLid, kNoticeToggle, kNoticeCount,
        kDataDetails0, kDataDetails8}));
    // A generic notice and a vendor's name the same bits differently.
    static_assert(kVendorId.bit == kProducerType.bit);
    static_assert(kVendorId.width == kProducerType.width);
    static_assert(kDeviceId.bit == kTrapNumber.bit);
    static_assert(kDeviceId.width == kTrapNumber.width);
};

struct GidNoticeRows : GidNotice {
    static_assert(Tiles<GidNotice>({kReserved80, kGidPrefix, kGidGuid, kReserved256}, 80));
};

struct LinkStateNoticeRows : LinkStateNotice {
    static_assert(Tiles<LinkStateNotice>({kLidAddr, kReserved96}, 80));
};

struct PortErrorNoticeRows : PortErrorNotice {
    static_assert(Tiles<PortErrorNotice>({kReserved80, kLidAddr, kPortNo, kReserved120}, 80));
};

struct LocalChangesNoticeRows : LocalChangesNotice {
    static_assert(Tiles<LocalChangesNotice>({
        kReserved80, kLidAddr, kReserved112, kReserved120, kOtherLocalChanges, kCapabilityMask,
        kReserved160, kSmPriorityChange, kLinkSpeedEnabledChange, kLinkWidthEnabledChange,
        kNodeDescriptionChange, kCapabilityMask2, kReserved192}, 80));
};

struct SystemImageGuidNoticeRows : SystemImageGuidNotice {
    static_assert(Tiles<SystemImageGuidNotice>({
        kReserved80, kLidAddr, kReserved112, kSystemImageGuid, kReserved192}, 80));
};

struct MKeyNoticeRows : MKeyNotice {
    static_assert(Tiles<MKeyNotice>({
        kReserved80, kLidAddr, kDrSlid, kMethod, kReserved136, kAttributeId, kAttributeModifier,
        kMKey, kReserved256, kDrNotice, kDrPathTruncated, kDrHopCount,
        kDrNoticeReturnPath}, 80));
};

struct KeyNoticeRows : KeyNotice {
    static_assert(Tiles<KeyNotice>({
        kReserved80, kLidAddr1, kLidAddr2, kKey, kSl, kReserved164, kQp1, kReserved192, kQp2,
        kGidPrefix1, kGidGuid1, kGidPrefix2, kGidGuid2, kReserved480}, 80));
};

struct SwitchPKeyNoticeRows : SwitchPKeyNotice {
    static_assert(Tiles<SwitchPKeyNotice>({
        kDataValid, kLidAddr1, kLidAddr2, kPKey, kSl, kReserved148, kQp1, kReserved176, kQp2,
        kGidPrefix1, kGidGuid1, kGidPrefix2, kGidGuid2, kSwLidAddr, kPortNo, kReserved488}, 80));
};

struct PKeyTableRows : PKeyTable {
    static_assert(RowsTile<kEntries>(0, 512, Row));
};

struct PortInfoRows : PortInfo {
    static_assert(Tiles<PortInfo>({
        kMKey, kGidPrefix, kLid, kMasterSmLid, kCapabilityMask, kDiagCode, kMKeyLeasePeriod,
        kLocalPortNum, kLinkWidthEnabled, kLinkWidthSupported, kLinkWidthActive,
        kLinkSpeedSupported, kPortState, kPortPhysicalState, kLinkDownDefaultState,
        kMKeyProtectBits, kReserved274, kLmc, kLinkSpeedActive, kLinkSpeedEnabled, kNeighborMtu,
        kMasterSmSl, kVlCap, kInitType, kVlHighLimit, kVlArbitrationHighCap, kVlArbitrationLowCap,
        kInitTypeReply, kMtuCap, kVlStallCount, kHoqLife, kOperationalVls,
        kPartitionEnforcementInbound, kPartitionEnforcementOutbound, kFilterRawInbound,
        kFilterRawOutbound, kMKeyViolations, kPKeyViolations, kQKeyViolations, kGuidCap,
        kClientReregister, kMulticastPKeyTrapSuppressionEnabled, kSubnetTimeOut, kReserved416,
        kRespTimeValue, kLocalPhyErrors, kOverrunErrors, kMaxCreditHint, kReserved448,
        kLinkSpeedExtActive2, kLinkSpeedExtSupported2, kLinkSpeedExtEnabled2, kLinkRoundTripLatency,
        kCapabilityMask2, kLinkSpeedExtActive, kLinkSpeedExtSupported, kReserved504,
        kLinkSpeedExtEnabled}));
};

struct SlToVlMappingTableRows : SlToVlMappingTable {
    static_assert(Tiles<SlToVlMappingTable>({Extent{0, 64}, kReserved64}));
    static_assert(RowsTile<kEntries>(0, 64, Row));
};

struct SmInfoRows : SmInfo {
    static_assert(Tiles<SmInfo>({kGuid, kSmKey, kActCount, kPriority, kSmState, kReserved168}));
};

struct SwitchInfoRows : SwitchInfo {
    static_assert(Tiles<SwitchInfo>({
        kLinearFdbCap, kRandomFdbCap, kMulticastFdbCap, kLinearFdbTop, kDefaultPort,
        kDefaultMulticastPrimaryPort, kDefaultMulticastNotPrimaryPort, kLifeTimeValue,
        kPortStateChange, kOptimizedSlToVlMappingProgramming, kLidsPerPort,
        kPartitionEnforcementCap, kInboundEnforcementCap, kOutboundEnforcementCap,
        kFilterRawInboundCap, kFilterRawOutboundCap, kEnhancedPort0, kReserved133, kReserved136,
        kMulticastFdbTop, kReserved160}));
};

/// Entry after entry of a VLArbitrationTable: reserved bits, VL, weight.
consteval Extent ThirdOfEntry(std::size_t third) {
    if (third % 3 == 0) return VlArbitrationTable::ReservedRow(third / 3);
    if (third % 3 == 1) return VlArbitrationTable::VlRow(third / 3);
    return VlArbitrationTable::WeightRow(third / 3);
}
static_assert(RowsTile<3 * VlArbitrationTable::kEntries>(0, 512, ThirdOfEntry));

// Records and attributes of subnet administration.
struct GuidInfoRecordRows : GuidInfoRecord {
    static_assert(Tiles<GuidInfoRecord>({kLid, kBlockNum, kReserved24, kReserved32, kTable}));
};

struct InformInfoRows : InformInfo {
    static_assert(Tiles<InformInfo>({
        kGidHigh, kGidLow, kLidRangeBegin, kLidRangeEnd, kReserved160, kIsGeneric, kSubscribe,
        kType, kTrapNumber, kQpn, kReserved248, kRespTimeValue, kReserved256, kProducerType,
        kReserved288}));
};

struct InformInfoRecordRows : InformInfoRecord {
    static_assert(Tiles<InformInfoRecord>({
        kSubscriberGidHigh, kSubscriberGidLow, kSubscriberEnum, kReserved144, kInformInfo}));
};

struct ReportedNoticeRows : ReportedNotice {
    static_assert(Tiles<ReportedNotice>({kNotice, kIssuerGidHigh, kIssuerGidLow}));
};

struct LinearForwardingTableRecordRows : LinearForwardingTableRecord {
    static_assert(Tiles<LinearForwardingTableRecord>({kLid, kBlockNum, kReserved32, kTable}));
};

struct LinkRecordRows : LinkRecord {
    static_assert(Tiles<LinkRecord>({kFromLid, kFromPort, kToPort, kToLid, kReserved48}));
};

struct McMemberRecordRows : McMemberRecord {
    static_assert(Tiles<McMemberRecord>({
        kMgidHigh, kMgidLow, kPortGidPrefix, kPortGidGuid, kQKey, kMlid, kMtuSelector, kMtu,
        kTClass, kPKey, kRateSelector, kRate, kPacketLifeTimeSelector, kPacketLifeTime, kSl,
        kFlowLabel, kHopLimit, kScope, kJoinState, kProxyJoin, kReserved393, kReserved416}));
};

struct MultiPathRecordRows : MultiPathRecord {
    static_assert(Tiles<MultiPathRecord>({
        kRawTraffic, kReserved1, kFlowLabel, kHopLimit, kTClass, kReversible, kNumbPath, kPKey,
        kQosClass, kSl, kMtuSelector, kMtu, kRateSelector, kRate, kPacketLifeTimeSelector,
        kPacketLifeTime, kServiceIdHigh, kIndependenceSelector, kReserved114, kSgidCount,
        kDgidCount, kServiceIdLow}));
};

struct MulticastForwardingTableRecordRows : MulticastForwardingTableRecord {
    static_assert(Tiles<MulticastForwardingTableRecord>({
        kLid, kPosition, kReserved20, kBlockNum, kReserved32, kTable}));
};

struct NodeRecordRows : NodeRecord {
    static_assert(Tiles<NodeRecord>({kLid, kReserved16, kNodeInfo, kNodeDescription, kPadding864}));
};

struct PKeyTableRecordRows : PKeyTableRecord {
    static_assert(Tiles<PKeyTableRecord>({kLid, kBlockNum, kPortNum, kReserved40, kTable}));
};

struct PathRecordRows : PathRecord {
    static_assert(Tiles<PathRecord>({
        kServiceId, kDgidPrefix, kDgidGuid, kSgidPrefix, kSgidGuid, kDlid, kSlid, kRawTraffic,
        kReserved353, kFlowLabel, kHopLimit, kTClass, kReversible, kNumbPath, kPKey, kQosClass, kSl,
        kMtuSelector, kMtu, kRateSelector, kRate, kPacketLifeTimeSelector, kPacketLifeTime,
        kPreference, kReserved464}));
};

struct PortInfoRecordRows : PortInfoRecord {
    static_assert(Tiles<PortInfoRecord>({kLid, kPortNum, kOptions, kPortInfo, kPadding544}));
};

struct ServiceRecordRows : ServiceRecord {
    static_assert(Tiles<ServiceRecord>({
        kServiceId, kServiceGidHigh, kServiceGidLow, kServicePKey, kReserved208, kServiceLease,
        kServiceKey, kServiceName, kServiceData8, kServiceData16, kServiceData32, kServiceData64}));
    // The last word of data ends with the record, and each kind begins where its part does.
    static_assert(kComponents.back().bit + kComponents.back().width == 1408);
    static_assert(kComponents[kHasServiceData16].bit == kServiceData16.bit);
    static_assert(kComponents[kHasServiceData32].bit == kServiceData32.bit);
    static_assert(kComponents[kHasServiceData64].bit == kServiceData64.bit);
};

struct SlToVlMappingTableRecordRows : SlToVlMappingTableRecord {
    static_assert(Tiles<SlToVlMappingTableRecord>({
        kLid, kInputPort, kOutputPort, kReserved32, kTable}));
};

struct SmInfoRecordRows : SmInfoRecord {
    static_assert(Tiles<SmInfoRecord>({kLid, kReserved16, kSmInfo, kPadding200}));
};

struct SwitchInfoRecordRows : SwitchInfoRecord {
    static_assert(Tiles<SwitchInfoRecord>({kLid, kReserved16, kSwitchInfo}));
};

struct VlArbitrationTableRecordRows : VlArbitrationTableRecord {
    static_assert(Tiles<VlArbitrationTableRecord>({
        kLid, kOutputPort, kBlockNum, kReserved32, kTable}));
};
// clang-format on

}  // namespace
}  // namespace ember
