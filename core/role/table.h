// SPDX-License-Identifier: Apache-2.0
// EmberSM: the state machine of an SM. This table decides; core/role/role.cc acts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/log/words.h"
#include "core/wire/sm_info.h"

namespace ember {

/// An event that has a bearing on the role of an SM. The words are kCueWords.
enum class Cue : std::uint8_t {
    kUnrivaled,     ///< A sweep met no SM that ranks higher, and no master to wait for.
    kOutranked,     ///< A sweep met an SM that ranks higher and could serve.
    kMasterMet,     ///< A sweep met a master; for a master: one that ranks higher.
    kPortDown,      ///< Our own port lost its link.
    kMasterSilent,  ///< The SM that we poll does not answer, or is no longer a master.
    kHandover,      ///< Set(SMInfo) received, by its AttributeModifier.
    kAcknowledge,
    kDisable,
    kStandby,
    kDiscover,
    kHandoverTaken,    ///< The SM to which we handed over has answered.
    kHandoverFailed,   ///< The SM has not answered, or has refused.
    kLowerMasterMet,   ///< A sweep of ours, as a master, met a master that ranks lower.
    kPriorityChanged,  ///< New settings have another sm_priority.
    kHandoverOverdue,  ///< The lower master that we wait for is still master.
    kHandoverUnmet,    ///< HANDOVER received, as a master, from a peer that no sweep met as master.
    kRelieved,         ///< The process ends, and the SM to which we handed over has answered.
    kUnplaced,         ///< An SM asked from a port that our last sweep did not find.
    kHeirReady,        ///< A standby that ranks higher was doubted, and is trusted now.
    kRivalHeard,       ///< A proved peer says that it is master, and no sweep has met it as one.
};
inline constexpr std::size_t kCues = kCueWords.size();
static_assert(static_cast<std::size_t>(Cue::kRivalHeard) + 1 == kCues);
inline constexpr std::size_t kRoles = kRoleWords.size();
static_assert(static_cast<std::size_t>(SmState::kMaster) + 1 == kRoles);

/// An SM's action after a cue.
enum class Act : std::uint8_t {
    kNothing,
    kSweep,     ///< Begin a heavy sweep.
    kServe,     ///< Go on as master with the sweep that was made.
    kFollow,    ///< Stop managing; poll the master, and tell it when we rank higher.
    kHandOver,  ///< Ask the highest SM to take over, and wait for its answer.
    kAwait,     ///< Give this sweep up; poll the lower master until it hands over.
    kLook,      ///< Begin a heavy sweep when the present one has ended, and serve on.
    kSendTrap,  ///< Tell the master that our priority has changed, if we now rank higher.
    kSleep,     ///< Stop managing and polling.
};

struct RoleRow {
    SmState in;
    Cue on;
    SmState to;
    Act act;
};

// IBA vol. 1, 14.4.1, figure of the SM state machine; where the figure leaves an act open, as
// OpenSM. Two of its arrows are missing: a discovering SM is in its first sweep and need not begin
// it again for a HANDOVER, and a master follows no other master that could send it DISCOVER.
// clang-format off
inline constexpr std::array<RoleRow, kRoles * kCues> kRoleRows = {{
    //in                     on                     to                     and
    {SmState::kNotActive,    Cue::kUnrivaled,        SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kOutranked,        SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kMasterMet,        SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kPortDown,         SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kMasterSilent,     SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kHandover,         SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kAcknowledge,      SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kDisable,          SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kStandby,          SmState::kStandby,      Act::kFollow},
    {SmState::kNotActive,    Cue::kDiscover,         SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kHandoverTaken,    SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kHandoverFailed,   SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kLowerMasterMet,   SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kPriorityChanged,  SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kHandoverOverdue,  SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kHandoverUnmet,    SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kRelieved,         SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kUnplaced,         SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kHeirReady,        SmState::kNotActive,    Act::kNothing},
    {SmState::kNotActive,    Cue::kRivalHeard,       SmState::kNotActive,    Act::kNothing},

    {SmState::kDiscovering,  Cue::kUnrivaled,        SmState::kMaster,       Act::kServe},
    {SmState::kDiscovering,  Cue::kOutranked,        SmState::kStandby,      Act::kFollow},
    {SmState::kDiscovering,  Cue::kMasterMet,        SmState::kStandby,      Act::kFollow},
    {SmState::kDiscovering,  Cue::kPortDown,         SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kMasterSilent,     SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kHandover,         SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kAcknowledge,      SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kDisable,          SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kStandby,          SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kDiscover,         SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kHandoverTaken,    SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kHandoverFailed,   SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kLowerMasterMet,   SmState::kStandby,      Act::kFollow},
    {SmState::kDiscovering,  Cue::kPriorityChanged,  SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kHandoverOverdue,  SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kHandoverUnmet,    SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kRelieved,         SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kUnplaced,         SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kHeirReady,        SmState::kDiscovering,  Act::kNothing},
    {SmState::kDiscovering,  Cue::kRivalHeard,       SmState::kDiscovering,  Act::kNothing},

    {SmState::kStandby,      Cue::kUnrivaled,        SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kOutranked,        SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kMasterMet,        SmState::kStandby,      Act::kFollow},
    {SmState::kStandby,      Cue::kPortDown,         SmState::kDiscovering,  Act::kSweep},
    {SmState::kStandby,      Cue::kMasterSilent,     SmState::kDiscovering,  Act::kSweep},
    {SmState::kStandby,      Cue::kHandover,         SmState::kMaster,       Act::kSweep},
    {SmState::kStandby,      Cue::kAcknowledge,      SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kDisable,          SmState::kNotActive,    Act::kSleep},
    {SmState::kStandby,      Cue::kStandby,          SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kDiscover,         SmState::kDiscovering,  Act::kSweep},
    {SmState::kStandby,      Cue::kHandoverTaken,    SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kHandoverFailed,   SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kLowerMasterMet,   SmState::kStandby,      Act::kFollow},
    {SmState::kStandby,      Cue::kPriorityChanged,  SmState::kStandby,      Act::kSendTrap},
    {SmState::kStandby,      Cue::kHandoverOverdue,  SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kHandoverUnmet,    SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kRelieved,         SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kUnplaced,         SmState::kDiscovering,  Act::kSweep},
    {SmState::kStandby,      Cue::kHeirReady,        SmState::kStandby,      Act::kNothing},
    {SmState::kStandby,      Cue::kRivalHeard,       SmState::kStandby,      Act::kNothing},

    {SmState::kMaster,       Cue::kUnrivaled,        SmState::kMaster,       Act::kServe},
    {SmState::kMaster,       Cue::kOutranked,        SmState::kMaster,       Act::kHandOver},
    {SmState::kMaster,       Cue::kMasterMet,        SmState::kMaster,       Act::kHandOver},
    {SmState::kMaster,       Cue::kPortDown,         SmState::kDiscovering,  Act::kSweep},
    {SmState::kMaster,       Cue::kMasterSilent,     SmState::kMaster,       Act::kSweep},
    {SmState::kMaster,       Cue::kHandover,         SmState::kMaster,       Act::kSweep},
    {SmState::kMaster,       Cue::kAcknowledge,      SmState::kMaster,       Act::kNothing},
    {SmState::kMaster,       Cue::kDisable,          SmState::kMaster,       Act::kNothing},
    {SmState::kMaster,       Cue::kStandby,          SmState::kMaster,       Act::kNothing},
    {SmState::kMaster,       Cue::kDiscover,         SmState::kMaster,       Act::kNothing},
    {SmState::kMaster,       Cue::kHandoverTaken,    SmState::kStandby,      Act::kFollow},
    {SmState::kMaster,       Cue::kHandoverFailed,   SmState::kMaster,       Act::kServe},
    {SmState::kMaster,       Cue::kLowerMasterMet,   SmState::kMaster,       Act::kAwait},
    {SmState::kMaster,       Cue::kPriorityChanged,  SmState::kMaster,       Act::kSweep},
    {SmState::kMaster,       Cue::kHandoverOverdue,  SmState::kMaster,       Act::kSweep},
    {SmState::kMaster,       Cue::kHandoverUnmet,    SmState::kMaster,       Act::kLook},
    {SmState::kMaster,       Cue::kRelieved,         SmState::kNotActive,    Act::kSleep},
    {SmState::kMaster,       Cue::kUnplaced,         SmState::kMaster,       Act::kNothing},
    {SmState::kMaster,       Cue::kHeirReady,        SmState::kMaster,       Act::kLook},
    {SmState::kMaster,       Cue::kRivalHeard,       SmState::kMaster,       Act::kLook},
}};
// clang-format on

/// Every role answers every cue, once, in reading order: nothing falls through, and a new role or
/// cue does not compile until its rows are written.
[[nodiscard]] consteval bool AnswersEveryCue(const std::array<RoleRow, kRoles * kCues>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].in != static_cast<SmState>(i / kCues)) return false;
        if (rows[i].on != static_cast<Cue>(i % kCues)) return false;
    }
    return true;
}
static_assert(AnswersEveryCue(kRoleRows));

/// The row of a role and a cue.
[[nodiscard]] constexpr const RoleRow& Decide(SmState in, Cue on) {
    EMBER_ASSERT(static_cast<std::size_t>(in) < kRoles);
    EMBER_ASSERT(static_cast<std::size_t>(on) < kCues);
    return kRoleRows[static_cast<std::size_t>(in) * kCues + static_cast<std::size_t>(on)];
}

}  // namespace ember
