// SPDX-License-Identifier: Apache-2.0
// EmberSM: which subnet managers are peers of replication.
#pragma once

#include <cstdint>
#include <span>

#include "core/fabric/own_p_keys.h"
#include "core/replication/peers.h"
#include "core/role/role.h"

namespace ember {

/// Introduces the subnet managers that the role has met to ReplicationPeers, and tells them what we
/// are.
class ReplicationUpkeep {
public:
    /// All outlive it.
    struct Parts {
        ReplicationPeers::Parts peers;
        const Role& role;
        const OwnPKeys& own_p_keys;
    };

    /// `settings` may change underneath.
    ReplicationUpkeep(std::span<ReplicationPeer> rows, const Parts& parts, const Settings& settings)
        : parts_(parts), peers_(rows, parts.peers, settings) {}
    ReplicationUpkeep(const ReplicationUpkeep&) = delete;
    ReplicationUpkeep& operator=(const ReplicationUpkeep&) = delete;

    /// `is_routed`: we are master, and datagrams find their way by LIDs.
    void Step(bool is_routed, std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return peers_.NextDeadlineUs(); }
    /// Takes a datagram of kReplicationClass. False: it was dropped.
    bool Take(const Envelope& envelope, std::uint64_t now_us) {
        return peers_.Take(envelope, now_us);
    }
    [[nodiscard]] const ReplicationPeers& peers() const { return peers_; }

private:
    [[nodiscard]] std::uint16_t PKeyIndex(Guid own) const;

    Parts parts_;
    ReplicationPeers peers_;
};

}  // namespace ember
