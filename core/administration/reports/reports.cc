// SPDX-License-Identifier: Apache-2.0
// EmberSM: notices, forwarded to those who subscribed.
#include "core/administration/reports/reports.h"

#include <algorithm>

#include "core/wire/inform_info.h"

namespace ember {
namespace {

/// Subscribers and events that one step looks at: about half a millisecond.
inline constexpr std::uint32_t kBudget = 10'000;
inline constexpr std::uint32_t kRowCost = 4;
/// How long a port that was full is left alone.
inline constexpr std::uint64_t kPortBusyUs = 100;
/// TransactionId: the row of the subscription above its generation.
inline constexpr unsigned kRowShift = 16;

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
        row.tries = 0;
        ++row.generation;
    }
    looked_at_ = written();
    walks_ = false;
    next_deadline_us_ = kNever;
}

/// Of both rings; it only grows.
std::uint64_t Reports::written() const {
    return parts_.events.own().next() + parts_.events.traps().next();
}

/// The ring of the event that the Report under way, or the next one, tells of.
const EventRing& Reports::RingOf(const Subscription& row) const {
    return row.tells_trap ? parts_.events.traps() : parts_.events.own();
}

const SubnetEvent& Reports::EventOf(const Subscription& row) const {
    const EventRing& ring = RingOf(row);
    return ring.At(SerialOf(ring, row.tells_trap ? row.next_trap : row.next_event));
}

/// Goes on with the oldest that is still known.
void Reports::SkipForgotten(Subscription& row) {
    for (const bool of_traps : {false, true}) {
        const EventRing& ring = of_traps ? parts_.events.traps() : parts_.events.own();
        std::uint32_t& next = of_traps ? row.next_trap : row.next_event;
        const std::uint64_t serial = SerialOf(ring, next);
        if (serial >= ring.oldest()) continue;
        statistics_.missed += ring.oldest() - serial;
        next = static_cast<std::uint32_t>(ring.oldest());
        if (row.tells_trap != of_traps) continue;
        row.tries = 0;
        ++row.generation;  // What acknowledges the old one is not for the next.
    }
}

/// False: this subscriber was told everything. Our own events go before traps.
bool Reports::HasNext(Subscription& row) const {
    const EventRing& own = parts_.events.own();
    const EventRing& traps = parts_.events.traps();
    const bool has_event = SerialOf(own, row.next_event) < own.next();
    if (row.tries == 0) row.tells_trap = !has_event;
    return row.tries != 0 || has_event || SerialOf(traps, row.next_trap) < traps.next();
}

bool Reports::Step(std::uint64_t now_us) {
    const bool has_news = written() != looked_at_;
    LearnIssuer();
    if (!walks_ && !has_news && now_us < next_deadline_us_) return false;
    if (!walks_) {
        walks_ = true;
        walk_ = 0;
        looked_at_ = written();
        next_deadline_us_ = kNever;
    }
    budget_ = kBudget;
    for (; walk_ < parts_.subscriptions.bound(); ++walk_) {
        if (budget_ < kRowCost) return true;
        budget_ -= kRowCost;
        const auto at = static_cast<SubscriptionIndex>(walk_);
        if (parts_.subscriptions.IsLive(at)) Advance(at, now_us);
        if (budget_ == 0) return true;  // In the middle of this one's events.
    }
    walks_ = false;
    return written() != looked_at_;
}

/// Sends a Report to a subscriber whose last one is overdue or that has none under way.
void Reports::Advance(SubscriptionIndex at, std::uint64_t now_us) {
    Subscription& row = parts_.subscriptions.row(at);
    if (row.tries != 0 && now_us < row.due_us) {
        next_deadline_us_ = std::min(next_deadline_us_, row.due_us);
        return;
    }
    if (row.tries != 0 && row.tries >= parts_.view.settings.transaction_retries) {
        ++statistics_.given_up;
        parts_.log.WriteSparingly<Note::kReportUnheard>(now_us, Raw(row.subscriber),
                                                        statistics_.given_up);
        EndReport(row);
    }
    SkipForgotten(row);
    while (budget_ > 0 && HasNext(row)) {
        --budget_;
        const SubnetEvent& event = EventOf(row);
        if (row.tries != 0 || (Wants(row, event) && MayKnow(row, event))) {
            if (Send(at, now_us)) return;
        }
        EndReport(row);
    }
}

void Reports::EndReport(Subscription& row) {
    row.tries = 0;
    ++row.generation;
    ++(row.tells_trap ? row.next_trap : row.next_event);
}

Guid Reports::IssuerOf(const SubnetEvent& event) const {
    return event.issuer != kNoGuid ? event.issuer : own_guid_;
}

Notice Reports::NoticeOf(const SubnetEvent& event) const {
    if (event.issuer != kNoGuid) return event.notice;
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

/// Whether partitions allow it.
bool Reports::MayKnow(const Subscription& row, const SubnetEvent& event) const {
    const Fabric& fabric = parts_.view.fabric;
    const PortIndex subscriber = fabric.FindPort(row.subscriber);
    if (subscriber == kNoPortIndex) return false;
    const Guid about = event.issuer != kNoGuid ? event.issuer : Guid{event.gid.low};
    const PortIndex at = fabric.FindPort(about);
    // The partitions of a port that is gone are not known any more; a group has none of its own.
    return at == kNoPortIndex || parts_.view.partitions.Share(subscriber, at);
}

/// False when it cannot be sent at all; true also when it must wait for the port.
bool Reports::Send(SubscriptionIndex at, std::uint64_t now_us) {
    Subscription& row = parts_.subscriptions.row(at);
    const Fabric& fabric = parts_.view.fabric;
    const PortIndex subscriber = fabric.FindPort(row.subscriber);
    if (subscriber == kNoPortIndex || fabric.port(subscriber).lid == kNoLid) return false;
    const SubnetEvent& event = EventOf(row);
    const std::uint64_t timeout_us = parts_.view.settings.transaction_timeout * kMillisecondUs;

    ReportedNotice reported;
    Put(reported, ReportedNotice::kNotice, NoticeOf(event));
    reported.Set(ReportedNotice::kIssuerGidHigh, parts_.view.settings.subnet_prefix);
    reported.Set(ReportedNotice::kIssuerGidLow, Raw(IssuerOf(event)));

    SaMad mad{};
    mad.header.base_version = kBaseVersion;
    mad.header.mgmt_class = MgmtClass::kSubnAdm;
    mad.header.class_version = kSubnAdmClassVersion;
    mad.header.method = Method::kReport;
    mad.header.transaction_id =
        static_cast<TransactionId>(std::uint64_t{Raw(at)} << kRowShift | row.generation);
    mad.header.attribute_id = AttributeId::kNotice;
    std::copy(reported.octets().begin(), reported.octets().end(), mad.data.begin());

    Envelope envelope;
    envelope.peer = static_cast<Lid>(Raw(fabric.port(subscriber).lid) + row.path_bits);
    envelope.queue_pair = 1;
    envelope.service_level = row.service_level;
    envelope.remote_queue_pair = row.info.Get(InformInfo::kQpn);
    envelope.answer_within_us = static_cast<std::uint32_t>(timeout_us);
    envelope.mad = ToMad(mad);
    if (parts_.port.Send(envelope) != Status::kOk) {
        ++statistics_.port_busy;
        next_deadline_us_ = std::min(next_deadline_us_, now_us + kPortBusyUs);
        return true;
    }
    ++(row.tries == 0 ? statistics_.sent : statistics_.resent);
    ++row.tries;
    row.due_us = now_us + timeout_us;
    next_deadline_us_ = std::min(next_deadline_us_, row.due_us);
    return true;
}

bool Reports::Take(const Envelope& envelope, std::uint64_t now_us) {
    const MadHeader& header = envelope.mad.header;
    if (header.method != Method::kReportResp) return false;
    // The upper half belongs to the kernel.
    const auto id = static_cast<std::uint32_t>(Raw(TransactionId{header.transaction_id}));
    const auto at = static_cast<SubscriptionIndex>(id >> kRowShift);
    const bool is_live = parts_.subscriptions.IsLive(at);
    Subscription* const row = is_live ? &parts_.subscriptions.row(at) : nullptr;
    const Fabric& fabric = parts_.view.fabric;
    const bool fits = row != nullptr && row->tries != 0 &&
                      row->generation == static_cast<std::uint16_t>(id) &&
                      fabric.PortByLid(envelope.peer) == fabric.FindPort(row->subscriber);
    if (!fits) {
        ++statistics_.strays;
        return true;
    }
    ++statistics_.acknowledged;
    EndReport(*row);
    budget_ = kBudget;
    Advance(at, now_us);
    return true;
}

}  // namespace ember
