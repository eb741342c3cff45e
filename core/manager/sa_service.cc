// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet administrator as a part of the subnet manager: its view, and when it serves.

#include "core/manager/sa_service.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Beside a sweep or programming a port is told of its aliases every so often: 8,000 a second.
inline constexpr std::uint32_t kGuidTableGapUs = 125;
/// A Set(GUIDInfo) that failed is tried again after a sweep; without one after so long, and twice
/// as long each time.
inline constexpr std::uint64_t kRetryUs = 5 * kSecondUs;
inline constexpr std::uint64_t kMostRetryUs = 64 * kRetryUs;

}  // namespace

SaService::SaService(const Memory& memory, const Parts& parts, const Settings& settings)
    : parts_(parts),
      settings_(settings),
      view_{parts.fabric, settings_, parts.partitions, {}, 0, nullptr, &parts.own_p_keys},
      records_(memory.records, Records::Parts{view_, parts.exchange, parts.log, parts.managers,
                                              parts.multicast.groups(), parts.multicast.tables(),
                                              parts.multicast.events()}),
      guid_tables_(
          memory.known_guid_tables,
          TableProgramming::Parts{parts.fabric, parts.exchange, parts.log, records_.guid_tables(),
                                  kGuidTablesClient, kGuidTableGapUs},
          settings_),
      administration_(memory.administration,
                      Administration::Parts{parts.port, parts.log, view_, records_}),
      gmps_(memory.reports, parts.port, parts.entropy, settings_),
      reports_(Reports::Parts{gmps_, parts.log, view_, records_.subscriptions(),
                              parts.multicast.events()}) {}

void SaService::Refresh(Lfts lfts, const RoutingLanes& lanes, bool moves) {
    if (moves || has_moved_) ++generation_;  // Tables may have changed since.
    has_moved_ = moves;
    view_.lfts = lfts;
    view_.lanes = &lanes;
    view_.generation = generation_;
}

bool SaService::Step(bool serves, std::uint64_t now_us) {
    if (serves != administration_.serves()) reports_.Begin();
    administration_.Serve(serves);
    bool more = administration_.Step(now_us);
    if (!serves) {
        records_.Rest(now_us);  // The next master writes what is left.
        if (!guid_tables_.done()) guid_tables_.Abandon();
        guid_tables_due_us_ = kNever;
        return more;
    }
    more = reports_.Step(now_us) || more;
    records_.Step(now_us);  // Asks devices for what the new answers need.
    StepGuidTables(now_us);
    return more;
}

/// Tells ports the aliases that clients have changed, and those that routers need.
void SaService::StepGuidTables(std::uint64_t now_us) {
    EMBER_ASSERT(administration_.serves());
    GuidTables& planner = records_.guid_tables();
    if (planner.Walk()) {
        const GuidTables::Walked& walked = planner.walked();
        if (walked.settled != 0) {
            parts_.log.Write<Note::kRouterAliases>(now_us, walked.settled, walked.without);
        }
    }
    if (guid_tables_seen_ != planner.revision()) {
        guid_tables_seen_ = planner.revision();
        guid_tables_.Revise();
    }
    if (now_us >= guid_tables_due_us_) BeginGuidTables();
    guid_tables_.Step(now_us);
    const bool has_failed = guid_tables_.outcome().failed != 0;
    if (guid_tables_.done() && !has_failed) guid_tables_rest_us_ = 0;
    if (has_failed && guid_tables_due_us_ == kNever) {
        guid_tables_rest_us_ = std::clamp(guid_tables_rest_us_ * 2, kRetryUs, kMostRetryUs);
        guid_tables_due_us_ = now_us + guid_tables_rest_us_;
    }
}

void SaService::BeginGuidTables() {
    guid_tables_due_us_ = kNever;
    guid_tables_.Begin();
}

void SaService::Hear(const Answer& answer, std::uint64_t now_us) {
    if (answer.cookie.client == kGuidTablesClient) {
        guid_tables_.Hear(answer, now_us);
    } else {
        EMBER_ASSERT(answer.cookie.client == kAdministrationClient);
        records_.Hear(answer, now_us);
    }
}

bool SaService::Hear(const Envelope& envelope, std::uint64_t now_us) {
    return administration_.Take(envelope, now_us) || reports_.Take(envelope, now_us);
}

void SaService::FollowSweep(bool has_clients, std::uint64_t now_us) {
    records_.FollowSweep(now_us);
    guid_tables_rest_us_ = 0;
    records_.guid_tables().BeginWalk(settings_.rtr_aguid_enable);
    BeginGuidTables();
    WriteServiceEvents(has_clients, now_us);
}

/// Writes traps 64 and 65, but for those of lost nodes: discovery writes them as it drops the
/// nodes.
void SaService::WriteServiceEvents(bool has_clients, std::uint64_t now_us) {
    Fabric& fabric = parts_.fabric;
    ForEachEndPort(fabric, [&](PortIndex at, Port& port) {
        const bool is_reached =
            port.peer != kNoPortIndex || at == fabric.own_port() || port.number == kManagementPort;
        const bool in_service = port.lid != kNoLid && is_reached;
        const bool was_in_service = port.in_service;
        if (in_service == was_in_service) return;
        port.in_service = in_service;
        if (!has_clients) return;
        parts_.multicast.events().Write(
            {.trap = in_service ? TrapNumber::kInService : TrapNumber::kOutOfService,
             .node_type = fabric.node(port.node).type,
             .gid = {settings_.subnet_prefix, Raw(port.guid)},
             .at_us = now_us});
    });
}

std::uint64_t SaService::NextDeadlineUs() const {
    if (administration_.serves() && records_.guid_tables().walks()) return 0;
    return std::min({administration_.NextDeadlineUs(), records_.NextDeadlineUs(),
                     reports_.NextDeadlineUs(), guid_tables_.NextDeadlineUs(),
                     guid_tables_due_us_});
}

}  // namespace ember
