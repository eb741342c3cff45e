// SPDX-License-Identifier: Apache-2.0
// EmberSM: what was behind exits whose links are up and where nothing answers any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/static_vector.h"

namespace ember {

/// The node that was last behind an exit: its M_Key is the likeliest of the node there now.
struct SilentPeer {
    Guid exit_node = kNoGuid;  ///< NodeGUID of the switch that the exit is a port of, or our own.
    PortNumber exit_port{};
    Guid port = kNoGuid;      ///< The PortGUID from which the M_Key is made.
    std::uint64_t m_key = 0;  ///< The M_Key when the node was last heard; 0: it was not known.
};

/// The nodes that fell silent last behind links that stayed up.
class SilentPeers {
public:
    /// The links of two spines of 36 ports, behind each of which a leaf fell silent.
    static constexpr std::size_t kMost = 72;

    /// Keeps it, in place of what was behind that exit before, or else of the oldest one.
    void Remember(const SilentPeer& peer) {
        auto* const known = std::find_if(rows_.begin(), rows_.end(), [&](const SilentPeer& row) {
            return row.exit_node == peer.exit_node && row.exit_port == peer.exit_port;
        });
        if (known != rows_.end()) {
            *known = peer;
        } else if (rows_.TryPush(peer) != Status::kOk) {
            rows_[oldest_] = peer;
            oldest_ = (oldest_ + 1) % kMost;
        }
    }
    /// nullptr: not remembered. Valid until the next change.
    [[nodiscard]] const SilentPeer* Find(Guid exit_node, PortNumber exit_port) const {
        const auto* const row =
            std::find_if(rows_.begin(), rows_.end(), [&](const SilentPeer& one) {
                return one.exit_node == exit_node && one.exit_port == exit_port;
            });
        return row == rows_.end() ? nullptr : row;
    }
    void clear() {
        rows_.clear();
        oldest_ = 0;
    }

private:
    StaticVector<SilentPeer, kMost> rows_;
    std::size_t oldest_ = 0;
};

}  // namespace ember
