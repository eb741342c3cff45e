// SPDX-License-Identifier: Apache-2.0
// EmberSM: the P_Key table of our own port, by which a P_Key index is a P_Key.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/settings/partition_rows.h"
#include "core/wire/p_key_table.h"

namespace ember {

/// The P_Key table of our own port, as it was last read or written: a datagram comes with an index
/// into it, and goes out with one (Envelope::p_key_index).
class OwnPKeys {
public:
    /// Entries of a table; what stands behind them was never written by us.
    static constexpr std::size_t kMost = kMostPKeysOfPort;

    /// The port with this PortGUID holds `table`, of which kMost entries at most count.
    void Learn(Guid port, std::span<const std::uint16_t> table) {
        EMBER_ASSERT(port != kNoGuid);
        port_ = port;
        p_keys_.fill(kNoPKey);
        std::copy_n(table.begin(), std::min(table.size(), kMost), p_keys_.begin());
    }
    /// The table is not known any more.
    void Forget() { port_ = kNoGuid; }

    /// The table of this port is known.
    [[nodiscard]] bool AreOf(Guid port) const { return port != kNoGuid && port == port_; }
    /// The P_Key at an index; kNoPKey: the entry is empty, or the table has no such index.
    [[nodiscard]] std::uint16_t At(std::size_t index) const {
        return index < kMost ? p_keys_[index] : kNoPKey;
    }
    /// The lowest index of `p_key` in just this form; kMost: the table does not hold it.
    [[nodiscard]] std::size_t IndexOf(std::uint16_t p_key) const {
        if (p_key == kNoPKey) return kMost;
        const auto* const found = std::find(p_keys_.begin(), p_keys_.end(), p_key);
        return static_cast<std::size_t>(found - p_keys_.begin());
    }

private:
    Guid port_ = kNoGuid;  ///< kNoGuid: nothing is known.
    std::array<std::uint16_t, kMost> p_keys_{};
};

}  // namespace ember
