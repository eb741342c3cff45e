// SPDX-License-Identifier: Apache-2.0
// EmberSM: the scrub, which slowly reads the subnet again while it rests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/link_end.h"
#include "core/log/log.h"
#include "core/manager/scrub_patience.h"
#include "core/manager/table_upkeep.h"
#include "core/multicast/multicast_upkeep.h"
#include "core/programming/programming.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kScrubClient{7};

/// Counts of the scrub since the start.
struct ScrubStatus {
    std::uint64_t visits = 0;       ///< Switches read to the end.
    std::uint64_t questions = 0;    ///< SMPs, and checks of a port's P_Keys or lanes.
    std::uint64_t differences = 0;  ///< Answers that differ from what is known.
};

/// Reads one switch after the other and compares it with the fabric as known: NodeInfo, SwitchInfo,
/// the PortInfo of its ports, the NodeInfo behind them, the PortInfo of end ports there, and the
/// blocks of its LFT and MFTs. In each visit the P_Key tables, VL arbitration tables and SL to VL
/// tables of kTablePorts ports are read too, in the next visit those of the next ports: a switch of
/// 36 ports has 1,332 SL to VL tables, which would be too many at once. Their owner reads, compares
/// and writes them (TableUpkeep).
///
/// No trap and no PortStateChange reports a table that a tool or another subnet manager wrote, a
/// false answer, or a device that lost its values. A block that differs counts as the switch's
/// present block, and a host's PortInfo as its present one; a round corrects them. Any other
/// difference asks for a sweep of that switch; another node in its place asks for a heavy sweep. A
/// node whose answers keep changing does not keep the subnet manager sweeping: see ScrubPatience.
///
/// The scrub has one question under way at most, asks only while the subnet rests and no other part
/// has a question under way, and spreads the questions of a switch over Settings::scrub_interval.
/// Silence is no difference: the light sweep notices it.
class Scrub {
public:
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        Programming& programming;
        MulticastUpkeep& multicast;
        TableUpkeep& tables;
    };
    /// Ports of a switch whose tables are read in one visit.
    static constexpr std::uint32_t kTablePorts = 2;

    Scrub(const Parts& parts, const Settings& settings);
    Scrub(const Scrub&) = delete;
    Scrub& operator=(const Scrub&) = delete;

    /// A sweep or round begins. The question under way is forgotten, and asked again later.
    void Pause();
    /// Asks a question if one is due. To be called while the subnet is up and rests.
    void Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kScrubClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// When Step() has work; kNever: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// The sweep that is needed because of a difference; taken once.
    enum class Wish : std::uint8_t {
        kNothing,
        kRound,  ///< A sweep that asks `suspect`, or more: its tables are written.
        kSweep,  ///< A heavy sweep of all nodes.
    };
    [[nodiscard]] Wish TakeWish();
    /// Of kRound; kNoSwitch: it has left since.
    [[nodiscard]] SwitchIndex suspect() const;
    [[nodiscard]] const ScrubStatus& status() const { return status_; }

private:
    /// The parts of a visit to a switch, in this order. Also the values of Cookie::kind.
    enum class Phase : std::uint8_t {
        kNode,
        kSwitch,
        kPorts,
        kBeyond,   ///< NodeInfo of the peer of each port.
        kEndPort,  ///< PortInfo of the peer, if it is an end port.
        kLft,
        kMft,
        kPKeys,        ///< Of port 0, and of the end ports behind other ports.
        kLanes,        ///< Of the ports, and of end ports behind them.
        kOwnNeighbor,  ///< Instead of all these where no switch is known: NodeInfo behind our port.
        kDone,
    };

    [[nodiscard]] std::uint64_t IntervalUs() const;
    [[nodiscard]] Guid GuidOf(SwitchIndex at) const {
        return fabric_.node(fabric_.switch_row(at).node).guid;
    }
    void Resume(std::uint64_t now_us);
    void AskNext(std::uint64_t now_us);
    bool BeginVisit(std::uint64_t now_us);
    void AskOwnNeighbor(std::uint64_t now_us);
    [[nodiscard]] std::uint32_t Questions() const;
    [[nodiscard]] std::uint32_t StepsOf(Phase phase) const;
    void GoOn();
    [[nodiscard]] bool Ask(std::uint64_t now_us);
    [[nodiscard]] bool CheckTables(std::uint64_t now_us);
    void EndTables(std::uint64_t now_us);
    [[nodiscard]] bool Aim(ember::Ask& ask) const;
    [[nodiscard]] bool AimAtPort(ember::Ask& ask) const;
    [[nodiscard]] bool AimAtMft(ember::Ask& ask) const;
    [[nodiscard]] PortIndex PortAt(std::uint32_t step) const;
    [[nodiscard]] std::size_t BlockAt(std::uint32_t step) const;

    void CheckNode(const Answer& answer, std::uint64_t now_us);
    void CheckDevice(PortIndex at, const Answer& answer, std::uint64_t now_us);
    void CheckSwitch(const Answer& answer, std::uint64_t now_us);
    void RetryUnkept(PortIndex at, const PortInfo& info, std::uint64_t now_us);
    void CheckPort(PortIndex at, const Answer& answer, std::uint64_t now_us);
    void CheckBeyond(PortIndex at, const Answer& answer, std::uint64_t now_us);
    void CheckLft(std::uint32_t block, const Answer& answer, std::uint64_t now_us);
    void CheckMft(std::size_t block, const Answer& answer, std::uint64_t now_us);
    bool NoteOther(PortIndex at, const Answer& answer, Wish wish, std::uint64_t now_us);
    void WishFor(Wish wish, Guid suspect);
    void PayRound(std::uint64_t now_us);

    Fabric& fabric_;
    Asker asker_;
    Log& log_;
    Programming& programming_;
    MulticastUpkeep& multicast_;
    TableUpkeep& tables_;
    const Settings& settings_;
    SwitchIndex at_{0};       ///< The switch of the present or last visit.
    Guid visited_ = kNoGuid;  ///< Its NodeGUID.
    Phase phase_ = Phase::kDone;
    std::uint32_t step_ = 0;      ///< Within the phase.
    std::uint8_t cuts_ = 0;       ///< Times that a sweep interrupted the present step.
    std::uint32_t turn_ = 0;      ///< Times that all switches were visited.
    bool awaits_tables_ = false;  ///< The check of a port's tables is under way.
    bool is_paused_ = true;
    std::uint64_t next_us_ = 0;
    std::uint64_t gap_us_ = 0;         ///< Between two questions of this visit.
    std::uint64_t visit_ends_us_ = 0;  ///< No other switch is read before.
    Wish wish_ = Wish::kNothing;
    // Members that outlive a sweep name nodes, not rows, which may be another node's by then.
    Guid suspect_ = kNoGuid;
    Guid owed_to_ = kNoGuid;            ///< A switch with a corrected block: a round is due,
    std::uint64_t round_us_ = 0;        ///< not before this time.
    StaticVector<LinkEnd, 8> retried_;  ///< Ends of links whose unkept fields were set again.
    std::uint64_t forgets_us_ = 0;      ///< Then they may be set again.
    ScrubPatience patience_;
    ScrubStatus status_;
};

}  // namespace ember
