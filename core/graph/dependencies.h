// SPDX-License-Identifier: Apache-2.0
// EmberSM: which buffer waits for which, and whether they can wait in a circle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/static_vector.h"
#include "core/graph/topology.h"

namespace ember {

/// A port of a switch through which packets leave: one buffer and credit loop at its far end.
struct Channel {
    Guid switch_guid = kNoGuid;
    PortNumber port{};
};

/// Channels in the order packets take them. Only the first kMax are remembered.
struct ChannelList {
    static constexpr std::size_t kMax = 32;
    StaticVector<Channel, kMax> channels;
    std::uint32_t length = 0;  ///< All of them.
};

/// The channel dependency graph of one virtual lane. A packet that holds the buffer of one channel
/// waits for room in that of the next; where such waits can close a circle, traffic can stop for
/// ever (Dally and Seitz). A channel is named by its row in Topology::all_exits().
class DependencyGraph {
    // First, because clang 14 evaluates only functions whose bodies it has seen.
    [[nodiscard]] static constexpr std::size_t WordsFor(std::size_t ports) {
        return (ports + 63) / 64;
    }

public:
    /// The words that Begin() needs for the largest subnet of a board.
    [[nodiscard]] static constexpr std::size_t Words(const Limits& limits) {
        return limits.max_ports * WordsFor(limits.max_switch_ports);
    }
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(Words(limits));
    }

    constexpr DependencyGraph() = default;
    DependencyGraph(const DependencyGraph&) = delete;
    DependencyGraph& operator=(const DependencyGraph&) = delete;

    void Begin(const Topology& topology, Arena& scratch);
    /// The same in memory that outlives a run: no dependency.
    void Begin(const Topology& topology, std::span<std::uint64_t> words);
    /// Goes on with what is in memory, over another topology of the same switches.
    void GoOn(const Topology& topology) {
        EMBER_ASSERT(onward_.size() == topology.all_exits().size() * words_);
        topology_ = &topology;
    }

    /// Packets that leave through `channel` leave the switch at its far end through port `onward`,
    /// 1..254.
    void Add(std::size_t channel, std::uint8_t onward) {
        const std::size_t bit = onward - std::size_t{1};
        std::uint64_t& word = onward_[channel * words_ + bit / 64];
        const std::uint64_t mark = std::uint64_t{1} << (bit % 64);
        if ((word & mark) == 0) word |= mark;  // Mostly known: then the cache line stays clean.
    }
    [[nodiscard]] bool Has(std::size_t channel, std::uint8_t onward) const {
        const std::size_t bit = onward - std::size_t{1};
        return (onward_[channel * words_ + bit / 64] >> (bit % 64) & 1U) != 0;
    }
    /// Nobody leaves through `channel`, so nobody there waits for anything.
    void Clear(std::size_t channel) {
        const auto words = onward_.subspan(channel * words_, words_);
        std::fill(words.begin(), words.end(), 0);
    }
    /// Takes in all dependencies of another graph over the same topology.
    void Merge(const DependencyGraph& other);

    /// The next port after `after` through which packets from `channel` go on; 0 when no more.
    [[nodiscard]] std::uint8_t NextOnward(std::size_t channel, std::uint8_t after) const;
    /// The row of the exit at the far switch of `channel`.
    [[nodiscard]] std::size_t Follow(std::size_t channel, std::uint8_t onward) const;
    [[nodiscard]] const Topology& topology() const { return *topology_; }
    [[nodiscard]] std::size_t channel_count() const { return topology_->all_exits().size(); }

private:
    [[nodiscard]] std::size_t Study(const Topology& topology);

    const Topology* topology_ = nullptr;
    std::size_t words_ = 1;  ///< Words a channel: one bit for each port it may go on to.
    std::span<std::uint64_t> onward_;
};

/// Searches a dependency graph for a cycle: depth first with its own stack until one is met, then
/// breadth first for a shortest one through that place.
class CycleSearch {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return 2 * Arena::BytesFor<std::uint8_t>(limits.max_ports) +
               2 * Arena::BytesFor<std::uint32_t>(limits.max_ports);
    }

    constexpr CycleSearch() = default;
    CycleSearch(const CycleSearch&) = delete;
    CycleSearch& operator=(const CycleSearch&) = delete;

    /// Takes its tables; one search after the other may use them.
    void Begin(const Topology& topology, Arena& scratch);
    /// Begins a search. The graph stands still until Advance() says kDone.
    void Start(const DependencyGraph& graph);
    /// The same for cycles that can be reached from one of these channels only.
    void Start(const DependencyGraph& graph, std::span<const std::uint32_t> roots);
    [[nodiscard]] Progress Advance();

    [[nodiscard]] bool found() const { return found_; }
    [[nodiscard]] const ChannelList& cycle() const { return cycle_; }

private:
    enum class State : std::uint8_t { kNew, kOnPath, kFinished };
    static constexpr std::size_t kStepsPerSlice = 50'000;
    static constexpr std::size_t kShortenSteps = 32;  // One looks at all that follow a channel.

    [[nodiscard]] bool Descend();
    [[nodiscard]] bool EnterRoot();
    [[nodiscard]] bool Enter(std::size_t channel);
    void StartShortening(std::size_t channel);
    [[nodiscard]] bool Shorten();
    void NameCycle(std::size_t last);
    [[nodiscard]] Channel Name(std::size_t channel) const;

    const DependencyGraph* graph_ = nullptr;
    std::span<State> state_;
    std::span<std::uint8_t> cursor_;  ///< By channel: the onward port looked at last.
    std::span<std::uint32_t> path_;   ///< Depth first: the way here. Breadth first: the queue.
    std::span<std::uint32_t> reached_from_;
    std::size_t depth_ = 0;  ///< Used length of path_.
    std::size_t head_ = 0;   ///< Breadth first: next in the queue.
    std::size_t next_root_ = 0;
    std::span<const std::uint32_t> roots_;  ///< If not from all channels.
    bool from_all_ = true;
    std::size_t start_ = 0;  ///< A channel on a cycle.
    bool shortening_ = false;
    bool found_ = false;
    ChannelList cycle_;
};

}  // namespace ember
