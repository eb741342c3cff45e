// SPDX-License-Identifier: Apache-2.0
// EmberSM: groups, tables and trees of multicast with storage of their own, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/fabric/fabric.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "core/multicast/groups.h"
#include "core/multicast/mft_tables.h"
#include "core/multicast/trees.h"
#include "core/settings/settings.h"

namespace ember::testing {

class GroupStore {
public:
    explicit GroupStore(const Limits& limits)
        : group_rows_(limits.max_groups),
          member_rows_(limits.max_members),
          mlid_rows_(limits.max_mlids),
          group_slots_(RowIndex<GroupIndex>::SlotsFor(limits.max_groups)),
          member_slots_(RowIndex<MemberIndex>::SlotsFor(limits.max_members)),
          changed_(BitSet::WordsFor(limits.max_mlids)),
          ring_(limits.max_events),
          events_(ring_),
          groups_({group_rows_, member_rows_, mlid_rows_, group_slots_, member_slots_, changed_},
                  limits, events_) {}

    [[nodiscard]] Groups& groups() { return groups_; }
    [[nodiscard]] SubnetEvents& events() { return events_; }

private:
    std::vector<Group> group_rows_;
    std::vector<Member> member_rows_;
    std::vector<Groups::MlidRow> mlid_rows_;
    std::vector<GroupIndex> group_slots_;
    std::vector<MemberIndex> member_slots_;
    std::vector<std::uint64_t> changed_;
    std::vector<SubnetEvent> ring_;
    SubnetEvents events_;
    Groups groups_;
};

class MftStore {
public:
    explicit MftStore(const Limits& limits)
        : wanted_(MftTables::BlocksFor(limits)),
          programmed_(wanted_.size()),
          known_(MftTables::WordsFor(limits)),
          differs_(MftTables::WordsFor(limits)),
          runs_(limits.max_switches),
          owners_(MftTables::PositionsFor(limits), kNoSwitch),
          tables_({wanted_, programmed_, known_, differs_, runs_, owners_}, limits) {}

    [[nodiscard]] MftTables& tables() { return tables_; }

private:
    std::vector<MftTables::Block> wanted_;
    std::vector<MftTables::Block> programmed_;
    std::vector<std::uint64_t> known_;
    std::vector<std::uint64_t> differs_;
    std::vector<MftTables::Run> runs_;
    std::vector<SwitchIndex> owners_;
    MftTables tables_;
};

/// Tables and trees over a fabric that stands still.
class TreeStore {
public:
    TreeStore(const Fabric& fabric, const Limits& limits, const Groups& groups)
        : scratch_bytes_(Topology::ScratchBytes(limits) + HopMeter::ScratchBytes(limits) +
                         Trees::ScratchBytes(limits) + Arena::kGrain),
          fabric_(fabric),
          hop_octets_(HopBytes(limits)),
          mfts_(limits),
          spots_(limits.max_switches),
          order_(limits.max_switches),
          targets_(limits.max_switches),
          queue_(limits.max_switches),
          branches_(limits.max_switches),
          ports_(limits.max_switches),
          checked_(limits.max_switches),
          draft_(MftTables::PositionsFor(limits)),
          trees_({spots_, order_, targets_, queue_, branches_, ports_, checked_, draft_}, fabric,
                 groups, mfts_.tables()) {}

    /// Measures hops and takes the subnet as it is now.
    void Begin(Order order) {
        std::vector<std::byte> octets(scratch_bytes_ + 2 * Arena::kGrain);
        void* place = octets.data();
        std::size_t room = octets.size();
        std::align(Arena::kGrain, scratch_bytes_, place, room);
        Arena scratch({static_cast<std::byte*>(place), scratch_bytes_});
        Topology topology;
        topology.Build(fabric_, order, scratch);
        const Matrix<SwitchIndex, std::uint8_t> hops(hop_octets_, HopShape(fabric_.switch_bound()));
        HopMeter meter;
        meter.Begin(topology, hops, scratch);
        while (meter.Advance() != Progress::kDone) {
        }
        hops_ = hops;
        static_cast<void>(mfts_.tables().Fit(fabric_));
        trees_.Begin(hops_, order, scratch);
    }

    [[nodiscard]] MftTables& tables() { return mfts_.tables(); }
    [[nodiscard]] Trees& trees() { return trees_; }
    [[nodiscard]] Trees::Hops hops() const { return hops_; }

private:
    std::size_t scratch_bytes_;
    const Fabric& fabric_;
    std::vector<std::uint8_t> hop_octets_;
    MftStore mfts_;
    std::vector<Trees::Spot> spots_;
    std::vector<SwitchIndex> order_;
    std::vector<SwitchIndex> targets_;
    std::vector<SwitchIndex> queue_;
    std::vector<Trees::Branch> branches_;
    std::vector<std::uint8_t> ports_;
    std::vector<TreeCheck::Spot> checked_;
    std::vector<std::uint16_t> draft_;
    Trees trees_;
    Trees::Hops hops_;
};

}  // namespace ember::testing
