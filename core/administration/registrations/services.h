// SPDX-License-Identifier: Apache-2.0
// EmberSM: the services that ports offer, and their leases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/row_index.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/base/time.h"
#include "core/fabric/sa_state.h"
#include "core/wire/service_record.h"

namespace ember {

enum class ServiceIndex : std::uint16_t {};
inline constexpr ServiceIndex kNoService{0xFFFF};

/// Services by ServiceID, ServiceGID and ServiceP_Key. A service is forgotten when its lease ends,
/// unless it was renewed.
class Services {
public:
    struct Row {
        ServiceRecord record;            ///< ServiceLease: as it was asked for.
        std::uint64_t ends_us = kNever;  ///< When the lease is over.
        Guid owner = kNoGuid;  ///< PortGUID of the port that registered it; kNoGuid: free.
        ServiceIndex next = kNoService;  ///< Among the free rows.
    };
    struct Memory {
        std::span<Row> rows;            ///< Limits::max_services.
        std::span<ServiceIndex> slots;  ///< RowIndex<ServiceIndex>::SlotsFor(max_services).
    };

    explicit Services(const Memory& memory);
    Services(const Services&) = delete;
    Services& operator=(const Services&) = delete;

    /// `sink` hears of every change but Clear() and Restore(); nullptr: no sink does.
    void Watch(SaStateSink* sink) { sink_ = sink; }
    /// The index is drawn with this one; see RowIndex. To be called while nothing is in.
    void SetSecret(std::uint64_t secret) { index_.SetSecret(secret); }
    /// Forgets everything.
    void Clear();

    /// The service of the same ServiceID, ServiceGID and ServiceP_Key; kNoService: there is none.
    [[nodiscard]] ServiceIndex Find(const ServiceRecord& named) const;
    /// Registers it, or takes the place of what was registered under these three. kFull: no row is
    /// free; kBusy: rows are short, and this owner has an eighth of them already.
    Status Put(const ServiceRecord& record, Guid owner, std::uint64_t now_us);
    void Remove(ServiceIndex at);
    /// As it was before a restart, without regard to shares. kFull: no row is free.
    Status Restore(const ServiceRecord& record, Guid owner, std::uint64_t ends_us);
    /// Removes those of which `is_gone(const Row&)`; how many. A pass over all.
    template <typename IsGone>
    std::size_t Drop(IsGone is_gone) {
        std::size_t gone = 0;
        for (std::size_t i = 0; i < bound_; ++i) {
            const auto at = static_cast<ServiceIndex>(i);
            if (!IsLive(at) || !is_gone(rows_[at])) continue;
            Remove(at);
            ++gone;
        }
        return gone;
    }

    /// Forgets what has ended. Cheap while nothing has.
    void Expire(std::uint64_t now_us);
    /// When the next lease ends, or earlier; kNever: none does.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return next_end_us_; }

    /// As registered, with the seconds that are left at the last Expire() for ServiceLease.
    [[nodiscard]] ServiceRecord Shown(ServiceIndex at) const;
    [[nodiscard]] bool IsLive(ServiceIndex at) const { return rows_[at].owner != kNoGuid; }
    [[nodiscard]] const Row& row(ServiceIndex at) const { return rows_[at]; }
    [[nodiscard]] std::size_t bound() const { return bound_; }  ///< Above the highest row used.
    [[nodiscard]] std::size_t count() const { return index_.size(); }
    [[nodiscard]] std::uint64_t expired() const { return expired_; }  ///< Since start.

private:
    [[nodiscard]] std::uint64_t HashOf(const ServiceRecord& record) const;
    [[nodiscard]] bool HasShareLeft(Guid owner) const;
    [[nodiscard]] ServiceIndex PlaceFor(const ServiceRecord& record);
    void Fill(ServiceIndex at, const ServiceRecord& record, Guid owner, std::uint64_t ends_us);

    Table<ServiceIndex, Row> rows_;
    RowIndex<ServiceIndex> index_;
    SaStateSink* sink_ = nullptr;
    ServiceIndex free_ = kNoService;
    std::size_t bound_ = 0;
    std::uint64_t next_end_us_ = kNever;
    std::uint64_t now_us_ = 0;
    std::uint64_t expired_ = 0;
};

/// As it is written down.
[[nodiscard]] ServiceEntry EntryOf(const Services::Row& row);

}  // namespace ember
