// SPDX-License-Identifier: Apache-2.0
// EmberSM: new settings, and when they are in force.
#pragma once

#include <cstdint>

#include "core/exchange/exchange.h"
#include "core/log/log.h"
#include "core/manager/partition_change.h"
#include "core/manager/sa_service.h"
#include "core/manager/table_upkeep.h"
#include "core/programming/programming.h"
#include "core/role/role.h"
#include "core/routing/routes.h"
#include "core/settings/settings.h"

namespace ember {

/// Holds new settings until they may be in force: from the next heavy sweep on. Partitions that
/// alone have changed are put in force while the subnet is up and rests; see PartitionChange.
class SettingsChange {
public:
    /// All outlive it.
    struct Parts {
        Settings& in_force;  ///< All parts of the subnet manager hold references to it.
        Log& log;
        Exchange& exchange;
        Programming& programming;
        Routes& routes;
        Role& role;
        const TableUpkeep& tables;
        SaService& sa_service;
    };

    SettingsChange(const Parts& parts, const PartitionChange::Parts& partitions)
        : parts_(parts), next_(parts.in_force), partition_change_(partitions) {}
    SettingsChange(const SettingsChange&) = delete;
    SettingsChange& operator=(const SettingsChange&) = delete;

    /// New settings, which replace those that wait. True: a heavy sweep is to put them in force.
    [[nodiscard]] bool Hear(const Settings& settings, bool is_up);
    /// Puts what waits in force. Called where a heavy sweep begins, or in a role without sweeps.
    void Apply(std::uint64_t now_us);

    /// Settings wait.
    [[nodiscard]] bool waits() const { return waits_; }
    /// Settings wait that differ in their partitions alone.
    [[nodiscard]] bool waits_without_sweep() const { return waits_ && are_partitions_alone_; }
    /// Puts partitions that alone have changed in force, a slice at a time, while the subnet rests.
    /// Asserts waits_without_sweep().
    void StepPartitions(std::uint64_t now_us);
    /// True once, when all ports have taken their P_Keys, which is noted, or are waited for no
    /// longer: TableUpkeep::lack() tells which.
    [[nodiscard]] bool TakeEndOfPartitions(std::uint64_t now_us);

private:
    Parts parts_;
    Settings next_;
    PartitionChange partition_change_;
    bool waits_ = false;
    bool are_partitions_alone_ = false;
};

}  // namespace ember
