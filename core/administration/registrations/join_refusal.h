// SPDX-License-Identifier: Apache-2.0
// EmberSM: why a request about a multicast group is refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/ids.h"
#include "core/wire/sa_mad.h"

namespace ember {

/// Why a port may not join or leave a multicast group. Statuses are few: this says which rule it
/// was, for people.
enum class JoinRefusal : std::uint8_t {
    kNone,           ///< The request is not refused.
    kTooLittle,      ///< MGID, PortGID or JoinState is not said.
    kForeignPrefix,  ///< PortGID is of another subnet.
    kUnknownPort,
    kForAnother,       ///< The requester may not act for the port.
    kStranger,         ///< The requester shares no partition with the port.
    kNoPartition,      ///< The P_Key names no partition.
    kNotKeptAlive,     ///< There is no group, and a member of this kind cannot make one.
    kNoGroupYet,       ///< There is no group, and the request says too little to make one.
    kUnsoundMgid,      ///< No group may have such an MGID.
    kUnlikeBroadcast,  ///< A group of IP has other values than its broadcast group, or has none.
    kUnreachable,      ///< The port reaches no MTU and rate as asked for a new group.
    kNoRoomForGroup,   ///< The requester has its share of groups.
    kMemberOfAnother,  ///< The membership belongs to another port or to a proxy.
    kLeftPartition,    ///< The requester is not in the group's partition any more.
    kNoState,          ///< JoinState is 0.
    kNotInPartition,   ///< The port is not in the group's partition.
    kOtherValues,      ///< The group has other values than those asked for.
    kMtuTooSmall,      ///< The port's MTU is below the group's.
    kRateTooLow,       ///< The port's rate is below the group's.
    kNoRoomForMember,  ///< The requester has its share of members.
};

struct JoinRefusalRow {
    SaStatus status = SaStatus::kOk;
    std::string_view words;  ///< The end of "refused: ".
};

/// By JoinRefusal.
inline constexpr std::array kJoinRefusals{
    JoinRefusalRow{SaStatus::kOk, "not refused"},
    JoinRefusalRow{SaStatus::kInsufficientComponents,
                   "a request needs MGID, PortGID and JoinState"},
    JoinRefusalRow{SaStatus::kRequestInvalidGid, "the port's GID is of another subnet"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "there is no such port"},
    JoinRefusalRow{SaStatus::kRequestDenied, "a port may not act for another one"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "the requester shares no partition with the port"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "the P_Key names no partition"},
    JoinRefusalRow{SaStatus::kRequestInvalid,
                   "there is no such group, and only a full member makes one"},
    JoinRefusalRow{SaStatus::kInsufficientComponents,
                   "there is no such group; to make it a request needs Q_Key, P_Key, TClass, "
                   "FlowLabel and SL"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "no group may have such an MGID"},
    JoinRefusalRow{SaStatus::kRequestInvalid,
                   "a group of IP needs the values of the broadcast group of its partition"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "the port cannot do the MTU or the rate asked for"},
    JoinRefusalRow{SaStatus::kNoResources, "the requester has its share of groups"},
    JoinRefusalRow{SaStatus::kRequestInvalid,
                   "the port has joined for itself, and changes it alone"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "the requester is not in the group's partition"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "JoinState says no kind of membership"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "the port is not in the group's partition"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "the group has other values than those asked for"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "the port's MTU is below the group's"},
    JoinRefusalRow{SaStatus::kRequestInvalid, "the port's rate is below the group's"},
    JoinRefusalRow{SaStatus::kNoResources, "the requester has its share of members"},
};
static_assert(kJoinRefusals.size() == static_cast<std::size_t>(JoinRefusal::kNoRoomForMember) + 1,
              "every refusal has a row");

/// The status that subnet administration answers.
[[nodiscard]] constexpr SaStatus StatusOf(JoinRefusal refusal) {
    return kJoinRefusals[static_cast<std::size_t>(refusal)].status;
}
[[nodiscard]] constexpr std::string_view WordsOf(JoinRefusal refusal) {
    return kJoinRefusals[static_cast<std::size_t>(refusal)].words;
}

}  // namespace ember
