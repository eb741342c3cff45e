// SPDX-License-Identifier: Apache-2.0
// EmberSM: how the subnet is, in one word and in one line.

#include "platform/common/headline.h"

#include <array>

#include "core/log/render.h"
#include "core/log/words.h"

namespace ember {

namespace {

constexpr std::uint64_t kUsInSecond = 1'000'000;

/// The name of who sits at a port, or the port's GUID if that is not known.
void AddName(FixedText& text, const SubnetManager& sm, Guid port_guid) {
    std::array<char, kMaxNameOctets> room{};
    const std::size_t octets = sm.names().NameOf(port_guid, room);
    if (octets != 0) {
        text.Add(std::string_view(room.data(), octets));
    } else {
        text.Add("0x").AddHex(Raw(port_guid), 16);
    }
}

/// Says what is too small: the board, or the tables of switches where the board has LIDs enough.
void AddShortage(FixedText& text, const SubnetManager& sm) {
    const Fabric::Shortage& shortage = sm.progress().up_summary.shortage;
    if (!shortage.is_too_large()) return;
    Fabric::Shortage others = shortage;
    others.needed_lids = 0;
    const bool is_board = others.is_too_large() || shortage.needed_lids > sm.limits().max_lid;
    text.Add(is_board ? "; the fabric is larger than this board"
                      : "; its switches have room for fewer LIDs (LinearFDBCap)");
}

void AddStandingBy(FixedText& text, const SubnetManager& sm) {
    const OtherSm* const master = sm.role().watched_sm();
    if (master == nullptr) {
        text.Add("standing by; no master is known");
        return;
    }
    text.Add("standing by for ");
    AddName(text, sm, master->guid);
    text.Add(" (").Add(kRoleWords[static_cast<std::size_t>(master->state)]);
    text.Add(", priority ").AddNumber(master->priority);
    const std::uint64_t silent_us = sm.now_us() - sm.role().watched_heard_us();
    text.Add(", polled ").AddNumber(silent_us / kUsInSecond).Add(" s ago");
    if (sm.role().misses() != 0) {
        text.Add(", ").AddNumber(sm.role().misses());
        text.Add(sm.role().misses() == 1 ? " poll" : " polls").Add(" in vain since");
    }
    text.Add(')');
}

/// Says of what there is too much for the board. Nodes behind one that is not managed are not seen.
void AddUpInPart(FixedText& text, const SubnetUpSummary& up) {
    const auto add = [&](std::uint64_t managed, std::uint64_t refused, std::string_view what) {
        text.Add("UP FOR ").AddNumber(managed).Add(" OF ").AddNumber(managed + refused);
        text.Add(' ').Add(what).Add(" SEEN");
    };
    if (up.shortage.refused_switches != 0) {
        add(up.switches, up.shortage.refused_switches, "SWITCHES");
    } else if (up.shortage.refused_nodes != 0) {
        add(up.nodes, up.shortage.refused_nodes, "NODES");
    } else {
        add(up.ports, up.ports_without_lid, "PORTS");
    }
}

/// Says what speaks against the routes in force.
void AddRoutes(FixedText& text, const SubnetUpSummary& up) {
    if (up.tables_kept) {
        text.Add(" WITH KEPT TABLES: no engine could route the fabric");
    } else if (up.safe_routing) {
        text.Add(" BY THE SAFE ROUTING: neither ").Add(up.refused);
        text.Add(" nor what follows it could route the fabric");
    } else if (!up.refused.empty()) {
        text.Add(" BY A FALLBACK: ").Add(up.engine).Add(" routes, as ").Add(up.refused);
        text.Add(" was refused");
    }
    if (up.may_deadlock) text.Add(", BUT A CREDIT LOOP IS POSSIBLE");
}

/// Ports that do not hold, or do not enforce, what the partitions say.
void AddPartitions(FixedText& text, const PartitionGaps& gaps) {
    if (gaps.unenforced != 0) {
        text.Add(", BUT ").AddNumber(gaps.unenforced);
        text.Add(gaps.unenforced == 1 ? " PORT DOES NOT" : " PORTS DO NOT")
            .Add(" ENFORCE PARTITIONS");
    }
    if (gaps.unset != 0) {
        text.Add(", BUT ").AddNumber(gaps.unset);
        text.Add(gaps.unset == 1 ? " PORT LACKS" : " PORTS LACK").Add(" P_KEYS");
    }
    if (!gaps.any()) return;
    text.Add(" (the first: 0x").AddHex(Raw(gaps.first.guid), 16);
    text.Add(" port ").AddNumber(Raw(gaps.first.port)).Add(')');
}

/// Switches that do not give packets the lanes that they are told to.
void AddLanes(FixedText& text, const LaneFaults& lanes) {
    if (lanes.lacking == 0) return;
    text.Add("; ").AddNumber(lanes.lacking);
    text.Add(lanes.lacking == 1 ? " switch lacks" : " switches lack");
    text.Add(" SL to VL or VL arbitration tables");
}

/// Links that flap, and so are not used for now.
void AddQuarantines(FixedText& text, const FlappingLinks& flapping) {
    const std::size_t held = flapping.CountOf(LinkVerdict::kQuarantined);
    if (held == 0) return;
    text.Add("; ").AddNumber(held).Add(held == 1 ? " link is" : " links are");
    text.Add(" in quarantine");
}

/// Hosts and routers that could not be configured.
void AddEndPorts(FixedText& text, const ProgrammingOutcome& outcome) {
    if (outcome.end_ports_failed == 0) return;
    text.Add("; ").AddNumber(outcome.end_ports_failed).Add(" Sets for hosts or routers failed");
}

}  // namespace

Guid SecondMaster(const SubnetManager& sm) {
    const Guid beside = sm.role().served_beside();
    return beside != kNoGuid ? beside : sm.replication().rivals().logged();
}

Condition ConditionOf(const SubnetManager& sm) {
    const SmState state = sm.role().state();
    if (state == SmState::kStandby) return Condition::kStandingBy;
    if (state == SmState::kNotActive) return Condition::kNotActive;
    if (SecondMaster(sm) != kNoGuid) return Condition::kTwoMasters;
    if (!sm.is_up()) return Condition::kNotUp;
    if (sm.progress().nodes_before_loss != 0) return Condition::kNodesLost;
    const SubnetUpSummary& up = sm.progress().up_summary;
    if (up.shortage.is_too_large()) return Condition::kTooLarge;
    if (up.tables_kept) return Condition::kTablesKept;
    if (up.safe_routing) return Condition::kSafeRouting;
    if (up.may_deadlock) return Condition::kCreditLoop;
    if (up.lanes.lacking != 0) return Condition::kLanesLacking;
    return sm.progress().partition_gaps.any() ? Condition::kNotEnforced : Condition::kUp;
}

void AddHeadline(FixedText& text, const SubnetManager& sm) {
    switch (ConditionOf(sm)) {
        case Condition::kStandingBy:
            AddStandingBy(text, sm);
            return;
        case Condition::kNotActive:
            text.Add("NOT ACTIVE: sm_inactive is set, or the master has said so");
            return;
        case Condition::kNotUp:
            text.Add("the subnet is NOT up");
            if (!sm.exchange().port_is_alive()) {
                text.Add(": the management port is gone");
            } else if (sm.progress().cut_off) {
                text.Add(": nothing answers behind our own port");
            } else if (sm.progress().nodes_before_loss != 0) {
                text.Add(": fewer than half of ").AddNumber(sm.progress().nodes_before_loss);
                text.Add(" nodes were met, and the subnet is looked at again");
            }
            return;
        case Condition::kTwoMasters:
            text.Add("TWO MASTERS: ");
            AddName(text, sm, SecondMaster(sm));
            text.Add(" is master too");
            return;
        case Condition::kNodesLost:
            text.Add("SUBNET UP FOR ").AddNumber(sm.progress().up_summary.nodes);
            text.Add(" OF ").AddNumber(sm.progress().nodes_before_loss).Add(" NODES");
            break;
        case Condition::kTooLarge:
            AddUpInPart(text, sm.progress().up_summary);
            break;
        case Condition::kTablesKept:
        case Condition::kSafeRouting:
        case Condition::kCreditLoop:
        case Condition::kLanesLacking:
        case Condition::kNotEnforced:
        case Condition::kUp:
            text.Add("SUBNET UP");
            break;
    }
    AddRoutes(text, sm.progress().up_summary);
    AddLanes(text, sm.progress().up_summary.lanes);
    AddPartitions(text, sm.progress().partition_gaps);
    AddEndPorts(text, sm.programming().outcome());
    AddQuarantines(text, sm.flapping());
    AddShortage(text, sm);
}

}  // namespace ember
