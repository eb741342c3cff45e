// SPDX-License-Identifier: Apache-2.0
// EmberSM: what may happen in a story: one row a verb.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "config/netlist/random.h"

namespace ember::swarm {

class Swarm;

/// A kind of event. To add one, write its function and a row of kVerbs.
struct Verb {
    std::string_view name;
    std::uint32_t weight;  ///< How often it is drawn, compared with the others.
    /// Does it. All that it draws comes from `random`; what it begins it ends itself, by
    /// Swarm::Later(), or Swarm::Heal() does.
    void (*act)(Swarm& swarm, net::Random& random);
    /// The failure of EmberSM when this happens; empty: none. A verb with one is drawn like the
    /// others, so that no other story changes, and left out unless `--known` is said.
    std::string_view known;
};

// The fabric.
void CutTrunk(Swarm& swarm, net::Random& random);
void CutHost(Swarm& swarm, net::Random& random);
void FlapTrunk(Swarm& swarm, net::Random& random);
void PowerOff(Swarm& swarm, net::Random& random);
void Reboot(Swarm& swarm, net::Random& random);
void SwapHosts(Swarm& swarm, net::Random& random);
void Rename(Swarm& swarm, net::Random& random);
void SpoilWire(Swarm& swarm, net::Random& random);
void CorruptWire(Swarm& swarm, net::Random& random);
void Silence(Swarm& swarm, net::Random& random);
// Managers.
void RestartManager(Swarm& swarm, net::Random& random);
void KillManager(Swarm& swarm, net::Random& random);
void ReconfigureManager(Swarm& swarm, net::Random& random);
void AskForSweep(Swarm& swarm, net::Random& random);
void BreakStore(Swarm& swarm, net::Random& random);
// Managers, where several replicate.
void HangManager(Swarm& swarm, net::Random& random);
void PartSubnet(Swarm& swarm, net::Random& random);
void ChangePriority(Swarm& swarm, net::Random& random);
void HandOver(Swarm& swarm, net::Random& random);
// Clients.
void Register(Swarm& swarm, net::Random& random);
void Unregister(Swarm& swarm, net::Random& random);
void AskForTables(Swarm& swarm, net::Random& random);
// Devices that change by themselves, and sites.
void LoseMKey(Swarm& swarm, net::Random& random);
void LoseEnforcement(Swarm& swarm, net::Random& random);
void ChangePKeys(Swarm& swarm, net::Random& random);
void ChangeSlToVl(Swarm& swarm, net::Random& random);
void ChangeArbitration(Swarm& swarm, net::Random& random);
void ChangeRoutes(Swarm& swarm, net::Random& random);
void LoseLanes(Swarm& swarm, net::Random& random);
void ChangeMembers(Swarm& swarm, net::Random& random);
void ChangeEngines(Swarm& swarm, net::Random& random);
void ChangeMKey(Swarm& swarm, net::Random& random);
// Hosts and switches that mean harm.
void HostLies(Swarm& swarm, net::Random& random);
void SwitchLies(Swarm& swarm, net::Random& random);
void FloodTraps(Swarm& swarm, net::Random& random);
void ForgeSmInfo(Swarm& swarm, net::Random& random);
void ActForOthers(Swarm& swarm, net::Random& random);
void HogRegistrations(Swarm& swarm, net::Random& random);
/// As HostLies() and SwitchLies(), about tables and capabilities.
void HostTwists(Swarm& swarm, net::Random& random);
void SwitchTwists(Swarm& swarm, net::Random& random);

// clang-format off
inline constexpr std::array kVerbs = {
    Verb{"cut trunk",          10, CutTrunk,           {}},
    Verb{"cut host",            4, CutHost,            {}},
    Verb{"flap trunk",          3, FlapTrunk,          {}},
    Verb{"power off",           4, PowerOff,           {}},
    Verb{"reboot",              6, Reboot,             {}},
    Verb{"swap hosts",          2, SwapHosts,          "a circle while the tables follow"},
    Verb{"rename",              1, Rename,             {}},
    Verb{"spoil wire",          6, SpoilWire,          {}},
    Verb{"corrupt wire",        1, CorruptWire,        {}},
    Verb{"silence",             4, Silence,            {}},
    Verb{"restart manager",     4, RestartManager,     {}},
    Verb{"kill manager",        3, KillManager,        {}},
    Verb{"reconfigure",         4, ReconfigureManager, {}},
    Verb{"ask for sweep",       2, AskForSweep,        {}},
    Verb{"break store",         2, BreakStore,         {}},
    Verb{"register",           14, Register,           {}},
    Verb{"unregister",          5, Unregister,         {}},
    Verb{"ask for tables",      4, AskForTables,       {}},
    Verb{"host lies",           8, HostLies,           {}},
    Verb{"switch lies",         4, SwitchLies,         {}},
    Verb{"flood traps",         3, FloodTraps,         {}},
    Verb{"forge SMInfo",        3, ForgeSmInfo,        {}},
    Verb{"act for others",      2, ActForOthers,       {}},
    Verb{"hog registrations",   1, HogRegistrations,   "one host takes every group: others are refused"},
};
// clang-format on

/// Further events in stories of several managers that replicate. Drawn apart, so that other stories
/// stay as they were.
inline constexpr std::array kVerbsAmongManagers = {
    Verb{"hang manager", 3, HangManager, {}},
    Verb{"part subnet", 3, PartSubnet, {}},
    Verb{"change priority", 2, ChangePriority, {}},
    Verb{"hand over", 2, HandOver, {}},
};

/// Changes of devices by themselves, orders of an operator, and twists. Drawn apart, too.
// clang-format off
inline constexpr std::array kVerbsOfDevices = {
    Verb{"lose M_Key",         2, LoseMKey,          {}},
    Verb{"lose enforcement",   2, LoseEnforcement,   {}},
    Verb{"change P_Keys",      2, ChangePKeys,       {}},
    Verb{"change SL to VL",    2, ChangeSlToVl,      {}},
    Verb{"change arbitration", 2, ChangeArbitration, {}},
    Verb{"change routes",      2, ChangeRoutes,      {}},
    Verb{"lose lanes",         2, LoseLanes,         {}},
    Verb{"change members",     3, ChangeMembers,     {}},
    Verb{"change engines",     2, ChangeEngines,     {}},
    Verb{"change M_Key",       2, ChangeMKey,        {}},
    Verb{"host twists",        4, HostTwists,        {}},
    Verb{"switch twists",      3, SwitchTwists,      {}},
};
// clang-format on

/// Rows of kVerbs, then those of kVerbsAmongManagers, then those of kVerbsOfDevices.
[[nodiscard]] constexpr const Verb& VerbAt(std::size_t at) {
    if (at < kVerbs.size()) return kVerbs[at];
    at -= kVerbs.size();
    if (at < kVerbsAmongManagers.size()) return kVerbsAmongManagers[at];
    return kVerbsOfDevices[at - kVerbsAmongManagers.size()];
}

}  // namespace ember::swarm
