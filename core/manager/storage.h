// SPDX-License-Identifier: Apache-2.0
// EmberSM: every array the subnet manager will ever use.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "core/base/arena.h"
#include "core/base/assert.h"
#include "core/base/limits.h"
#include "core/discovery/discovery.h"
#include "core/lids/lids.h"
#include "core/manager/subnet_manager.h"

namespace ember {

/// An entry of the memory table.
struct MemoryRow {
    std::string_view name;
    std::size_t bytes = 0;
    [[nodiscard]] bool operator==(const MemoryRow&) const = default;
};

/// LIDs 0..0xBFFF: the unicast ones.
inline constexpr std::size_t kLidSpan = 0xC000;

/// Words of a mark for each of so many rows, on a board that replicates: see SaReplica.
[[nodiscard]] constexpr std::size_t ReplicaWords(const Limits& limits, std::size_t rows) {
    return limits.replication_bytes == 0 ? 0 : BitSet::WordsFor(rows);
}

// The arrays, each in one place: LayOut() names the row of the memory table that it counts for, the
// view that its part has of it, and its length. `visit` is a MemoryCount or a MemoryCarver.

template <typename Visitor>
constexpr void LayOutRoutes(const Limits& limits, SubnetManager::Memory& memory, Visitor& visit) {
    const std::size_t lft_bytes = limits.max_switches * LidStride(limits);
    KnownLfts::Memory& known = memory.programming.known;
    LftDifferences::Memory& differences = memory.programming.blocks.differences;
    Router::Memory& router = memory.routes.router;
    visit.Row("LFT arena, planned");
    visit.Take(memory.routes.planned, lft_bytes);
    visit.Row("LFT arena, programmed");
    visit.Take(known.entries, lft_bytes);
    visit.Row("LFT blocks known");
    visit.Take(known.known_words, KnownLfts::Words(limits));
    visit.Take(known.rows, limits.max_switches);
    visit.Row("LFT blocks to write");
    visit.Take(differences.differing_words, KnownLfts::Words(limits));
    visit.Take(differences.detour_words, KnownLfts::Words(limits));
    visit.Take(differences.blind_words, KnownLfts::Words(limits));
    visit.Take(known.unconfirmed_words, KnownLfts::Words(limits));
    visit.Take(differences.hot_words, LftDifferences::LidWords(limits));
    visit.Take(memory.programming.blocks.frozen_words, LftDifferences::LidWords(limits));
    visit.Take(differences.yield_words, LftDifferences::LidWords(limits));
    visit.Take(differences.homes, LidStride(limits));
    visit.Row("LID-matrix arena");
    visit.Take(router.hops, HopBytes(limits), Arena::kGrain);
    visit.Row("what was proved");
    visit.Take(router.dependencies, DependencyGraph::Words(WithLanes(limits, 1)));
    visit.Take(router.proved.switches, limits.max_switches);
    visit.Take(router.proved.peers, limits.max_ports);
    visit.Take(router.proved.lids, limits.max_lid);
    // Twice: what is planned of the lanes of a routing, and what is programmed.
    visit.Row("SLs and lanes");
    visit.Take(router.path_sl, limits.path_sl_bytes * std::size_t{2});
    visit.Take(router.lane_map, limits.lane_map_bytes / sizeof(std::uint64_t) * 2);
    visit.Row("LFT arena, later steps");
    visit.Take(router.step_lfts, HasStepArena(limits) ? lft_bytes : 0);
    visit.Row("port-group arena");  // Which ports are in the topologies of a chain.
    visit.Take(memory.routes.plan.parts, PlanMaker::PartWords(limits));
    visit.Take(memory.routes.plan.options, PlanMaker::OptionRows(limits));
    visit.Row("scratch arena");
    visit.Take(memory.scratch, limits.scratch_bytes, Arena::kGrain);
}

template <typename Visitor>
constexpr void LayOutFabric(const Limits& limits, SubnetManager::Memory& memory, Visitor& visit) {
    const std::size_t kept = limits.max_lid + std::size_t{1};
    visit.Row("nodes");
    visit.Take(memory.fabric.nodes, limits.max_nodes);
    visit.Row("switches");
    visit.Take(memory.fabric.switches, limits.max_switches);
    visit.Row("ports");
    visit.Take(memory.fabric.ports, limits.max_ports);
    visit.Row("GUID and LID indexes");
    visit.Take(memory.fabric.node_slots, RowIndex<NodeIndex>::SlotsFor(limits.max_nodes));
    visit.Take(memory.fabric.port_slots, RowIndex<PortIndex>::SparseSlotsFor(limits.max_ports));
    visit.Take(memory.fabric.lids, kept);
    visit.Row("kept LIDs");
    visit.Take(memory.lids.rows, kept);
    visit.Take(memory.lids.slots, RowIndex<LidMap::Row>::SlotsFor(kept));
    visit.Take(memory.lids.kept_words, BitSet::WordsFor(kLidSpan));
    visit.Row("flapping links");
    visit.Take(memory.flapping, limits.max_flapping_links);
    visit.Row("SMPs in flight");
    visit.Take(memory.exchange.transactions, limits.max_smps);
    visit.Take(memory.exchange.due, limits.max_smps);
    visit.Row("other SMs");
    visit.Take(memory.role.others, limits.max_other_sms);
    visit.Take(memory.replication.peers, limits.max_other_sms);
}

template <typename Visitor>
constexpr void LayOutMulticast(const Limits& limits, SubnetManager::Memory& memory,
                               Visitor& visit) {
    MulticastUpkeep::Memory& multicast = memory.multicast;
    const std::size_t mlid_words = BitSet::WordsFor(limits.max_mlids);
    visit.Row("multicast groups");
    visit.Take(multicast.groups.groups, limits.max_groups);
    visit.Take(multicast.groups.members, limits.max_members);
    visit.Take(multicast.groups.mlids, limits.max_mlids);
    visit.Take(multicast.groups.group_slots, RowIndex<GroupIndex>::SlotsFor(limits.max_groups));
    visit.Take(multicast.groups.member_slots, RowIndex<MemberIndex>::SlotsFor(limits.max_members));
    visit.Take(multicast.groups.changed_words, mlid_words);
    visit.Take(multicast.planned_words, mlid_words);
    visit.Take(multicast.programming.careful_words, mlid_words);
    visit.Take(multicast.programming.found_words, mlid_words);
    visit.Take(multicast.events, limits.max_events);
    visit.Row("MFT arena");
    visit.Take(multicast.tables.wanted, MftTables::BlocksFor(limits));
    visit.Take(multicast.tables.programmed, MftTables::BlocksFor(limits));
    visit.Take(multicast.tables.known_words, MftTables::WordsFor(limits));
    visit.Take(multicast.tables.differs_words, MftTables::WordsFor(limits));
    visit.Take(multicast.tables.runs, limits.max_switches);
    visit.Take(multicast.tables.owners, MftTables::PositionsFor(limits));
    visit.Take(multicast.programming.tops, limits.max_switches);
    visit.Row("multicast trees");
    visit.Take(multicast.trees.spots, limits.max_switches);
    visit.Take(multicast.trees.order, limits.max_switches);
    visit.Take(multicast.trees.targets, limits.max_switches);
    visit.Take(multicast.trees.queue, limits.max_switches);
    visit.Take(multicast.trees.branches, limits.max_switches);
    visit.Take(multicast.trees.ports, limits.max_switches);
    visit.Take(multicast.trees.checked, limits.max_switches);
    visit.Take(multicast.trees.draft, MftTables::PositionsFor(limits));
}

template <typename Visitor>
constexpr void LayOutAdministration(const Limits& limits, SubnetManager::Memory& memory,
                                    Visitor& visit) {
    Administration::Memory& administration = memory.sa_service.administration;
    Records::Memory& records = memory.sa_service.records;
    const std::size_t set_words = QosPolicy::WordsFor(limits);
    visit.Row("SA questions");
    visit.Take(administration.requests, limits.max_sa_requests);
    visit.Take(administration.receptions, Administration::ReceptionsFor(limits));
    visit.Take(administration.sources, limits.max_sa_sources);
    visit.Row("SA answers in segments");
    visit.Take(administration.transfers.transfers, limits.max_sa_transfers);
    visit.Take(administration.transfers.lines, limits.max_sa_transfers);
    visit.Row("paths");
    visit.Take(records.paths.link_ends, limits.max_ports);
    visit.Take(records.paths.ports, limits.max_switches);
    visit.Take(records.paths.forth, limits.max_switches);
    visit.Take(records.paths.back, limits.max_switches);
    visit.Row("QoS policy");
    visit.Take(records.policy.ports, QosPolicy::PortsFor(limits));
    visit.Take(records.policy.port_sets, QosPolicy::PortSetsFor(limits) * set_words * 2);
    visit.Take(records.policy.bounds, QosPolicy::BoundsFor(limits));
    visit.Take(records.policy.value_sets, QosPolicy::SetsFor(limits) * set_words);
    visit.Row("alias GUIDs");
    visit.Take(records.aliases.rows, limits.max_alias_guids);
    visit.Take(records.aliases.alias_slots, RowIndex<AliasIndex>::SlotsFor(limits.max_alias_guids));
    visit.Take(records.aliases.place_slots, RowIndex<AliasIndex>::SlotsFor(limits.max_alias_guids));
    visit.Take(records.guid_tables.rows, limits.max_guid_tables);
    visit.Take(records.guid_tables.settled, GuidTables::WordsFor(limits));
    visit.Take(memory.sa_service.known_guid_tables, limits.max_guid_tables);
    visit.Row("services, subscriptions");
    visit.Take(records.services.rows, limits.max_services);
    visit.Take(records.services.slots, RowIndex<ServiceIndex>::SlotsFor(limits.max_services));
    visit.Take(records.subscriptions, limits.max_subscriptions);
    visit.Take(memory.sa_service.reports, limits.max_subscriptions);
}

template <typename Visitor>
constexpr void LayOutRest(const Limits& limits, SubnetManager::Memory& memory, Visitor& visit) {
    ReplicationUpkeep::Memory& replication = memory.replication;
    visit.Row("P_Key tables");
    visit.Take(memory.tables.p_keys.known, PKeyUpkeep::RowsFor(limits));
    visit.Take(memory.tables.p_keys.jobs, PKeyUpkeep::kPortsAtOnce);
    visit.Row("bandwidth limits");
    visit.Take(memory.tables.bandwidths.known, BandwidthUpkeep::TablesFor(limits));
    visit.Take(memory.tables.bandwidths.sets, BandwidthUpkeep::PortsFor(limits));
    visit.Row("journal");
    visit.Take(memory.log, limits.journal_notes);
    visit.Row("journal of registrations");
    visit.Take(memory.state_buffer, limits.state_buffer_bytes);
    visit.Row("replication");
    visit.Take(replication.journal, limits.replication_bytes);
    visit.Take(replication.sent, limits.replication_bytes);
    visit.Take(replication.received, limits.replication_bytes);
    visit.Take(replication.replica.groups, ReplicaWords(limits, limits.max_groups));
    visit.Take(replication.replica.members, ReplicaWords(limits, limits.max_members));
    visit.Take(replication.replica.aliases, ReplicaWords(limits, limits.max_alias_guids));
    visit.Take(replication.replica.services, ReplicaWords(limits, limits.max_services));
    visit.Take(replication.replica.subscriptions, ReplicaWords(limits, limits.max_subscriptions));
    visit.Take(replication.lid_marks, ReplicaWords(limits, limits.max_lid + std::size_t{1}));
}

/// Shows `visit` every array that the subnet manager will ever use.
template <typename Visitor>
constexpr void LayOut(const Limits& limits, SubnetManager::Memory& memory, Visitor& visit) {
    LayOutRoutes(limits, memory, visit);
    LayOutFabric(limits, memory, visit);
    LayOutMulticast(limits, memory, visit);
    LayOutAdministration(limits, memory, visit);
    LayOutRest(limits, memory, visit);
}

/// The octets that arrays take, row for row. For LayOut().
class MemoryCount {
public:
    static constexpr std::size_t kRows = 32;

    constexpr void Row(std::string_view name) {
        EMBER_ASSERT(count_ < kRows);
        rows_[count_++].name = name;
    }
    template <typename T>
    constexpr void Take(std::span<T>& /*view*/, std::size_t count, std::size_t grain = alignof(T)) {
        EMBER_ASSERT(count_ > 0);
        rows_[count_ - 1].bytes += count * sizeof(T);
        total_ = (total_ + grain - 1) / grain * grain + count * sizeof(T);
    }

    [[nodiscard]] constexpr const std::array<MemoryRow, kRows>& rows() const {
        EMBER_ASSERT(count_ == kRows);
        return rows_;
    }
    /// All of them one after the other, each at a multiple of its grain: octets.
    [[nodiscard]] constexpr std::size_t total_bytes() const { return total_; }

private:
    std::array<MemoryRow, kRows> rows_{};
    std::size_t count_ = 0;
    std::size_t total_ = 0;
};

/// Begins the life of arrays, one after the other, in octets aligned to Arena::kGrain. Values
/// without a constructor are not written to: what is not touched is not resident. For LayOut().
class MemoryCarver {
public:
    explicit MemoryCarver(std::span<std::byte> room) : room_(room) {}

    void Row(std::string_view /*name*/) {}
    template <typename T>
    void Take(std::span<T>& view, std::size_t count, std::size_t grain = alignof(T)) {
        used_ = (used_ + grain - 1) / grain * grain;
        EMBER_ASSERT(used_ <= room_.size() && count * sizeof(T) <= room_.size() - used_);
        void* const place = room_.data() + used_;
        EMBER_ASSERT(IsAligned(place, grain));
        used_ += count * sizeof(T);
        T* const first = static_cast<T*>(place);
        if constexpr (!std::is_trivially_default_constructible_v<T>) {
            for (std::size_t i = 0; i < count; ++i)
                ::new (static_cast<void*>(first + i)) T;
        }
        view = {first, count};
    }

private:
    std::span<std::byte> room_;
    std::size_t used_ = 0;
};

[[nodiscard]] constexpr MemoryCount CountMemory(const Limits& limits) {
    SubnetManager::Memory views;
    MemoryCount count;
    LayOut(limits, views, count);
    return count;
}

/// The octets that a Storage of these limits takes, row for row, also for limits that are known
/// only at run time: so a plan says what a fabric would need of a board.
[[nodiscard]] constexpr std::array<MemoryRow, MemoryCount::kRows> MemoryTable(
    const Limits& limits) {
    return CountMemory(limits).rows();
}

/// The scratch memory without which one of the core's computations, but for routing, could not
/// begin on a board of these limits.
[[nodiscard]] constexpr std::size_t LeastScratchBytes(const Limits& limits) {
    return std::max({AssignLidsScratchBytes(limits),
                     Discovery::ScratchBytes(limits) + FlappingLinks::ScratchBytes(limits),
                     Trees::ScratchBytes(limits), KnownMKeys::SaveBytes(limits)});
}
/// The same with routing: `engines` is what the board's engines take (engines/catalogue.h).
[[nodiscard]] constexpr std::size_t LeastScratchBytes(const Limits& limits,
                                                      const EngineBytes& engines) {
    return std::max(LeastScratchBytes(limits), Router::ScratchBytes(WithLanes(limits, 1), engines));
}

/// Every array the subnet manager will ever use, sized by the board's Limits. A board defines one,
/// static; the core sees it through the views of memory(). Nothing else is ever allocated.
template <Limits kLimits>
class Storage {
public:
    static_assert(Sound(kLimits), "these Limits are not possible; see core/base/limits.h");
    static_assert(kLimits.scratch_bytes >= LeastScratchBytes(kLimits),
                  "scratch_bytes cannot feed the assignment of LIDs, a sweep or the trees of "
                  "multicast: enlarge it");

    Storage() = default;  // Storage{} is all zero; static storage is so without being written to.
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    /// Views of all the arrays, which begin to live with the first call.
    [[nodiscard]] const SubnetManager::Memory& memory() {
        if (!is_laid_out_) {
            is_laid_out_ = true;
            MemoryCarver carver(room_);
            LayOut(kLimits, views_, carver);
        }
        return views_;
    }

    /// Octets, row for row: they add up to sizeof(Storage), but for padding and the views.
    [[nodiscard]] static constexpr auto table() { return MemoryTable(kLimits); }

private:
    SubnetManager::Memory views_;
    bool is_laid_out_ = false;
    alignas(Arena::kGrain) std::array<std::byte, CountMemory(kLimits).total_bytes()> room_;
};

}  // namespace ember
