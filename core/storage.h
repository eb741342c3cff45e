// SPDX-License-Identifier: Apache-2.0
// EmberSM: every array the subnet manager will ever use.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/assignment/lids.h"
#include "core/base/limits.h"
#include "core/discovery/discovery.h"
#include "core/subnet_manager.h"

namespace ember {

/// One entry of the memory table.
struct MemoryRow {
    std::string_view name;
    std::size_t bytes = 0;
    [[nodiscard]] bool operator==(const MemoryRow&) const = default;
};

/// LIDs 0..0xBFFF: the unicast ones.
inline constexpr std::size_t kLidSpan = 0xC000;

/// What is planned and what is programmed of the lanes of a routing: see Router::Memory.
[[nodiscard]] constexpr std::size_t PathSlBytes(const Limits& limits) {
    return limits.path_sl_bytes * std::size_t{2};
}
[[nodiscard]] constexpr std::size_t LaneMapWords(const Limits& limits) {
    return limits.lane_map_bytes / sizeof(std::uint64_t) * 2;
}

/// Words of a mark for each of so many rows, on a board that replicates: see SaReplica.
[[nodiscard]] constexpr std::size_t ReplicaWords(const Limits& limits, std::size_t rows) {
    return limits.replication_bytes == 0 ? 0 : BitSet::WordsFor(rows);
}

/// What a Storage of these limits takes, row for row, for limits that are known only when the
/// program runs: a plan says so what a fabric would need of a board.
[[nodiscard]] constexpr std::array<MemoryRow, 32> MemoryTable(const Limits& limits) {
    const std::size_t lft_bytes = limits.max_switches * LidStride(limits);
    const std::size_t kept = limits.max_lid + std::size_t{1};
    const std::size_t words = sizeof(std::uint64_t);
    return {
        MemoryRow{"LFT arena, planned", lft_bytes},
        MemoryRow{"LFT arena, programmed", lft_bytes},
        MemoryRow{"LFT blocks known", Programming::KnownWords(limits) * words +
                                          limits.max_switches * sizeof(Programming::KnownTable)},
        MemoryRow{"LFT blocks to write", Programming::KnownWords(limits) * words * 4 +
                                             Programming::LidWords(limits) * words * 2 +
                                             LidStride(limits) * sizeof(SwitchIndex)},
        MemoryRow{"LID-matrix arena", HopBytes(limits)},
        MemoryRow{"what was proved", DependencyGraph::Words(WithLanes(limits, 1)) * words +
                                         ProvedSubnet::Bytes(limits)},
        MemoryRow{"SLs and lanes", PathSlBytes(limits) + LaneMapWords(limits) * words},
        MemoryRow{"LFT arena, later steps", limits.max_routing_steps == 1 ? 0 : lft_bytes},
        MemoryRow{"routing chains", PlanMaker::Bytes(limits)},
        MemoryRow{"scratch arena", limits.scratch_bytes},
        MemoryRow{"nodes", limits.max_nodes * sizeof(Node)},
        MemoryRow{"switches", limits.max_switches * sizeof(Switch)},
        MemoryRow{"ports", limits.max_ports * sizeof(Port)},
        MemoryRow{"GUID and LID indexes",
                  RowIndex<NodeIndex>::SlotsFor(limits.max_nodes) * sizeof(NodeIndex) +
                      RowIndex<PortIndex>::SparseSlotsFor(limits.max_ports) * sizeof(PortIndex) +
                      kept * sizeof(PortIndex)},
        MemoryRow{"kept LIDs", kept * sizeof(KeptLids) +
                                   RowIndex<LidMap::Row>::SlotsFor(kept) * sizeof(LidMap::Row) +
                                   BitSet::WordsFor(kLidSpan) * words},
        MemoryRow{"flapping links", limits.max_flapping_links * sizeof(FlappingLink)},
        MemoryRow{"SMPs in flight",
                  limits.max_smps * (sizeof(Exchange::Transaction) + sizeof(DueQueue::Entry))},
        MemoryRow{"other SMs", limits.max_other_sms * (sizeof(OtherSm) + sizeof(ReplicationPeer))},
        MemoryRow{"multicast groups",
                  limits.max_groups * sizeof(Group) + limits.max_members * sizeof(Member) +
                      limits.max_mlids * sizeof(Groups::MlidRow) +
                      RowIndex<GroupIndex>::SlotsFor(limits.max_groups) * sizeof(GroupIndex) +
                      RowIndex<MemberIndex>::SlotsFor(limits.max_members) * sizeof(MemberIndex) +
                      BitSet::WordsFor(limits.max_mlids) * words * 4 +
                      limits.max_events * sizeof(SubnetEvent)},
        MemoryRow{"MFT arena", MftTables::BlocksFor(limits) * sizeof(MftTables::Block) * 2 +
                                   MftTables::WordsFor(limits) * words * 2 +
                                   limits.max_switches * (sizeof(MftTables::Run) + sizeof(Lid)) +
                                   MftTables::PositionsFor(limits) * sizeof(SwitchIndex)},
        MemoryRow{"multicast trees",
                  limits.max_switches *
                          (sizeof(Trees::Spot) + 3 * sizeof(SwitchIndex) + sizeof(Trees::Branch) +
                           sizeof(std::uint8_t) + sizeof(TreeCheck::Spot)) +
                      MftTables::PositionsFor(limits) * sizeof(std::uint16_t)},
        MemoryRow{"SA questions", limits.max_sa_requests * sizeof(SaRequest) +
                                      Administration::ReceptionsFor(limits) * sizeof(SaReception) +
                                      limits.max_sa_sources * sizeof(SaSource)},
        MemoryRow{"SA answers in segments",
                  limits.max_sa_transfers * (sizeof(Transfer) + sizeof(Administration::Line))},
        MemoryRow{"paths",
                  limits.max_ports * sizeof(Paths::Cable) +
                      limits.max_switches * (sizeof(Paths::Ports) + sizeof(Paths::Rest) * 2)},
        MemoryRow{"QoS policy",
                  QosPolicy::PortsFor(limits) * sizeof(QosPolicy::PortMark) +
                      QosPolicy::PortSetsFor(limits) * QosPolicy::WordsFor(limits) * words * 2 +
                      QosPolicy::BoundsFor(limits) * words +
                      QosPolicy::SetsFor(limits) * QosPolicy::WordsFor(limits) * words},
        MemoryRow{"alias GUIDs", limits.max_alias_guids * sizeof(AliasGuids::Row) +
                                     RowIndex<AliasIndex>::SlotsFor(limits.max_alias_guids) *
                                         sizeof(AliasIndex) * 2 +
                                     GuidTables::WordsFor(limits) * words +
                                     limits.max_guid_tables * (sizeof(GuidTables::Row) +
                                                               sizeof(TableProgramming::Known))},
        MemoryRow{"services, subscriptions",
                  limits.max_services * sizeof(Services::Row) +
                      RowIndex<ServiceIndex>::SlotsFor(limits.max_services) * sizeof(ServiceIndex) +
                      limits.max_subscriptions * (sizeof(Subscription) + sizeof(GmpExchange::Row))},
        MemoryRow{"P_Key tables", PKeyUpkeep::RowsFor(limits) * sizeof(PKeyUpkeep::Known) +
                                      PKeyUpkeep::kPortsAtOnce * sizeof(PKeyUpkeep::Job)},
        MemoryRow{"bandwidth limits",
                  BandwidthUpkeep::TablesFor(limits) * sizeof(TableProgramming::Known) +
                      BandwidthUpkeep::PortsFor(limits) * sizeof(BandwidthSetIndex)},
        MemoryRow{"journal", limits.journal_notes * sizeof(LogRecord)},
        MemoryRow{"journal of registrations", limits.state_buffer_bytes},
        MemoryRow{"replication", limits.replication_bytes * std::size_t{3} +
                                     words * (ReplicaWords(limits, limits.max_groups) +
                                              ReplicaWords(limits, limits.max_members) +
                                              ReplicaWords(limits, limits.max_alias_guids) +
                                              ReplicaWords(limits, limits.max_services) +
                                              ReplicaWords(limits, limits.max_subscriptions))},
    };
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

    [[nodiscard]] SubnetManager::Memory memory() {
        return {
            .fabric = {nodes_, switches_, ports_, node_slots_, port_slots_, lids_},
            .exchange = {transactions_, due_},
            .flapping = flapping_links_,
            .lids = {kept_lids_, kept_slots_, kept_words_},
            .programming = {programmed_, known_words_, pending_words_, detour_words_, blind_words_,
                            doubt_words_, hot_words_, frozen_words_, homes_, known_tables_},
            .tables = {.p_keys = {known_p_keys_, p_key_jobs_},
                       .bandwidths = {known_bandwidths_, bandwidth_sets_}},
            .routes = {.router = {.hops = hops_,
                                  .dependencies = dependencies_,
                                  .proved = {proved_switches_, proved_peers_, proved_lids_},
                                  .step_lfts = step_lfts_,
                                  .path_sl = path_sl_,
                                  .lane_map = lane_map_},
                       .plan = {.parts = chain_parts_, .options = chain_options_},
                       .planned = planned_},
            .role = {other_sms_},
            .replication = {.peers = replication_peers_,
                            .journal = replication_journal_,
                            .sent = replication_sent_,
                            .received = replication_received_,
                            .replica = {replica_groups_, replica_members_, replica_aliases_,
                                        replica_services_, replica_subscriptions_}},
            .multicast = {.groups = {multicast_groups_, multicast_members_, mlids_, group_slots_,
                                     member_slots_, changed_mlids_},
                          .tables = {mfts_wanted_, mfts_programmed_, mfts_known_, mfts_differ_,
                                     mft_runs_, mft_owners_},
                          .trees = {tree_spots_, tree_order_, tree_targets_, tree_queue_,
                                    tree_branches_, tree_ports_, tree_checked_, tree_draft_},
                          .programming = {careful_mlids_, found_mlids_, mft_tops_},
                          .planned_words = planned_mlids_,
                          .events = events_},
            .sa_service =
                {.records = {.paths = {path_cables_, path_ports_, path_forth_, path_back_},
                             .policy = {qos_ports_, qos_port_sets_, qos_bounds_, qos_value_sets_},
                             .aliases = {aliases_, alias_slots_, alias_place_slots_},
                             .guid_tables = {guid_tables_, guids_told_},
                             .services = {services_, service_slots_},
                             .subscriptions = subscriptions_},
                 .administration = {sa_requests_, sa_transfers_, sa_lines_, sa_receptions_,
                                    sa_sources_},
                 .reports = report_rows_,
                 .known_guid_tables = known_guid_tables_},
            .scratch = scratch_,
            .log = log_,
            .state_buffer = state_buffer_,
        };
    }

    /// Who takes what, largest tables by name; the rows add up to sizeof(Storage), padding apart.
    [[nodiscard]] static constexpr auto table() {
        using Self = Storage;
        constexpr std::array kRows{
            MemoryRow{"LFT arena, planned", sizeof(Self::planned_)},
            MemoryRow{"LFT arena, programmed", sizeof(Self::programmed_)},
            MemoryRow{"LFT blocks known", sizeof(Self::known_words_) + sizeof(Self::known_tables_)},
            MemoryRow{"LFT blocks to write",
                      sizeof(Self::pending_words_) + sizeof(Self::detour_words_) +
                          sizeof(Self::blind_words_) + sizeof(Self::doubt_words_) +
                          sizeof(Self::hot_words_) + sizeof(Self::frozen_words_) +
                          sizeof(Self::homes_)},
            MemoryRow{"LID-matrix arena", sizeof(Self::hops_)},
            MemoryRow{"what was proved",
                      sizeof(Self::dependencies_) + sizeof(Self::proved_switches_) +
                          sizeof(Self::proved_peers_) + sizeof(Self::proved_lids_)},
            MemoryRow{"SLs and lanes",
                      std::tuple_size_v<decltype(Self::path_sl_)> +
                          std::tuple_size_v<decltype(Self::lane_map_)> * sizeof(std::uint64_t)},
            MemoryRow{"LFT arena, later steps", std::tuple_size_v<decltype(Self::step_lfts_)>},
            MemoryRow{"routing chains", PlanMaker::Bytes(kLimits)},
            MemoryRow{"scratch arena", sizeof(Self::scratch_)},
            MemoryRow{"nodes", sizeof(Self::nodes_)},
            MemoryRow{"switches", sizeof(Self::switches_)},
            MemoryRow{"ports", sizeof(Self::ports_)},
            MemoryRow{"GUID and LID indexes",
                      sizeof(Self::node_slots_) + sizeof(Self::port_slots_) + sizeof(Self::lids_)},
            MemoryRow{"kept LIDs", sizeof(Self::kept_lids_) + sizeof(Self::kept_slots_) +
                                       sizeof(Self::kept_words_)},
            MemoryRow{"flapping links", sizeof(Self::flapping_links_)},
            MemoryRow{"SMPs in flight", sizeof(Self::transactions_) + sizeof(Self::due_)},
            MemoryRow{"other SMs", sizeof(Self::other_sms_) + sizeof(Self::replication_peers_)},
            MemoryRow{"multicast groups",
                      sizeof(Self::multicast_groups_) + sizeof(Self::multicast_members_) +
                          sizeof(Self::mlids_) + sizeof(Self::group_slots_) +
                          sizeof(Self::member_slots_) + sizeof(Self::changed_mlids_) +
                          sizeof(Self::planned_mlids_) + sizeof(Self::careful_mlids_) +
                          sizeof(Self::found_mlids_) + sizeof(Self::events_)},
            MemoryRow{"MFT arena", sizeof(Self::mfts_wanted_) + sizeof(Self::mfts_programmed_) +
                                       sizeof(Self::mfts_known_) + sizeof(Self::mfts_differ_) +
                                       sizeof(Self::mft_runs_) + sizeof(Self::mft_owners_) +
                                       sizeof(Self::mft_tops_)},
            MemoryRow{"multicast trees",
                      sizeof(Self::tree_spots_) + sizeof(Self::tree_order_) +
                          sizeof(Self::tree_targets_) + sizeof(Self::tree_queue_) +
                          sizeof(Self::tree_branches_) + sizeof(Self::tree_ports_) +
                          sizeof(Self::tree_checked_) + sizeof(Self::tree_draft_)},
            MemoryRow{"SA questions", sizeof(Self::sa_requests_) + sizeof(Self::sa_receptions_) +
                                          sizeof(Self::sa_sources_)},
            MemoryRow{"SA answers in segments",
                      sizeof(Self::sa_transfers_) + sizeof(Self::sa_lines_)},
            MemoryRow{"paths", sizeof(Self::path_cables_) + sizeof(Self::path_ports_) +
                                   sizeof(Self::path_forth_) + sizeof(Self::path_back_)},
            MemoryRow{
                "QoS policy",
                std::tuple_size_v<decltype(Self::qos_ports_)> * sizeof(QosPolicy::PortMark) +
                    (std::tuple_size_v<decltype(Self::qos_port_sets_)> +
                     std::tuple_size_v<decltype(Self::qos_bounds_)> +
                     std::tuple_size_v<decltype(Self::qos_value_sets_)>)*sizeof(std::uint64_t)},
            MemoryRow{"alias GUIDs", sizeof(Self::aliases_) + sizeof(Self::alias_slots_) +
                                         sizeof(Self::alias_place_slots_) +
                                         sizeof(Self::guid_tables_) + sizeof(Self::guids_told_) +
                                         sizeof(Self::known_guid_tables_)},
            MemoryRow{"services, subscriptions",
                      sizeof(Self::services_) + sizeof(Self::service_slots_) +
                          sizeof(Self::subscriptions_) + sizeof(Self::report_rows_)},
            MemoryRow{"P_Key tables", sizeof(Self::known_p_keys_) + sizeof(Self::p_key_jobs_)},
            MemoryRow{"bandwidth limits", std::tuple_size_v<decltype(Self::known_bandwidths_)> *
                                                  sizeof(TableProgramming::Known) +
                                              std::tuple_size_v<decltype(Self::bandwidth_sets_)> *
                                                  sizeof(BandwidthSetIndex)},
            MemoryRow{"journal", sizeof(Self::log_)},
            MemoryRow{"journal of registrations", sizeof(Self::state_buffer_)},
            MemoryRow{"replication",
                      std::tuple_size_v<decltype(Self::replication_journal_)> * 3 +
                          (std::tuple_size_v<decltype(Self::replica_groups_)> +
                           std::tuple_size_v<decltype(Self::replica_members_)> +
                           std::tuple_size_v<decltype(Self::replica_aliases_)> +
                           std::tuple_size_v<decltype(Self::replica_services_)> +
                           std::tuple_size_v<
                               decltype(Self::replica_subscriptions_)>)*sizeof(std::uint64_t)},
        };
        static_assert(std::equal(kRows.begin(), kRows.end(), MemoryTable(kLimits).begin()),
                      "MemoryTable() does not know an array: say there how large it is");
        return kRows;
    }

private:
    static constexpr std::size_t kLftBytes = kLimits.max_switches * LidStride(kLimits);
    static constexpr std::size_t kKept = kLimits.max_lid + 1;

    std::array<std::uint8_t, kLftBytes> planned_;
    std::array<std::uint8_t, kLftBytes> programmed_;
    std::array<std::uint64_t, Programming::KnownWords(kLimits)> known_words_;
    std::array<std::uint64_t, Programming::KnownWords(kLimits)> pending_words_;
    std::array<std::uint64_t, Programming::KnownWords(kLimits)> detour_words_;
    std::array<std::uint64_t, Programming::KnownWords(kLimits)> blind_words_;
    std::array<std::uint64_t, Programming::KnownWords(kLimits)> doubt_words_;
    std::array<std::uint64_t, Programming::LidWords(kLimits)> hot_words_;
    std::array<std::uint64_t, Programming::LidWords(kLimits)> frozen_words_;
    std::array<SwitchIndex, LidStride(kLimits)> homes_;
    std::array<Programming::KnownTable, kLimits.max_switches> known_tables_;
    alignas(Arena::kGrain) std::array<std::uint8_t, HopBytes(kLimits)> hops_;
    std::array<std::uint64_t, DependencyGraph::Words(WithLanes(kLimits, 1))> dependencies_;
    std::array<ProvedSubnet::SwitchMark, kLimits.max_switches> proved_switches_;
    std::array<SwitchIndex, kLimits.max_ports> proved_peers_;
    std::array<ProvedSubnet::LidMark, kLimits.max_lid> proved_lids_;
    std::array<std::uint8_t, kLimits.max_routing_steps == 1 ? 0 : kLftBytes> step_lfts_;
    std::array<std::uint64_t, PlanMaker::PartWords(kLimits)> chain_parts_;
    std::array<EngineOptions, PlanMaker::OptionRows(kLimits)> chain_options_;
    std::array<std::uint8_t, PathSlBytes(kLimits)> path_sl_;
    std::array<std::uint64_t, LaneMapWords(kLimits)> lane_map_;
    alignas(Arena::kGrain) std::array<std::byte, kLimits.scratch_bytes> scratch_;
    std::array<Node, kLimits.max_nodes> nodes_;
    std::array<Switch, kLimits.max_switches> switches_;
    std::array<Port, kLimits.max_ports> ports_;
    std::array<NodeIndex, RowIndex<NodeIndex>::SlotsFor(kLimits.max_nodes)> node_slots_;
    std::array<PortIndex, RowIndex<PortIndex>::SparseSlotsFor(kLimits.max_ports)> port_slots_;
    std::array<PortIndex, kLimits.max_lid + 1> lids_;
    std::array<KeptLids, kKept> kept_lids_;
    std::array<LidMap::Row, RowIndex<LidMap::Row>::SlotsFor(kKept)> kept_slots_;
    std::array<std::uint64_t, BitSet::WordsFor(kLidSpan)> kept_words_;
    std::array<FlappingLink, kLimits.max_flapping_links> flapping_links_;
    std::array<Exchange::Transaction, kLimits.max_smps> transactions_;
    std::array<DueQueue::Entry, kLimits.max_smps> due_;
    std::array<OtherSm, kLimits.max_other_sms> other_sms_;
    std::array<ReplicationPeer, kLimits.max_other_sms> replication_peers_;
    std::array<Group, kLimits.max_groups> multicast_groups_;
    std::array<Member, kLimits.max_members> multicast_members_;
    std::array<Groups::MlidRow, kLimits.max_mlids> mlids_;
    std::array<GroupIndex, RowIndex<GroupIndex>::SlotsFor(kLimits.max_groups)> group_slots_;
    std::array<MemberIndex, RowIndex<MemberIndex>::SlotsFor(kLimits.max_members)> member_slots_;
    std::array<std::uint64_t, BitSet::WordsFor(kLimits.max_mlids)> changed_mlids_;
    std::array<std::uint64_t, BitSet::WordsFor(kLimits.max_mlids)> planned_mlids_;
    std::array<std::uint64_t, BitSet::WordsFor(kLimits.max_mlids)> careful_mlids_;
    std::array<std::uint64_t, BitSet::WordsFor(kLimits.max_mlids)> found_mlids_;
    std::array<SubnetEvent, kLimits.max_events> events_;
    std::array<MftTables::Block, MftTables::BlocksFor(kLimits)> mfts_wanted_;
    std::array<MftTables::Block, MftTables::BlocksFor(kLimits)> mfts_programmed_;
    std::array<std::uint64_t, MftTables::WordsFor(kLimits)> mfts_known_;
    std::array<std::uint64_t, MftTables::WordsFor(kLimits)> mfts_differ_;
    std::array<MftTables::Run, kLimits.max_switches> mft_runs_;
    std::array<SwitchIndex, MftTables::PositionsFor(kLimits)> mft_owners_;
    std::array<Lid, kLimits.max_switches> mft_tops_;
    std::array<Trees::Spot, kLimits.max_switches> tree_spots_;
    std::array<SwitchIndex, kLimits.max_switches> tree_order_;
    std::array<SwitchIndex, kLimits.max_switches> tree_targets_;
    std::array<SwitchIndex, kLimits.max_switches> tree_queue_;
    std::array<Trees::Branch, kLimits.max_switches> tree_branches_;
    std::array<std::uint8_t, kLimits.max_switches> tree_ports_;
    std::array<TreeCheck::Spot, kLimits.max_switches> tree_checked_;
    std::array<std::uint16_t, MftTables::PositionsFor(kLimits)> tree_draft_;
    std::array<SaRequest, kLimits.max_sa_requests> sa_requests_;
    std::array<SaReception, Administration::ReceptionsFor(kLimits)> sa_receptions_;
    std::array<SaSource, kLimits.max_sa_sources> sa_sources_;
    std::array<Transfer, kLimits.max_sa_transfers> sa_transfers_;
    std::array<Administration::Line, kLimits.max_sa_transfers> sa_lines_;
    std::array<Paths::Cable, kLimits.max_ports> path_cables_;
    std::array<Paths::Ports, kLimits.max_switches> path_ports_;
    std::array<Paths::Rest, kLimits.max_switches> path_forth_;
    std::array<Paths::Rest, kLimits.max_switches> path_back_;
    std::array<QosPolicy::PortMark, QosPolicy::PortsFor(kLimits)> qos_ports_;
    std::array<std::uint64_t, QosPolicy::PortSetsFor(kLimits) * QosPolicy::WordsFor(kLimits) * 2>
        qos_port_sets_;
    std::array<std::uint64_t, QosPolicy::BoundsFor(kLimits)> qos_bounds_;
    std::array<std::uint64_t, QosPolicy::SetsFor(kLimits) * QosPolicy::WordsFor(kLimits)>
        qos_value_sets_;
    std::array<AliasGuids::Row, kLimits.max_alias_guids> aliases_;
    std::array<AliasIndex, RowIndex<AliasIndex>::SlotsFor(kLimits.max_alias_guids)> alias_slots_;
    std::array<AliasIndex, RowIndex<AliasIndex>::SlotsFor(kLimits.max_alias_guids)>
        alias_place_slots_;
    std::array<GuidTables::Row, kLimits.max_guid_tables> guid_tables_;
    std::array<std::uint64_t, GuidTables::WordsFor(kLimits)> guids_told_;
    std::array<TableProgramming::Known, kLimits.max_guid_tables> known_guid_tables_;
    std::array<Services::Row, kLimits.max_services> services_;
    std::array<ServiceIndex, RowIndex<ServiceIndex>::SlotsFor(kLimits.max_services)> service_slots_;
    std::array<Subscription, kLimits.max_subscriptions> subscriptions_;
    std::array<GmpExchange::Row, kLimits.max_subscriptions> report_rows_;
    std::array<PKeyUpkeep::Known, PKeyUpkeep::RowsFor(kLimits)> known_p_keys_;
    std::array<PKeyUpkeep::Job, PKeyUpkeep::kPortsAtOnce> p_key_jobs_;
    std::array<TableProgramming::Known, BandwidthUpkeep::TablesFor(kLimits)> known_bandwidths_;
    std::array<BandwidthSetIndex, BandwidthUpkeep::PortsFor(kLimits)> bandwidth_sets_;
    std::array<LogRecord, kLimits.journal_notes> log_;
    std::array<std::byte, kLimits.state_buffer_bytes> state_buffer_;
    std::array<std::byte, kLimits.replication_bytes> replication_journal_;
    std::array<std::byte, kLimits.replication_bytes> replication_sent_;
    std::array<std::byte, kLimits.replication_bytes> replication_received_;
    std::array<std::uint64_t, ReplicaWords(kLimits, kLimits.max_groups)> replica_groups_;
    std::array<std::uint64_t, ReplicaWords(kLimits, kLimits.max_members)> replica_members_;
    std::array<std::uint64_t, ReplicaWords(kLimits, kLimits.max_alias_guids)> replica_aliases_;
    std::array<std::uint64_t, ReplicaWords(kLimits, kLimits.max_services)> replica_services_;
    std::array<std::uint64_t, ReplicaWords(kLimits, kLimits.max_subscriptions)>
        replica_subscriptions_;
};

}  // namespace ember
