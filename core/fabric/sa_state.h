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
    // SubnetState, told to standbys. A journal on disk has none of these.
    kLids = 12,            ///< LidsEntry: the LIDs that are kept for a port.
    kLidsGone = 13,        ///< LidsEntry, of which the GUID counts.
    kMKeyRule = 14,        ///< MKeyRuleEntry: one of the rules of M_Keys, the one in force first.
    kQuarantine = 15,      ///< QuarantineEntry: the link is left out of the routes.
    kQuarantineGone = 16,  ///< QuarantineEntry, of which the ends count.
    kLidExit = 17,         ///< LidExitEntry: where a port hangs, or hung, for which LIDs are kept.
};

/// True for what is told of the subnet, and not of what clients have registered.
[[nodiscard]] constexpr bool IsOfSubnet(SaEntryKind kind) {
    return kind >= SaEntryKind::kLids && kind <= SaEntryKind::kLidExit;
}

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

struct LidsEntry {
    Be<Guid> guid;
    Be<Lid> least;
    Be<Lid> most;
};
static_assert(WireStruct<LidsEntry> && sizeof(LidsEntry) == 12);

struct LidExitEntry {
    Be<Guid> guid;
    Be<Lid> exit_lid;
    std::uint8_t exit_port = 0;
    std::uint8_t arrivals = 0;  ///< See KeptExit.
};
static_assert(WireStruct<LidExitEntry> && sizeof(LidExitEntry) == 12);

/// The secret goes over the wire as the octets of which a code of `salt` and `place`, by the
/// replication_key, has been taken with an exclusive or.
struct MKeyRuleEntry {
    std::uint8_t place = 0;  ///< 0: the one in force; it begins a row of rules.
    std::uint8_t per_port = 0;
    Be<std::uint64_t> salt;
    Be<std::uint64_t> masked_secret;
};
static_assert(WireStruct<MKeyRuleEntry> && sizeof(MKeyRuleEntry) == 18);

struct QuarantineEntry {
    Be<Guid> guid;  ///< NodeGUID of an end, a switch.
    Be<Guid> other_guid;
    std::uint8_t port = 0;
    std::uint8_t other_port = 0;
    std::uint8_t quarantines = 0;  ///< In a row: each is twice as long as the one before.
    Be<std::uint64_t> until_us;    ///< By the clock of the writer.
};
static_assert(WireStruct<QuarantineEntry> && sizeof(QuarantineEntry) == 27);

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
        case SaEntryKind::kLids:
        case SaEntryKind::kLidsGone:
            return sizeof(LidsEntry);
        case SaEntryKind::kLidExit:
            return sizeof(LidExitEntry);
        case SaEntryKind::kMKeyRule:
            return sizeof(MKeyRuleEntry);
        case SaEntryKind::kQuarantine:
        case SaEntryKind::kQuarantineGone:
            return sizeof(QuarantineEntry);
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

/// The state of the subnet that a master knows beside registrations, and tells its standbys in the
/// same journal: the kinds IsOfSubnet().
class SubnetState {
public:
    // Of a master.
    /// The number of rows for Show(), which may change while rows are copied: a row that is moved
    /// to another place is told again.
    [[nodiscard]] virtual std::size_t bound() const = 0;
    /// Tells `sink` what the row holds, if anything. Asserts that it is below bound().
    virtual void Show(std::size_t row, SaStateSink& sink) = 0;
    /// `sink` hears of every change from now on; nullptr: none does.
    virtual void Watch(SaStateSink* sink) = 0;

    // Of a standby.
    /// A copy of everything begins.
    virtual void BeginCopy() = 0;
    /// Takes an entry. `clock_us`: the clock of its writer. kMalformed: it makes no sense.
    virtual Status Obey(SaEntryKind kind, std::span<const std::byte> body, std::uint64_t clock_us,
                        std::uint64_t now_us) = 0;
    /// The copy is over: what it has not told of is forgotten. A subject of which it tells nothing
    /// at all stays as it is.
    virtual void EndCopy() = 0;

protected:
    ~SubnetState() = default;
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
void EmitEntry(SaStateSink* sink, SaEntryKind kind, const Body& body) {
    EMBER_ASSERT(BodyBytes(kind) == sizeof(Body));
    if (sink != nullptr) sink->Hear(kind, std::as_bytes(std::span(&body, 1)));
}

}  // namespace ember
