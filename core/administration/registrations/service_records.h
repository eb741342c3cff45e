// SPDX-License-Identifier: Apache-2.0
// EmberSM: services, asked for, registered and withdrawn.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/query/record_source.h"
#include "core/administration/registrations/services.h"
#include "core/aliases/alias_guids.h"

namespace ember {

/// ServiceRecord. The ServiceKey is told to trusted requesters only; a service is told to
/// requesters that have its P_Key. A registration names ServiceID and ServiceGID; without a P_Key
/// it is in the default partition, without a lease it has no end. Source: OpenSM,
/// osm_sa_service_record.c.
///
/// A port registers and withdraws services of its own GIDs, aliases included; those of other GIDs
/// only a trusted requester (authority.h): else REQ_DENIED. A service with a ServiceKey other than
/// 0 is replaced and withdrawn by a requester that sends that key, or is trusted.
class ServiceRecords final : public RecordSource {
public:
    ServiceRecords(const AdministrationView& view, Services& services, const AliasGuids& aliases)
        : view_(view), services_(services), aliases_(aliases) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kServiceRecord,
                .record_octets = sizeof(ServiceRecord),
                .set = true,
                .remove = true};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override;
    [[nodiscard]] SaStatus Change(const Query& query, std::uint64_t now_us,
                                  std::span<std::uint8_t> record) override;

private:
    [[nodiscard]] SaStatus Register(const Query& query, std::uint64_t now_us,
                                    std::span<std::uint8_t> record);
    [[nodiscard]] SaStatus Withdraw(const Query& query, std::span<std::uint8_t> record);
    [[nodiscard]] SaStatus Understand(const Query& query, ServiceRecord& named) const;
    [[nodiscard]] bool MayKnow(const Query& query, const ServiceRecord& service,
                               std::uint16_t p_key) const;
    [[nodiscard]] PortIndex HostOf(const ServiceRecord& named) const;
    [[nodiscard]] bool MayChange(const Query& query, const ServiceRecord& named) const;

    const AdministrationView& view_;
    Services& services_;
    const AliasGuids& aliases_;
};

}  // namespace ember
