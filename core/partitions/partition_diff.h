// SPDX-License-Identifier: Apache-2.0
// EmberSM: which end ports have other partitions under new settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/settings/partition_rows.h"
#include "core/settings/settings.h"

namespace ember {

/// Partitions are another matter than all the rest: whether two settings differ in them and in
/// nothing else. `other` is as before afterwards: a copy would not fit on the stack.
[[nodiscard]] bool DifferInPartitionsAlone(const Settings& one, Settings& other);

/// Goes through the members of two tables of partitions side by side and finds the ports whose own
/// rows differ. Lines of the file count only where they decide about index 0, as a line that is
/// inserted moves all behind it.
///
/// Where classes of ports differ (ALL, ALL_CAS), or one of the tables is empty, any port may be
/// concerned: see concerns_all().
class PartitionDiff {
public:
    PartitionDiff() = default;
    /// Both stand still until the last Step().
    PartitionDiff(const ManagerTables& before, const ManagerTables& after);

    /// Any port may be concerned; Step() names none.
    [[nodiscard]] bool concerns_all() const { return concerns_all_; }
    /// Looks at a slice of `rows` rows, and calls `differs(guid)` with the PortGUID of each row
    /// that differs, maybe more than once. True: there is more.
    template <typename Differs>
    [[nodiscard]] bool Step(std::size_t rows, const Differs& differs) {
        for (std::size_t i = 0; i < rows && !(before_.empty() && after_.empty()); ++i) {
            const Guid guid = TakeRow();
            if (guid != kNoGuid) differs(guid);
        }
        return !before_.empty() || !after_.empty();
    }

private:
    [[nodiscard]] Guid TakeRow();

    std::span<const PartitionMember> before_;  ///< Rows that were not looked at.
    std::span<const PartitionMember> after_;
    bool concerns_all_ = false;
};

}  // namespace ember
