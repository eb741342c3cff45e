// SPDX-License-Identifier: Apache-2.0
// EmberSM: notices, forwarded to subscribers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/administration/query/query.h"
#include "core/administration/registrations/subscriptions.h"
#include "core/exchange/gmp_exchange.h"
#include "core/fabric/events.h"
#include "core/log/log.h"
#include "core/platform.h"

namespace ember {

/// Counters of the forwarding of notices since start.
struct ReportStatistics {
    std::uint64_t sent = 0;    ///< Reports, the first time.
    std::uint64_t resent = 0;  ///< Second and later tries.
    std::uint64_t acknowledged = 0;
    std::uint64_t given_up = 0;  ///< Not acknowledged in any try.
    std::uint64_t missed = 0;    ///< Events forgotten before a slow subscriber was told.
    std::uint64_t strays = 0;    ///< ReportResp to nothing that is under way.
    std::uint64_t port_busy = 0;
};

/// Tells every subscriber of each event that it subscribed to, in their order, one at a time: the
/// next goes out when the last was acknowledged, or given up after transaction_retries tries. A
/// subscriber that is slow or silent costs the others nothing; when the ring of events has moved on
/// meanwhile it misses the oldest. IBA vol. 1, 13.4.11.
class Reports {
public:
    /// All outlive the reports.
    struct Parts {
        GmpExchange& exchange;  ///< A row for each of subscriptions.
        Log& log;
        const AdministrationView& view;
        Subscriptions& subscriptions;
        const SubnetEvents& events;
    };

    explicit Reports(const Parts& parts) : parts_(parts) {}
    Reports(const Reports&) = delete;
    Reports& operator=(const Reports&) = delete;

    /// From now on: what happened until now is not told.
    void Begin();

    /// Sends what is due, a slice of it. True when there is more to do at once.
    bool Step(std::uint64_t now_us);
    /// When Step() has work that neither an event nor an answer brings about; kNever: it has none.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return parts_.exchange.NextDeadlineUs(); }

    /// A ReportResp. False: it is no such datagram.
    bool Take(const Envelope& envelope, std::uint64_t now_us);

    [[nodiscard]] const ReportStatistics& statistics() const { return statistics_; }

private:
    void LearnIssuer();
    [[nodiscard]] std::uint64_t written() const;
    [[nodiscard]] const EventRing& RingOf(const Subscription& row) const;
    [[nodiscard]] const SubnetEvent& EventOf(const Subscription& row) const;
    void BeginWalk();
    void AdvanceDue(std::uint64_t now_us);
    void SkipForgotten(SubscriptionIndex at);
    [[nodiscard]] bool HasNext(Subscription& row) const;
    void Advance(SubscriptionIndex at, std::uint64_t now_us);
    [[nodiscard]] bool Wants(const Subscription& row, const SubnetEvent& event) const;
    [[nodiscard]] bool MayKnow(const Subscription& row, const SubnetEvent& event) const;
    [[nodiscard]] bool ChoosePKey(const Subscription& row, PortIndex subscriber,
                                  std::uint16_t& index) const;
    [[nodiscard]] Notice NoticeOf(const SubnetEvent& event) const;
    [[nodiscard]] Guid IssuerOf(const SubnetEvent& event) const;
    bool Send(SubscriptionIndex at, std::uint64_t now_us);
    void EndReport(SubscriptionIndex at);

    Parts parts_;
    Guid own_guid_ = kNoGuid;  ///< Of the port that notices of our own come from, as last known.
    Lid own_lid_ = kNoLid;
    std::uint64_t looked_at_ = 0;  ///< Events that some walk over the subscribers has begun with.
    bool walks_ = false;
    std::size_t walk_ = 0;      ///< Where the walk goes on.
    std::uint32_t budget_ = 0;  ///< Events that may be looked at in this step.
    ReportStatistics statistics_;
};

}  // namespace ember
