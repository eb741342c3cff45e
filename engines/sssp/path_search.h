// SPDX-License-Identifier: Apache-2.0
// EmberSM: least paths from all switches to one LID, over links that count what they carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"

namespace ember {

/// Dijkstra's search from a LID outwards. A link in one direction weighs P² at first, where P is
/// the number of LIDs in the subnet, so that fewer links count before lighter ones; then whatever
/// paths it has got. Equal paths are told apart as OpenSM tells them: by a heap of four branches,
/// in which switches stand in the order of their GUIDs at first and among equal children the last
/// one rises.
class PathSearch {
    using Vertex = std::uint16_t;
    using Weight = std::uint64_t;

    /// A link out of a switch, as the search goes: packets take it the other way.
    struct Link {
        Weight weight = 0;
        Vertex from = 0;
        Vertex to = 0;
        std::uint8_t to_port = 0;  ///< By which packets leave `to` for it.
    };
    /// A place of the heap.
    struct Place {
        Weight distance = 0;
        Vertex vertex = 0;
    };

public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        const std::size_t vertices = limits.max_switches + std::size_t{2};
        return Arena::BytesFor<Link>(limits.max_ports) + Arena::BytesFor<Place>(vertices) +
               Arena::BytesFor<Weight>(vertices) + 4 * Arena::BytesFor<std::uint32_t>(vertices) +
               2 * Arena::BytesFor<Vertex>(vertices);
    }

    constexpr PathSearch() = default;
    PathSearch(const PathSearch&) = delete;
    PathSearch& operator=(const PathSearch&) = delete;

    /// Takes in the links. The topology stands still while paths are searched.
    /// `avoids_throttled`: but those that run below what their ends have enabled.
    void Begin(const Topology& topology, Arena& scratch, bool avoids_throttled);
    /// Takes them in too: a path has one only if there is no other.
    void TakeThrottled();
    /// Finds a path from every switch to a port. A switch that has none is in no path.
    void Run(const Destination& destination);
    /// Counts the paths that Run() found: each link on the path of a switch as many as LIDs are at
    /// the switch.
    void CountPaths();

    /// Calls `take(switch, port)` for every switch from which a path was found: the first port of
    /// the path, at the LID's own switch the port to its owner.
    template <typename Take>
    void ForEachExit(const Take& take) const {
        take(home_, static_cast<std::uint8_t>(home_port_));
        for (std::size_t i = 0; i < size_; ++i) {
            const Vertex at = heap_[i].vertex;
            if (used_[at] >= kHomeLink) continue;
            take(switches_[at - std::size_t{1}], links_[used_[at]].to_port);
        }
    }
    /// All switches have a path.
    [[nodiscard]] bool reached_all() const { return reached_ == switches_.size(); }
    /// A switch without one; kNoSwitch: there is none.
    [[nodiscard]] SwitchIndex unreached() const;
    /// LIDs at a switch, its own port 0's included.
    [[nodiscard]] std::uint32_t lids_at(SwitchIndex at) const { return lids_[vertex_[Raw(at)]]; }
    /// Its place in the order of GUIDs, from 1 on.
    [[nodiscard]] std::uint16_t number(SwitchIndex at) const { return vertex_[Raw(at)]; }
    /// The cost of a Run(), in links looked at.
    [[nodiscard]] std::size_t link_count() const { return links_.size() + switches_.size(); }

private:
    static constexpr Weight kFar = std::numeric_limits<Weight>::max() / 2;
    static constexpr Vertex kHost = 0;  ///< The end port that the LID belongs to.
    static constexpr std::uint32_t kHomeLink = 0xFFFF'FFFE;  ///< From it to its switch.
    static constexpr std::uint32_t kNoLink = 0xFFFF'FFFF;
    static constexpr std::size_t kBranches = 4;

    void CountLids();
    void AddLinks(bool leaves_out, Weight throttled);
    void FillHeap(bool with_host);
    void Lower(Vertex vertex, Weight distance);
    [[nodiscard]] Place TakeNearest();
    void SinkRoot();
    void Leave(const Place& place);
    void PutAt(std::size_t at, const Place& place) {
        heap_[at] = place;
        where_[place.vertex] = static_cast<std::uint32_t>(at);
    }

    const Topology* topology_ = nullptr;
    std::span<const SwitchIndex> switches_;  ///< Switch of vertex i + 1.
    std::span<Vertex> vertex_;               ///< By switch row.
    std::span<Link> links_;                  ///< By the vertex that they lead from.
    std::span<std::uint32_t> first_;         ///< By vertex; the next one's is its end.
    std::span<std::uint32_t> lids_;          ///< By vertex.
    std::span<Weight> best_;                 ///< Distance so far; 0: the vertex is settled.
    std::span<std::uint32_t> used_;          ///< By vertex: the link to it.
    std::span<std::uint32_t> where_;         ///< By vertex: its place in the heap.
    std::span<Place> heap_;    ///< Behind the heap those that were taken, the last one first.
    Weight first_weight_ = 0;  ///< Of a link that carries nothing.
    std::size_t count_ = 0;    ///< In the heap.
    std::size_t size_ = 0;     ///< In the heap at first.
    std::size_t reached_ = 0;
    SwitchIndex home_ = kNoSwitch;
    PortNumber home_port_{};
};

}  // namespace ember
