// SPDX-License-Identifier: Apache-2.0
// EmberSM: the heavy sweep, which finds out what the subnet is.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/ring.h"
#include "core/base/static_vector.h"
#include "core/base/time.h"
#include "core/discovery/doors.h"
#include "core/exchange/exchange.h"
#include "core/fabric/events.h"
#include "core/fabric/fabric.h"
#include "core/fabric/flapping_links.h"
#include "core/fabric/link_end.h"
#include "core/log/log.h"
#include "core/settings.h"

namespace ember {

inline constexpr Client kDiscoveryClient{1};

/// Something to be asked. A switch's ports are one errand with a cursor, so the queue is short.
struct Errand {
    enum class Kind : std::uint8_t {
        kCross,        ///< NodeInfo of whatever is at the other end of `port`.
        kDescription,  ///< NodeDescription of the node of `port`.
        kSwitchInfo,
        kPortInfo,     ///< PortInfo of `port` itself.
        kSwitchPorts,  ///< PortInfo of the external ports of the switch whose port 0 is `port`.
    };
    Kind kind{};
    /// kSwitchPorts: the last port asked. kCross: how often it was tried, and kWaited.
    std::uint8_t cursor = 0;
    /// The answer claimed what somebody else had, and has waited for that one.
    static constexpr std::uint8_t kWaited = 0x80;
    PortIndex port = kNoPortIndex;
};

/// The heavy sweep: walks the subnet by directed routes and writes Fabric.
///
/// Breadth first by answer, not hop by hop: every answer queues the next questions, and Step() asks
/// as many as the exchange's window admits. Each cable is crossed once: the answer names the port
/// it came in by, which settles both ends. A switch tells its ports after its port 0 has told
/// whether it speaks of extended speeds. What stays silent is left out and reported; a cable that
/// two nodes claim is asked again and, when they insist, reported as a duplicate GUID and left
/// alone. Who is claimed at another door than in the last sweep keeps the old one if it answers
/// there: the claim waits until it has. How many nodes are believed to be behind one door says
/// Doors. Finish() drops what this sweep did not meet.
class Discovery {
public:
    [[nodiscard]] static constexpr std::size_t ErrandsFor(const Limits& limits) {
        // A port is crossed and asked once each, plus once more after a conflict; a node is asked
        // for its description and, a switch, for its SwitchInfo and its run of ports.
        return std::size_t{limits.max_ports} * 2 + std::size_t{limits.max_nodes} * 3;
    }
    /// What it takes from its arena while a sweep runs.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Errand>(ErrandsFor(limits)) +
               Arena::BytesFor<Errand>(limits.max_ports) + Doors::ScratchBytes(limits);
    }

    /// Nodes, and cables, that a sweep tells of one by one in the log, of each kind of news; of
    /// more it tells the number.
    static constexpr std::size_t kToldEach = 64;

    /// What a sweep found, for the log, the status page and the next decision.
    struct Outcome {
        std::uint32_t sweep = 0;
        std::uint32_t nodes_gained = 0;
        std::uint32_t nodes_told = 0;  ///< Of these, told as new or back, or too many for it.
        std::uint32_t nodes_lost = 0;
        std::uint32_t links_changed = 0;
        std::uint32_t links_lost = 0;
        std::uint32_t links_gained = 0;
        std::uint32_t links_retrained = 0;  ///< Were down, and are up again.
        std::uint32_t links_reduced = 0;    ///< Found narrow or slow in this sweep.
        std::uint32_t silent = 0;           ///< Questions that were never answered.
        std::uint32_t late = 0;       ///< Questions to end ports whose answers were not waited for.
        std::uint32_t conflicts = 0;  ///< Cables claimed twice: duplicate GUIDs, or cabling moved.
        std::uint32_t refused = 0;    ///< Claims to what belongs, and answers, at another door.
        std::uint32_t shut = 0;       ///< Doors not crossed: see Doors.
        std::uint32_t malformed = 0;  ///< Answers that make no sense.
        bool own_port_down = false;   ///< The SM's own port has no link: there is no subnet.
        /// It has one, but nobody answers behind it: what is known was left as it is.
        bool cut_off = false;
        bool unsettled = false;  ///< The subnet moved meanwhile: sweep again.
        bool targeted = false;   ///< Only some switches were asked.
    };

    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        FlappingLinks& flapping;  ///< Told of every cable that is lost.
        Arena& scratch;           ///< Used from where it stands and, when a sweep ends, rewound.
    };

    Discovery(const Parts& parts, const Limits& limits, const Settings& settings);
    Discovery(const Discovery&) = delete;
    Discovery& operator=(const Discovery&) = delete;

    /// Starts a sweep. What is known stays known until Finish().
    void Begin(std::uint64_t now_us);
    /// Starts a targeted sweep: asks these switches and what is new behind them, and takes the rest
    /// for what the last heavy sweep found, which must have ended settled. What does not fit in
    /// with that leaves the outcome unsettled, and only a heavy sweep tells the truth. See
    /// targeted.cc.
    void BeginAt(std::span<const SwitchIndex> switches, std::uint64_t now_us);
    /// While a targeted sweep runs: asks this switch too. False when that cannot be.
    bool AlsoAt(SwitchIndex at, std::uint64_t now_us);
    /// Switches that one targeted sweep is told of; more are a matter for a heavy one.
    static constexpr std::size_t kMaxTargets = 40;
    /// Asks what the window admits.
    void Step(std::uint64_t now_us);
    /// Takes an answer to a question of kDiscoveryClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// True when nothing is left to ask and nothing under way, or when a targeted sweep has met
    /// what only a heavy one can tell.
    [[nodiscard]] bool done() const {
        if (running_ && is_void()) return true;
        return running_ && !restart_ && errands_.empty() && waiting_.empty() && in_flight_ == 0;
    }
    /// Finish() may be called, though some end ports have not answered yet and nobody else is being
    /// asked: soon if the sweep is targeted, or `hurried`, as another is wanted; else after a
    /// while, if they are few, and this is neither the first sweep nor a leisurely one.
    [[nodiscard]] bool MayEndEarly(std::uint64_t now_us, bool hurried) const;
    /// When that may become true, or Step() has work that no answer brings about; ~0: not by time
    /// alone.
    [[nodiscard]] std::uint64_t NextDeadlineUs(std::uint64_t now_us) const;
    /// The heavy sweep under way waits for whoever may still answer, as long as nobody hurries it.
    void TakeTime() { is_leisurely_ = true; }
    /// Drops what was not met, and reports. Hosts that were known and have not answered yet, behind
    /// a link that is up, stay as they were.
    Outcome Finish(std::uint64_t now_us, SubnetEvents& events);
    /// Gives the sweep up; what was learnt is kept.
    void Abandon();

    [[nodiscard]] std::uint32_t sweep() const { return sweep_; }
    [[nodiscard]] const Outcome& outcome() const { return outcome_; }

private:
    /// In a cookie, beside the cursor of an errand: nobody has to wait for the answer.
    static constexpr std::uint16_t kMinorFlag = 0x100;
    /// Likewise: it is asked of a switch that a host may be playing, or behind one.
    static constexpr std::uint16_t kGuestFlag = 0x200;

    void Start();
    void End();
    void LookAtUntold(std::uint64_t now_us);
    void DropUnusable(std::uint64_t now_us, SubnetEvents& events);
    void TellGone(const Node& node, std::uint64_t now_us, SubnetEvents& events) const;
    void Queue(Errand::Kind kind, PortIndex port, std::uint8_t cursor = 0);
    bool Ask(const Errand& errand, std::uint64_t now_us);
    [[nodiscard]] bool Passes(const Errand& errand, std::uint64_t now_us);
    void Cross(const Errand& errand, std::uint64_t now_us);
    void Wait(const Errand& errand);
    void TakeUpWaiting(std::uint64_t now_us);
    [[nodiscard]] bool MustWait(const Errand& errand, const NodeInfo& info) const;
    bool AskNextSwitchPort(const Errand& errand, std::uint64_t now_us);
    void Post(AttributeId attribute,
              std::uint32_t modifier,
              const DirectedPath& path,
              const Errand& errand,
              std::uint64_t now_us);

    void OnNodeInfo(const Errand& errand, const NodeInfo& info, std::uint64_t now_us);
    void Arrive(const Errand& errand, PortIndex far, std::uint64_t now_us);
    void OnOwnNodeInfo(const NodeInfo& info, std::uint64_t now_us);
    void OnSwitchInfo(Switch& row, const SwitchInfo& info);
    void NoteRetraining(PortIndex at, const PortInfo& info, std::uint64_t now_us);
    void OnPortInfo(PortIndex at, const PortInfo& info, std::uint64_t now_us);
    void OnDoor(PortIndex at, std::uint64_t now_us);
    void OnSilence(const Errand& errand, std::uint64_t now_us);
    [[nodiscard]] bool IsNewDuplicate(Guid guid);
    void TellShut(PortIndex door, std::uint64_t now_us);
    void CountClaim(bool is_others);
    [[nodiscard]] PortIndex NamesakeOf(const NodeInfo& info) const;
    [[nodiscard]] bool IsNamesake(const Errand& errand, const NodeInfo& info, std::uint64_t now_us);
    void TellDuplicate(
        Guid guid, PortNumber port, PortIndex door, PortIndex kept, std::uint64_t now_us);
    void LoseLink(PortIndex at, std::uint64_t now_us);
    void CountNonsense(PortIndex entry, std::uint64_t now_us);
    void RefuseImpostor(Node& node,
                        const NodeInfo& info,
                        const Errand& errand,
                        std::uint64_t now_us);
    void Welcome(NodeIndex at, const NodeInfo& info, PortIndex entry);
    Result<NodeIndex> Meet(const NodeInfo& info, const Errand& errand, std::uint64_t now_us);
    [[nodiscard]] bool IsUnwanted(const Errand& errand, const NodeInfo& info, std::uint64_t now_us);
    void RefuseAtEdge(PortIndex edge, Guid other, std::uint64_t now_us);
    void Retrust(const Errand& errand, NodeIndex at);
    void Link(const Errand& errand, PortIndex far, std::uint64_t now_us);
    void Conflict(const Errand& errand, PortIndex far, std::uint64_t now_us);
    [[nodiscard]] bool IsSwitchPort(PortIndex at) const;
    // told.cc: what the log is told of it.
    void Announce(NodeIndex at, std::uint64_t now_us);
    void TellOwnPort(const Port& port, bool is_up, std::uint64_t now_us);
    void TellOwnNeighbor(const Port& port, bool is_silent, std::uint64_t now_us);
    void TellLostLink(PortIndex at, std::uint64_t now_us);
    void TellRetrained(PortIndex at, std::uint64_t now_us);
    void TellGainedLinks(std::uint64_t now_us);
    void RateLinkAt(PortIndex at, std::uint64_t now_us);
    void TellSums(std::uint64_t now_us);
    void ReportShortage(std::uint64_t now_us);

    [[nodiscard]] bool IsUnusable(const Node& node) const;
    void ReviewLinks(std::uint64_t now_us);
    void KeepHosts();
    [[nodiscard]] bool IsTrustedPort(PortIndex at) const;
    [[nodiscard]] bool IsOfGuest(const Errand& errand) const;
    [[nodiscard]] bool IsMinor(const Errand& errand) const;
    /// A targeted sweep that has met what it cannot judge.
    [[nodiscard]] bool is_void() const { return outcome_.targeted && outcome_.unsettled; }

    // targeted.cc
    void Aim(SwitchIndex at);
    void StartTargeted();
    void Target(SwitchIndex at);
    void Doubt(NodeIndex at);
    void AskDoor(NodeIndex at);
    void TargetNodeOf(PortIndex at);
    void LoseRivals(PortIndex near_end, PortIndex far_end, std::uint64_t now_us);
    void CrossAgain(Port& port);
    void OnStateChange(PortIndex at);
    void Uproot(NodeIndex at, PortIndex entry);
    [[nodiscard]] bool FindWay(NodeIndex at);
    [[nodiscard]] bool EnterFromBeside(NodeIndex at, NodeIndex without);
    [[nodiscard]] bool LeadsHome(NodeIndex from, NodeIndex without) const;

    Fabric& fabric_;
    Exchange& exchange_;
    Log& log_;
    FlappingLinks& flapping_;
    Arena& scratch_;
    const Settings& settings_;
    std::size_t most_errands_;
    std::size_t most_waiting_;
    Ring<Errand> errands_;            ///< While a sweep runs.
    Ring<Errand> waiting_;            ///< Until all others are done: crowded doors, and claims.
    std::size_t claims_waiting_ = 0;  ///< Of these.
    Doors doors_;
    std::uint64_t wider_at_us_ = kNever;  ///< When crowded doors are crossed at last.
    std::size_t mark_ = 0;                ///< Where the arena stood when it began.
    std::uint32_t in_flight_ = 0;
    std::uint32_t minor_in_flight_ = 0;   ///< Of these, those that nobody has to wait for.
    std::uint32_t guests_in_flight_ = 0;  ///< Of these, those with kGuestFlag.
    std::uint32_t names_in_flight_ = 0;   ///< Of these, NodeDescriptions.
    std::uint32_t answered_ = 0;          ///< In this sweep.
    std::uint64_t moved_us_ = 0;          ///< When something was asked or answered last.
    std::uint32_t sweep_ = 0;
    std::uint32_t targeted_sweep_ = 0;  ///< Number of the last targeted one.
    std::uint32_t restarts_ = 0;        ///< Of the targeted sweep under way.
    bool restart_ = false;              ///< It has to start again: a way was lost.
    StaticVector<SwitchIndex, kMaxTargets> targets_;
    StaticVector<NodeIndex, kMaxTargets> doubted_;  ///< Switches that may be gone.
    bool running_ = false;
    bool is_leisurely_ = false;
    bool shortage_told_ = false;
    bool own_port_told_down_ = false;
    bool own_neighbor_told_silent_ = false;
    bool has_swept_ = false;  ///< A sweep has come to its end.
    bool is_first_ = true;    ///< Until then: all nodes are news, and told as a sum.
    StaticVector<PortIndex, kToldEach> gained_links_;  ///< In this sweep; an end of each.
    Outcome outcome_;
    /// Duplicates already told, so that a permanent one is not told at every sweep.
    StaticVector<Guid, 32> told_duplicates_;
    /// The same of ports behind which not all was taken in.
    StaticVector<LinkEnd, 32> told_shut_;
};

}  // namespace ember
