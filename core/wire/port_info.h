// SPDX-License-Identifier: Apache-2.0
// EmberSM: PortInfo: the state, capabilities and settings of a port.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/wire/attribute.h"

namespace ember {

// clang-format off
/// PortInfo:PortState. kNoChange is for Set only; a port never reports it.
enum class PortState : std::uint8_t {
    kNoChange = 0, kDown = 1, kInitialize = 2, kArmed = 3, kActive = 4,
};

/// PortInfo:PortPhysicalState. kNoChange is for Set only.
enum class PortPhysicalState : std::uint8_t {
    kNoChange = 0, kSleep = 1, kPolling = 2, kDisabled = 3, kPortConfigurationTraining = 4,
    kLinkUp = 5, kLinkErrorRecovery = 6, kPhyTest = 7,
};

/// PortInfo:LinkDownDefaultState.
enum class LinkDownDefaultState : std::uint8_t { kNoChange = 0, kSleep = 1, kPolling = 2 };

/// The codes of NeighborMTU and MTUCap (and of path and group records), which order by size.
enum class Mtu : std::uint8_t { kNone = 0, k256 = 1, k512 = 2, k1024 = 3, k2048 = 4, k4096 = 5 };

/// The codes of VLCap and OperationalVLs, which order by count; kNoChange is for Set only.
enum class VlCap : std::uint8_t {
    kNoChange = 0, kVl0 = 1, kVl0To1 = 2, kVl0To3 = 3, kVl0To7 = 4, kVl0To14 = 5,
};
/// The number of data VLs of a code: 1, 2, 4, 8 or 15; 0 for any other code.
[[nodiscard]] constexpr std::uint8_t DataVls(VlCap code) {
    constexpr std::uint8_t kCounts[] = {0, 1, 2, 4, 8, 15};
    return code <= VlCap::kVl0To14 ? kCounts[Raw(code)] : std::uint8_t{0};
}

/// LinkWidthActive; the bits of LinkWidthSupported and LinkWidthEnabled too.
namespace link_width {
inline constexpr std::uint8_t kNoChange = 0x00;    ///< LinkWidthEnabled, Set.
inline constexpr std::uint8_t k1x       = 0x01;
inline constexpr std::uint8_t k4x       = 0x02;
inline constexpr std::uint8_t k8x       = 0x04;
inline constexpr std::uint8_t k12x      = 0x08;
inline constexpr std::uint8_t k2x       = 0x10;    ///< With IsLinkWidth2xSupported.
inline constexpr std::uint8_t kSupported = 0xFF;   ///< LinkWidthEnabled, Set: all that is supported.
}  // namespace link_width

/// LinkSpeedActive; the bits of LinkSpeedSupported and LinkSpeedEnabled too.
namespace link_speed {
inline constexpr std::uint8_t kExtended  = 0x0;    ///< Look at LinkSpeedExtActive.
inline constexpr std::uint8_t kNoChange  = 0x0;    ///< LinkSpeedEnabled, Set.
inline constexpr std::uint8_t kSdr       = 0x1;    ///< 2.5 Gb/s a lane
inline constexpr std::uint8_t kDdr       = 0x2;    ///< 5 Gb/s
inline constexpr std::uint8_t kQdr       = 0x4;    ///< 10 Gb/s
inline constexpr std::uint8_t kSupported = 0xF;    ///< LinkSpeedEnabled, Set: all that is supported.
}  // namespace link_speed

/// LinkSpeedExtActive; the bits of LinkSpeedExtSupported and LinkSpeedExtEnabled too. 0: none.
namespace link_speed_ext {
inline constexpr std::uint8_t kNone      = 0x00;
inline constexpr std::uint8_t kNoChange  = 0x00;   ///< LinkSpeedExtEnabled, Set.
inline constexpr std::uint8_t kFdr       = 0x01;   ///< 14.0625 Gb/s a lane
inline constexpr std::uint8_t kEdr       = 0x02;   ///< 25.78125 Gb/s
inline constexpr std::uint8_t kHdr       = 0x04;   ///< 53.125 Gb/s
inline constexpr std::uint8_t kNdr       = 0x08;   ///< 106.25 Gb/s
inline constexpr std::uint8_t kSupported = 0x1F;   ///< LinkSpeedExtEnabled, Set: all supported.
}  // namespace link_speed_ext

/// LinkSpeedExtActive2; the bits of the Supported2 and Enabled2 fields too. 0: none. Valid with
/// kIsExtendedSpeeds2Supported.
namespace link_speed_ext2 {
inline constexpr std::uint8_t kNone      = 0x0;
inline constexpr std::uint8_t kXdr       = 0x1;    ///< 212.5 Gb/s a lane
}  // namespace link_speed_ext2

/// The bits of PortInfo:CapabilityMask. IBA vol. 1, 14.2.5.6.
namespace capability_mask {
inline constexpr std::uint32_t kIsSm                                 = 1U << 1U;
inline constexpr std::uint32_t kIsNoticeSupported                    = 1U << 2U;
inline constexpr std::uint32_t kIsTrapSupported                      = 1U << 3U;
inline constexpr std::uint32_t kIsOptionalIpdSupported               = 1U << 4U;
inline constexpr std::uint32_t kIsAutomaticMigrationSupported        = 1U << 5U;
inline constexpr std::uint32_t kIsSlMappingSupported                 = 1U << 6U;
inline constexpr std::uint32_t kIsMKeyNvram                          = 1U << 7U;
inline constexpr std::uint32_t kIsPKeyNvram                          = 1U << 8U;
inline constexpr std::uint32_t kIsLedInfoSupported                   = 1U << 9U;
inline constexpr std::uint32_t kIsSmDisabled                         = 1U << 10U;
inline constexpr std::uint32_t kIsSystemImageGuidSupported           = 1U << 11U;
inline constexpr std::uint32_t kIsPKeySwitchExternalPortTrapSupported = 1U << 12U;
inline constexpr std::uint32_t kIsExtendedSpeedsSupported            = 1U << 14U;
inline constexpr std::uint32_t kIsCapabilityMask2Supported           = 1U << 15U;
inline constexpr std::uint32_t kIsCommunicationManagementSupported   = 1U << 16U;
inline constexpr std::uint32_t kIsSnmpTunnelingSupported             = 1U << 17U;
inline constexpr std::uint32_t kIsReinitSupported                    = 1U << 18U;
inline constexpr std::uint32_t kIsDeviceManagementSupported          = 1U << 19U;
inline constexpr std::uint32_t kIsVendorClassSupported               = 1U << 20U;
inline constexpr std::uint32_t kIsDrNoticeSupported                  = 1U << 21U;
inline constexpr std::uint32_t kIsCapabilityMaskNoticeSupported      = 1U << 22U;
inline constexpr std::uint32_t kIsBootManagementSupported            = 1U << 23U;
inline constexpr std::uint32_t kIsLinkRoundTripLatencySupported      = 1U << 24U;
inline constexpr std::uint32_t kIsClientReregistrationSupported      = 1U << 25U;
inline constexpr std::uint32_t kIsOtherLocalChangesNoticeSupported   = 1U << 26U;
inline constexpr std::uint32_t kIsLinkSpeedWidthPairsTableSupported  = 1U << 27U;
inline constexpr std::uint32_t kIsVendorSpecificMadsTableSupported   = 1U << 28U;
inline constexpr std::uint32_t kIsMulticastPKeyTrapSuppressionSupported = 1U << 29U;
inline constexpr std::uint32_t kIsMulticastFdbTopSupported           = 1U << 30U;
inline constexpr std::uint32_t kIsHierarchyInfoSupported             = 1U << 31U;
}  // namespace capability_mask

/// The bits of PortInfo:CapabilityMask2, valid with kIsCapabilityMask2Supported.
namespace capability_mask2 {
inline constexpr std::uint16_t kIsSetNodeDescriptionSupported        = 1U << 0U;
inline constexpr std::uint16_t kIsPortInfoExtendedSupported          = 1U << 1U;
inline constexpr std::uint16_t kIsVirtualizationSupported            = 1U << 2U;
inline constexpr std::uint16_t kIsSwitchPortStateTableSupported      = 1U << 3U;
inline constexpr std::uint16_t kIsLinkWidth2xSupported               = 1U << 4U;
inline constexpr std::uint16_t kIsLinkSpeedHdrSupported              = 1U << 5U;
inline constexpr std::uint16_t kIsLinkSpeedNdrSupported              = 1U << 10U;
inline constexpr std::uint16_t kIsExtendedSpeeds2Supported           = 1U << 11U;
inline constexpr std::uint16_t kIsLinkSpeedXdrSupported              = 1U << 12U;
}  // namespace capability_mask2

/// PortInfo. IBA vol. 1, 14.2.5.6. The AttributeModifier names the port at a switch (0: its own
/// management port) and at a channel adapter (0: the port the request came in through).
///
/// A Set writes every writable field, so it is made from the PortInfo that was read last. Fields
/// whose zero means "no change" have that value in their enumeration.
class PortInfo : public Attribute<64> {
public:
    static constexpr Field<std::uint64_t>        kMKey                        {  0, 64};
    static constexpr Field<std::uint64_t>        kGidPrefix                   { 64, 64};
    static constexpr Field<Lid>                  kLid                         {128, 16};
    static constexpr Field<Lid>                  kMasterSmLid                 {144, 16};
    static constexpr Field<std::uint32_t>        kCapabilityMask              {160, 32};
    static constexpr Field<std::uint16_t>        kDiagCode                    {192, 16};
    static constexpr Field<std::uint16_t>        kMKeyLeasePeriod             {208, 16};
    static constexpr Field<PortNumber>           kLocalPortNum                {224,  8};
    static constexpr Field<std::uint8_t>         kLinkWidthEnabled            {232,  8};
    static constexpr Field<std::uint8_t>         kLinkWidthSupported          {240,  8};
    static constexpr Field<std::uint8_t>         kLinkWidthActive             {248,  8};
    static constexpr Field<std::uint8_t>         kLinkSpeedSupported          {256,  4};
    static constexpr Field<PortState>            kPortState                   {260,  4};
    static constexpr Field<PortPhysicalState>    kPortPhysicalState           {264,  4};
    static constexpr Field<LinkDownDefaultState> kLinkDownDefaultState        {268,  4};
    static constexpr Field<std::uint8_t>         kMKeyProtectBits             {272,  2};
    static constexpr Field<std::uint8_t>         kReserved274                 {274,  3};
    static constexpr Field<std::uint8_t>         kLmc                         {277,  3};
    static constexpr Field<std::uint8_t>         kLinkSpeedActive             {280,  4};
    static constexpr Field<std::uint8_t>         kLinkSpeedEnabled            {284,  4};
    static constexpr Field<Mtu>                  kNeighborMtu                 {288,  4};
    static constexpr Field<std::uint8_t>         kMasterSmSl                  {292,  4};
    static constexpr Field<VlCap>                kVlCap                       {296,  4};
    static constexpr Field<std::uint8_t>         kInitType                    {300,  4};
    static constexpr Field<std::uint8_t>         kVlHighLimit                 {304,  8};
    static constexpr Field<std::uint8_t>         kVlArbitrationHighCap        {312,  8};
    static constexpr Field<std::uint8_t>         kVlArbitrationLowCap         {320,  8};
    static constexpr Field<std::uint8_t>         kInitTypeReply               {328,  4};
    static constexpr Field<Mtu>                  kMtuCap                      {332,  4};
    static constexpr Field<std::uint8_t>         kVlStallCount                {336,  3};
    static constexpr Field<std::uint8_t>         kHoqLife                     {339,  5};
    static constexpr Field<VlCap>                kOperationalVls              {344,  4};
    static constexpr Field<std::uint8_t>         kPartitionEnforcement        {348,  2};  // Both.
    static constexpr Field<std::uint8_t>         kPartitionEnforcementInbound {348,  1};
    static constexpr Field<std::uint8_t>         kPartitionEnforcementOutbound{349,  1};
    static constexpr Field<std::uint8_t>         kFilterRawInbound            {350,  1};
    static constexpr Field<std::uint8_t>         kFilterRawOutbound           {351,  1};
    static constexpr Field<std::uint16_t>        kMKeyViolations              {352, 16};
    static constexpr Field<std::uint16_t>        kPKeyViolations              {368, 16};
    static constexpr Field<std::uint16_t>        kQKeyViolations              {384, 16};
    static constexpr Field<std::uint8_t>         kGuidCap                     {400,  8};
    static constexpr Field<std::uint8_t>         kClientReregister            {408,  1};
    static constexpr Field<std::uint8_t> kMulticastPKeyTrapSuppressionEnabled {409,  2};
    static constexpr Field<std::uint8_t>         kSubnetTimeOut               {411,  5};
    static constexpr Field<std::uint8_t>         kReserved416                 {416,  3};
    static constexpr Field<std::uint8_t>         kRespTimeValue               {419,  5};
    static constexpr Field<std::uint8_t>         kLocalPhyErrors              {424,  4};
    static constexpr Field<std::uint8_t>         kOverrunErrors               {428,  4};
    static constexpr Field<std::uint16_t>        kMaxCreditHint               {432, 16};
    static constexpr Field<std::uint8_t>         kReserved448                 {448,  1};
    static constexpr Field<std::uint8_t>         kLinkSpeedExtActive2         {449,  2};
    static constexpr Field<std::uint8_t>         kLinkSpeedExtSupported2      {451,  2};
    static constexpr Field<std::uint8_t>         kLinkSpeedExtEnabled2        {453,  3};
    static constexpr Field<std::uint32_t>        kLinkRoundTripLatency        {456, 24};
    static constexpr Field<std::uint16_t>        kCapabilityMask2             {480, 16};
    static constexpr Field<std::uint8_t>         kLinkSpeedExtActive          {496,  4};
    static constexpr Field<std::uint8_t>         kLinkSpeedExtSupported       {500,  4};
    static constexpr Field<std::uint8_t>         kReserved504                 {504,  3};
    static constexpr Field<std::uint8_t>         kLinkSpeedExtEnabled         {507,  5};
};
// clang-format on

/// In the AttributeModifier of a PortInfo: asks for the fields of the extended speeds.
/// IBA vol. 1, 14.2.5.6.
inline constexpr std::uint32_t kExtendedSpeedsModifier = 1U << 31U;

/// True when the PortInfo of an end port says that the ports of its node know the extended speeds.
/// A PortInfo of such a port is read and written with kExtendedSpeedsModifier.
[[nodiscard]] constexpr bool SpeaksExtendedSpeeds(const PortInfo& info) {
    return (info.Get(PortInfo::kCapabilityMask) & capability_mask::kIsExtendedSpeedsSupported) != 0;
}

/// True when the port's link is trained, so that a port answers at its other end.
[[nodiscard]] constexpr bool HasLink(const PortInfo& info) {
    const PortState state = info.Get(PortInfo::kPortState);
    return state == PortState::kInitialize || state == PortState::kArmed ||
           state == PortState::kActive;
}

}  // namespace ember
