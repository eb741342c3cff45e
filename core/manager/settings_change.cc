// SPDX-License-Identifier: Apache-2.0
// EmberSM: new settings, and when they are in force.

#include "core/manager/settings_change.h"

#include "core/base/assert.h"

namespace ember {

bool SettingsChange::Hear(const Settings& settings, bool is_up) {
    next_ = settings;
    waits_ = true;
    partition_change_.GiveUp();
    are_partitions_alone_ = is_up && DifferInPartitionsAlone(parts_.in_force, next_);
    return !are_partitions_alone_;
}

void SettingsChange::Apply(std::uint64_t now_us) {
    partition_change_.GiveUp();
    if (!waits_) return;
    waits_ = false;
    parts_.routes.Configure(parts_.in_force, next_);
    parts_.in_force = next_;
    parts_.exchange.Configure(parts_.in_force);
    parts_.sa_service.Configure(now_us);
    parts_.programming.ForgetUnkept();
    parts_.role.Reconsider(now_us);
}

void SettingsChange::StepPartitions(std::uint64_t now_us) {
    EMBER_ASSERT(waits_without_sweep());
    if (!partition_change_.is_comparing()) {
        partition_change_.Begin(parts_.in_force.manager_tables, next_.manager_tables);
    }
    if (partition_change_.Compare()) return;
    waits_ = false;
    parts_.in_force = next_;
    parts_.log.Write<Note::kPartitionsChange>(now_us);
    partition_change_.Apply(now_us);
}

bool SettingsChange::TakeEndOfPartitions(std::uint64_t now_us) {
    if (!partition_change_.TakeEnd()) return false;
    if (!parts_.tables.lack()) {
        parts_.log.Write<Note::kPartitionsChanged>(now_us,
                                                   parts_.tables.p_keys().outcome().blocks_set);
    }
    return true;
}

}  // namespace ember
