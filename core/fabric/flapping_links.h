// SPDX-License-Identifier: Apache-2.0
// EmberSM: cables that come and go, and how long they are left out of the routes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/log/journal.h"
#include "core/settings.h"

namespace ember {

/// What is done about a cable that flaps.
enum class LinkVerdict : std::uint8_t {
    kWatched,      ///< Nothing: it has not flapped often enough.
    kQuarantined,  ///< No route and no tree uses it; it is not taken above INIT.
    kDamped,       ///< It flaps and stays in use: without it a node would be cut off, or the policy
                   ///< is `damp`.
};
inline constexpr std::size_t kLinkVerdicts = 3;

/// A cable that was lost, or complained of, not long ago. Rows of the board's storage,
/// Limits::max_flapping_links.
struct FlappingLink {
    /// Times that are remembered, and so the most that flapping_link_count can be.
    static constexpr std::size_t kMostCounted = 16;

    std::array<LinkEnd, 2> ends{};  ///< A switch first; kNoGuid there: the row is free.
    LinkVerdict verdict = LinkVerdict::kWatched;
    std::uint8_t quarantines = 0;  ///< In a row: each is twice as long as the one before.
    bool is_proposed = false;      ///< Review() has yet to decide about it.
    bool shall_disable = false;    ///< It babbles, and babbling_port_policy says what then.
    std::uint32_t sweep = 0;       ///< In which it was last found lost.
    std::uint32_t events = 0;      ///< Losses and complaints since it was last let out.
    std::uint32_t complaints = 0;  ///< Traps 129 to 131 in a row.
    std::uint64_t complained_us = 0;
    std::uint64_t last_us = 0;                        ///< The last event.
    std::uint64_t until_us = 0;                       ///< In quarantine till then.
    std::uint64_t released_us = 0;                    ///< Out of it since then.
    std::array<std::uint64_t, kMostCounted> at_us{};  ///< Of the last events, in a ring.

    [[nodiscard]] bool is_live() const { return ends[0].guid != kNoGuid; }
};

/// What was seen of cables since start.
struct FlappingStatistics {
    std::uint64_t losses = 0;       ///< Cables found lost or trained anew.
    std::uint64_t complaints = 0;   ///< Traps 129 to 131 that name a port of their sender.
    std::uint64_t quarantines = 0;  ///< Cables left out,
    std::uint64_t releases = 0;     ///< and taken in again.
    std::uint64_t disabled = 0;     ///< Ports that were told to go down: babbling_port_policy.
    std::uint64_t forgotten = 0;    ///< Events of cables for which there was no row.
};

/// Counts how often each cable between two nodes is lost, or complained of by traps 129 to 131, and
/// decides after a sweep which ones are left out of the routes.
///
/// flapping_link_count events in flapping_link_window seconds are too many: then the cable is in
/// quarantine for flapping_link_hold seconds, twice as long each time that it follows on the time
/// before, up to 64 times. Events during a quarantine put its end off by flapping_link_hold, so it
/// ends when the cable has been still for so long. A cable without which the switches of the subnet
/// would fall apart, or to a host or router, is never left out: what would be lost by that is more
/// than what flaps. Whether it is needed is decided anew after each sweep, for cables in quarantine
/// too: the last cable to a switch is let out at once when the others have failed.
///
/// Rows know cables by the GUIDs of their ends, so that they survive nodes that go and come. What
/// is decided is written into Port::quarantined at both ends; routing, multicast and assignment
/// look there.
class FlappingLinks {
public:
    /// Traps 129 to 131 in a row, each within a minute of the one before, that are babble; as
    /// OpenSM counts. Source: reference opensm-behaviour §7.
    static constexpr std::uint32_t kBabble = 250;
    static constexpr std::uint64_t kBabbleWindowUs = 60'000'000;
    /// A quarantine is at most 2^kMostDoublings times as long as the first one.
    static constexpr std::uint32_t kMostDoublings = 6;

    FlappingLinks(std::span<FlappingLink> rows,
                  Fabric& fabric,
                  Journal& journal,
                  const Settings& settings)
        : rows_(rows), fabric_(fabric), journal_(journal), settings_(settings) {}
    FlappingLinks(const FlappingLinks&) = delete;
    FlappingLinks& operator=(const FlappingLinks&) = delete;

    /// A sweep begins: what it finds lost of one cable counts once. `counts`: it counts at all; not
    /// when we have taken cables down ourselves.
    void BeginSweep(bool counts);
    /// The cable at `at` is lost, or was and has been trained anew; its peer is still known. True:
    /// it counts, and is the first that this sweep finds of that cable.
    bool NoteLoss(PortIndex at, std::uint64_t now_us);
    /// The port at `at` complained of its link by a trap 129, 130 or 131. True: Review() now has
    /// something to decide.
    [[nodiscard]] bool NoteComplaint(PortIndex at, std::uint64_t now_us);

    /// After a sweep, before anything is computed: decides, says so, and marks the ports. Takes a
    /// SwitchIndex a switch of the arena, less than the assignment of LIDs, and gives it back.
    void Review(std::uint64_t now_us, Arena& scratch);
    /// What that takes from its arena and gives back.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    /// When a quarantine ends; ~0: none is in force. A sweep is due then, and Review().
    [[nodiscard]] std::uint64_t NextReleaseUs() const { return next_release_us_; }
    /// The sweep that was due is under way or cannot be: do not ask again before this time.
    void PutOff(std::uint64_t until_us) { next_release_us_ = until_us; }
    /// Calls `visit(PortIndex)` for a port of each end whose quarantine is over by `now_us`.
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

    [[nodiscard]] std::span<const FlappingLink> rows() const { return rows_; }
    [[nodiscard]] std::size_t CountOf(LinkVerdict verdict) const;
    [[nodiscard]] const FlappingStatistics& statistics() const { return statistics_; }
    /// Of its events, those that still count.
    [[nodiscard]] std::uint32_t RecentEvents(const FlappingLink& row, std::uint64_t now_us) const;

private:
    [[nodiscard]] PortIndex Find(const LinkEnd& end) const;
    [[nodiscard]] FlappingLink* Meet(PortIndex at);
    void Count(FlappingLink& row, std::uint64_t now_us) const;
    [[nodiscard]] bool IsTooOften(const FlappingLink& row, std::uint64_t now_us) const;
    [[nodiscard]] std::uint64_t HoldUs(const FlappingLink& row) const;
    [[nodiscard]] bool IsRecabled(const FlappingLink& row) const;
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
    Journal& journal_;
    const Settings& settings_;
    bool counts_ = false;
    std::uint32_t sweeps_ = 0;
    std::uint64_t next_release_us_ = ~std::uint64_t{0};
    FlappingStatistics statistics_;
};

}  // namespace ember
