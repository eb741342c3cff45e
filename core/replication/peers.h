// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet managers of this kind, and sessions with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/fabric/sa_state.h"
#include "core/log/log.h"
#include "core/platform.h"
#include "core/replication/strangers.h"
#include "core/settings/settings.h"
#include "core/wire/replication_mad.h"
#include "core/wire/sm_info.h"

namespace ember {

/// The format of records that this release writes and follows. 0: of a board that follows none.
inline constexpr std::uint16_t kReplicationFormat = 1;

/// The standing of another subnet manager as a peer.
enum class PeerTrust : std::uint8_t {
    kForeign,   ///< No answer yet: of another kind, or without replication_key.
    kOtherKey,  ///< Messages of our kind come with a code that does not fit.
    kProved,    ///< A session with it is open: it has our key, and is there now.
};

/// Another subnet manager. A row of the board's storage; free with kNoGuid.
struct ReplicationPeer {
    Guid guid = kNoGuid;  ///< PortGUID.
    Lid lid = kNoLid;
    std::uint8_t service_level = 0;
    std::uint16_t p_key_index = 0;
    PeerTrust trust = PeerTrust::kForeign;
    bool has_greeted = false;        ///< `hello` holds what it told last.
    bool was_proved = false;         ///< The peer has shown our key since it has this row.
    std::uint32_t unanswered = 0;    ///< Greetings in a row.
    std::uint64_t own_nonce = 0;     ///< Ours in this session; 0: to be drawn.
    std::uint64_t peer_nonce = 0;    ///< Its own; 0: not known.
    std::uint64_t sent = 0;          ///< The number of our last message.
    std::uint64_t heard = 0;         ///< The highest number of its own.
    std::uint64_t heard_before = 0;  ///< Bit i: that of number heard - 1 - i was heard too.
    std::uint64_t heard_us = 0;      ///< When that was received.
    std::uint64_t answered_us = 0;   ///< When a stranger's greeting was answered last.
    std::uint64_t greet_us = 0;      ///< When it is greeted next.
    ReplicationHello hello;
    std::uint64_t hello_us = 0;  ///< When it told that.
    /// Since when we, as master, have known it as a standby; 0: it is none.
    std::uint64_t awaited_us = 0;
    bool is_logged_held = false;  ///< The log knows that strict consistency holds it.
    bool is_named = false;        ///< An operator has taken it for one of another kind.
    // ReplicationFeed: what it has of the record at hand.
    bool is_fed = false;
    bool is_too_small = false;                ///< The peer has no room for our records.
    std::uint16_t fed_stream = 0;             ///< ReplicationHello:stream for it.
    std::uint16_t fed_wanted = kChangesWait;  ///< ReplicationHello:wanted.
    std::uint16_t acked = 0;                  ///< Octets that it has.
    std::uint16_t posted = 0;                 ///< Octets that were sent to it.
    std::uint64_t moved_us = 0;               ///< When it acknowledged last, or the record began.
    std::uint64_t repeat_us = 0;              ///< When what it lacks is sent again.

    [[nodiscard]] bool is_proved() const { return trust == PeerTrust::kProved; }
};

/// Messages since the start.
struct ReplicationStatistics {
    std::uint64_t sent = 0;
    std::uint64_t heard = 0;           ///< Messages that counted.
    std::uint64_t malformed = 0;       ///< Not of our vendor, or of an impossible layout.
    std::uint64_t other_versions = 0;  ///< Of a later layout.
    std::uint64_t forged = 0;          ///< Their code does not fit.
    std::uint64_t stale = 0;           ///< Repeated, overtaken, or of a session that is over.
    std::uint64_t refused = 0;         ///< No row for the sender, or too many strangers at a time.
};

/// Finds out which other subnet managers are of this kind and have our replication_key, and keeps a
/// session with each: fresh numbers of both sides in every message, so that none counts twice, and
/// a code over every message, so that none can be made up. docs/replication-records.md.
///
/// A master greets, others answer: an SM that is not master may know no LID of another one. A
/// session is over when nothing was heard for kSilentUs; then its nonce is drawn anew, so a message
/// of an earlier session never counts.
///
/// Costs of hostile messages: one that does not name a session of ours is looked at until its code
/// is checked, as often as StrangerBudget allows; any other is told by comparisons.
class ReplicationPeers {
public:
    static constexpr std::uint64_t kGreetUs = 50 * kMillisecondUs;
    /// To an SM that has left kPatience greetings in a row unanswered.
    static constexpr std::uint64_t kGreetForeignUs = 5 * kSecondUs;
    static constexpr std::uint32_t kPatience = 20;
    static constexpr std::uint64_t kSilentUs = 2 * kSecondUs;

    /// All outlive it.
    struct Parts {
        MadPort& port;
        Entropy& entropy;
        MessageCodes* codes;  ///< nullptr: the machine can make none.
        Log& log;
    };
    /// Our own facts, which greetings tell.
    struct Self {
        Guid guid = kNoGuid;
        SmState state{};
        std::uint8_t priority = 0;
        std::uint16_t format = kReplicationFormat;  ///< 0 on a board that follows no records.
    };

    /// `rows`: Limits::max_other_sms. `settings` may change underneath; Step() notices it.
    ReplicationPeers(std::span<ReplicationPeer> rows, const Parts& parts, const Settings& settings);
    ReplicationPeers(const ReplicationPeers&) = delete;
    ReplicationPeers& operator=(const ReplicationPeers&) = delete;

    /// False without a replication_key: nothing is sent, and everything that is received dropped.
    /// So it is where the machine can make no codes, which is noted.
    [[nodiscard]] bool is_on() const { return !settings_.replication_key.empty(); }
    void SetSelf(const Self& self) { self_ = self; }
    [[nodiscard]] const Self& self() const { return self_; }
    /// An SM was met at a port: it is greeted from the next Step() on. `index`: into our own P_Key
    /// table. kFull: there is no row for it.
    Status Meet(Guid guid, Lid lid, std::uint16_t p_key_index, std::uint64_t now_us);
    /// Where the role has met SMs, the master that it follows included: a flood from elsewhere
    /// keeps no message of these from being looked at.
    void SetMet(std::span<const Lid> lids) { strangers_.SetMet(lids, settings_.lmc); }
    /// Greets at once, and no longer seldom, a peer that may be back. Asserts that it has a row.
    void GreetNow(Guid guid, std::uint64_t now_us);
    /// Sends greetings that are due; `greets`: we are master.
    void Step(bool greets, std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return next_us_; }
    /// Takes a datagram of kReplicationClass. False: it was dropped, and counted. heard() has a
    /// message for others, if it is one: its `from` is kNoGuid if not.
    bool Take(const Envelope& envelope, std::uint64_t now_us);

    /// The peer with this GUID; nullptr: none.
    [[nodiscard]] const ReplicationPeer* Find(Guid guid) const;
    [[nodiscard]] std::span<const ReplicationPeer> rows() const { return rows_; }
    /// For ReplicationFeed, whose part of the rows it is.
    [[nodiscard]] std::span<ReplicationPeer> rows() { return rows_; }
    /// The message that Take() took last, if it is no greeting; else `from` is kNoGuid.
    struct Heard {
        Guid from = kNoGuid;
        ReplicationKind kind{};
        std::uint16_t octets = 0;
        std::array<std::uint8_t, kReplicationBodyBytes> body{};
    };
    [[nodiscard]] const Heard& heard() const { return heard_; }
    /// Sends a message to a peer with an open session. Anything but kOk: the port did not take it.
    Status Send(ReplicationPeer& row, ReplicationKind kind, std::span<const std::byte> body);
    [[nodiscard]] ReplicationPeer* Proved(Guid guid);
    [[nodiscard]] const ReplicationStatistics& statistics() const { return statistics_; }
    /// Its configuration says what ours says. Asserts that it has told.
    [[nodiscard]] bool IsConfiguredAlike(const ReplicationPeer& peer) const;
    /// The peer follows records of the format that we follow. Asserts that it has told.
    [[nodiscard]] bool IsFormattedAlike(const ReplicationPeer& peer) const;

private:
    [[nodiscard]] ReplicationPeer* Row(Guid guid);
    [[nodiscard]] ReplicationPeer* AddRow(Guid guid);
    [[nodiscard]] bool TakeKey(std::uint64_t now_us);
    void FollowKey(std::uint64_t now_us);
    void EndSession(ReplicationPeer& row, std::uint64_t now_us);
    void Greet(ReplicationPeer& row, std::uint64_t now_us);
    [[nodiscard]] bool IsStranger(const ReplicationHead& head, const ReplicationPeer* row) const;
    void RefuseStranger(Lid from);
    [[nodiscard]] static bool IsNew(const ReplicationPeer& row, std::uint64_t number);
    static void Count(ReplicationPeer& row, std::uint64_t number);
    [[nodiscard]] bool CodeFits(const ReplicationMad& mad) const;
    bool TakeKnown(const Envelope& envelope, ReplicationPeer& row, std::uint64_t now_us);
    bool TakeStranger(const Envelope& envelope, ReplicationPeer* row, std::uint64_t now_us);
    void OpenSession(ReplicationPeer& row, const ReplicationHead& head, std::uint64_t now_us);
    void Learn(const Envelope& envelope, ReplicationPeer& row, std::uint64_t now_us);
    void LearnHello(const ReplicationHello& hello, ReplicationPeer& row, std::uint64_t now_us);
    void LogForged(Guid sender, ReplicationPeer* row, std::uint64_t now_us);
    [[nodiscard]] std::uint16_t FormatFor(const ReplicationPeer& row) const;
    void SendHello(ReplicationPeer& row, ReplicationKind kind, std::uint64_t receiver_nonce);
    Status SendMessage(ReplicationPeer& row, ReplicationKind kind, std::uint64_t receiver_nonce,
                       std::span<const std::byte> body);

    std::span<ReplicationPeer> rows_;
    Parts parts_;
    const Settings& settings_;
    ReplicationKey key_;        ///< Of which codes are made,
    bool makes_codes_ = false;  ///< if the machine can.
    Self self_;
    std::uint64_t next_us_ = kNever;
    bool was_greeting_ = false;
    StrangerBudget strangers_;
    ReplicationStatistics statistics_;
    Heard heard_;
};

}  // namespace ember
