// SPDX-License-Identifier: Apache-2.0
// EmberSM: standbys that may be handed the subnet, so that no client need register again.
#pragma once

#include <cstdint>

#include "core/administration/registrations/sa_journal.h"
#include "core/log/log.h"
#include "core/replication/feed.h"
#include "core/replication/peers.h"
#include "core/role/role.h"
#include "core/settings/settings.h"

namespace ember {

/// Tells the role of a master which standbys it may hand the subnet to, and when.
///
/// A standby of our kind is trusted with the subnet when it has been fed, and the offer is held
/// until it knows all. Both for a bounded time: ten seconds, and half a second. Under
/// standby_consistency strict it has to have told its configuration besides, or to be one of
/// another kind by the word of sm_peers or of an operator: silence alone is no proof.
class Heirs {
public:
    /// All outlive it.
    struct Parts {
        Role& role;
        ReplicationPeers& peers;
        const ReplicationFeed& feed;
        SaJournal& journal;
        Log& log;
        const Settings& settings;
    };

    /// `replicates`: the board feeds and follows.
    Heirs(const Parts& parts, bool replicates) : parts_(parts), replicates_(replicates) {}

    /// Everything that clients have registered is known, and told to standbys that are fed. False
    /// while clients that were asked to register again may not have done so.
    void SetComplete(bool is_complete) { is_complete_ = is_complete; }
    /// Before peers are stepped. Holds the offer that is due, or lets it go.
    void HoldOffer(std::uint64_t now_us);
    /// After peers have been stepped. `is_strict`: standby_consistency is, and peers are on. True:
    /// our role wants a sweep.
    [[nodiscard]] bool TrustHeirs(bool is_strict, std::uint64_t now_us);
    /// An operator wants this standby to be master: if it has never answered a greeting it is taken
    /// for one of another kind from now on.
    void TakeForForeign(Guid standby);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

private:
    [[nodiscard]] bool IsForeign(const ReplicationPeer& row, const OtherSm& met) const;
    [[nodiscard]] bool IsConsistent(const ReplicationPeer& row, const OtherSm& met) const;
    void LogHeld(ReplicationPeer& row, const OtherSm& met, std::uint64_t now_us);
    [[nodiscard]] bool LacksSomething(const ReplicationPeer& row) const;
    [[nodiscard]] const OtherSm* MetAsStandby(const ReplicationPeer& row) const;
    void Welcome(ReplicationPeer& row, const OtherSm& met, std::uint64_t now_us);
    [[nodiscard]] bool IsHeir(ReplicationPeer& row, bool is_strict, std::uint64_t now_us);
    [[nodiscard]] bool HasSentAll() const;

    Parts parts_;
    bool replicates_;
    bool is_complete_ = false;
    std::uint64_t held_us_ = 0;     ///< Since when an offer of the subnet is held; 0: none is.
    std::uint64_t greeted_us_ = 0;  ///< When it was told since that nothing waits; 0: not yet.
    std::uint64_t stepped_us_ = 0;
};

}  // namespace ember
