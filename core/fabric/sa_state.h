// SPDX-License-Identifier: Apache-2.0
// EmberSM: the registrations of clients, as entries of their journal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/be.h"
#include "core/base/gid.h"
#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/base/status.h"
#include "core/wire/inform_info.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"
#include "core/wire/service_record.h"

namespace ember {

/// The kind of an entry. The numbers are part of the format of the journal.
enum class SaEntryKind : std::uint8_t {
    kComplete = 1,           ///< No body. The entries before it are a copy of all registrations.
    kGroup = 2,              ///< GroupEntry: the group is new or changed.
    kGroupGone = 3,          ///< MgidEntry.
    kMember = 4,             ///< MemberEntry: the member is new or changed.
    kMemberGone = 5,         ///< MemberEntry, of which MGID and PortGUID count.
    kAlias = 6,              ///< AliasEntry.
    kAliasGone = 7,          ///< AliasEntry, of which port and place count.
    kService = 8,            ///< ServiceEntry: the service is new or changed.
    kServiceGone = 9,        ///< ServiceNameEntry.
    kSubscription = 10,      ///< SubscriptionEntry.
    kSubscriptionGone = 11,  ///< SubscriptionEntry.
};

/// A GID in the byte order of the wire.
struct GidEntry {
    Be<std::uint64_t> high;
    Be<std::uint64_t> low;
    constexpr GidEntry() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a GidEntry stands wherever a Gid does.
    constexpr GidEntry(const Gid& gid) : high(gid.high), low(gid.low) {}
    [[nodiscard]] constexpr Gid gid() const { return {high, low}; }
};

/// The bodies of entries, each as SaEntryKind says.
struct MgidEntry {
    GidEntry mgid;
};
static_assert(WireStruct<MgidEntry> && sizeof(MgidEntry) == 16);

struct GroupEntry {
    GidEntry mgid;
    Be<Lid> mlid;
    Be<std::uint32_t> q_key;
    Be<std::uint16_t> p_key;
    Be<std::uint32_t> flow_label;
    Be<Mtu> mtu;
    Be<Rate> rate;
    std::uint8_t packet_life_time = 0;
    std::uint8_t sl = 0;
    std::uint8_t t_class = 0;
    std::uint8_t hop_limit = 0;
    std::uint8_t scope = 0;
    std::uint8_t is_well_known = 0;
};
static_assert(WireStruct<GroupEntry> && sizeof(GroupEntry) == 36);

struct MemberEntry {
    GidEntry mgid;
    Be<Guid> port_guid;
    Be<Guid> owner;
    std::uint8_t join_state = 0;
    std::uint8_t is_proxied = 0;
};
static_assert(WireStruct<MemberEntry> && sizeof(MemberEntry) == 34);

struct AliasEntry {
    Be<Guid> alias;
    Be<Guid> port;
    std::uint8_t place = 0;
};
static_assert(WireStruct<AliasEntry> && sizeof(AliasEntry) == 17);

struct ServiceEntry {
    ServiceRecord record;
    Be<Guid> owner;
    Be<std::uint64_t> ends_us;  ///< The end of its lease, by the clock of the writer; kNever: none.
};
static_assert(WireStruct<ServiceEntry> && sizeof(ServiceEntry) == 192);

struct ServiceNameEntry {
    Be<std::uint64_t> service_id;
    GidEntry gid;
    Be<std::uint16_t> p_key;
};
static_assert(WireStruct<ServiceNameEntry> && sizeof(ServiceNameEntry) == 26);

struct SubscriptionEntry {
    Be<Guid> subscriber;
    InformInfo info;
    std::uint8_t path_bits = 0;
    std::uint8_t service_level = 0;
};
static_assert(WireStruct<SubscriptionEntry> && sizeof(SubscriptionEntry) == 50);

/// Octets of an entry's body. These lengths are the format. ~0: there is no such kind.
[[nodiscard]] constexpr std::size_t BodyBytes(SaEntryKind kind) {
    switch (kind) {
        case SaEntryKind::kComplete:
            return 0;
        case SaEntryKind::kGroup:
            return sizeof(GroupEntry);
        case SaEntryKind::kGroupGone:
            return sizeof(MgidEntry);
        case SaEntryKind::kMember:
        case SaEntryKind::kMemberGone:
            return sizeof(MemberEntry);
        case SaEntryKind::kAlias:
        case SaEntryKind::kAliasGone:
            return sizeof(AliasEntry);
        case SaEntryKind::kService:
            return sizeof(ServiceEntry);
        case SaEntryKind::kServiceGone:
            return sizeof(ServiceNameEntry);
        case SaEntryKind::kSubscription:
        case SaEntryKind::kSubscriptionGone:
            return sizeof(SubscriptionEntry);
    }
    return ~std::size_t{0};
}
inline constexpr std::size_t kMaxSaBodyBytes = sizeof(ServiceEntry);
static_assert(kMaxSaBodyBytes >= sizeof(SubscriptionEntry) &&
              kMaxSaBodyBytes >= sizeof(GroupEntry) && kMaxSaBodyBytes >= sizeof(MemberEntry));

/// Receives every change of groups, members, aliases, services and subscriptions, after the change
/// and in order.
class SaStateSink {
public:
    /// `body` is that of `kind`; the sink copies it.
    virtual void Hear(SaEntryKind kind, std::span<const std::byte> body) = 0;

protected:
    ~SaStateSink() = default;
};

/// Passes every change on, in the order in which its sinks were added.
class SaStateFork final : public SaStateSink {
public:
    static constexpr std::size_t kMostSinks = 4;

    /// No-op for a sink that hears already. Asserts that there are fewer than kMostSinks.
    void Add(SaStateSink& sink) {
        if (std::find(sinks_.begin(), sinks_.end(), &sink) != sinks_.end()) return;
        const Status added = sinks_.TryPush(&sink);
        EMBER_ASSERT(added == Status::kOk);
    }
    /// No-op for a sink that does not hear.
    void Remove(const SaStateSink& sink) {
        for (std::size_t i = 0; i < sinks_.size(); ++i) {
            if (sinks_[i] == &sink) return sinks_.SwapRemove(i);
        }
    }
    void Hear(SaEntryKind kind, std::span<const std::byte> body) override {
        for (SaStateSink* const sink : sinks_) {
            sink->Hear(kind, body);
        }
    }

private:
    StaticVector<SaStateSink*, kMostSinks> sinks_;
};

/// Tells `sink` of a change; no-op for nullptr.
template <WireStruct Body>
void TellSink(SaStateSink* sink, SaEntryKind kind, const Body& body) {
    EMBER_ASSERT(BodyBytes(kind) == sizeof(Body));
    if (sink != nullptr) sink->Hear(kind, std::as_bytes(std::span(&body, 1)));
}

}  // namespace ember
