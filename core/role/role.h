// SPDX-License-Identifier: Apache-2.0
// EmberSM: who is master.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/static_vector.h"
#include "core/base/status.h"
#include "core/exchange/exchange.h"
#include "core/fabric/managers.h"
#include "core/log/journal.h"
#include "core/platform.h"
#include "core/role/table.h"
#include "core/settings.h"
#include "core/wire/sm_info.h"
#include "core/wire/smp.h"

namespace ember {

/// Another subnet manager, as met in the present sweep.
struct OtherSm {
    Guid guid = kNoGuid;   ///< Of the port it sits at; its SMInfo:GUID once it has answered.
    Lid lid = kNoLid;      ///< Of that port, kNoLid when not known.
    bool directed = true;  ///< Reached by `path`, else by `lid`.
    DirectedPath path{};
    SmState state = SmState::kNotActive;
    std::uint8_t priority = 0;
    bool asked = false;
    bool counts = false;    ///< It answered with our SM_Key and takes part in the election.
    bool declined = false;  ///< It did not take the subnet over when we offered it.
};

/// Plays the part of an SM among SMs: answers SMInfo, holds elections, polls a master, hands over.
///
/// The table (table.h) decides; this class finds out the cues and does what concerns other SMs.
/// What concerns the subnet is done by the owner, who takes the act with TakeAct() after each call:
///   kSweep   begin a heavy sweep; for a master is_first_sweep() says to forget what it knew
///   kServe   go on with the sweep that was made (after a light sweep: nothing to do)
///   kFollow, kSleep  stop sweeping, programming and serving
///   kHandOver, kAwait  stop the sweep and wait for the next act
///   kTell    nothing more to do
///
/// Election: after discovery BeginElection(), Invite() each port whose CapabilityMask says IsSM,
/// then Step() until electing() is false, and Conclude(). After a light sweep Review() stands for
/// the first two. IBA vol. 1, 14.4.1; options sm_priority, sm_key, ignore_other_sm, sm_inactive,
/// sminfo_polling_timeout, polling_retry_number.
class Role {
public:
    struct Memory {
        std::span<OtherSm> others;  ///< Limits::max_other_sms rows.
    };

    /// `settings` may change underneath; say so with Reconsider().
    Role(const Memory& memory, Exchange& exchange, Journal& journal, const Settings& settings);
    Role(const Role&) = delete;
    Role& operator=(const Role&) = delete;

    /// Begins in DISCOVERING with the act kSweep, or in NOTACTIVE when sm_inactive.
    void Start(std::uint64_t now_us);
    /// The port we sit at: its PortGUID ranks us, its LID signs our traps (kNoLid: asked for).
    void SetOwnPort(Guid guid, Lid lid);

    [[nodiscard]] bool knows_own_port() const { return own_guid_ != kNoGuid; }

    [[nodiscard]] SmState state() const { return state_; }
    [[nodiscard]] bool is_master() const { return state_ == SmState::kMaster; }
    [[nodiscard]] std::uint8_t priority() const { return priority_; }
    /// As master: true until EndFirstSweep(), and again after taking the subnet over.
    [[nodiscard]] bool is_first_sweep() const { return first_sweep_; }
    void EndFirstSweep() { first_sweep_ = false; }
    /// The SM that is polled: the master, or the lower master we wait for or serve beside. kNoGuid:
    /// none.
    [[nodiscard]] Guid watched() const { return watching_ ? watched_.guid : kNoGuid; }
    /// The same with what it told last; nullptr: none.
    [[nodiscard]] const OtherSm* watched_sm() const { return watching_ ? &watched_ : nullptr; }
    /// When it did.
    [[nodiscard]] std::uint64_t watched_heard_us() const { return heard_us_; }
    /// Polls in a row that it left unanswered, or answered without being master.
    [[nodiscard]] std::uint32_t misses() const { return misses_; }
    /// SMs met in the last election, those that do not count included; what polls told since.
    [[nodiscard]] std::span<const OtherSm> others() const { return others_.first(count_); }
    /// Ourselves, then those of others() that count, in their order and with gaps.
    [[nodiscard]] std::size_t manager_count() const { return 1 + count_; }
    [[nodiscard]] SmInfo manager(std::size_t at) const;

    void BeginElection();
    /// kFull when max_other_sms are invited already: noted, and this one is not heard.
    Status Invite(Guid port_guid, Lid lid, const DirectedPath& path, std::uint64_t now_us);
    /// Asks again those who were invited last.
    void Review();
    [[nodiscard]] bool electing() const { return waiting_for_ != 0; }
    /// Compares and decides. Asserts !electing().
    void Conclude(std::uint64_t now_us);

    /// Sends what is due: invitations, polls, the handover. Call it once a step.
    void Step(std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;
    /// An answer with Client::kRole in its cookie.
    void Hear(const Answer& answer, std::uint64_t now_us);

    /// A received SMP that passed CheckSmp(). kOk: it was Get or Set(SMInfo), send `reply`.
    /// kRefused: it was, but its M_Key is wrong or our own GUID not known yet: send nothing.
    /// kAbsent: it was not.
    Status Serve(const Envelope& request, std::uint64_t now_us, Envelope& reply);

    /// Our own port lost its link.
    void LosePort(std::uint64_t now_us) { React(Cue::kPortDown, now_us); }
    /// The settings were replaced: a new sm_priority takes effect.
    void Reconsider(std::uint64_t now_us);

    /// What the owner has to do since it last asked; the latest decision counts.
    [[nodiscard]] Act TakeAct();

private:
    enum class Errand : std::uint8_t { kInvitation, kPoll, kHandover, kOwnPort };

    [[nodiscard]] bool Outranks(const OtherSm& other) const;
    [[nodiscard]] OtherSm* Highest(bool masters_only);
    [[nodiscard]] SmInfo OwnInfo() const;
    [[nodiscard]] std::uint16_t Judge(const SmInfo& info, SmControl control) const;

    void React(Cue cue, std::uint64_t now_us);
    void Perform(Act act, std::uint64_t now_us);
    void BeginPolling(std::uint64_t now_us);
    [[nodiscard]] Cue Meet(const OtherSm& other);
    [[nodiscard]] Cue MeetLowerMaster(std::uint64_t now_us);
    [[nodiscard]] std::uint64_t PatienceEndsUs() const;
    void LosePatience(std::uint64_t now_us);
    /// We are master and wait for a lower one to hand over.
    [[nodiscard]] bool awaits() const { return watching_ && is_master() && !is_overdue_; }
    void Drop();
    void Post(const OtherSm& to, Errand errand, std::size_t subject, std::uint64_t now_us);
    void HearInvitation(const Answer& answer, std::uint64_t now_us);
    void HearPoll(const Answer& answer, std::uint64_t now_us);
    void HearHandover(const Answer& answer, std::uint64_t now_us);
    void HearOwnPort(const Answer& answer);
    void AskOwnPort(std::uint64_t now_us);
    bool Learn(const Answer& answer, OtherSm& other, std::uint64_t now_us);
    void Retell(const OtherSm& news);
    void TellFound(const OtherSm& other, std::uint64_t now_us);
    void TellIgnored(Guid guid, std::uint64_t now_us);
    void TellLost(std::uint64_t now_us);
    void ObeySet(const Envelope& request, SmControl control, std::uint64_t now_us);
    void Tell();

    /// An SM that the log has told of.
    struct Told {
        Guid guid = kNoGuid;
        SmState state{};
        std::uint8_t priority = 0;
    };

    std::span<OtherSm> others_;
    Exchange& exchange_;
    Journal& journal_;
    const Settings& settings_;
    Guid own_guid_ = kNoGuid;
    Lid own_lid_ = kNoLid;
    SmState state_ = SmState::kDiscovering;
    std::uint8_t priority_ = 0;
    bool first_sweep_ = true;
    Act act_ = Act::kNothing;

    std::size_t count_ = 0;        ///< Rows of others_ in use.
    std::size_t next_ = 0;         ///< First of them that was not asked yet.
    std::size_t waiting_for_ = 0;  ///< Of them, those that have not answered.

    /// Who did not take the subnet over, until the next Review(): a sweep that follows such a
    /// refusal is served, and not spent on offering the subnet to the same SM again.
    StaticVector<Guid, 16> decliners_;
    /// So that each election tells of them what is new only. Of more than fit all is new.
    StaticVector<Told, 16> told_;
    StaticVector<Guid, 16> told_ignored_;
    OtherSm candidate_;  ///< Whom the present cue is about.
    OtherSm watched_;
    std::uint64_t heard_us_ = 0;  ///< When watched_ told its state and priority last.
    bool watching_ = false;
    bool poll_is_out_ = false;
    std::uint32_t misses_ = 0;
    std::uint64_t next_poll_us_ = 0;
    Guid awaited_ = kNoGuid;  ///< The lower master whom we, as master, met last.
    std::uint64_t awaited_since_us_ = 0;
    bool is_overdue_ = false;  ///< It has had its time to hand over.
    bool handover_is_due_ = false;
    bool handover_is_out_ = false;
    bool own_port_is_due_ = false;  ///< To be asked for the LIDs that a trap needs.
    std::uint32_t trap_number_ = 0;
};

/// The managers that a role counts, for those who do not know roles.
class RoleManagers final : public Managers {
public:
    explicit RoleManagers(const Role& role) : role_(role) {}
    [[nodiscard]] std::size_t manager_count() const override { return role_.manager_count(); }
    [[nodiscard]] SmInfo manager(std::size_t at) const override { return role_.manager(at); }

private:
    const Role& role_;
};

}  // namespace ember
