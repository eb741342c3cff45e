// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the writers of tables have in common: was a device reset, and did it take a Set.
#pragma once

#include <cstdint>

#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"

namespace ember {

/// True when an end port, or the switch of any other, names another subnet manager than us as its
/// master, which may have written its tables. False where none is named.
[[nodiscard]] bool BearsOtherMaster(const Fabric& fabric, PortIndex at);
[[nodiscard]] bool BearsOtherMaster(const Fabric& fabric, NodeIndex of_switch);

/// True when a switch has a LID, and a link above INIT. Else it may have been reset since we set
/// its LID and LinearFDBTop: those two then look right, and its tables are not what we wrote.
[[nodiscard]] bool IsAsWeLeftIt(const Fabric& fabric, NodeIndex at);
/// The same of a port: of a switch port by its switch, of any other by its own LID and state.
[[nodiscard]] bool IsAsWeLeftIt(const Fabric& fabric, PortIndex at);

/// Its tables are what we wrote: it was not reset, and no other master has set it.
template <typename Index>
[[nodiscard]] bool HasOurTables(const Fabric& fabric, Index at) {
    return IsAsWeLeftIt(fabric, at) && !BearsOtherMaster(fabric, at);
}

/// Notes that the device of port `at` did not answer a Get or Set, or refused it.
void LogFailure(const Fabric& fabric, PortIndex at, const Answer& answer, Log& log,
                std::uint64_t now_us);

}  // namespace ember
