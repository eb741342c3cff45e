// SPDX-License-Identifier: Apache-2.0
// EmberSM: who watches a story: safety at every step, health when all faults have ended.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ember::swarm {

class Swarm;

/// Something that must be true when all is well and has been for a while. Oracles look at the
/// hardware, at what clients were told, and at what a manager says of itself; they share no code
/// with what they judge. To add one, write its function and a row of the table in watch.cc.
struct Oracle {
    std::string_view name;
    /// A sentence about what is wrong; empty: nothing.
    std::string (*look)(Swarm& swarm);
};

/// The watch over one story.
///
/// Rules that hold while everything rages:
/// - No packet of an end port's LID runs in a circle, after any Set of an LFT block: that is what
///   the order of Sets is for, and no fault of the wire, no loss of a link and no lying host
///   excuses it. Excused is who was deceived about the fabric itself (a switch has lied, a datagram
///   came changed) or was not alone (two masters, or another one, now or a moment ago). Entries
///   that several masters have left in a part that none reaches are judged when one has reached it
///   for a moment, and none before the master that is left has had the subnet up.
/// - No multicast packet does, under the same terms.
/// - A manager lets time go on, its pools hold no more than they can, and what it writes into its
///   log is bounded.
/// While hosts alone misbehave, and the fabric has been still for a while, the others are well: see
/// Honest().
class Watch {
public:
    explicit Watch(Swarm& swarm);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Looks on after every turn.
    void OnStep();
    /// The manager's picture of the fabric may be wrong from now on: circles are excused until
    /// everything is well again.
    void NoteDeceit() { is_deceived_ = true; }
    [[nodiscard]] bool is_deceived() const { return is_deceived_; }
    void NoteRestart(std::size_t seat) { notes_seen_[seat] = 0; }

    /// Everything that must be true at rest, the oracles one after the other. `complaint` and
    /// `oracle` are set by the first that is not content.
    [[nodiscard]] bool IsHealthy(std::string_view& oracle, std::string& complaint);
    /// The same of the honest, while hosts still lie: LIDs distinct, every pair connected.
    [[nodiscard]] std::string Honest();

private:
    void OnLftBlock(std::uint32_t node, std::uint32_t block);
    void OnMftBlock(std::uint32_t node, std::uint32_t block);
    void NoteApart();
    [[nodiscard]] bool IsLeftBehind(std::uint32_t node) const;
    void LookForCircles();
    void CountNotes();
    [[nodiscard]] bool IsExcused();
    void CheckPools();
    void CheckRows();

    Swarm& swarm_;
    bool is_deceived_ = false;
    std::uint64_t last_us_ = 0;
    std::uint64_t turns_ = 0;              ///< Without time going on.
    std::uint64_t many_masters_us_ = 0;    ///< When there was last more than one.
    std::vector<std::uint64_t> apart_us_;  ///< By node: when it was last apart from the master.
    bool had_many_masters_ = false;
    bool is_settled_ = false;  ///< The master that was left has had the subnet up since,
    std::uint64_t ups_ = 0;    ///< as it has counted less often before.
    std::size_t last_master_ = 0;
    std::uint64_t next_look_us_ = 0;
    std::uint64_t next_count_us_ = 0;
    std::vector<std::uint64_t> notes_seen_;
};

/// The oracles of a subnet's health.
[[nodiscard]] std::vector<Oracle> HealthOracles();

/// Asks the subnet administrator, over the wire, about all that clients hold.
[[nodiscard]] std::string RegistrationsStand(Swarm& swarm);
/// Every member of every group hears every other once, and no other port hears it.
[[nodiscard]] std::string GroupsAreDelivered(Swarm& swarm);

/// In OpenSM's order up/down leaves apart two aggregation nodes whose switches are roots, which the
/// log tells (routing-ways-apart).
[[nodiscard]] bool MayBeApart(Swarm& swarm, std::uint32_t from, std::uint32_t to);

// Of those ports that do not lie:
/// Packets of hosts arrive, lane by lane.
[[nodiscard]] std::string PacketsArrive(Swarm& swarm);
/// Their buffers do not wait for each other where the routing is said to be free of that.
[[nodiscard]] std::string NothingLocks(Swarm& swarm);
/// P_Key tables are as the file says, and what stands in front of hosts enforces them.
[[nodiscard]] std::string PartitionsAreKept(Swarm& swarm);
/// Each has the M_Key that it shall have.
[[nodiscard]] std::string PortsAreLocked(Swarm& swarm);
/// Where the master says that nothing is to be said against the subnet, that is so.
[[nodiscard]] std::string UpMeansUp(Swarm& swarm);

}  // namespace ember::swarm
