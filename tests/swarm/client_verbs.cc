// SPDX-License-Identifier: Apache-2.0
// EmberSM: what clients do in a story, and those among them who mean harm.
#include <algorithm>
#include <bit>

#include "core/wire/mc_member_record.h"
#include "core/wire/node_info.h"
#include "core/wire/notice.h"
#include "core/wire/service_record.h"
#include "core/wire/sm_info.h"
#include "tests/swarm/picks.h"
#include "tests/swarm/swarm.h"
#include "tests/swarm/verbs.h"

namespace ember::swarm {
namespace {

using net::Random;

constexpr std::uint64_t kPrefix = 0xFE80000000000000;

/// `deed` again and again: for a while, or until everybody is honest.
void Repeat(Swarm& swarm, std::uint64_t every_us, std::uint64_t until_us,
            const std::function<void()>& deed) {
    deed();
    if (swarm.now_us() >= until_us) return;
    swarm.LaterByHosts(
        every_us, [&swarm, every_us, until_us, deed] { Repeat(swarm, every_us, until_us, deed); });
}
std::uint64_t UntilWhen(Swarm& swarm, Random& random) {
    const bool is_stubborn = random.Below(4) == 0;
    return swarm.now_us() + (is_stubborn ? 20 : 1) * kSecond + random.Next() % kSecond;
}

Wish::Kind AnyKind(Random& random) {
    const std::uint32_t draw = random.Below(6);
    return draw < 4    ? Wish::Kind::kMember
           : draw == 4 ? Wish::Kind::kService
                       : Wish::Kind::kSubscription;
}
std::uint32_t AnyId(Wish::Kind kind, Random& random) {
    // A client has one subscription: what it is told then has one record.
    return kind == Wish::Kind::kSubscription ? 0 : random.Below(kGroupIds);
}

void BeginToLie(Swarm& swarm, std::uint32_t node, std::span<const LieKind> all, Random& random) {
    const bool is_switch = swarm.hardware().node(node).is_switch();
    const std::uint32_t kinds = 1 + random.Below(3);
    std::string told;
    for (std::uint32_t i = 0; i < kinds; ++i) {
        const LieKind& kind = all[random.Below(static_cast<std::uint32_t>(all.size()))];
        Lying how;
        how.kind = &kind;
        constexpr std::array<std::uint32_t, 4> kRates = {2, 20, 60, 100};
        how.per_million = kRates[random.Below(kRates.size())] * sim::kPercent;
        how.is_steady = random.Below(2) == 0;
        how.seed = random.Next();
        if (is_switch ? !kind.of_switches : !kind.of_hosts) continue;
        if (!kind.known.empty() && !swarm.with_known()) continue;
        swarm.deceiver().Begin(node, how);
        told += ", " + std::string(kind.name) + (how.is_steady ? " (steady)" : "");
    }
    swarm.Tell("  node " + std::to_string(node) + told);
}

void LetHostLie(Swarm& swarm, std::span<const LieKind> all, Random& random) {
    Client* const client = PickClient(swarm, random);
    if (client == nullptr) return;
    client->WantNothing();
    BeginToLie(swarm, client->node(), all, random);
    if (random.Below(2) == 0) return;
    const std::uint32_t node = client->node();
    swarm.Later(random.Next() % (4 * kSecond), [&swarm, node] { swarm.deceiver().End(node); });
}

void LetSwitchLie(Swarm& swarm, std::span<const LieKind> all, Random& random) {
    const std::uint32_t node = PickOf(swarm.switches(), random);
    swarm.watch().NoteDeceit();
    BeginToLie(swarm, node, all, random);
    if (random.Below(2) == 0) return;
    swarm.Later(random.Next() % (4 * kSecond), [&swarm, node] { swarm.deceiver().End(node); });
}

}  // namespace

void Register(Swarm& swarm, Random& random) {
    Client* const client = PickClient(swarm, random);
    if (client == nullptr || swarm.deceiver().Lies(client->node())) return;
    const Wish::Kind kind = AnyKind(random);
    client->Want(kind, AnyId(kind, random));
}

void Unregister(Swarm& swarm, Random& random) {
    Client* const client = PickClient(swarm, random);
    if (client == nullptr || client->wishes().empty()) return;
    const Wish& wish = PickOf(client->wishes(), random);
    client->Drop(wish.kind, wish.id);
}

/// Tables of all nodes, whose segments are never acknowledged.
void AskForTables(Swarm& swarm, Random& random) {
    Client* const client = PickClient(swarm, random);
    if (client == nullptr) return;
    constexpr std::array kTables = {SaAttribute::kNodeRecord, SaAttribute::kPathRecord,
                                    SaAttribute::kPKeyTableRecord, SaAttribute::kLinkRecord};
    const std::uint32_t times = 1 + random.Below(12);
    for (std::uint32_t i = 0; i < times; ++i) {
        const SaAttribute table = kTables[random.Below(kTables.size())];
        const SaMad mad = client->Question(Method::kGetTable, table, 0, {});
        client->SendRaw(ToMad(mad), client->master_lid(), 1);
    }
}

void HostLies(Swarm& swarm, Random& random) {
    LetHostLie(swarm, LieKinds(), random);
}
void SwitchLies(Swarm& swarm, Random& random) {
    LetSwitchLie(swarm, LieKinds(), random);
}
void HostTwists(Swarm& swarm, Random& random) {
    LetHostLie(swarm, Twists(), random);
}
void SwitchTwists(Swarm& swarm, Random& random) {
    LetSwitchLie(swarm, Twists(), random);
}

void FloodTraps(Swarm& swarm, Random& random) {
    Client* const client = PickClient(swarm, random);
    if (client == nullptr) return;
    constexpr std::array kNumbers = {TrapNumber::kLinkStateChange, TrapNumber::kLocalLinkIntegrity,
                                     TrapNumber::kLocalChanges};
    const TrapNumber number = kNumbers[random.Below(kNumbers.size())];
    const std::uint32_t burst = 1 + random.Below(20);
    const bool varies = random.Below(2) == 0;
    auto serial = std::make_shared<std::uint64_t>(0);
    Repeat(swarm, 50 * kMs, UntilWhen(swarm, random), [client, number, burst, varies, serial] {
        for (std::uint32_t i = 0; i < burst; ++i) {
            Notice notice;
            notice.Set(Notice::kIsGeneric, std::uint8_t{1});
            notice.Set(Notice::kTrapNumber, number);
            notice.Set(Notice::kIssuerLid, client->lid());
            if (varies) notice.Set(Notice::kDataDetails0, ++*serial);
            client->SendRaw(MakeLidRouted(SmpRequest{.method = Method::kTrap,
                                                     .attribute = AttributeId::kNotice,
                                                     .id = TransactionId{++*serial},
                                                     .data = notice.octets()}),
                            client->master_lid(), 0);
        }
    });
}

void ForgeSmInfo(Swarm& swarm, Random& random) {
    Client* const client = PickClient(swarm, random);
    if (client == nullptr) return;
    const SeatPlan& seat = swarm.story().seats[PickSeat(swarm, random)];
    const std::uint32_t row = swarm.sim().RowOf(seat.node, seat.port);
    const auto control = static_cast<SmControl>(1 + random.Below(5));
    SmInfo info;
    info.Set(SmInfo::kGuid, random.Below(2) == 0 ? client->guid() : Guid{0xBAD});
    info.Set(SmInfo::kPriority, std::uint8_t{15});
    info.Set(SmInfo::kSmState, random.Below(2) == 0 ? SmState::kMaster : SmState::kStandby);
    const std::uint64_t every_us = 20 * kMs + random.Next() % (400 * kMs);
    Repeat(swarm, every_us, UntilWhen(swarm, random), [&swarm, client, row, control, info] {
        const Mad mad = MakeLidRouted(SmpRequest{.method = Method::kSet,
                                                 .attribute = AttributeId::kSmInfo,
                                                 .modifier = static_cast<std::uint32_t>(control),
                                                 .id = TransactionId{swarm.now_us()},
                                                 .data = info.octets()});
        client->SendRaw(mad, swarm.hardware().port(row).info.Get(PortInfo::kLid), 0);
    });
}

/// Leaves groups and takes back services in the name of others.
void ActForOthers(Swarm& swarm, Random& random) {
    Client* const client = PickClient(swarm, random);
    const Client* const victim = PickClient(swarm, random);
    if (client == nullptr || client == victim) return;
    const std::uint32_t id = random.Below(kGroupIds);
    if (random.Below(2) == 0) {
        McMemberRecord record;
        record.SetMgid(MgidOf(id));
        record.Set(McMemberRecord::kPortGidPrefix, kPrefix);
        record.Set(McMemberRecord::kPortGidGuid, victim->guid());
        record.Set(McMemberRecord::kJoinState, std::uint8_t{1});
        const SaMad mad = client->Question(Method::kDelete, SaAttribute::kMcMemberRecord,
                                           1U << 0 | 1U << 1 | 1U << 16, record.octets());
        client->SendRaw(ToMad(mad), client->master_lid(), 1);
        return;
    }
    ServiceRecord record;
    record.Set(ServiceRecord::kServiceId, std::uint64_t{0x1000} + id);
    record.SetGid({kPrefix, Raw(victim->guid())});
    record.Set(ServiceRecord::kServicePKey, std::uint16_t{0xFFFF});
    const SaMad mad =
        client->Question(Method::kDelete, SaAttribute::kServiceRecord, 7, record.octets());
    client->SendRaw(ToMad(mad), client->master_lid(), 1);
}

/// Makes as many groups and services as it is given.
void HogRegistrations(Swarm& swarm, Random& random) {
    Client* const client = PickClient(swarm, random);
    if (client == nullptr) return;
    const std::uint32_t times = 20 + random.Below(30);
    for (std::uint32_t i = 0; i < times; ++i) {
        McMemberRecord record;
        record.SetMgid({0xFF15A01C00000000, 1000 + i});
        record.Set(McMemberRecord::kPortGidPrefix, kPrefix);
        record.Set(McMemberRecord::kPortGidGuid, client->guid());
        record.Set(McMemberRecord::kPKey, std::uint16_t{0xFFFF});
        record.Set(McMemberRecord::kJoinState, std::uint8_t{1});
        constexpr std::uint64_t kMask =
            1U << 0 | 1U << 1 | 1U << 2 | 1U << 6 | 1U << 7 | 1U << 12 | 1U << 13 | 1U << 16;
        const SaMad join =
            client->Question(Method::kSet, SaAttribute::kMcMemberRecord, kMask, record.octets());
        client->SendRaw(ToMad(join), client->master_lid(), 1);
        ServiceRecord service;
        service.Set(ServiceRecord::kServiceId, std::uint64_t{0x9000} + i);
        service.SetGid({kPrefix, Raw(client->guid())});
        service.Set(ServiceRecord::kServicePKey, std::uint16_t{0xFFFF});
        service.Set(ServiceRecord::kServiceLease, ServiceRecord::kForever);
        const SaMad offer =
            client->Question(Method::kSet, SaAttribute::kServiceRecord, 0x17, service.octets());
        client->SendRaw(ToMad(offer), client->master_lid(), 1);
    }
}

}  // namespace ember::swarm
