// SPDX-License-Identifier: Apache-2.0
// EmberSM: which sweep is due, of what, and what holds it back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/static_vector.h"
#include "core/base/time.h"
#include "core/discovery/discovery.h"
#include "core/log/words.h"
#include "core/settings/settings.h"

namespace ember {

/// An event that calls for a sweep: kSweepRules says for which.
enum class SweepCue : std::uint8_t {
    kStart,            ///< The subnet manager has started.
    kRole,             ///< The role machine wants the subnet looked at.
    kConfiguration,    ///< New settings.
    kHeavyRequest,     ///< SIGHUP, CONT, emberctl sweep heavy.
    kLightRequest,     ///< emberctl sweep light.
    kTimer,            ///< sweep_interval has passed, and a heavy sweep has to confirm something.
    kTimerNotUp,       ///< sweep_interval has passed, and the subnet is not up.
    kTrap,             ///< A trap tells of a change at a port.
    kTrapHint,         ///< A trap tells of something that a light sweep reads.
    kQuarantine,       ///< A flapping link goes into quarantine, or comes out of it.
    kTableDiffers,     ///< The scrub read something that a round at that switch puts right.
    kNodeDiffers,      ///< The scrub met another node than the one we know.
    kLightSawChange,   ///< A light sweep met a change.
    kLightSawSilence,  ///< A light sweep met a silent switch.
    kLightSawMute,     ///< A light sweep got no answer behind a link that is up.
    kRoundGivenUp,     ///< A switch fell silent in a round that asked some switches only.
    kPartlyOdd,        ///< Answers to a targeted sweep do not fit what is known.
    kRoomMade,         ///< A full board has made room for nodes that found none.
    kProbation,        ///< A shut door may have stayed the same for long enough; see ShutDoors.
    kErrors,           ///< The last sweep ended with errors.
    kGreatLoss,        ///< The last sweep missed more than half of the nodes.
    kEndPorts,         ///< The subnet is up but for some hosts.
};
inline constexpr std::size_t kSweepCues = static_cast<std::size_t>(SweepCue::kEndPorts) + 1;

/// The kind of sweep that a cue asks for.
enum class SweepScope : std::uint8_t {
    kLight,   ///< A light sweep: every switch is asked whether anything changed.
    kSwitch,  ///< A heavy sweep of one switch, or of everything where that is not enough.
    kWhole,   ///< A heavy sweep of everything.
};

/// How long it waits, the subnet being at rest.
enum class SweepPace : std::uint8_t {
    kAtOnce,
    kEachSecond,    ///< Light sweeps, a second apart.
    kAfterNothing,  ///< Whole sweeps, a second apart after three that traps wanted for nothing.
    kLeisurely,     ///< At once, and the sweep waits long for answers.
};

struct SweepRule {
    SweepCue on;
    SweepScope asks;
    SweepReason reason;  ///< Of two cues the first one's is told; a trap's gives way to any other.
    SweepPace pace;
};

// clang-format off
inline constexpr std::array<SweepRule, kSweepCues> kSweepRules = {{
    //on                         asks                 reason                       pace
    {SweepCue::kStart,           SweepScope::kWhole,  SweepReason::kStart,         SweepPace::kAtOnce},
    {SweepCue::kRole,            SweepScope::kWhole,  SweepReason::kRole,          SweepPace::kAtOnce},
    {SweepCue::kConfiguration,   SweepScope::kWhole,  SweepReason::kConfiguration, SweepPace::kAtOnce},
    {SweepCue::kHeavyRequest,    SweepScope::kWhole,  SweepReason::kRequest,       SweepPace::kAtOnce},
    {SweepCue::kLightRequest,    SweepScope::kLight,  SweepReason::kRequest,       SweepPace::kAtOnce},
    {SweepCue::kTimer,           SweepScope::kWhole,  SweepReason::kTimer,         SweepPace::kAtOnce},
    {SweepCue::kTimerNotUp,      SweepScope::kWhole,  SweepReason::kErrors,        SweepPace::kAtOnce},
    {SweepCue::kTrap,            SweepScope::kSwitch, SweepReason::kTrap,          SweepPace::kAfterNothing},
    {SweepCue::kTrapHint,        SweepScope::kLight,  SweepReason::kTrap,          SweepPace::kEachSecond},
    {SweepCue::kQuarantine,      SweepScope::kSwitch, SweepReason::kRelease,       SweepPace::kAtOnce},
    {SweepCue::kTableDiffers,    SweepScope::kSwitch, SweepReason::kChange,        SweepPace::kAtOnce},
    {SweepCue::kNodeDiffers,     SweepScope::kWhole,  SweepReason::kChange,        SweepPace::kAtOnce},
    {SweepCue::kLightSawChange,  SweepScope::kWhole,  SweepReason::kChange,        SweepPace::kAtOnce},
    {SweepCue::kLightSawSilence, SweepScope::kWhole,  SweepReason::kSilence,       SweepPace::kAtOnce},
    {SweepCue::kLightSawMute,    SweepScope::kWhole,  SweepReason::kSilence,       SweepPace::kLeisurely},
    {SweepCue::kRoundGivenUp,    SweepScope::kWhole,  SweepReason::kSilence,       SweepPace::kAtOnce},
    {SweepCue::kPartlyOdd,       SweepScope::kWhole,  SweepReason::kTrap,          SweepPace::kAtOnce},
    {SweepCue::kRoomMade,        SweepScope::kWhole,  SweepReason::kChange,        SweepPace::kAtOnce},
    {SweepCue::kProbation,       SweepScope::kWhole,  SweepReason::kChange,        SweepPace::kAtOnce},
    {SweepCue::kErrors,          SweepScope::kWhole,  SweepReason::kErrors,        SweepPace::kAtOnce},
    {SweepCue::kGreatLoss,       SweepScope::kWhole,  SweepReason::kSilence,       SweepPace::kAtOnce},
    {SweepCue::kEndPorts,        SweepScope::kWhole,  SweepReason::kErrors,        SweepPace::kLeisurely},
}};
// clang-format on

/// The rules stand in the order of their cues.
[[nodiscard]] constexpr bool AnswersEverySweepCue() {
    for (std::size_t i = 0; i < kSweepRules.size(); ++i) {
        if (static_cast<std::size_t>(kSweepRules[i].on) != i) return false;
    }
    return true;
}
static_assert(AnswersEverySweepCue());

[[nodiscard]] constexpr const SweepRule& RuleOf(SweepCue cue) {
    return kSweepRules[static_cast<std::size_t>(cue)];
}

/// Facts, besides the cues, on which a heavy sweep that is wanted depends.
struct SweepFacts {
    bool is_up = false;
    /// The subnet is so well known that asking some switches is enough: the last sweep settled, and
    /// was not our first as master, and nothing was too large for the board.
    bool is_well_known = false;
};

/// The sweep to begin now.
enum class SweepChoice : std::uint8_t { kNone, kLight, kHeavy };

/// Why a sweep that a cue asked for does not begin now, the subnet being at rest.
enum class SweepHold : std::uint8_t {
    kNothing,       ///< None is wanted, or it begins.
    kTrapsPaced,    ///< Traps asked for three sweeps in a row for nothing: one a second.
    kHintPaced,     ///< A light sweep for a trap began less than a second ago.
    kHeavyInstead,  ///< A light sweep is wanted and the subnet is not up: the next one is heavy.
};

/// The scope of a heavy sweep that begins.
struct SweepOrder {
    SweepReason reason = SweepReason::kStart;
    bool is_leisurely = false;
    /// The switches to ask; empty: all. Stand still until the next cue.
    std::span<const SwitchIndex> targets;
};

/// How a heavy sweep ended.
struct SweepEnd {
    bool good = false;      ///< Without errors, and nothing moved meanwhile.
    bool targeted = false;  ///< Some switches were asked only.
    bool cleared = false;   ///< PortStateChange bits were cleared.
    bool bounced = false;   ///< Links were taken down to come up as they shall be.
};

/// Decides which sweep is next, and knows neither fabric nor wire: cues come in, and when the
/// subnet rests a choice comes out. kSweepRules is the whole of what a cue asks for, SweepHold of
/// what holds a sweep back. Options sweep_interval, force_heavy_sweep.
///
/// A sweep that is asked for while one runs is not lost: it follows.
class SweepPlan {
public:
    /// `settings` may change underneath.
    explicit SweepPlan(const Settings& settings) : settings_(settings) {}
    SweepPlan(const SweepPlan&) = delete;
    SweepPlan& operator=(const SweepPlan&) = delete;

    /// A cue that concerns everything.
    void Hear(SweepCue cue);
    /// A cue that concerns a switch; kNoSwitch: none can be named, and everything is asked.
    /// Asserted: its rule asks for kSwitch.
    void Hear(SweepCue cue, SwitchIndex at);
    /// The subnet is another's, or cannot be reached: nothing is wanted, and no timer runs.
    void Abandon();

    /// A heavy sweep is wanted, now or soon.
    [[nodiscard]] bool wants_heavy() const { return heavy_wanted_; }
    /// The sweep to begin. To be called while the subnet rests and we may sweep.
    [[nodiscard]] SweepChoice Choose(const SweepFacts& facts, std::uint64_t now_us);
    /// Why the last Choose() said kNone to a cue.
    [[nodiscard]] SweepHold hold() const { return hold_; }
    /// A heavy sweep begins, chosen or not: what has been wanted is on its way.
    [[nodiscard]] SweepOrder BeginHeavy(const SweepFacts& facts);

    void EndHeavy(const SweepEnd& end, std::uint64_t now_us);
    void EndLight(std::uint64_t now_us);
    /// Our own port has no link, or its neighbor is silent: the next sweep is soon.
    void EndAtOwnPort(std::uint64_t now_us);
    /// Somebody answers again: the next errors are the first ones.
    void ForgiveErrors() { bad_in_a_row_ = 0; }
    /// The sweep as master for `reason` has found something new, or has not.
    void NoteNews(bool has_news, SweepReason reason, std::uint64_t now_us);
    /// Hosts did not answer, or fell back: `lacking`: now. The next timed sweep is heavy, and a few
    /// follow at once.
    void FollowEndPorts(bool lacking, std::uint64_t now_us);
    /// All hosts are configured. Ignored after a sweep with errors.
    void ForgetEndPorts();

    /// When Choose() has something to begin that no cue brings about; kNever: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs(const SweepFacts& facts, std::uint64_t now_us) const;
    /// The timer alone, which runs in any role.
    [[nodiscard]] std::uint64_t timer_us() const { return timer_us_; }

private:
    void WantWhole(const SweepRule& rule);
    [[nodiscard]] bool TakeTrainingLook(std::uint64_t now_us);
    [[nodiscard]] bool MayTarget(const SweepFacts& facts) const;
    [[nodiscard]] bool IsPaced(const SweepFacts& facts) const;
    [[nodiscard]] SweepChoice ChooseLight(const SweepFacts& facts, bool due, std::uint64_t now_us);

    const Settings& settings_;
    bool heavy_wanted_ = false;
    bool whole_wanted_ = false;  ///< And it shall ask all nodes, not only the suspects.
    bool is_leisurely_ = false;  ///< The sweep only follows up on end ports.
    SweepReason reason_ = SweepReason::kStart;
    StaticVector<SwitchIndex, Discovery::kMaxTargets> suspects_;
    StaticVector<SwitchIndex, Discovery::kMaxTargets> targets_;  ///< Of the sweep begun last.
    bool light_wanted_ = false;
    bool light_hinted_ = false;             ///< By a trap: once a second is enough.
    std::uint64_t next_hinted_us_ = 0;      ///< Not before it does a trap start a light sweep.
    std::uint64_t next_trap_us_ = 0;        ///< Not before it does a trap start a whole sweep.
    std::uint64_t look_again_us_ = kNever;  ///< When a light sweep follows a targeted one.
    std::uint32_t trainings_ = 0;           ///< Looks at links that were taken down, still to come:
    std::uint64_t training_us_ = kNever;    ///< when the next of them is due.
    std::uint64_t timer_us_ = kNever;       ///< When the timer wants the next one.
    bool confirmation_due_ = false;         ///< The next timed sweep is heavy; see EndHeavy().
    /// Heavy sweeps that ended with errors. Good sweeps that follow at once for the sake of end
    /// ports do not end the row.
    std::uint32_t bad_in_a_row_ = 0;
    std::uint32_t forgiven_ = 0;            ///< Sweeps of a row that the last one has ended.
    std::uint32_t fruitless_in_a_row_ = 0;  ///< Sweeps that traps wanted for nothing.
    std::uint32_t leisurely_in_a_row_ = 0;
    SweepHold hold_ = SweepHold::kNothing;
};

}  // namespace ember
