// SPDX-License-Identifier: Apache-2.0
// EmberSM: nodes that have left, with their descriptions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/static_vector.h"

namespace ember {

/// A node that was removed from the fabric.
struct DepartedNode {
    /// NodeGUID, then PortGUIDs of its first end ports; kNoGuid fills up.
    std::array<Guid, 3> guids{};
    /// The M_Keys that these ports had when they were last heard; 0: not known. By the place of the
    /// GUID.
    std::array<std::uint64_t, 3> m_keys{};
    std::array<std::uint8_t, 64> description{};  ///< NodeDescription; zeros: it was never read.
};

/// The nodes that were lost last. The note about a lost node is rendered when its rows are free
/// already, and needs its name; a node that returns is noted as returned.
class DepartedNodes {
public:
    /// As many as a sweep notes one by one (SweepNotes::kLoggedEach).
    static constexpr std::size_t kMost = 64;

    /// Keeps the node, in place of its earlier departure, or else of the oldest one.
    void Remember(const DepartedNode& node) {
        EMBER_ASSERT(node.guids[0] != kNoGuid);
        auto* const known = std::find_if(rows_.begin(), rows_.end(), [&](const DepartedNode& row) {
            return row.guids[0] == node.guids[0];
        });
        if (known != rows_.end()) {
            *known = node;
        } else if (rows_.TryPush(node) != Status::kOk) {
            rows_[oldest_] = node;
            oldest_ = (oldest_ + 1) % kMost;
        }
    }
    /// The node of this NodeGUID or PortGUID; nullptr: not remembered. The pointer is valid until
    /// the next change.
    [[nodiscard]] const DepartedNode* Find(Guid guid) const {
        if (guid == kNoGuid) return nullptr;
        for (const DepartedNode& row : rows_) {
            if (std::find(row.guids.begin(), row.guids.end(), guid) != row.guids.end()) return &row;
        }
        return nullptr;
    }
    /// Calls `visit(const DepartedNode&)` for each, but for returns the one remembered last first.
    template <typename Visit>
    void ForEachLatest(Visit visit) const {
        EMBER_ASSERT(oldest_ == 0 || rows_.full());  // Only a full ring turns.
        for (std::size_t i = rows_.size(); i > 0; --i) {
            visit(rows_[(oldest_ + i - 1) % rows_.size()]);
        }
    }
    void clear() {
        rows_.clear();
        oldest_ = 0;
    }

private:
    StaticVector<DepartedNode, kMost> rows_;
    std::size_t oldest_ = 0;
};

}  // namespace ember
