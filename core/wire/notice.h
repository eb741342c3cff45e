// SPDX-License-Identifier: Apache-2.0
// EmberSM: Notice: the content of a trap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/attribute.h"
#include "core/wire/mad.h"

namespace ember {

/// Notice:Type. IBA vol. 1, 13.4.8.2.
enum class NoticeType : std::uint8_t {
    kFatal = 0,
    kUrgent = 1,
    kSecurity = 2,
    kSubnetManagement = 3,
    kInformational = 4,
    kEmpty = 0x7F,
};

/// Notice:ProducerType of a generic notice. A generic producer is a NodeType or a class manager.
enum class ProducerType : std::uint32_t {
    kChannelAdapter = 1,
    kSwitch = 2,
    kRouter = 3,
    kClassManager = 4,
};

/// Notice:TrapNumber of a generic notice of the subnet management class. IBA vol. 1, 14.2.5.1,
/// and of subnet administration (64 to 67), 15.2.5.
enum class TrapNumber : std::uint16_t {
    kInService = 64,                ///< A GID became reachable: GidNotice.
    kOutOfService = 65,             ///< A GID became unreachable: GidNotice.
    kMulticastCreated = 66,         ///< A multicast group was created: GidNotice.
    kMulticastDeleted = 67,         ///< A multicast group was deleted: GidNotice.
    kLinkStateChange = 128,         ///< A port of a switch changed its state: LinkStateNotice.
    kLocalLinkIntegrity = 129,      ///< PortErrorNotice.
    kExcessiveBufferOverrun = 130,  ///< PortErrorNotice.
    kFlowControlWatchdog = 131,     ///< PortErrorNotice.
    kLocalChanges = 144,  ///< CapabilityMask, NodeDescription, link widths: LocalChangesNotice.
    kSystemImageGuidChange = 145,  ///< SystemImageGuidNotice.
    kBadMKey = 256,                ///< MKeyNotice.
    kBadPKey = 257,                ///< KeyNotice.
    kBadQKey = 258,                ///< KeyNotice.
    kBadPKeyAtSwitch = 259,        ///< SwitchPKeyNotice.
};

/// Notice, as an SMP carries it: 64 octets. IBA vol. 1, 13.4.8.2. (The Notice of a Report is
/// sixteen octets longer, ReportedNotice: it ends with IssuerGID, which belongs to subnet
/// administration.)
///
/// A generic notice (IsGeneric 1) has ProducerType and TrapNumber where a vendor's has VendorID
/// and DeviceID. The layout of the 54 octets of DataDetails depends on the trap; each class below
/// is the same 64 octets with the rows of one kind of trap.
class Notice : public Attribute<64> {
public:
    // clang-format off
    static constexpr Field<std::uint8_t>  kIsGeneric     {  0,  1};
    static constexpr Field<NoticeType>    kType          {  1,  7};
    static constexpr Field<ProducerType>  kProducerType  {  8, 24};  ///< Generic.
    static constexpr Field<std::uint32_t> kVendorId      {  8, 24};  ///< Vendor.
    static constexpr Field<TrapNumber>    kTrapNumber    { 32, 16};  ///< Generic.
    static constexpr Field<std::uint16_t> kDeviceId      { 32, 16};  ///< Vendor.
    static constexpr Field<Lid>           kIssuerLid     { 48, 16};
    static constexpr Field<std::uint8_t>  kNoticeToggle  { 64,  1};
    static constexpr Field<std::uint16_t> kNoticeCount   { 65, 15};
    static constexpr Field<std::uint64_t> kDataDetails0  { 80, 64};
    static constexpr Part                 kDataDetails8  {144, 368};
    // clang-format on
};

/// Traps 64 to 67: the GID that appeared or disappeared. IBA vol. 1, 15.2.5.
class GidNotice : public Notice {
public:
    // clang-format off
    static constexpr Field<std::uint64_t> kReserved80    { 80, 48};
    static constexpr Field<std::uint64_t> kGidPrefix     {128, 64};  ///< Upper half of GIDADDR.
    static constexpr Field<std::uint64_t> kGidGuid       {192, 64};  ///< Lower half of GIDADDR.
    static constexpr Part                 kReserved256   {256, 256};
    // clang-format on
};

/// Trap 128: the switch of which a port changed its state. IBA vol. 1, 14.2.5.1.
class LinkStateNotice : public Notice {
public:
    // clang-format off
    static constexpr Field<Lid>           kLidAddr       { 80, 16};
    static constexpr Part                 kReserved96    { 96, 416};
    // clang-format on
};

/// Traps 129 to 131: the port that counted too many errors. IBA vol. 1, 14.2.5.1.
class PortErrorNotice : public Notice {
public:
    // clang-format off
    static constexpr Field<std::uint16_t> kReserved80    { 80, 16};
    static constexpr Field<Lid>           kLidAddr       { 96, 16};
    static constexpr Field<PortNumber>    kPortNo        {112,  8};
    static constexpr Part                 kReserved120   {120, 392};
    // clang-format on
};

/// Trap 144: a change at the port itself. With OtherLocalChanges 0 the CapabilityMask has changed;
/// otherwise the flags name the changes. IBA vol. 1, 14.2.5.1.
class LocalChangesNotice : public Notice {
public:
    // clang-format off
    static constexpr Field<std::uint16_t> kReserved80                  { 80, 16};
    static constexpr Field<Lid>           kLidAddr                     { 96, 16};
    static constexpr Field<std::uint8_t>  kReserved112                 {112,  8};
    static constexpr Field<std::uint8_t>  kReserved120                 {120,  7};
    static constexpr Field<std::uint8_t>  kOtherLocalChanges           {127,  1};
    static constexpr Field<std::uint32_t> kCapabilityMask              {128, 32};
    static constexpr Field<std::uint16_t> kReserved160                 {160, 12};
    static constexpr Field<std::uint8_t>  kSmPriorityChange            {172,  1};
    static constexpr Field<std::uint8_t>  kLinkSpeedEnabledChange      {173,  1};
    static constexpr Field<std::uint8_t>  kLinkWidthEnabledChange      {174,  1};
    static constexpr Field<std::uint8_t>  kNodeDescriptionChange       {175,  1};
    static constexpr Field<std::uint16_t> kCapabilityMask2             {176, 16};
    static constexpr Part                 kReserved192                 {192, 320};
    // clang-format on
};

/// Trap 145: the SystemImageGUID changed. IBA vol. 1, 14.2.5.1.
class SystemImageGuidNotice : public Notice {
public:
    // clang-format off
    static constexpr Field<std::uint16_t> kReserved80      { 80, 16};
    static constexpr Field<Lid>           kLidAddr         { 96, 16};
    static constexpr Field<std::uint16_t> kReserved112     {112, 16};
    static constexpr Field<Guid>          kSystemImageGuid {128, 64};
    static constexpr Part                 kReserved192     {192, 320};
    // clang-format on
};

/// Trap 256: an SMP had a wrong M_Key. The fields from kDrSlid on are valid for a directed-route
/// request only, that is, when DRNotice is 1. IBA vol. 1, 14.2.5.1.
class MKeyNotice : public Notice {
public:
    static constexpr std::size_t kPathHops = 30;

    // clang-format off
    static constexpr Field<std::uint16_t> kReserved80        { 80, 16};
    static constexpr Field<Lid>           kLidAddr           { 96, 16};
    static constexpr Field<Lid>           kDrSlid            {112, 16};
    static constexpr Field<Method>        kMethod            {128,  8};
    static constexpr Field<std::uint8_t>  kReserved136       {136,  8};
    static constexpr Field<AttributeId>   kAttributeId       {144, 16};
    static constexpr Field<std::uint32_t> kAttributeModifier {160, 32};
    static constexpr Field<std::uint64_t> kMKey              {192, 64};
    static constexpr Field<std::uint8_t>  kReserved256       {256,  8};
    static constexpr Field<std::uint8_t>  kDrNotice          {264,  1};
    static constexpr Field<std::uint8_t>  kDrPathTruncated   {265,  1};
    static constexpr Field<std::uint8_t>  kDrHopCount        {266,  6};
    static constexpr Part                 kDrNoticeReturnPath{272, 30 * 8};
    // clang-format on

    /// Hop 0..29 of DRNoticeReturnPath.
    [[nodiscard]] constexpr PortNumber ReturnPort(std::size_t hop) const {
        EMBER_ASSERT(hop < kPathHops);
        return PortNumber{octets()[kDrNoticeReturnPath.first() + hop]};
    }
    constexpr void SetReturnPort(std::size_t hop, PortNumber port) {
        EMBER_ASSERT(hop < kPathHops);
        octets()[kDrNoticeReturnPath.first() + hop] = Raw(port);
    }
};

/// Traps 257 and 258: a packet with a wrong P_Key (low 16 bits of Key) or Q_Key came from LIDADDR1
/// to LIDADDR2. IBA vol. 1, 14.2.5.1.
class KeyNotice : public Notice {
public:
    // clang-format off
    static constexpr Field<std::uint16_t> kReserved80  { 80, 16};
    static constexpr Field<Lid>           kLidAddr1    { 96, 16};
    static constexpr Field<Lid>           kLidAddr2    {112, 16};
    static constexpr Field<std::uint32_t> kKey         {128, 32};
    static constexpr Field<std::uint8_t>  kSl          {160,  4};
    static constexpr Field<std::uint8_t>  kReserved164 {164,  4};
    static constexpr Field<std::uint32_t> kQp1         {168, 24};
    static constexpr Field<std::uint8_t>  kReserved192 {192,  8};
    static constexpr Field<std::uint32_t> kQp2         {200, 24};
    static constexpr Field<std::uint64_t> kGidPrefix1  {224, 64};  ///< GIDADDR1, upper half.
    static constexpr Field<std::uint64_t> kGidGuid1    {288, 64};  ///< GIDADDR1, lower half.
    static constexpr Field<std::uint64_t> kGidPrefix2  {352, 64};  ///< GIDADDR2, upper half.
    static constexpr Field<std::uint64_t> kGidGuid2    {416, 64};  ///< GIDADDR2, lower half.
    static constexpr Field<std::uint32_t> kReserved480 {480, 32};
    // clang-format on
};

/// Trap 259: an external port of a switch received a wrong P_Key. DataValid says which of the other
/// fields are valid. IBA vol. 1, 14.2.5.1.
class SwitchPKeyNotice : public Notice {
public:
    // clang-format off
    static constexpr Field<std::uint16_t> kDataValid   { 80, 16};
    static constexpr Field<Lid>           kLidAddr1    { 96, 16};
    static constexpr Field<Lid>           kLidAddr2    {112, 16};
    static constexpr Field<std::uint16_t> kPKey        {128, 16};
    static constexpr Field<std::uint8_t>  kSl          {144,  4};
    static constexpr Field<std::uint8_t>  kReserved148 {148,  4};
    static constexpr Field<std::uint32_t> kQp1         {152, 24};
    static constexpr Field<std::uint8_t>  kReserved176 {176,  8};
    static constexpr Field<std::uint32_t> kQp2         {184, 24};
    static constexpr Field<std::uint64_t> kGidPrefix1  {208, 64};  ///< GIDADDR1, upper half.
    static constexpr Field<std::uint64_t> kGidGuid1    {272, 64};  ///< GIDADDR1, lower half.
    static constexpr Field<std::uint64_t> kGidPrefix2  {336, 64};  ///< GIDADDR2, upper half.
    static constexpr Field<std::uint64_t> kGidGuid2    {400, 64};  ///< GIDADDR2, lower half.
    static constexpr Field<Lid>           kSwLidAddr   {464, 16};
    static constexpr Field<PortNumber>    kPortNo      {480,  8};
    static constexpr Field<std::uint32_t> kReserved488 {488, 24};
    // clang-format on
};

}  // namespace ember
