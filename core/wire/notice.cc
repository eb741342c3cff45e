// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rows of every kind of Notice leave no gap.
#include "core/wire/notice.h"

namespace ember {

static_assert(Tiles(512,
                    {Notice::kIsGeneric, Notice::kType, Notice::kProducerType, Notice::kTrapNumber,
                     Notice::kIssuerLid, Notice::kNoticeToggle, Notice::kNoticeCount,
                     Notice::kDataDetails0, Notice::kDataDetails8, Notice::kDataDetails16,
                     Notice::kDataDetails24, Notice::kDataDetails32, Notice::kDataDetails40,
                     Notice::kDataDetails48}));
static_assert(Notice::kVendorId.bit == Notice::kProducerType.bit);
static_assert(Notice::kVendorId.width == Notice::kProducerType.width);
static_assert(Notice::kDeviceId.bit == Notice::kTrapNumber.bit);
static_assert(Notice::kDeviceId.width == Notice::kTrapNumber.width);

static_assert(Tiles(512,
                    {GidNotice::kIsGeneric, GidNotice::kType, GidNotice::kProducerType,
                     GidNotice::kTrapNumber, GidNotice::kIssuerLid, GidNotice::kNoticeToggle,
                     GidNotice::kNoticeCount, GidNotice::kReserved80, GidNotice::kGidPrefix,
                     GidNotice::kGidGuid, GidNotice::kReserved256, GidNotice::kReserved320,
                     GidNotice::kReserved384, GidNotice::kReserved448}));

static_assert(Tiles(
    512,
    {LinkStateNotice::kIsGeneric, LinkStateNotice::kType, LinkStateNotice::kProducerType,
     LinkStateNotice::kTrapNumber, LinkStateNotice::kIssuerLid, LinkStateNotice::kNoticeToggle,
     LinkStateNotice::kNoticeCount, LinkStateNotice::kLidAddr, LinkStateNotice::kReserved96,
     LinkStateNotice::kReserved128, LinkStateNotice::kReserved192, LinkStateNotice::kReserved256,
     LinkStateNotice::kReserved320, LinkStateNotice::kReserved384, LinkStateNotice::kReserved448}));

static_assert(Tiles(
    512,
    {PortErrorNotice::kIsGeneric, PortErrorNotice::kType, PortErrorNotice::kProducerType,
     PortErrorNotice::kTrapNumber, PortErrorNotice::kIssuerLid, PortErrorNotice::kNoticeToggle,
     PortErrorNotice::kNoticeCount, PortErrorNotice::kReserved80, PortErrorNotice::kLidAddr,
     PortErrorNotice::kPortNo, PortErrorNotice::kReserved120, PortErrorNotice::kReserved128,
     PortErrorNotice::kReserved192, PortErrorNotice::kReserved256, PortErrorNotice::kReserved320,
     PortErrorNotice::kReserved384, PortErrorNotice::kReserved448}));

static_assert(Tiles(512,
                    {LocalChangesNotice::kIsGeneric,
                     LocalChangesNotice::kType,
                     LocalChangesNotice::kProducerType,
                     LocalChangesNotice::kTrapNumber,
                     LocalChangesNotice::kIssuerLid,
                     LocalChangesNotice::kNoticeToggle,
                     LocalChangesNotice::kNoticeCount,
                     LocalChangesNotice::kReserved80,
                     LocalChangesNotice::kLidAddr,
                     LocalChangesNotice::kReserved112,
                     LocalChangesNotice::kReserved120,
                     LocalChangesNotice::kOtherLocalChanges,
                     LocalChangesNotice::kCapabilityMask,
                     LocalChangesNotice::kReserved160,
                     LocalChangesNotice::kSmPriorityChange,
                     LocalChangesNotice::kLinkSpeedEnabledChange,
                     LocalChangesNotice::kLinkWidthEnabledChange,
                     LocalChangesNotice::kNodeDescriptionChange,
                     LocalChangesNotice::kCapabilityMask2,
                     LocalChangesNotice::kReserved192,
                     LocalChangesNotice::kReserved256,
                     LocalChangesNotice::kReserved320,
                     LocalChangesNotice::kReserved384,
                     LocalChangesNotice::kReserved448}));

static_assert(Tiles(512,
                    {SystemImageGuidNotice::kIsGeneric, SystemImageGuidNotice::kType,
                     SystemImageGuidNotice::kProducerType, SystemImageGuidNotice::kTrapNumber,
                     SystemImageGuidNotice::kIssuerLid, SystemImageGuidNotice::kNoticeToggle,
                     SystemImageGuidNotice::kNoticeCount, SystemImageGuidNotice::kReserved80,
                     SystemImageGuidNotice::kLidAddr, SystemImageGuidNotice::kReserved112,
                     SystemImageGuidNotice::kSystemImageGuid, SystemImageGuidNotice::kReserved192,
                     SystemImageGuidNotice::kReserved256, SystemImageGuidNotice::kReserved320,
                     SystemImageGuidNotice::kReserved384, SystemImageGuidNotice::kReserved448}));

static_assert(Tiles(512,
                    {MKeyNotice::kIsGeneric,
                     MKeyNotice::kType,
                     MKeyNotice::kProducerType,
                     MKeyNotice::kTrapNumber,
                     MKeyNotice::kIssuerLid,
                     MKeyNotice::kNoticeToggle,
                     MKeyNotice::kNoticeCount,
                     MKeyNotice::kReserved80,
                     MKeyNotice::kLidAddr,
                     MKeyNotice::kDrSlid,
                     MKeyNotice::kMethod,
                     MKeyNotice::kReserved136,
                     MKeyNotice::kAttributeId,
                     MKeyNotice::kAttributeModifier,
                     MKeyNotice::kMKey,
                     MKeyNotice::kReserved256,
                     MKeyNotice::kDrNotice,
                     MKeyNotice::kDrPathTruncated,
                     MKeyNotice::kDrHopCount,
                     Extent{272, 64},
                     Extent{336, 64},
                     Extent{400, 64},
                     Extent{464, 48}}));
// The path is too long for one row of Tiles(); four of 8 octets and less stand for it.
static_assert(MKeyNotice::kDrNoticeReturnPath.bit == 272);
static_assert(MKeyNotice::kDrNoticeReturnPath.bit + MKeyNotice::kDrNoticeReturnPath.width == 512);

static_assert(Tiles(512,
                    {KeyNotice::kIsGeneric,   KeyNotice::kType,       KeyNotice::kProducerType,
                     KeyNotice::kTrapNumber,  KeyNotice::kIssuerLid,  KeyNotice::kNoticeToggle,
                     KeyNotice::kNoticeCount, KeyNotice::kReserved80, KeyNotice::kLidAddr1,
                     KeyNotice::kLidAddr2,    KeyNotice::kKey,        KeyNotice::kSl,
                     KeyNotice::kReserved164, KeyNotice::kQp1,        KeyNotice::kReserved192,
                     KeyNotice::kQp2,         KeyNotice::kGidPrefix1, KeyNotice::kGidGuid1,
                     KeyNotice::kGidPrefix2,  KeyNotice::kGidGuid2,   KeyNotice::kReserved480}));

static_assert(Tiles(
    512,
    {SwitchPKeyNotice::kIsGeneric,   SwitchPKeyNotice::kType,       SwitchPKeyNotice::kProducerType,
     SwitchPKeyNotice::kTrapNumber,  SwitchPKeyNotice::kIssuerLid,  SwitchPKeyNotice::kNoticeToggle,
     SwitchPKeyNotice::kNoticeCount, SwitchPKeyNotice::kDataValid,  SwitchPKeyNotice::kLidAddr1,
     SwitchPKeyNotice::kLidAddr2,    SwitchPKeyNotice::kPKey,       SwitchPKeyNotice::kSl,
     SwitchPKeyNotice::kReserved148, SwitchPKeyNotice::kQp1,        SwitchPKeyNotice::kReserved176,
     SwitchPKeyNotice::kQp2,         SwitchPKeyNotice::kGidPrefix1, SwitchPKeyNotice::kGidGuid1,
     SwitchPKeyNotice::kGidPrefix2,  SwitchPKeyNotice::kGidGuid2,   SwitchPKeyNotice::kSwLidAddr,
     SwitchPKeyNotice::kPortNo,      SwitchPKeyNotice::kReserved488}));

}  // namespace ember
