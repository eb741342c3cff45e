// SPDX-License-Identifier: Apache-2.0
// EmberSM: the notes of a sweep: nodes and links gained and lost, and sums where they are many.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/discovery/sweep_outcome.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"

namespace ember {

/// Counts what a sweep finds to have changed, and notes it in the log as long as it is not too
/// much. What lasts is noted once, not in every sweep.
class SweepNotes {
public:
    /// Nodes or links of one kind of news that a sweep notes one by one. Of further ones it notes
    /// the number.
    static constexpr std::size_t kLoggedEach = 64;
    /// When sweeps have noted so many within a second, each further one notes one of a kind.
    static constexpr std::uint32_t kLoggedInWindow = 512;

    /// Counts in `outcome`, which is the one of the sweep under way.
    SweepNotes(Fabric& fabric, Log& log, SweepOutcome& outcome)
        : fabric_(fabric), log_(log), outcome_(outcome) {}
    SweepNotes(const SweepNotes&) = delete;
    SweepNotes& operator=(const SweepNotes&) = delete;

    /// A sweep begins.
    void Begin(std::uint64_t now_us);
    /// Notes a new node when its NodeDescription was read, or the question has timed out.
    void Announce(NodeIndex at, std::uint64_t now_us);
    void LostNode(const Node& node, std::uint64_t now_us);
    /// Called before Disconnect(), while the peer is known.
    void LostLink(PortIndex at, std::uint64_t now_us);
    /// A link was down, and is up again.
    void Retrained(PortIndex at, std::uint64_t now_us);
    /// A link is new. Its note is written by End(): by then both NodeDescriptions were read.
    void GainedLink(PortIndex at);
    /// Rates a link if the PortInfo of both ends was read: a narrow or slow one is noted.
    void Rate(PortIndex at, std::uint64_t now_us);
    /// Notes, once, that the own port's link went down or is up again.
    void OwnPort(const Port& port, bool is_up, std::uint64_t now_us);
    /// Notes, once, that no node answers behind the own port though its link is up.
    void OwnNeighbor(const Port& port, bool is_silent, std::uint64_t now_us);
    /// Notes, once, that the GUID was met behind `exit` too. Its owner is behind `kept`.
    void Duplicate(Guid guid, PortNumber port, PortIndex exit, PortIndex kept,
                   std::uint64_t now_us);
    /// Notes, once, for which nodes the board has no room.
    void Shortage(std::uint64_t now_us);
    /// The sweep has ended: notes new links, and the numbers of what was not noted one by one.
    void End(std::uint64_t now_us);

private:
    [[nodiscard]] bool MayLog(std::uint32_t& count);
    [[nodiscard]] std::uint32_t Unlogged(std::uint32_t count) const;
    [[nodiscard]] bool IsNewDuplicate(Guid guid);
    void LogGainedLinks(std::uint64_t now_us);
    void LogSums(std::uint64_t now_us);

    Fabric& fabric_;
    Log& log_;
    SweepOutcome& outcome_;
    std::uint64_t log_window_began_us_ = 0;
    std::uint32_t logged_in_window_ = 0;
    std::uint32_t logged_each_ = kLoggedEach;
    StaticVector<PortIndex, kLoggedEach> gained_links_;  ///< In this sweep; an end of each.
    bool own_port_logged_down_ = false;
    bool own_neighbor_logged_silent_ = false;
    bool shortage_logged_ = false;
    StaticVector<Guid, 32> logged_duplicates_;
};

}  // namespace ember
