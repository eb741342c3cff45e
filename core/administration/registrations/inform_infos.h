// SPDX-License-Identifier: Apache-2.0
// EmberSM: InformInfo, by which clients subscribe, and the records of subscriptions.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/read_only_source.h"
#include "core/administration/registrations/subscriptions.h"
#include "core/fabric/events.h"

namespace ember {

/// InformInfo: Set subscribes, or ends a subscription that is alike. A requester that names a GID
/// or LIDs must share a partition with those ports; violations of keys (traps 256 to 259) are for
/// trusted requesters only. A subscription belongs to the partition by whose P_Key it was asked
/// for. Source: OpenSM, osm_sa_informinfo.c.
class InformInfos final : public RecordSource {
public:
    struct Parts {
        const AdministrationView& view;
        Subscriptions& subscriptions;
        const SubnetEvents& events;
    };

    explicit InformInfos(const Parts& parts) : parts_(parts) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kInformInfo,
                .record_octets = sizeof(InformInfo),
                .get = false,
                .get_table = false,
                .set = true};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override {
        return SaStatus::kUnsupportedMethod;
    }
    [[nodiscard]] Found Next(const Query& /*query*/, Cursor& /*cursor*/, std::uint32_t& /*budget*/,
                             std::span<std::uint8_t> /*record*/) override {
        return Found::kEnd;
    }
    [[nodiscard]] SaStatus Change(const Query& query, std::uint64_t now_us,
                                  std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] bool MayHear(const Query& query, const InformInfo& info) const;
    [[nodiscard]] std::uint16_t PKeyOf(const Query& query) const;

    Parts parts_;
};

/// The subscriber has left the partition by which it subscribed, or any that it shares with the
/// port whose GID it named: its subscription ends. While the subscriber itself is away nothing is
/// known.
[[nodiscard]] bool HasLeftPartition(const AdministrationView& view, const Subscription& row);

/// InformInfoRecord: subscriptions. The QPN is told to trusted questions only.
class InformInfoRecords final : public ReadOnlySource {
public:
    InformInfoRecords(const AdministrationView& view, const Subscriptions& subscriptions)
        : view_(view), subscriptions_(subscriptions) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kInformInfoRecord,
                .record_octets = sizeof(InformInfoRecord)};
    }
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;

private:
    const AdministrationView& view_;
    const Subscriptions& subscriptions_;
};

}  // namespace ember
