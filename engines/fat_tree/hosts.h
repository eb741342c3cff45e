// SPDX-License-Identifier: Apache-2.0
// EmberSM: which hosts compute, and which serve input and output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/fabric/guid_order.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"

namespace ember {

/// The use of a host port.
enum class HostClass : std::uint8_t {
    kNone,     ///< Not a port of a host: a switch's or a router's.
    kCompute,  ///< Balanced first, leaf by leaf.
    kIo,       ///< May be reached by going up again after going down (max_reverse_hops).
    kOther,
};

/// Sorts host ports by cn_guid_file and io_guid_file. Without the former every one computes; one
/// that only the latter names does not.
class TreeHosts {
    // First, because clang 14 evaluates only templates whose bodies it has seen.
    [[nodiscard]] static constexpr std::size_t SortingBytes(std::size_t count) {
        return Arena::BytesFor<std::uint64_t>(count) + SortScratchBytes<DestinationIndex>(count);
    }

public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<HostClass>(limits.max_lid) +
               Arena::BytesFor<DestinationIndex>(limits.max_lid) + SortingBytes(limits.max_lid);
    }

    constexpr TreeHosts() = default;
    TreeHosts(const TreeHosts&) = delete;
    TreeHosts& operator=(const TreeHosts&) = delete;

    void Begin(const RoutingTask& task);
    /// Does the next slice. Not ok: complaint() says why.
    [[nodiscard]] Result<Progress> Advance();
    [[nodiscard]] EngineComplaint complaint() const { return complaint_; }

    [[nodiscard]] HostClass host_class(DestinationIndex at) const { return class_[Raw(at)]; }
    /// Host ports that hang on a switch, in the order of their NodeGUIDs, then of their ports.
    [[nodiscard]] std::span<const DestinationIndex> by_node() const { return by_node_; }

private:
    static constexpr std::size_t kGuidsPerSlice = 2048;  // A binary search each.
    enum class Phase : std::uint8_t { kSort, kIo, kCompute, kDone };

    [[nodiscard]] EngineFault CollectHosts();
    [[nodiscard]] std::size_t CountHosts() const;
    [[nodiscard]] bool Mark(std::span<const Guid> guids, HostClass host_class);

    RoutingTask task_;
    EngineComplaint complaint_;
    std::span<HostClass> class_;
    std::span<DestinationIndex> by_node_;
    std::size_t next_ = 0;  ///< GUID of a file that is looked up next.
    Phase phase_ = Phase::kDone;
};

}  // namespace ember
