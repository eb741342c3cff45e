// SPDX-License-Identifier: Apache-2.0
// EmberSM: nothing is believed for ever: the subnet is read again, slowly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/programming/programming.h"
#include "core/settings.h"
#include "core/upkeep/multicast_upkeep.h"
#include "core/upkeep/scrub_patience.h"

namespace ember {

inline constexpr Client kScrubClient{7};

/// What it has done since start.
struct ScrubStatus {
    std::uint64_t visits = 0;       ///< Switches read to the end.
    std::uint64_t questions = 0;    ///< SMPs.
    std::uint64_t differences = 0;  ///< Answers that were not as what is known.
};

/// Reads one switch after the other and compares it with what is known: NodeInfo, SwitchInfo, the
/// PortInfo of its ports, who is behind them, the PortInfo of end ports there, and the blocks of
/// its LFT and MFTs.
///
/// No trap and no PortStateChange tells of a table that a tool or another subnet manager wrote, of
/// an answer that was a lie, or of a device that forgot. A block that differs is taken for what the
/// switch has, and what a host says of its port for what that is: the round that is asked for puts
/// it right. What else differs asks for a sweep of that switch; a switch that is another one, for a
/// heavy sweep. A node that says now this, now that, does not keep the subnet manager sweeping: see
/// ScrubPatience.
///
/// It has one question under way at most, asks only while nobody else asks and the subnet rests,
/// and spreads the questions of a switch over Settings::scrub_interval. Silence is no difference:
/// the light sweep notices that.
class Scrub {
public:
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        Programming& programming;
        MulticastUpkeep& multicast;
    };

    Scrub(const Parts& parts, const Settings& settings);
    Scrub(const Scrub&) = delete;
    Scrub& operator=(const Scrub&) = delete;

    /// Somebody else is at work. The question under way is forgotten, and asked again.
    void Pause();
    /// Asks what is due. To be called while the subnet is up and rests.
    void Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kScrubClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// When Step() has work; ~0: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// The next step that somebody else is to do about what was found; taken once.
    enum class Wish : std::uint8_t {
        kNothing,
        kRound,  ///< A sweep that asks `suspect`, or more: its tables are written.
        kSweep,  ///< A heavy sweep, of everybody.
    };
    [[nodiscard]] Wish TakeWish();
    [[nodiscard]] SwitchIndex suspect() const { return suspect_; }
    [[nodiscard]] const ScrubStatus& status() const { return status_; }

private:
    /// What is read of a switch, in this order. Also what Cookie::kind means.
    enum class Phase : std::uint8_t {
        kNode,
        kSwitch,
        kPorts,
        kBeyond,   ///< NodeInfo of what is cabled to each port.
        kEndPort,  ///< And its PortInfo, where it is an end port.
        kLft,
        kMft,
        kDone,
    };

    [[nodiscard]] std::uint64_t IntervalUs() const;
    [[nodiscard]] Guid GuidOf(SwitchIndex at) const {
        return fabric_.node(fabric_.switch_row(at).node).guid;
    }
    void Resume(std::uint64_t now_us);
    bool BeginVisit(std::uint64_t now_us);
    [[nodiscard]] std::uint32_t Questions() const;
    [[nodiscard]] std::uint32_t StepsOf(Phase phase) const;
    void GoOn();
    [[nodiscard]] bool Ask(std::uint64_t now_us);
    [[nodiscard]] bool Aim(ember::Ask& ask) const;
    [[nodiscard]] bool AimAtPort(ember::Ask& ask) const;
    [[nodiscard]] bool AimAtMft(ember::Ask& ask) const;
    [[nodiscard]] PortIndex PortAt(std::uint32_t step) const;
    [[nodiscard]] std::size_t BlockAt(std::uint32_t step) const;

    void CheckNode(const Answer& answer, std::uint64_t now_us);
    void CheckSwitch(const Answer& answer, std::uint64_t now_us);
    void Relent(PortIndex at, const PortInfo& info, std::uint64_t now_us);
    void CheckPort(PortIndex at, const Answer& answer, std::uint64_t now_us);
    void CheckBeyond(PortIndex at, const Answer& answer, std::uint64_t now_us);
    void CheckLft(std::uint32_t block, const Answer& answer, std::uint64_t now_us);
    void CheckMft(std::size_t block, const Answer& answer, std::uint64_t now_us);
    bool NoteOther(PortIndex at, const Answer& answer, Wish wish, std::uint64_t now_us);
    void WishFor(Wish wish, SwitchIndex suspect);
    void PayRound(std::uint64_t now_us);

    Fabric& fabric_;
    Exchange& exchange_;
    Log& log_;
    Programming& programming_;
    MulticastUpkeep& multicast_;
    const Settings& settings_;
    SwitchIndex at_{0};       ///< The switch that is read, or was last.
    Guid visited_ = kNoGuid;  ///< Its NodeGUID.
    Phase phase_ = Phase::kDone;
    std::uint32_t step_ = 0;  ///< Within the phase.
    bool in_flight_ = false;
    bool is_paused_ = true;
    std::uint64_t next_us_ = 0;
    std::uint64_t gap_us_ = 0;         ///< Between two questions of this visit.
    std::uint64_t visit_ends_us_ = 0;  ///< Before it no other switch is read.
    Wish wish_ = Wish::kNothing;
    SwitchIndex suspect_ = kNoSwitch;
    SwitchIndex owed_to_ = kNoSwitch;  ///< A round is due to it, as a block of it was corrected,
    std::uint64_t round_us_ = 0;       ///< not before this.
    std::uint64_t relents_us_ = 0;     ///< Not before it is a stubborn port tried again.
    ScrubPatience patience_;
    ScrubStatus status_;
};

}  // namespace ember
