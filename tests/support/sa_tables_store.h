// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of registrations with storage of their own, and random changes to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/administration/registrations/sa_tables.h"
#include "tests/support/multicast_store.h"

namespace ember::testing {

/// Limits of a board that a few dozen changes fill.
[[nodiscard]] constexpr Limits SmallSaLimits() {
    Limits limits{};
    limits.max_groups = 12;
    limits.max_members = 48;
    limits.max_mlids = 32;
    limits.max_events = 16;
    limits.max_alias_guids = 16;
    limits.max_services = 16;
    limits.max_subscriptions = 16;
    return limits;
}

class SaTablesStore {
public:
    explicit SaTablesStore(const Limits& limits = SmallSaLimits())
        : groups_(limits),
          alias_rows_(limits.max_alias_guids),
          alias_slots_(RowIndex<AliasIndex>::SlotsFor(limits.max_alias_guids)),
          alias_places_(alias_slots_.size()),
          service_rows_(limits.max_services),
          service_slots_(RowIndex<ServiceIndex>::SlotsFor(limits.max_services)),
          subscription_rows_(limits.max_subscriptions),
          aliases_({alias_rows_, alias_slots_, alias_places_}),
          services_({service_rows_, service_slots_}),
          subscriptions_(subscription_rows_) {}

    [[nodiscard]] SaTables tables() {
        return {groups_.groups(), aliases_, services_, subscriptions_, changes_};
    }

    /// Everything that is registered, a line each, sorted: the same state, the same text. Of leases
    /// it tells whether they end, not when.
    [[nodiscard]] std::string Describe() {
        std::vector<std::string> lines;
        const Groups& groups = groups_.groups();
        for (std::size_t i = 0; i < groups.group_bound(); ++i) {
            const auto at = static_cast<GroupIndex>(i);
            if (!groups.IsLive(at)) continue;
            const GroupEntry entry = EntryOf(groups.group(at));
            GroupEntry plain = entry;
            plain.is_well_known = 0;  // The configuration tells that anew.
            lines.push_back("group " + Octets(plain));
        }
        for (std::size_t i = 0; i < groups.member_bound(); ++i) {
            const auto at = static_cast<MemberIndex>(i);
            if (!groups.IsLive(at)) continue;
            const Member& member = groups.member(at);
            lines.push_back("member " + Octets(EntryOf(groups.group(member.group).mgid, member)));
        }
        for (std::size_t i = 0; i < aliases_.bound(); ++i) {
            const AliasGuids::Row& row = aliases_.row(static_cast<AliasIndex>(i));
            if (row.alias == kNoGuid) continue;
            lines.push_back("alias " + Octets(AliasEntry{row.alias, row.port, row.place}));
        }
        for (std::size_t i = 0; i < services_.bound(); ++i) {
            const auto at = static_cast<ServiceIndex>(i);
            if (!services_.IsLive(at)) continue;
            ServiceEntry entry = EntryOf(services_.row(at));
            if (std::uint64_t{entry.ends_us} != kNever) entry.ends_us = 0;
            lines.push_back("service " + Octets(entry));
        }
        for (std::size_t i = 0; i < subscriptions_.bound(); ++i) {
            const auto at = static_cast<SubscriptionIndex>(i);
            if (!subscriptions_.IsLive(at)) continue;
            lines.push_back("subscription " + Octets(EntryOf(subscriptions_.row(at))));
        }
        std::sort(lines.begin(), lines.end());
        std::string text;
        for (const std::string& line : lines) {
            text += line + '\n';
        }
        return text;
    }

    /// A request of a client, whatever it comes to. `ports` may take part.
    void Change(std::mt19937_64& chance, const std::vector<Guid>& ports, std::uint64_t now_us) {
        const auto draw = [&chance](std::size_t below) {
            return static_cast<std::size_t>(chance() % below);
        };
        const Guid port = ports[draw(ports.size())];
        switch (draw(8)) {
            case 0:
            case 1:
            case 2:
                JoinSome(chance, port, now_us);
                break;
            case 3:
                LeaveSome(chance, now_us);
                break;
            case 4: {
                const auto place = static_cast<std::uint8_t>(1 + draw(3));
                const Guid alias{0xA11A500000000000 + draw(12)};
                if (draw(3) == 0) {
                    aliases_.Remove(port, place);
                } else if (aliases_.PortOf(alias) == kNoGuid) {
                    static_cast<void>(aliases_.Put(port, place, alias));
                }
                break;
            }
            case 5:
            case 6:
                ServeSome(chance, port, now_us);
                break;
            case 7: {
                Subscription wanted;
                wanted.subscriber = port;
                wanted.info.Set(InformInfo::kTrapNumber, static_cast<std::uint16_t>(draw(6)));
                wanted.path_bits = static_cast<std::uint8_t>(draw(2));
                const SubscriptionIndex at = subscriptions_.Find(wanted);
                if (at != kNoSubscription) {
                    subscriptions_.Remove(at);
                } else {
                    static_cast<void>(subscriptions_.Put(wanted));
                }
                break;
            }
        }
    }

private:
    template <typename Entry>
    [[nodiscard]] static std::string Octets(const Entry& entry) {
        std::string text;
        for (const std::byte octet : std::as_bytes(std::span(&entry, 1))) {
            text += "0123456789abcdef"[std::to_integer<unsigned>(octet) >> 4U];
            text += "0123456789abcdef"[std::to_integer<unsigned>(octet) & 15U];
        }
        return text;
    }

    void JoinSome(std::mt19937_64& chance, Guid port, std::uint64_t now_us) {
        Groups& groups = groups_.groups();
        const Gid mgid{0xFF12A01C00000000, 1 + chance() % 14};
        GroupIndex at = groups.Find(mgid);
        const bool is_new = at == kNoGroup;
        if (is_new) {
            const GroupValues values{.q_key = static_cast<std::uint32_t>(mgid.low),
                                     .p_key = 0xFFFF,
                                     .mtu = Mtu::k2048,
                                     .rate = Rate::k10Gb};
            const auto wanted = static_cast<MlidIndex>(chance() % 32);
            const Result<GroupIndex> made = groups.Create(mgid, values, {.wanted = wanted});
            if (!made.ok()) return;
            at = made.value();
        }
        Member who;
        who.port_guid = port;
        who.join_state = static_cast<std::uint8_t>(is_new ? 1 + 2 * (chance() % 8)
                                                          : 1 + chance() % join_state::kAll);
        who.is_proxied = chance() % 2 == 0;
        const bool joined = groups.Join(at, who, now_us).ok();
        if (!joined && is_new) groups.Withdraw(at);
    }

    void LeaveSome(std::mt19937_64& chance, std::uint64_t now_us) {
        Groups& groups = groups_.groups();
        if (groups.member_bound() == 0) return;
        const auto at = static_cast<MemberIndex>(chance() % groups.member_bound());
        if (!groups.IsLive(at)) return;
        const auto state = static_cast<std::uint8_t>(1 + chance() % join_state::kAll);
        static_cast<void>(groups.Leave(at, state, now_us));
    }

    void ServeSome(std::mt19937_64& chance, Guid port, std::uint64_t now_us) {
        ServiceRecord record;
        record.Set(ServiceRecord::kServiceId, 1 + chance() % 20);
        record.SetGid({0xFE80000000000000, Raw(port)});
        record.Set(ServiceRecord::kServicePKey, std::uint16_t{0xFFFF});
        const ServiceIndex at = services_.Find(record);
        if (at != kNoService && chance() % 2 == 0) {
            services_.Remove(at);
            return;
        }
        const bool ends = chance() % 2 == 0;
        record.Set(
            ServiceRecord::kServiceLease,
            ends ? static_cast<std::uint32_t>(100'000 + chance() % 1000) : ServiceRecord::kForever);
        record.octets()[60] = static_cast<std::uint8_t>(chance());
        static_cast<void>(services_.Put(record, port, now_us));
    }

    GroupStore groups_;
    std::vector<AliasGuids::Row> alias_rows_;
    std::vector<AliasIndex> alias_slots_;
    std::vector<AliasIndex> alias_places_;
    std::vector<Services::Row> service_rows_;
    std::vector<ServiceIndex> service_slots_;
    std::vector<Subscription> subscription_rows_;
    AliasGuids aliases_;
    Services services_;
    Subscriptions subscriptions_;
    SaStateFork changes_;
};

}  // namespace ember::testing
