// SPDX-License-Identifier: Apache-2.0
// EmberSM: new settings, and when they are in force.

#include "core/subnet_manager.h"

namespace ember {

void SubnetManager::Configure(const Settings& settings) {
    next_settings_ = settings;
    settings_changed_ = true;
    partition_change_.GiveUp();
    are_partitions_alone_ = status_.up && DifferInPartitionsAlone(settings_, next_settings_);
    if (!are_partitions_alone_) plan_.Hear(SweepCue::kConfiguration);
}

void SubnetManager::ApplySettings(std::uint64_t now_us) {
    partition_change_.GiveUp();
    if (!settings_changed_) return;
    settings_changed_ = false;
    routes_.Configure(settings_, next_settings_);
    settings_ = next_settings_;
    exchange_.Configure(settings_);
    sa_service_.Configure(now_us);
    programming_.ForgetUnkept();
    role_.Reconsider(now_us);
}

/// Partitions that alone have changed are put in force while the subnet rests. Any other change,
/// and this one too if the subnet comes down meanwhile, waits for a heavy sweep.
bool SubnetManager::StepPartitions(std::uint64_t now_us) {
    if (status_.stage != Stage::kResting || !role_.is_master()) return false;
    if (partition_change_.TakeEnd()) {
        if (!tables_.lack()) {
            ++status_.partition_changes;
            log_.Write<Note::kPartitionsChanged>(now_us, tables_.p_keys().outcome().blocks_set);
        }
        FollowEndPorts(now_us);
    }
    if (!settings_changed_ || plan_.wants_heavy() || !exchange_.port_is_alive()) return false;
    if (!are_partitions_alone_ || !status_.up) {
        plan_.Hear(SweepCue::kConfiguration);
        return false;
    }
    if (!partition_change_.is_comparing()) {
        partition_change_.Begin(settings_.manager_tables, next_settings_.manager_tables);
    }
    if (partition_change_.Compare()) return true;
    settings_changed_ = false;
    settings_ = next_settings_;
    log_.Write<Note::kPartitionsChange>(now_us);
    partition_change_.Apply(now_us);
    return true;
}

}  // namespace ember
