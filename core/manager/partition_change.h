// SPDX-License-Identifier: Apache-2.0
// EmberSM: a change of the partitions alone, which needs no sweep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/manager/sa_service.h"
#include "core/manager/table_upkeep.h"
#include "core/multicast/multicast_upkeep.h"
#include "core/partitions/partition_diff.h"
#include "core/settings/settings.h"

namespace ember {

/// Puts partitions in force that differ from those in force, where nothing else does, while the
/// subnet is up and rests. No route, LID or lane depends on them, so nothing is swept: the ports
/// whose memberships differ are found by comparing both tables, and they alone are asked. Records
/// that subnet administration holds by virtue of a membership end at once.
///
/// First Compare() until it returns false, while the old settings are in force; then the settings
/// are replaced, and Apply() is called. A heavy sweep at any time does the rest of the work.
class PartitionChange {
public:
    /// All outlive it.
    struct Parts {
        TableUpkeep& tables;
        MulticastUpkeep& multicast;
        SaService& sa_service;
    };

    explicit PartitionChange(const Parts& parts) : parts_(parts) {}
    PartitionChange(const PartitionChange&) = delete;
    PartitionChange& operator=(const PartitionChange&) = delete;

    /// Begins to compare. Both stand still until the change is applied, or given up.
    void Begin(const ManagerTables& before, const ManagerTables& after);
    /// Compares a slice. True: there is more.
    [[nodiscard]] bool Compare();
    /// The new settings are in force: tables of ports begin to follow.
    void Apply(std::uint64_t now_us);
    /// A heavy sweep begins, or we are master no longer.
    void GiveUp() { phase_ = Phase::kNone; }

    [[nodiscard]] bool is_comparing() const { return phase_ == Phase::kComparing; }
    /// Once, when all ports that were applied to have taken their P_Keys or are waited for no
    /// longer; TableUpkeep::lack() tells which.
    [[nodiscard]] bool TakeEnd();

private:
    enum class Phase : std::uint8_t { kNone, kComparing, kGoingOut };

    Parts parts_;
    Phase phase_ = Phase::kNone;
    PartitionDiff diff_;
};

}  // namespace ember
