// SPDX-License-Identifier: Apache-2.0
// EmberSM: proved peers that say that they are master, while we are.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/log/log.h"
#include "core/replication/peers.h"
#include "core/role/role.h"

namespace ember {

/// Hears of a second master from its greetings, where no sweep has met it: a fabric may be known
/// wrong, or in part, and greetings find their way by LIDs all the same.
///
/// A peer that has said so for a second has us sweep, which meets it and settles who stays; again
/// after 2, 4 and more seconds. If both are master after kLogUs all the same, that is told.
///
/// A peer that sweeps have sought in vain, and that ranks above us, is handed the subnet at the LID
/// that its greetings come from. Two masters take turns in the tables of switches, so that sessions
/// end and begin: what was sought before counts.
class Rivals {
public:
    static constexpr std::uint64_t kCueUs = kSecondUs;
    static constexpr std::uint64_t kMostPauseUs = 60 * kSecondUs;
    /// So that it is settled or told within ten seconds.
    static constexpr std::uint64_t kLogUs = 8 * kSecondUs;
    /// A peer that was sought so long ago is sought again first.
    static constexpr std::uint64_t kSoughtUs = 120 * kSecondUs;

    /// All outlive it.
    struct Parts {
        Role& role;
        const ReplicationPeers& peers;
        Log& log;
    };

    explicit Rivals(const Parts& parts) : parts_(parts) {}

    /// After peers have been stepped. True: our role wants a sweep.
    [[nodiscard]] bool Step(std::uint64_t now_us);
    /// The master beside us that is heard; kNoGuid: none.
    [[nodiscard]] Guid rival() const { return rival_; }
    /// The one that the log was told of; kNoGuid: none.
    [[nodiscard]] Guid logged() const { return is_logged_ ? rival_ : kNoGuid; }

private:
    [[nodiscard]] const ReplicationPeer* Find() const;
    void End(std::uint64_t now_us);
    [[nodiscard]] bool MayCue(std::uint64_t now_us) const;
    [[nodiscard]] bool WasSoughtInVain(std::uint64_t now_us);

    Parts parts_;
    std::uint64_t master_us_ = 0;  ///< Since when we are master; 0: we are not.
    Guid rival_ = kNoGuid;
    std::uint64_t since_us_ = 0;  ///< When it said so first.
    std::uint64_t next_us_ = 0;   ///< No sweep for it before.
    std::uint64_t pause_us_ = 0;
    bool is_logged_ = false;
    Guid sought_ = kNoGuid;        ///< A sweep was to meet it,
    std::uint64_t sought_us_ = 0;  ///< that was begun then.
};

}  // namespace ember
