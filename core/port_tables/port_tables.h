// SPDX-License-Identifier: Apache-2.0
// EmberSM: the wanted content of tables of ports, which one part plans and programming sets.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/wire/mad.h"
#include "core/wire/smp.h"

namespace ember {

/// The number that a planner gives to one of its tables: below the rows that its owner has for it.
enum class TableIndex : std::uint32_t {};
inline constexpr TableIndex kNoTable{0xFFFFFFFF};

/// A table that a port keeps: the 64 octets of one attribute and modifier.
struct PortTable {
    PortIndex port = kNoPortIndex;  ///< Of a live node, which is asked.
    AttributeId attribute{};
    std::uint32_t modifier = 0;
    /// The table that has to be as wanted before this one is written; kNoTable: none.
    TableIndex after = kNoTable;
    /// The table is not read first.
    bool is_blind = false;
    /// The table is named only until it is settled: what the port has is not remembered.
    bool is_passing = false;
    /// The log does not tell that its Set failed.
    bool is_quiet = false;
};

/// Plans tables of ports. Called by TableProgramming.
class PortTablePlanner {
public:
    /// The first table at or behind `cursor`, in the order in which tables are to be written; moves
    /// the cursor behind it. A cursor of 0 is before the first one. kNoTable: none is left.
    [[nodiscard]] virtual TableIndex Next(std::uint32_t& cursor) const = 0;
    /// Where table `at` is, and what it shall hold. False: there is no such table now.
    [[nodiscard]] virtual bool Find(TableIndex at, PortTable& table, SmpData& wanted) const = 0;
    /// kOk: the port has what Find() says. Else its Get or Set failed: kTimeout, kRefused, or
    /// kUnreachable; it is tried again in the next round, or when Find() says otherwise. A number
    /// may be given to another table at any time, that of a table that is read only after this.
    virtual void Settle(TableIndex at, Status status) = 0;

protected:
    ~PortTablePlanner() = default;
};

}  // namespace ember
