// SPDX-License-Identifier: Apache-2.0
// EmberSM: a routed fabric and a subnet administrator's view of its paths.
#pragma once

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <vector>

#include "core/administration/paths/path_maker.h"
#include "core/administration/paths/path_records.h"
#include "core/base/lft_arena.h"
#include "tests/core/administration/policy/policy_model.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/multicast_store.h"

namespace ember::testing {

/// The answer to a question.
struct PathAnswer {
    SaStatus status = SaStatus::kOk;
    std::vector<PathRecord> records;
    std::size_t slices = 0;
};

/// Writes tables of shortest ways into `lfts`: of the ways from a switch to a LID the one whose
/// number is the LID's, counted round, so that LIDs of a port take different ones.
inline void RouteShortest(const Fabric& fabric, Matrix<SwitchIndex, std::uint8_t> lfts) {
    std::fill(lfts.values().begin(), lfts.values().end(), std::uint8_t{255});
    const auto switch_of = [&](PortIndex at) {
        return at == kNoPortIndex ? kNoSwitch : fabric.node(fabric.port(at).node).switch_index;
    };
    ForEachEndPort(fabric, [&](PortIndex, const Port& to) {
        if (to.lid == kNoLid) return;
        const SwitchIndex own = fabric.node(to.node).switch_index;
        const SwitchIndex home = own != kNoSwitch ? own : switch_of(to.peer);
        if (home == kNoSwitch) return;
        std::vector<unsigned> hops(fabric.switch_bound(), 9999);
        std::vector<SwitchIndex> queue{home};
        hops[Raw(home)] = 0;
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const NodeIndex node = fabric.switch_row(queue[next]).node;
            for (const Port& port : fabric.PortsOf(node)) {
                const SwitchIndex beyond = switch_of(port.peer);
                if (beyond == kNoSwitch || hops[Raw(beyond)] != 9999) continue;
                hops[Raw(beyond)] = hops[Raw(queue[next])] + 1;
                queue.push_back(beyond);
            }
        }
        for (const SwitchIndex at : queue) {
            std::vector<PortNumber> exits;
            for (const Port& port : fabric.PortsOf(fabric.switch_row(at).node)) {
                const SwitchIndex beyond = switch_of(port.peer);
                const bool nearer =
                    at != home && beyond != kNoSwitch && hops[Raw(beyond)] + 1 == hops[Raw(at)];
                const bool there =
                    at == home && (own != kNoSwitch ? port.number == kManagementPort
                                                    : fabric.IndexOf(port) == to.peer);
                if (nearer || there) exits.push_back(port.number);
            }
            for (std::uint32_t i = 0; i < (1U << to.lmc); ++i) {
                lfts[at][Raw(to.lid) + i] = Raw(exits[(Raw(to.lid) + i) % exits.size()]);
            }
        }
    });
}

/// A routed fabric whose links all are 4x SDR with 4096 octets unless told.
class PathNet {
public:
    explicit PathNet(const net::Netlist& netlist, const BuiltFabric::Options& options = {})
        : built_(netlist, options),
          octets_(built_.limits().max_switches * LidStride(built_.limits())),
          link_ends_(built_.limits().max_ports),
          switches_(built_.limits().max_switches),
          forth_(built_.limits().max_switches),
          back_(built_.limits().max_switches),
          view_{.fabric = built_.fabric(),
                .settings = settings_,
                .partitions = partitions_,
                .lfts = {octets_, LftShape(built_.limits())}},
          alias_rows_(kAliases),
          alias_slots_(RowIndex<AliasIndex>::SlotsFor(kAliases)),
          alias_places_(RowIndex<AliasIndex>::SlotsFor(kAliases)),
          aliases_({alias_rows_, alias_slots_, alias_places_}),
          groups_(built_.limits()),
          policy_memory_(WithPolicy(built_.limits())),
          policy_(policy_memory_.memory(), built_.fabric(), partitions_, settings_),
          maker_({link_ends_, switches_, forth_, back_}, view_, aliases_, &policy_),
          records_(view_, maker_, groups_.groups()) {
        settings_.order = Order::kOpensm;
        ForEachPort(fabric(), [](PortIndex, Port& port) {
            port.info.Set(PortInfo::kLinkWidthActive, link_width::k4x);
            port.info.Set(PortInfo::kLinkSpeedActive, link_speed::kSdr);
            port.info.Set(PortInfo::kMtuCap, Mtu::k4096);
        });
        RouteShortest(fabric(), lfts());
    }

    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] const BuiltFabric& built() const { return built_; }
    [[nodiscard]] Settings& settings() { return settings_; }
    [[nodiscard]] AdministrationView& view() { return view_; }
    [[nodiscard]] AliasGuids& aliases() { return aliases_; }
    [[nodiscard]] Groups& groups() { return groups_.groups(); }
    /// Not in force unless the settings have one and it is loaded.
    [[nodiscard]] QosPolicy& policy() { return policy_; }
    [[nodiscard]] PathMaker& maker() { return maker_; }
    [[nodiscard]] PathRecords& records() { return records_; }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> lfts() {
        return {octets_, LftShape(built_.limits())};
    }

    /// Port `number` of node `node` of the netlist (0 of switches).
    [[nodiscard]] Port& port(std::uint32_t node, unsigned number) {
        const NodeIndex at = built_.node(node);
        return fabric().port(fabric().PortOf(at, static_cast<PortNumber>(number)));
    }
    /// The LFT entry of switch `node` for `lid`.
    [[nodiscard]] std::uint8_t& exit(std::uint32_t node, Lid lid) {
        return lfts()[built_.switch_index(node)][Raw(lid)];
    }

    /// Asks all the way, in slices of `budget`.
    [[nodiscard]] PathAnswer Ask(Method method, std::uint64_t mask, const PathRecord& asked,
                                 std::uint32_t budget = 1000) {
        return AskSource(records_, method, mask, asked.octets(), budget);
    }
    [[nodiscard]] PathAnswer AskSource(RecordSource& source, Method method, std::uint64_t mask,
                                       std::span<const std::uint8_t> asked,
                                       std::uint32_t budget = 1000) {
        Query query;
        query.method = method;
        query.component_mask = mask;
        query.requester = fabric().own_port();
        query.record = asked;
        PathAnswer answer;
        answer.status = source.Check(query);
        if (answer.status != SaStatus::kOk) return answer;
        Cursor cursor;
        while (true) {
            PathRecord record;
            std::uint32_t left = budget;
            ++answer.slices;
            const Cursor before = cursor;
            const Found found = source.Next(query, cursor, left, record.octets());
            if (found == Found::kEnd) return answer;
            EXPECT_TRUE(cursor != before) << "no step forward";
            if (cursor == before) return answer;
            if (found == Found::kRecord) answer.records.push_back(record);
        }
    }

private:
    static constexpr std::size_t kAliases = 8;

    BuiltFabric built_;
    std::vector<std::uint8_t> octets_;
    Settings settings_;
    std::vector<Paths::LinkEnds> link_ends_;
    std::vector<Paths::Ports> switches_;
    std::vector<Paths::Rest> forth_;
    std::vector<Paths::Rest> back_;
    Partitions partitions_{built_.fabric(), settings_.manager_tables};
    AdministrationView view_;
    std::vector<AliasGuids::Row> alias_rows_;
    std::vector<AliasIndex> alias_slots_, alias_places_;
    AliasGuids aliases_;
    GroupStore groups_;
    PolicyMemory policy_memory_;
    QosPolicy policy_;
    PathMaker maker_;
    PathRecords records_;
};

/// A mask of these components.
template <typename... Components>
[[nodiscard]] constexpr std::uint64_t Mask(Components... components) {
    return (std::uint64_t{0} | ... | (std::uint64_t{1} << static_cast<unsigned>(components)));
}

inline constexpr std::uint64_t kPrefix = 0xFE80000000000000;

}  // namespace ember::testing
