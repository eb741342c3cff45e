// SPDX-License-Identifier: Apache-2.0
// EmberSM: the few words that a number in a note stands for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ember {

/// Why a sweep began.
enum class SweepReason : std::uint8_t {
    kStart,
    kTimer,
    kRequest,   ///< SIGHUP, CONT, emberctl sweep.
    kTrap,      ///< A trap reported a change.
    kChange,    ///< The light sweep saw one.
    kSilence,   ///< A peer stopped answering.
    kConflict,  ///< A duplicate GUID, or two cables that claim one port.
    kErrors,    ///< The sweep before ended with errors.
    kRole,      ///< The role changed: handover, a silent master, another SM.
    kConfiguration,
};

/// The phases of a bring-up, in order.
enum class Phase : std::uint8_t {
    kIdle,
    kDiscovery,
    kAssignment,
    kRouting,
    kVerification,
    kProgramming,
    kActivation,
};

/// The entry of Limits that was too small, by its name there.
enum class LimitName : std::uint8_t {
    kNodes,
    kSwitches,
    kPorts,
    kSwitchPorts,
    kLids,
    kSmps,
    kOtherSms,
    kJournalNotes,
    kScratchBytes,
};

// Row i is the word of value i.
inline constexpr std::array<std::string_view, 10> kSweepReasonWords = {
    "start",       "timer",
    "request",     "trap",
    "change seen", "peer not answering",
    "conflict",    "errors",
    "role change", "new configuration"};
inline constexpr std::array<std::string_view, 7> kPhaseWords = {
    "idle", "discovery", "assignment", "routing", "verification", "programming", "activation"};
inline constexpr std::array<std::string_view, 9> kLimitWords = {
    "max_nodes", "max_switches",  "max_ports",     "max_switch_ports", "max_lid",
    "max_smps",  "max_other_sms", "journal_notes", "scratch_bytes"};
/// SMInfo:SMState. IBA vol. 1, 14.2.5.13.
inline constexpr std::array<std::string_view, 4> kRoleWords = {"NOTACTIVE", "DISCOVERING",
                                                               "STANDBY", "MASTER"};
/// NodeInfo:NodeType. IBA vol. 1, 14.2.5.3.
inline constexpr std::array<std::string_view, 4> kNodeWords = {"node", "host", "switch", "router"};
/// What made the role change; core/role/table.h proves that it has as many cues.
inline constexpr std::array<std::string_view, 14> kCueWords = {
    "nobody ranks higher",    "a higher SM was met", "a master was met",     "own port down",
    "the master is silent",   "handover received",   "acknowledge received", "disable received",
    "standby received",       "discover received",   "handover taken",       "handover not taken",
    "a lower master was met", "own priority changed"};
/// ember::Status.
inline constexpr std::array<std::string_view, 12> kStatusWords = {
    "ok",          "busy",          "no answer", "malformed", "refused by the peer",
    "unreachable", "limit reached", "absent",    "forged",    "stale",
    "unknown",     "device failed"};

static_assert(kSweepReasonWords.size() ==
              static_cast<std::size_t>(SweepReason::kConfiguration) + 1);
static_assert(kPhaseWords.size() == static_cast<std::size_t>(Phase::kActivation) + 1);
static_assert(kLimitWords.size() == static_cast<std::size_t>(LimitName::kScratchBytes) + 1);

}  // namespace ember
