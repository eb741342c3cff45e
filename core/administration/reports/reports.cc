// SPDX-License-Identifier: Apache-2.0
// EmberSM: notices, forwarded to subscribers.
#include "core/administration/reports/reports.h"

#include <algorithm>

#include "core/administration/query/authority.h"
#include "core/base/assert.h"
#include "core/wire/inform_info.h"

namespace ember {
namespace {

/// Subscribers and events that one step looks at: about half a millisecond.
inline constexpr std::uint32_t kBudget = 10'000;
inline constexpr std::uint32_t kRowCost = 4;

[[nodiscard]] bool FitsAny(std::uint32_t wanted, std::uint32_t any, std::uint32_t found) {
    return wanted == any || wanted == found;
}

/// The whole of a serial number, of which a subscription keeps the lower half.
[[nodiscard]] std::uint64_t SerialOf(const EventRing& ring, std::uint32_t half) {
    return ring.next() - static_cast<std::uint32_t>(static_cast<std::uint32_t>(ring.next()) - half);
}

}  // namespace

/// While a sweep has yet to hear of our own port, it is the one of before: a notice that is
/// repeated meanwhile is the same notice, and fits the same subscriptions.
void Reports::LearnIssuer() {
    const PortIndex own = parts_.view.fabric.own_port();
    if (own == kNoPortIndex) return;
    const Port& port = parts_.view.fabric.port(own);
    if (port.lid == kNoLid) return;
    own_guid_ = port.guid;
    own_lid_ = port.lid;
}

void Reports::Begin() {
    LearnIssuer();
    for (std::size_t i = 0; i < parts_.subscriptions.bound(); ++i) {
        Subscription& row = parts_.subscriptions.row(static_cast<SubscriptionIndex>(i));
        row.next_event = static_cast<std::uint32_t>(parts_.events.own().next());
        row.next_trap = static_cast<std::uint32_t>(parts_.events.traps().next());
        row.is_reporting = false;
    }
    parts_.exchange.Abandon();
    looked_at_ = written();
    walks_ = false;
}

/// Of both rings; it only grows.
std::uint64_t Reports::written() const {
    return parts_.events.own().next() + parts_.events.traps().next();
}

/// The ring of the event that the Report under way, or the next one, tells of.
const EventRing& Reports::RingOf(const Subscription& row) const {
    return row.reports_trap ? parts_.events.traps() : parts_.events.own();
}

const SubnetEvent& Reports::EventOf(const Subscription& row) const {
    const EventRing& ring = RingOf(row);
    return ring.At(SerialOf(ring, row.reports_trap ? row.next_trap : row.next_event));
}

/// Goes on with the oldest that is still known.
void Reports::SkipForgotten(SubscriptionIndex at) {
    Subscription& row = parts_.subscriptions.row(at);
    for (const bool of_traps : {false, true}) {
        const EventRing& ring = of_traps ? parts_.events.traps() : parts_.events.own();
        std::uint32_t& next = of_traps ? row.next_trap : row.next_event;
        const std::uint64_t serial = SerialOf(ring, next);
        if (serial >= ring.oldest()) continue;
        statistics_.missed += ring.oldest() - serial;
        next = static_cast<std::uint32_t>(ring.oldest());
        if (row.reports_trap == of_traps) row.is_reporting = false;
    }
}

/// False: this subscriber was told everything. Our own events go before traps.
bool Reports::HasNext(Subscription& row) const {
    const EventRing& own = parts_.events.own();
    const EventRing& traps = parts_.events.traps();
    const bool has_event = SerialOf(own, row.next_event) < own.next();
    if (!row.is_reporting) row.reports_trap = !has_event;
    return row.is_reporting || has_event || SerialOf(traps, row.next_trap) < traps.next();
}

/// Over all subscribers, to tell them what is new.
void Reports::BeginWalk() {
    walks_ = true;
    walk_ = 0;
    looked_at_ = written();
}

bool Reports::Step(std::uint64_t now_us) {
    LearnIssuer();
    budget_ = kBudget;
    AdvanceDue(now_us);
    if (!walks_ && written() == looked_at_) return NextDeadlineUs() <= now_us;
    if (!walks_) BeginWalk();
    for (; walk_ < parts_.subscriptions.bound(); ++walk_) {
        if (budget_ < kRowCost) return true;
        budget_ -= kRowCost;
        const auto at = static_cast<SubscriptionIndex>(walk_);
        const bool is_free =
            parts_.subscriptions.IsLive(at) && !parts_.subscriptions.row(at).is_reporting;
        if (is_free) Advance(at, now_us);
        if (budget_ == 0) return true;  // In the middle of this one's events.
    }
    walks_ = false;
    return written() != looked_at_;
}

/// Subscribers whose Report was not acknowledged in time, or found the port full.
void Reports::AdvanceDue(std::uint64_t now_us) {
    std::uint16_t number = 0;
    while (budget_ > kRowCost) {  // Enough for one Report at least.
        const Status due = parts_.exchange.Expire(now_us, number);
        if (due == Status::kAbsent) return;
        budget_ -= kRowCost;
        const auto at = static_cast<SubscriptionIndex>(number);
        if (!parts_.subscriptions.IsLive(at)) {
            parts_.exchange.End(number);
            continue;
        }
        if (due == Status::kTimeout && parts_.subscriptions.row(at).is_reporting) {
            ++statistics_.given_up;
            parts_.log.WriteSparingly<Note::kReportUnheard>(
                now_us, Raw(parts_.subscriptions.row(at).subscriber), statistics_.given_up);
            EndReport(at);
        }
        Advance(at, now_us);
        if (budget_ == 0) BeginWalk();  // In the middle of this one's events.
    }
}

/// Sends a Report to a subscriber whose last one is to be repeated, or that has none under way.
void Reports::Advance(SubscriptionIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(parts_.subscriptions.IsLive(at));
    Subscription& row = parts_.subscriptions.row(at);
    SkipForgotten(at);
    while (budget_ > 0 && HasNext(row)) {
        --budget_;
        const SubnetEvent& event = EventOf(row);
        if (row.is_reporting || (Wants(row, event) && MayKnow(row, event))) {
            if (Send(at, now_us)) return;
        }
        EndReport(at);
    }
}

void Reports::EndReport(SubscriptionIndex at) {
    EMBER_ASSERT(parts_.subscriptions.IsLive(at));
    Subscription& row = parts_.subscriptions.row(at);
    parts_.exchange.End(Raw(at));
    row.is_reporting = false;
    ++(row.reports_trap ? row.next_trap : row.next_event);
}

Guid Reports::IssuerOf(const SubnetEvent& event) const {
    return event.issuer != kNoGuid ? event.issuer : own_guid_;
}

Notice Reports::NoticeOf(const SubnetEvent& event) const {
    if (event.issuer != kNoGuid) return event.notice;
    EMBER_ASSERT(event.trap >= TrapNumber::kInService &&
                 event.trap <= TrapNumber::kMulticastDeleted);
    GidNotice notice;
    notice.Set(Notice::kIsGeneric, std::uint8_t{1});
    notice.Set(Notice::kType, NoticeType::kSubnetManagement);
    notice.Set(Notice::kProducerType, ProducerType::kClassManager);
    notice.Set(Notice::kTrapNumber, event.trap);
    notice.Set(Notice::kIssuerLid, own_lid_);
    notice.Set(GidNotice::kGidPrefix, event.gid.high);
    notice.Set(GidNotice::kGidGuid, event.gid.low);
    return notice;
}

bool Reports::Wants(const Subscription& row, const SubnetEvent& event) const {
    const Notice notice = NoticeOf(event);
    const InformInfo& info = row.info;
    const Gid gid = info.gid();
    if (gid != Gid{}) {
        const Gid issuer{parts_.view.settings.subnet_prefix, Raw(IssuerOf(event))};
        if (gid != issuer) return false;
    } else if (info.Get(InformInfo::kLidRangeBegin) != InformInfo::kAnyLid) {
        const std::uint16_t lid = Raw(notice.Get(Notice::kIssuerLid));
        const std::uint16_t begin = Raw(info.Get(InformInfo::kLidRangeBegin));
        const std::uint16_t end = Raw(info.Get(InformInfo::kLidRangeEnd));
        if (lid < begin || lid > std::max(begin, end)) return false;
    }
    const bool is_generic = notice.Get(Notice::kIsGeneric) != 0;
    if ((info.Get(InformInfo::kIsGeneric) != 0) != is_generic) return false;
    // Producer and number lie where a vendor's notice has VendorID and DeviceID.
    return FitsAny(info.Get(InformInfo::kType), InformInfo::kAnyType,
                   static_cast<std::uint32_t>(notice.Get(Notice::kType))) &&
           FitsAny(info.Get(InformInfo::kTrapNumber), InformInfo::kAnyNumber,
                   notice.Get(Notice::kDeviceId)) &&
           FitsAny(info.Get(InformInfo::kProducerType), InformInfo::kAnyProducer,
                   notice.Get(Notice::kVendorId));
}

/// Whether partitions allow it: the subscriber has to share one with the port that the event is
/// about, or be in that of the group.
bool Reports::MayKnow(const Subscription& row, const SubnetEvent& event) const {
    const Fabric& fabric = parts_.view.fabric;
    const Partitions& partitions = parts_.view.partitions;
    const PortIndex subscriber = fabric.FindPort(row.subscriber);
    if (subscriber == kNoPortIndex) return false;
    const bool is_of_group =
        event.issuer == kNoGuid && (event.trap == TrapNumber::kMulticastCreated ||
                                    event.trap == TrapNumber::kMulticastDeleted);
    if (is_of_group) return partitions.Holds(subscriber, event.p_key);
    const Guid about = event.issuer != kNoGuid ? event.issuer : Guid{event.gid.low};
    const PortIndex at = fabric.FindPort(about);
    return at == kNoPortIndex ? partitions.ShareWithDeparted(subscriber, about, event.node_type)
                              : partitions.Share(subscriber, at);
}

/// The index of the P_Key for a Report: that by which the subscriber asked, else of the first
/// partition that it shares with our own port. False: there is none, and it cannot be told.
bool Reports::ChoosePKey(const Subscription& row, PortIndex subscriber,
                         std::uint16_t& index) const {
    const AdministrationView& view = parts_.view;
    const OwnPKeys* const known = KnownPKeys(view);
    index = row.p_key_index;
    const bool is_ours = subscriber == view.fabric.own_port();
    if (known == nullptr || is_ours || !view.partitions.AreConfigured()) return true;
    std::size_t found = OwnPKeys::kMost;
    if (view.partitions.Reaches(row.p_key, subscriber)) found = known->IndexOf(row.p_key);
    if (found == OwnPKeys::kMost) {
        found = known->IndexOf(view.partitions.First(view.fabric.own_port(), subscriber));
    }
    index = static_cast<std::uint16_t>(found);
    return found < OwnPKeys::kMost;
}

/// False when it cannot be sent at all; true also when it must wait for the port.
bool Reports::Send(SubscriptionIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(parts_.subscriptions.IsLive(at));
    Subscription& row = parts_.subscriptions.row(at);
    const Fabric& fabric = parts_.view.fabric;
    const PortIndex subscriber = fabric.FindPort(row.subscriber);
    if (subscriber == kNoPortIndex || fabric.port(subscriber).lid == kNoLid) return false;
    const SubnetEvent& event = EventOf(row);

    ReportedNotice reported;
    Put(reported, ReportedNotice::kNotice, NoticeOf(event));
    reported.Set(ReportedNotice::kIssuerGidHigh, parts_.view.settings.subnet_prefix);
    reported.Set(ReportedNotice::kIssuerGidLow, Raw(IssuerOf(event)));

    SaMad mad{};
    mad.header.base_version = kBaseVersion;
    mad.header.mgmt_class = MgmtClass::kSubnAdm;
    mad.header.class_version = kSubnAdmClassVersion;
    mad.header.method = Method::kReport;
    mad.header.attribute_id = AttributeId::kNotice;
    std::copy(reported.octets().begin(), reported.octets().end(), mad.data.begin());

    Envelope envelope;
    if (!ChoosePKey(row, subscriber, envelope.p_key_index)) return false;
    envelope.peer = static_cast<Lid>(Raw(fabric.port(subscriber).lid) + row.path_bits);
    envelope.service_level = row.service_level;
    envelope.remote_queue_pair = row.info.Get(InformInfo::kQpn);
    envelope.mad = ToMad(mad);
    if (!row.is_reporting) parts_.exchange.End(Raw(at));  // Of an earlier holder of the row.
    if (parts_.exchange.Send(Raw(at), envelope, now_us) != Status::kOk) {
        ++statistics_.port_busy;
        return true;
    }
    row.is_reporting = true;
    ++(parts_.exchange.tried(Raw(at)) == 1 ? statistics_.sent : statistics_.resent);
    return true;
}

bool Reports::Take(const Envelope& envelope, std::uint64_t now_us) {
    const MadHeader& header = envelope.mad.header;
    if (header.method != Method::kReportResp) return false;
    const auto at = static_cast<SubscriptionIndex>(parts_.exchange.Match(envelope.mad));
    const bool is_live = parts_.subscriptions.IsLive(at);
    const Fabric& fabric = parts_.view.fabric;
    const bool fits =
        is_live && parts_.subscriptions.row(at).is_reporting &&
        fabric.PortByLid(envelope.peer) == fabric.FindPort(parts_.subscriptions.row(at).subscriber);
    if (!fits) {
        ++statistics_.strays;
        return true;
    }
    ++statistics_.acknowledged;
    EndReport(at);
    budget_ = kBudget;
    Advance(at, now_us);
    return true;
}

}  // namespace ember
