// SPDX-License-Identifier: Apache-2.0
// EmberSM: a change of the partitions alone, which needs no sweep.

#include "core/manager/partition_change.h"

#include "core/base/assert.h"

namespace ember {
namespace {

/// Rows compared at once: some nanoseconds each on a server, ten times that on a switch.
inline constexpr std::size_t kRowsAtOnce = 16'384;

}  // namespace

void PartitionChange::Begin(const ManagerTables& before, const ManagerTables& after) {
    EMBER_ASSERT(!is_comparing());
    phase_ = Phase::kComparing;
    diff_ = PartitionDiff(before, after);
}

bool PartitionChange::Compare() {
    EMBER_ASSERT(is_comparing());
    return diff_.Step(kRowsAtOnce, [this](Guid guid) { parts_.tables.Mark(guid); });
}

void PartitionChange::Apply(std::uint64_t now_us) {
    EMBER_ASSERT(is_comparing());
    phase_ = Phase::kGoingOut;
    const bool concerns_all = diff_.concerns_all();
    diff_ = PartitionDiff{};  // The old tables may go.
    parts_.sa_service.Configure(now_us);
    parts_.sa_service.FollowPartitions(now_us);
    parts_.multicast.FollowPartitions(now_us);
    parts_.tables.BeginChange(concerns_all);
}

bool PartitionChange::TakeEnd() {
    if (phase_ != Phase::kGoingOut || !parts_.tables.are_settled()) return false;
    phase_ = Phase::kNone;
    return true;
}

}  // namespace ember
