// SPDX-License-Identifier: Apache-2.0
// EmberSM: flapping links, and how long they are left out of the routes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/fabric/node_restarts.h"
#include "core/fabric/sa_state.h"
#include "core/log/log.h"
#include "core/settings/settings.h"

namespace ember {

/// The decision about a flapping link.
enum class LinkVerdict : std::uint8_t {
    kWatched,      ///< Nothing: it has not flapped often enough.
    kQuarantined,  ///< No route and no tree uses it; its ports stay in INIT.
    kDamped,       ///< Stays in use: without it a node would be cut off, or the policy is `damp`.
};
inline constexpr std::size_t kLinkVerdicts = 3;

/// A link that was lost or complained of recently. The board's storage has
/// Limits::max_flapping_links rows.
struct FlappingLink {
    /// Events whose times are remembered, and so the most that flapping_link_count can be.
    static constexpr std::size_t kMostCounted = 16;

    std::array<LinkEnd, 2> ends{};  ///< A switch first; kNoGuid there: the row is free.
    LinkVerdict verdict = LinkVerdict::kWatched;
    std::uint8_t quarantines = 0;  ///< In a row: each is twice as long as the one before.
    bool is_proposed = false;      ///< Review() has yet to decide about it.
    bool is_copied = false;        ///< By the copy of a master that is under way.
    bool shall_disable = false;    ///< Review() disables a port: it babbles (babbling_port_policy).
    std::uint32_t sweep = 0;       ///< The sweep that last found it lost.
    std::uint32_t events = 0;      ///< Losses and complaints since its last release.
    std::uint32_t complaints = 0;  ///< Traps 129 to 131 in a row.
    std::uint64_t complained_us = 0;                  ///< The last of these traps.
    std::uint64_t lost_us = kNever;                   ///< The last loss, if it counts.
    std::uint64_t last_us = 0;                        ///< The last event.
    std::uint64_t until_us = 0;                       ///< The end of its quarantine.
    std::uint64_t released_us = 0;                    ///< Its last release.
    std::array<std::uint64_t, kMostCounted> at_us{};  ///< Times of the last events, in a ring.

    [[nodiscard]] bool is_live() const { return ends[0].guid != kNoGuid; }
    /// No event counts any more, nor can the last one be taken back.
    void Forgive() {
        events = 0;
        lost_us = kNever;
    }
};

/// Counts of events and verdicts since the start.
struct FlappingStatistics {
    std::uint64_t losses = 0;       ///< Links found lost or trained anew.
    std::uint64_t complaints = 0;   ///< Traps 129 to 131 that name a port of their sender.
    std::uint64_t quarantines = 0;  ///< Links put into quarantine.
    std::uint64_t releases = 0;     ///< Links released from quarantine.
    std::uint64_t disabled = 0;     ///< Ports disabled: babbling_port_policy.
    std::uint64_t forgotten = 0;    ///< Events of links for which no row was free.
};

/// Counts how often each link between two nodes is lost, or complained of by traps 129 to 131, and
/// decides after a sweep which links are left out of the routes.
///
/// flapping_link_count events in flapping_link_window seconds are too many: then the link is in
/// quarantine for flapping_link_hold seconds. Each quarantine that follows soon on the last one is
/// twice as long as that, up to 64 times flapping_link_hold. An event during a quarantine moves its
/// end to flapping_link_hold after the event, so that it ends when the link was quiet for that
/// long.
///
/// A node all of whose links are lost at once was restarted: one event of the node, and none of its
/// links. A switch that is maintained is not as many flapping cables as it has. A node that is
/// restarted so often as a link may be lost is noted.
///
/// A needed link is never left out: a link to a host or router, or one without which the switches
/// of the subnet would not be connected. Leaving it out would cost more than its flapping. Whether
/// a link is needed is decided anew after each sweep, also for a link in quarantine: the last link
/// to a switch is released at once when the others have failed.
///
/// A row knows its link by the NodeGUIDs and ports of its ends, so it survives the removal and
/// return of a node. A verdict is written into Port::quarantined at both ends; routing, multicast
/// and core/ports read it there.
class FlappingLinks {
public:
    /// Traps 129 to 131 in a row, each within a minute of the one before, that are babble. OpenSM
    /// counts likewise. Source: osm_trap_rcv.c.
    static constexpr std::uint32_t kBabble = 250;
    static constexpr std::uint64_t kBabbleWindowUs = 60'000'000;
    /// A quarantine is at most 2^kMostDoublings times as long as the first one.
    static constexpr std::uint32_t kMostDoublings = 6;

    FlappingLinks(std::span<FlappingLink> rows, Fabric& fabric, Log& log, const Settings& settings)
        : rows_(rows), fabric_(fabric), log_(log), settings_(settings) {}
    FlappingLinks(const FlappingLinks&) = delete;
    FlappingLinks& operator=(const FlappingLinks&) = delete;

    /// Begins a sweep, in which a link counts as lost once. `counts`: losses of this sweep count;
    /// false when we have taken links down ourselves.
    void BeginSweep(bool counts);
    /// The link of the port `at` was lost, and perhaps trained anew; its peer is still known. True:
    /// the loss counts, as the first one of this link in the sweep.
    bool NoteLoss(PortIndex at, std::uint64_t now_us);
    /// The port `at` complained of its link by a trap 129, 130 or 131. True: Review() now has a
    /// decision to make.
    [[nodiscard]] bool NoteComplaint(PortIndex at, std::uint64_t now_us);

    /// Decides about all links and marks their ports; each decision is noted in the log. To be
    /// called after a sweep, before routes are computed. Uses ScratchBytes() of the arena.
    void Review(std::uint64_t now_us, Arena& scratch);
    /// The bytes that Review() takes from its arena and gives back.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               Arena::BytesFor<std::uint16_t>(limits.max_flapping_links);
    }

    /// When the first quarantine ends: a sweep is due then, and Review(). kNever: no link is in
    /// quarantine.
    [[nodiscard]] std::uint64_t NextReleaseUs() const { return next_release_us_; }
    /// Sets NextReleaseUs() to `until_us`, because the sweep that was due is under way or
    /// impossible.
    void PutOff(std::uint64_t until_us) { next_release_us_ = until_us; }
    /// Calls `visit(PortIndex)` for both ends of each link whose quarantine is over by `now_us`, as
    /// far as the fabric has them.
    template <typename Visit>
    void ForEachDue(std::uint64_t now_us, Visit visit) const {
        for (const FlappingLink& row : rows_) {
            if (row.verdict != LinkVerdict::kQuarantined || row.until_us > now_us) continue;
            for (const LinkEnd& end : row.ends) {
                const PortIndex at = Find(end);
                if (at != kNoPortIndex) visit(at);
            }
        }
    }

    // For standbys: quarantines go on when the master changes.
    /// `sink` hears of each quarantine that begins, is prolonged or ends; nullptr: none does.
    void Watch(SaStateSink* sink) { sink_ = sink; }
    /// Tells `sink` the quarantine of the row, if it is in one.
    void Show(const FlappingLink& row, SaStateSink& sink) const;
    void BeginCopy();
    /// A quarantine of the master that we follow, by our clock. kFull: there is no row for it.
    Status Obey(const QuarantineEntry& entry, std::uint64_t until_us);
    void Forget(const QuarantineEntry& entry);
    /// No quarantine is longer.
    [[nodiscard]] std::uint64_t LongestUs() const {
        return settings_.flapping_link_hold * kSecondUs << kMostDoublings;
    }
    /// Ends quarantines of which Obey() was not told since BeginCopy().
    void EndCopy();

    /// All rows, those not live included.
    [[nodiscard]] std::span<const FlappingLink> rows() const { return rows_; }
    /// The number of live rows with this verdict.
    [[nodiscard]] std::size_t CountOf(LinkVerdict verdict) const;
    [[nodiscard]] const FlappingStatistics& statistics() const { return statistics_; }
    /// The events of a row that still count: of the last kMostCounted, those within
    /// flapping_link_window seconds before `now_us`.
    [[nodiscard]] std::uint32_t RecentEvents(const FlappingLink& row, std::uint64_t now_us) const;

private:
    [[nodiscard]] PortIndex Find(const LinkEnd& end) const;
    [[nodiscard]] FlappingLink* Meet(PortIndex at);
    [[nodiscard]] FlappingLink* RowFor(const std::array<LinkEnd, 2>& ends);
    [[nodiscard]] static bool WasJustLost(const FlappingLink& row, std::uint64_t now_us);
    [[nodiscard]] bool WasRestarted(Guid node, std::uint64_t now_us) const;
    void PardonRestarts(std::uint64_t now_us);
    void Pardon(Guid node, std::uint64_t now_us);
    void EmitRow(const FlappingLink& row) const;
    void Count(FlappingLink& row, std::uint64_t now_us) const;
    [[nodiscard]] bool IsTooOften(const FlappingLink& row, std::uint64_t now_us) const;
    [[nodiscard]] std::uint64_t HoldUs(const FlappingLink& row) const;
    [[nodiscard]] bool IsLinkedElsewhere(const FlappingLink& row) const;
    void Settle(FlappingLink& row, std::uint64_t now_us);
    void Decide(FlappingLink& row, std::span<SwitchIndex> island, std::uint64_t now_us);
    [[nodiscard]] bool IsNeeded(const FlappingLink& row, std::span<SwitchIndex> island) const;
    void Confine(FlappingLink& row, std::uint64_t now_us);
    void Release(FlappingLink& row, std::uint64_t now_us);
    void Damp(FlappingLink& row, std::uint64_t now_us);
    void Silence(FlappingLink& row, std::uint64_t now_us);
    void Mark(const FlappingLink& row, bool is_quarantined);
    void Touch(const FlappingLink& row);
    void JoinOthers(std::span<SwitchIndex> island) const;

    std::span<FlappingLink> rows_;
    Fabric& fabric_;
    Log& log_;
    const Settings& settings_;
    bool counts_ = false;
    std::uint32_t sweeps_ = 0;
    std::uint64_t next_release_us_ = kNever;
    FlappingStatistics statistics_;
    NodeRestarts restarts_;
    SaStateSink* sink_ = nullptr;
};

}  // namespace ember
