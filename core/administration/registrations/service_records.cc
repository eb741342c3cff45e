// SPDX-License-Identifier: Apache-2.0
// EmberSM: services, asked for, registered and withdrawn.
#include "core/administration/registrations/service_records.h"

#include <algorithm>

#include "core/administration/query/authority.h"
#include "core/administration/query/matching.h"
#include "core/base/assert.h"

namespace ember {
namespace {

[[nodiscard]] ServiceRecord RecordOf(const Query& query) {
    return Asked<ServiceRecord>(query);
}

[[nodiscard]] std::span<std::uint8_t> KeyOf(ServiceRecord& record) {
    constexpr Part kKey = ServiceRecord::kServiceKey;
    return std::span(record.octets()).subspan(kKey.octet(), kKey.octets());
}

void Hide(ServiceRecord& record) {
    const std::span<std::uint8_t> key = KeyOf(record);
    std::fill(key.begin(), key.end(), std::uint8_t{0});
}

/// `said` is the key that `kept` has, or `kept` has none. Takes as long whatever is said: how far
/// it is right cannot be measured.
[[nodiscard]] bool Opens(ServiceRecord said, ServiceRecord kept) {
    unsigned key = 0;
    unsigned difference = 0;
    for (std::size_t i = 0; i < KeyOf(kept).size(); ++i) {
        key |= KeyOf(kept)[i];
        difference |= static_cast<unsigned>(KeyOf(kept)[i] ^ KeyOf(said)[i]);
    }
    return key == 0 || difference == 0;
}

}  // namespace

Found ServiceRecords::Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                           std::span<std::uint8_t> record) {
    while (cursor.row < services_.bound()) {
        if (budget == 0) return Found::kLater;
        --budget;
        const auto at = static_cast<ServiceIndex>(cursor.row++);
        if (!services_.IsLive(at)) continue;
        ServiceRecord answer = services_.Shown(at);
        const std::uint16_t p_key = answer.Get(ServiceRecord::kServicePKey);
        // A client that knows the key may ask by it; 128 bits cannot be guessed by asking.
        if (!Matches(query, ServiceRecord::kComponents, answer.octets(), 0)) continue;
        if (!MayKnow(query, answer, p_key)) continue;
        if (!query.is_trusted) Hide(answer);
        Deliver(answer, record);
        return Found::kRecord;
    }
    return Found::kEnd;
}

/// The requester may use the service in its partition: a limited member is not told of that of
/// another limited one. Of a host that is away the membership is not known.
bool ServiceRecords::MayKnow(const Query& query, const ServiceRecord& service,
                             std::uint16_t p_key) const {
    const PortIndex host = HostOf(service);
    return host == kNoPortIndex ? view_.partitions.Holds(query.requester, p_key)
                                : view_.partitions.Share(query.requester, host, p_key);
}

SaStatus ServiceRecords::Change(const Query& query, std::uint64_t now_us,
                                std::span<std::uint8_t> record) {
    EMBER_ASSERT(query.method == Method::kSet || query.method == Method::kDelete);
    return query.method == Method::kSet ? Register(query, now_us, record) : Withdraw(query, record);
}

/// The service that is meant, with its three names complete. A Delete names them whatever its mask
/// says, as clients of OpenSM do.
SaStatus ServiceRecords::Understand(const Query& query, ServiceRecord& named) const {
    const bool is_set = query.method == Method::kSet;
    if (is_set &&
        (!query.Has(ServiceRecord::kHasServiceId) || !query.Has(ServiceRecord::kHasServiceGid))) {
        return SaStatus::kInsufficientComponents;
    }
    named = RecordOf(query);
    const bool has_p_key = is_set ? query.Has(ServiceRecord::kHasServicePKey)
                                  : named.Get(ServiceRecord::kServicePKey) != 0;
    if (!has_p_key) named.Set(ServiceRecord::kServicePKey, kDefaultPKey);
    const std::uint16_t p_key = named.Get(ServiceRecord::kServicePKey);
    if (!view_.partitions.Holds(query.requester, p_key)) {
        return SaStatus::kRequestInvalid;
    }
    return SaStatus::kOk;
}

/// The port of the ServiceGID; kNoPortIndex: of none that is known.
PortIndex ServiceRecords::HostOf(const ServiceRecord& named) const {
    const Guid guid{named.gid().low};
    const PortIndex at = view_.fabric.FindPort(guid);
    return at != kNoPortIndex ? at : view_.fabric.FindPort(aliases_.PortOf(guid));
}

/// The port that registered a service needs no ServiceKey: clients of OpenSM withdraw the record
/// that they were shown, and there the key is hidden.
bool ServiceRecords::MayChange(const Query& query, const ServiceRecord& named) const {
    if (!MayActFor(view_, query, HostOf(named))) return false;
    const ServiceIndex at = services_.Find(named);
    if (at == kNoService || query.is_trusted) return true;
    const Services::Row& row = services_.row(at);
    return row.owner == view_.fabric.port(query.requester).guid || Opens(named, row.record);
}

SaStatus ServiceRecords::Register(const Query& query, std::uint64_t now_us,
                                  std::span<std::uint8_t> record) {
    EMBER_ASSERT(query.method == Method::kSet);
    ServiceRecord named;
    const SaStatus understood = Understand(query, named);
    if (understood != SaStatus::kOk) return understood;
    // A port that offers it must be of this subnet, and of the partition.
    const PortIndex host = HostOf(named);
    const std::uint16_t p_key = named.Get(ServiceRecord::kServicePKey);
    const bool is_apart = host == kNoPortIndex
                              ? query.Has(ServiceRecord::kHasServicePKey)
                              : !view_.partitions.Share(query.requester, host, p_key);
    if (is_apart) return SaStatus::kRequestInvalid;
    if (!MayChange(query, named)) return SaStatus::kRequestDenied;
    if (!query.Has(ServiceRecord::kHasServiceLease)) {
        named.Set(ServiceRecord::kServiceLease, ServiceRecord::kForever);
    }
    named.Set(ServiceRecord::kReserved208, std::uint16_t{0});
    const Guid owner = view_.fabric.port(query.requester).guid;
    if (services_.Put(named, owner, now_us) != Status::kOk) return SaStatus::kNoResources;
    if (!query.is_trusted) Hide(named);
    Deliver(named, record);
    return SaStatus::kOk;
}

SaStatus ServiceRecords::Withdraw(const Query& query, std::span<std::uint8_t> record) {
    EMBER_ASSERT(query.method == Method::kDelete);
    ServiceRecord named;
    const SaStatus understood = Understand(query, named);
    if (understood != SaStatus::kOk) return understood;
    const ServiceIndex at = services_.Find(named);
    if (at == kNoService) return SaStatus::kNoRecords;
    if (!MayChange(query, named)) return SaStatus::kRequestDenied;
    ServiceRecord answer = services_.Shown(at);
    if (!query.is_trusted) Hide(answer);
    services_.Remove(at);
    Deliver(answer, record);
    return SaStatus::kOk;
}

}  // namespace ember
