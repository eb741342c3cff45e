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
#include "core/log/log.h"
#include "core/platform.h"
#include "core/role/other_sm.h"
#include "core/role/table.h"
#include "core/settings/settings.h"
#include "core/wire/sm_info.h"
#include "core/wire/smp.h"

namespace ember {

inline constexpr Client kRoleClient{4};

/// Plays the part of an SM among SMs: answers SMInfo, holds elections, polls a master, hands over.
///
/// The table (table.h) decides; this class finds out the cues and talks to other SMs. The owner
/// acts on the subnet: it takes the act with TakeAct() after each call:
///   kSweep   begin a heavy sweep; for a master is_first_sweep() says to forget what it knew
///   kServe   go on with the sweep that was made (after a light sweep: nothing to do)
///   kFollow, kSleep  stop sweeping, programming and serving
///   kHandOver, kAwait  stop the sweep and wait for the next act
///   kLook    begin a heavy sweep when the one under way has ended, and serve on
///   kSendTrap    nothing more to do
///
/// Election: after discovery BeginElection(), Invite() each port whose CapabilityMask says IsSM,
/// then Step() until electing() is false, and Conclude(). After a light sweep Review() stands for
/// the first two. IBA vol. 1, 14.4.1; options sm_priority, sm_key, sm_peers, ignore_other_sm,
/// sm_inactive, sminfo_polling_timeout, polling_retry_number.
///
/// Peers may manage: a peer is a port whose CapabilityMask says IsSM, or, if sm_peers lists any,
/// one that is listed. Only peers are told an SM_Key that is not the well-known one. A Set(SMInfo)
/// is obeyed only from a peer that has answered with our SM_Key itself, when it was asked by a path
/// that we chose, and only if a peer in its role may send it (obey.cc).
class Role {
public:
    struct Memory {
        std::span<OtherSm> others;  ///< Limits::max_other_sms rows.
    };

    /// `settings` may change underneath; say so with Reconsider().
    Role(const Memory& memory, Exchange& exchange, Log& log, const Settings& settings);
    Role(const Role&) = delete;
    Role& operator=(const Role&) = delete;

    /// Begins in DISCOVERING with the act kSweep, or in NOTACTIVE when sm_inactive.
    void Start(std::uint64_t now_us);
    /// The port we sit at: its PortGUID ranks us, its LID signs our traps (kNoLid: asked for).
    void SetOwnPort(Guid guid, Lid lid);
    /// As master: the LID that we gave to the port of another SM. Traps go there from now on, and
    /// no longer where the last sweep found it.
    void SetLidOf(Guid port, Lid lid);
    /// The M_Key by which the port of an SM answers.
    void SetMKeyOf(Guid port, std::uint64_t m_key);
    [[nodiscard]] bool knows_own_port() const { return own_guid_ != kNoGuid; }
    [[nodiscard]] SmState state() const { return state_; }
    [[nodiscard]] bool is_master() const { return state_ == SmState::kMaster; }
    [[nodiscard]] std::uint8_t priority() const { return priority_; }
    /// As master past its first sweep: ports have its LIDs, and datagrams find their way by them.
    [[nodiscard]] bool has_swept() const { return is_master() && !first_sweep_; }
    /// As master: true until EndFirstSweep(), and again after taking the subnet over.
    [[nodiscard]] bool is_first_sweep() const { return first_sweep_; }
    /// True: another master has handed over to us meanwhile. Its clients may have registered with
    /// it after the sweep asked them to register with us.
    bool EndFirstSweep() {
        const bool was_handed_over = was_handed_over_;
        first_sweep_ = was_handed_over_ = merges_ = false;
        return was_handed_over;
    }
    /// Another master may have served while we did not notice: the next sweep of a master is a
    /// first one, as after a lower master that yielded.
    void SuspectOtherMaster() {
        merges_ = merges_ || (is_master() && !first_sweep_);
        first_sweep_ = true;
    }
    /// In a first sweep: we were master before it and served; then a lower master yielded to us, or
    /// had its time to, or SuspectOtherMaster() was called.
    [[nodiscard]] bool merges() const { return merges_; }
    /// The SM that is polled: the master, or the lower master we wait for or serve beside. kNoGuid:
    /// none.
    [[nodiscard]] Guid watched() const { return watching_ ? watched_.guid : kNoGuid; }
    /// The same with what it told last; nullptr: none.
    [[nodiscard]] const OtherSm* watched_sm() const { return watching_ ? &watched_ : nullptr; }
    /// When it did.
    [[nodiscard]] std::uint64_t watched_heard_us() const { return heard_us_; }
    /// The master that we follow has shown that it serves: it answered several polls in a row as
    /// master, and our own port bears its LID.
    [[nodiscard]] bool is_succeeded() const { return is_succeeded_; }
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
    /// The port is said to have no SM any more: Review() does not ask it unless it counts.
    void Forget(Guid port);
    /// Asks again the SMs that were invited last, but for those that are mute.
    void Review();
    [[nodiscard]] bool electing() const { return waiting_for_ != 0; }
    /// Compares and decides. Asserts !electing().
    void Conclude(std::uint64_t now_us);

    /// Sends what is due: invitations, polls, the handover. Call it once a step.
    void Step(std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;
    /// An answer with kRoleClient in its cookie.
    void Hear(const Answer& answer, std::uint64_t now_us);

    /// A received SMP that passed CheckSmp(). kOk: it was Get or Set(SMInfo), send `reply`.
    /// kRefused: it was, but its M_Key is wrong, our own GUID not known yet, or its sender an
    /// unknown SM that has to be asked first: send nothing, it will ask again. kAbsent: it was not.
    Status Serve(const Envelope& request, const SmpSender& sender, std::uint64_t now_us,
                 Envelope& reply);

    /// The process ends: a master offers the subnet to the highest standby, and if that one does
    /// not take it to the next. Call Step() and Hear() on while leaves(), a second at most. Once
    /// relieved we are NOTACTIVE.
    void Leave(std::uint64_t now_us);
    /// An offer is under way, or an SM that might take it still discovers, or the SM that took the
    /// subnet over has yet to meet us in its first sweep.
    [[nodiscard]] bool leaves(std::uint64_t now_us) const;

    /// The SM at `guid` is a proved peer (core/replication), says that it is master, and was heard
    /// at `heard_us`. If it is the master that we follow, its silence is noticed in less than a
    /// second, unless sminfo_polling_timeout is set.
    /// `lid`: from where; polls by LID go there from now on. kNoLid: as before.
    void Confirm(Guid guid, std::uint64_t heard_us, Lid lid = kNoLid);

    /// A proved peer says that it is master, and we are too, and no sweep has met it as master.
    void HearOfMaster(std::uint64_t now_us) { React(Cue::kRivalHeard, now_us); }
    /// A proved peer is master, and no sweep has met it: we follow it, as master after a handover.
    void FollowPeer(Guid guid, Lid lid, std::uint8_t priority, std::uint64_t now_us);
    /// The lower master that we serve beside, as it has not handed over in its time; kNoGuid: none.
    [[nodiscard]] Guid served_beside() const {
        return watching_ && is_master() && is_overdue_ ? watched_.guid : kNoGuid;
    }

    /// The answer to a wish to hand the subnet over.
    enum class Offer : std::uint8_t {
        kMade,       ///< The subnet is offered; the log tells how that ends.
        kNotMaster,  ///< We are not master, or have not swept yet.
        kBusy,       ///< An election, another offer, or the wait for another master is under way.
        kAbsent,     ///< No standby with that GUID takes part.
        kUntrusted,  ///< TrustOnly() does not name it.
        kOutranked,  ///< Another SM ranks above it, and would be handed the subnet by it.
        kTooHigh,    ///< No priority ranks us below it.
    };
    /// An operator wants the standby at `guid` to be master. The standby is offered the subnet, and
    /// our priority is lowered as far as it takes for the subnet to stay there.
    [[nodiscard]] Offer OfferTo(Guid guid, std::uint64_t now_us);
    /// An operator gives us another priority, 0..15, until the settings are replaced.
    void SetPriority(std::uint8_t priority, std::uint64_t now_us);
    /// Why the master is master, by what is known here.
    enum class Reason : std::uint8_t {
        kNoMaster,  ///< There is none, or it is not known.
        kAlone,     ///< No other SM takes part.
        kPriority,  ///< The master has the highest priority.
        kGuid,      ///< Of those with the highest priority it has the lowest GUID.
        kEarlier,   ///< The master was there before: one that ranks higher has not taken over.
    };
    [[nodiscard]] Reason reason() const;
    /// We rank above it: IBA vol. 1, 14.4.1.
    [[nodiscard]] bool Outranks(const OtherSm& other) const;

    /// Makes a standby NOTACTIVE, until StandBy() or a master's STANDBY. False: it follows no
    /// master.
    bool StandDown(std::uint64_t now_us);
    /// Makes it a standby of the same master again. Asserts stands_down().
    void StandBy(std::uint64_t now_us);
    /// NOTACTIVE because of StandDown().
    [[nodiscard]] bool stands_down() const { return stands_down_ && state_ == SmState::kNotActive; }

    /// As master: of the standbys these alone are handed the subnet, until the next call. A standby
    /// that outranks us and was not among them is met again by a sweep, once a second at most.
    /// True: TakeAct() says so.
    bool TrustOnly(const StaticVector<Guid, 16>& standbys, std::uint64_t now_us);
    /// Each standby may be handed it, as at the beginning.
    void TrustAll() { restricts_trust_ = false; }
    /// The standby that is about to be offered the subnet; kNoGuid: none is.
    [[nodiscard]] Guid about_to_offer() const {
        return handover_is_due_ ? candidate_.guid : kNoGuid;
    }
    /// An offer that is due is not sent, until the next call. Another act withdraws it as before.
    void HoldOffer(bool is_held) { offer_is_held_ = is_held; }

    /// Our own port lost its link.
    void LosePort(std::uint64_t now_us) { React(Cue::kPortDown, now_us); }
    /// The settings were replaced: a new sm_priority takes effect.
    void Reconsider(std::uint64_t now_us);

    /// The act that is due since the owner last asked; the latest decision counts.
    [[nodiscard]] Act TakeAct();

private:
    enum class Purpose : std::uint8_t { kInvitation, kPoll, kHandover, kOwnPort, kInquiry, kTrap };
    /// The verdict on a Set(SMInfo).
    enum class Verdict : std::uint8_t {
        kRefused,  ///< Its sender may not say this.
        kIdle,     ///< The sender may, and nothing comes of it.
        kTooSoon,  ///< The sender may, but something was obeyed less than a second ago.
        kObeyed,
    };
    /// A port that says IsSM and was invited in vain.
    struct Mute {
        Guid port = kNoGuid;
        std::uint8_t elections = 0;  ///< In a row.
    };
    /// A port that is no SM with our key, as it was found when it asked.
    struct Stranger {
        Guid port = kNoGuid;
        std::uint64_t until_us = 0;  ///< Then it is looked at again.
    };

    [[nodiscard]] static bool RanksAbove(const OtherSm& one, const OtherSm& other);
    static void TurnBack(const Envelope& request, OtherSm& sender);
    [[nodiscard]] OtherSm* Highest(bool masters_only);
    [[nodiscard]] bool IsUntrusted(const OtherSm& other) const;
    [[nodiscard]] bool IsNewHeir(Guid guid) const;
    [[nodiscard]] bool IsMute(Guid port) const;
    void CountElection(Guid port, bool has_answered);
    [[nodiscard]] SmInfo OwnInfo() const;

    // peers.cc: the SMs that are told the SM_Key, and heard.
    [[nodiscard]] bool IsListed(Guid port) const;
    [[nodiscard]] bool IsPeer(const SmpSender& sender, bool key_fits) const;
    [[nodiscard]] bool IsNews(const SmpSender& sender, const OtherSm* other) const;
    [[nodiscard]] OtherSm* Counted(Guid port);
    [[nodiscard]] bool ShallAskWho(const Envelope& request, const SmpSender& sender, bool key_fits,
                                   std::uint64_t now_us);
    [[nodiscard]] bool ShallLookWho(const Envelope& request, bool key_fits, std::uint64_t now_us);
    [[nodiscard]] bool CameByKnownWay(const Envelope& request, std::uint64_t now_us) const;
    [[nodiscard]] SmInfo ShownTo(bool is_peer, bool key_fits) const;
    [[nodiscard]] bool IsUnproved(const Envelope& set, const OtherSm& sender,
                                  std::uint64_t now_us) const;
    void HearInquiry(const Answer& answer, std::uint64_t now_us);
    void HearFromUnplaced(const Answer& answer, std::uint64_t now_us);
    void LookWho(std::uint64_t now_us);
    void HearWhoItIs(std::uint64_t now_us);

    // obey.cc: Set(SMInfo).
    [[nodiscard]] std::uint16_t TakeSet(const Envelope& request, OtherSm* sender,
                                        std::uint64_t now_us);
    [[nodiscard]] Verdict Judge(OtherSm& sender, const SmInfo& info, SmControl control);
    [[nodiscard]] Verdict JudgeHandover(OtherSm& sender);
    [[nodiscard]] Verdict Pace(const OtherSm& sender, SmControl control, std::uint64_t now_us);
    void Obey(SmControl control, std::uint64_t now_us);
    void TakeHandover(std::uint64_t now_us);

    // silence.cc: polls of the master that is followed.
    [[nodiscard]] bool PollsFast() const;
    [[nodiscard]] std::uint64_t PollUs() const;
    [[nodiscard]] std::uint64_t PatientPollUs() const;
    [[nodiscard]] bool IsSilent(bool is_heard, std::uint64_t now_us) const;
    void HearPoll(const Answer& answer, std::uint64_t now_us);

    // leave.cc: the end of the process.
    [[nodiscard]] const OtherSm* Heir() const;
    void OfferToHeir(std::uint64_t now_us);
    [[nodiscard]] bool HasUntrustedStandby() const;

    // newcomer.cc: SMs that discovered when they were met.
    [[nodiscard]] static bool IsNewcomer(const OtherSm& other);
    [[nodiscard]] bool awaits_newcomers() const;
    void PaceNewcomers(std::uint64_t now_us);
    [[nodiscard]] bool IsNewcomerDue(std::uint64_t now_us) const;
    void AskNewcomer(std::uint64_t now_us);
    void HearNews(OtherSm& known, std::uint64_t now_us);

    void React(Cue cue, std::uint64_t now_us);
    void Perform(Act act, std::uint64_t now_us);
    void BeginPolling(std::uint64_t now_us);
    [[nodiscard]] Cue Meet(const OtherSm& other);
    [[nodiscard]] Cue MeetLowerMaster(std::uint64_t now_us);
    [[nodiscard]] std::uint64_t PatienceEndsUs() const;
    void LosePatience(std::uint64_t now_us);
    /// An SM is asked, or about to be, what it is.
    [[nodiscard]] bool inquires() const { return inquiry_is_due_ || inquiry_is_out_; }
    /// We are master and wait for a lower one to hand over.
    [[nodiscard]] bool awaits() const { return watching_ && is_master() && !is_overdue_; }
    void Drop();
    void Post(const OtherSm& to, Purpose purpose, std::size_t subject, std::uint64_t now_us);
    [[nodiscard]] std::uint64_t MKeyFor(const OtherSm& to) const;
    void HearInvitation(const Answer& answer, std::uint64_t now_us);
    void HearHandover(const Answer& answer, std::uint64_t now_us);
    void HearOwnPort(const Answer& answer, std::uint64_t now_us);
    void NoteProof();
    void AskOwnPort(std::uint64_t now_us);
    bool Learn(const Answer& answer, OtherSm& other, std::uint64_t now_us);
    void UpdateRow(const OtherSm& news);
    void LogFound(const OtherSm& other, std::uint64_t now_us);
    void LogIgnored(Guid guid, std::uint64_t now_us);
    void LogUnlisted(Guid guid, std::uint64_t now_us);
    void LogLost(std::uint64_t now_us);
    void SendTrap(std::uint64_t now_us);

    /// An SM that the log has told of.
    struct Logged {
        Guid guid = kNoGuid;
        SmState state{};
        std::uint8_t priority = 0;
    };

    std::span<OtherSm> others_;
    Exchange& exchange_;
    Log& log_;
    const Settings& settings_;
    Guid own_guid_ = kNoGuid;
    Lid own_lid_ = kNoLid;
    SmState state_ = SmState::kDiscovering;
    std::uint8_t priority_ = 0;
    bool first_sweep_ = true;
    bool merges_ = false;           ///< See merges().
    bool was_handed_over_ = false;  ///< HANDOVER has come in the first sweep.
    Act act_ = Act::kNothing;

    std::size_t count_ = 0;        ///< Rows of others_ in use.
    std::size_t next_ = 0;         ///< First of them that was not asked yet.
    std::size_t waiting_for_ = 0;  ///< Of them, those that have not answered.

    /// SMs that did not take the subnet over, until the next Review(): the sweep after such a
    /// refusal goes on as master, and does not offer the subnet to the same SM again.
    StaticVector<Guid, 16> decliners_;
    std::uint64_t declined_us_ = 0;  ///< When the last of them did.
    /// SMs as they were noted last, so that each election notes only changes. An SM that found no
    /// row is noted each time.
    StaticVector<Logged, 16> logged_;
    StaticVector<Guid, 16> logged_ignored_;
    StaticVector<Mute, 8> mute_;           ///< The latest.
    StaticVector<Stranger, 8> strangers_;  ///< The latest.
    OtherSm stranger_;                     ///< The SM that is asked at present who it is.
    KnownWay known_way_;                   ///< By which the master has asked us.
    Guid proved_ = kNoGuid;                ///< A master that was found where DISABLE came from,
    std::uint64_t proved_until_us_ = 0;    ///< and is believed to be there until then.
    OtherSm candidate_;                    ///< The SM that the present cue is about.
    OtherSm watched_;
    std::uint64_t confirmed_us_ = 0;  ///< When watched_ was last heard as a proved peer; 0: never.
    Guid silent_ = kNoGuid;           ///< The proved peer whose silence made us sweep.
    std::uint64_t heard_us_ = 0;      ///< When watched_ told its state and priority last.
    bool watching_ = false;
    bool stands_down_ = false;      ///< StandDown() made us NOTACTIVE.
    bool restricts_trust_ = false;  ///< Only trusted_ are handed the subnet.
    StaticVector<Guid, 16> trusted_;
    bool heir_waits_ = false;  ///< One that is trusted from next_heir_us_ on.
    bool poll_is_out_ = false;
    std::uint32_t misses_ = 0;
    std::uint32_t unheard_ = 0;  ///< Of them, those at the end without any answer.
    std::uint32_t proofs_ = 0;   ///< Polls in a row that the master we follow answered as master.
    bool is_succeeded_ = false;
    std::uint64_t next_poll_us_ = 0;
    Guid awaited_ = kNoGuid;  ///< The lower master that we, as master, met last.
    std::uint64_t awaited_since_us_ = 0;
    bool is_overdue_ = false;  ///< The lower master has had its time to hand over.
    bool handover_is_due_ = false;
    bool handover_is_out_ = false;
    bool offer_is_held_ = false;
    bool trap_is_due_ = false;      ///< Found no room in the exchange.
    bool own_port_is_due_ = false;  ///< To be asked for our LID and the master's.
    AttributeId inquiry_{};         ///< The attribute that stranger_ is asked for.
    bool inquiry_is_due_ = false;
    bool inquiry_is_out_ = false;
    std::size_t newcomer_turn_ = 0;       ///< The row of others_ that was asked last.
    std::uint64_t next_newcomer_us_ = 0;  ///< No newcomer is asked before.
    bool has_met_ = false;                ///< A sweep has found the other SMs.
    SmControl last_control_{};            ///< Obeyed last,
    Guid last_sender_ = kNoGuid;          ///< of this port,
    std::uint64_t next_set_us_ = 0;       ///< and no other is obeyed before this.
    std::uint64_t next_look_us_ = 0;      ///< No sweep before, for an SM whose port is not known,
    std::uint64_t next_heir_us_ = 0;      ///< nor for a standby that is trusted again.
    bool leaves_ = false;                 ///< The process ends.
    bool awaits_heir_ = false;            ///< The SM that took the subnet over has not met us yet.
    bool awaits_trust_ = false;           ///< The next TrustOnly() may name one to be our heir.
    std::uint64_t leaves_until_us_ = 0;
};

}  // namespace ember
