// SPDX-License-Identifier: Apache-2.0
// EmberSM: channel dependencies that are tried beside those of a proved routing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/progress.h"
#include "core/graph/dependencies.h"
#include "core/graph/topology.h"

namespace ember {

/// A copy of a dependency graph without a cycle, to which dependencies are added on trial: they are
/// kept, or taken back again.
class TrialGraph {
    // First, because clang 14 evaluates only functions whose bodies it has seen.
    static constexpr std::size_t kMostAdded = 32'768;
    struct Onward {
        std::uint8_t port = 0;
        std::uint8_t lane = 0;
    };

public:
    /// Octets that Begin() takes from its arena.
    [[nodiscard]] static std::size_t Bytes(const Topology& topology, std::uint8_t lanes) {
        return Arena::BytesFor<std::uint64_t>(DependencyGraph::Words(topology, lanes)) +
               CycleSearch::Bytes(topology, lanes) + Arena::BytesFor<std::uint32_t>(kMostAdded) +
               Arena::BytesFor<Onward>(kMostAdded);
    }

    constexpr TrialGraph() = default;
    TrialGraph(const TrialGraph&) = delete;
    TrialGraph& operator=(const TrialGraph&) = delete;

    /// The copy is made by Copy(). `topology` and `graph`, which is over the same switches, stand
    /// still.
    void Begin(const Topology& topology, const DependencyGraph& graph, Arena& scratch);
    /// A slice of the copy.
    [[nodiscard]] Progress Copy();

    /// Packets that hold one of the lanes `held` of an exit wait for lanes `lanes` of a port of the
    /// switch behind it. A bit each.
    void Add(std::size_t exit, unsigned held, std::uint8_t onward, unsigned lanes);
    /// Nothing was added since the last Keep() or TakeBack().
    [[nodiscard]] bool has_news() const { return count_ != 0 || is_full_; }
    /// Not all that was added found room, so it is not known whether it closes a cycle.
    [[nodiscard]] bool is_full() const { return is_full_; }
    /// Begins a search for a cycle by what was added.
    void StartSearch() { search_.Start(graph_, channels_.first(count_)); }
    /// The result is found() when done.
    [[nodiscard]] Progress Search() { return search_.Advance(); }
    [[nodiscard]] bool found() const { return search_.found(); }
    void Keep() { count_ = 0; }
    void TakeBack();

private:
    void AddOne(std::size_t channel, std::uint8_t onward, std::uint8_t lane);

    static constexpr std::size_t kExitsPerSlice = 8192;

    const DependencyGraph* source_ = nullptr;
    std::size_t exits_ = 0;
    std::size_t next_ = 0;  ///< Exit to be copied.
    DependencyGraph graph_;
    CycleSearch search_;
    // Dependencies that were added: channels, and what packets in them wait for.
    std::span<std::uint32_t> channels_;
    std::span<Onward> onward_;
    std::size_t count_ = 0;
    bool is_full_ = false;
};

}  // namespace ember
