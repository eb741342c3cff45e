// SPDX-License-Identifier: Apache-2.0
// EmberSM: traps of the fabric: which are heard, forwarded to subscribers, and cause a sweep.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/discovery/traps.h"
#include "core/exchange/exchange.h"
#include "core/fabric/events.h"
#include "core/fabric/fabric.h"
#include "core/lids/lid_map.h"
#include "core/links/flapping_links.h"
#include "core/log/log.h"
#include "core/manager/sweep_plan.h"
#include "core/settings/settings.h"
#include "core/wire/notice.h"

namespace ember {

/// Hears traps as master: counts complaints about links, answers with a repress, notes and forwards
/// the trap, and names the port that a sweep has to read. IBA vol. 1, 13.4.9 and 14.2.5.1.
class TrapHandler {
public:
    /// All outlive it.
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        FlappingLinks& flapping;
        SubnetEvents& events;
        const LidMap& lids;
    };
    /// The sweep that a trap asks for.
    struct Request {
        SweepCue cue{};
        PortIndex at = kNoPortIndex;  ///< The port that it is about; kNoPortIndex: a light sweep.
    };
    /// Two, as a complaint may begin a quarantine and ask for a light sweep.
    using Requests = StaticVector<Request, 2>;
    struct Statistics {
        std::uint64_t heard = 0;
        std::uint64_t refused = 0;     ///< Of these, traps beyond the share of their issuer.
        std::uint64_t unanswered = 0;  ///< Of these, traps whose repress could not be sent.
    };

    /// `settings` may change underneath.
    TrapHandler(const Parts& parts, const Settings& settings)
        : parts_(parts), settings_(settings) {}
    TrapHandler(const TrapHandler&) = delete;
    TrapHandler& operator=(const TrapHandler&) = delete;

    /// A Trap(Notice) that passed CheckSmp(). Under `sweep_on_trap FALSE` it asks for nothing.
    [[nodiscard]] Requests Hear(const Envelope& envelope, std::uint64_t now_us);

    [[nodiscard]] const Statistics& statistics() const { return statistics_; }

private:
    void HearOfUnknown(const Notice& notice, Lid from, std::uint64_t now_us, Requests& requests);
    [[nodiscard]] bool IsSwitchTrap(PortIndex issuer) const;
    void HearComplaint(const Notice& notice, PortIndex issuer, std::uint64_t now_us,
                       Requests& requests);
    [[nodiscard]] bool Admits(const Notice& notice, PortIndex issuer, std::uint64_t now_us);
    void Repress(const Envelope& trap, std::uint64_t m_key);
    void Forward(const Notice& notice, PortIndex issuer, std::uint64_t now_us);
    void Ask(TrapRequest request, PortIndex issuer, Requests& requests);

    Parts parts_;
    const Settings& settings_;
    TrapAdmission admission_;
    Statistics statistics_;
};

}  // namespace ember
