// SPDX-License-Identifier: Apache-2.0
// EmberSM: which buffer waits for which, and whether such waits can close a cycle.
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

/// A data VL of a port by which packets leave a switch: one buffer and credit loop at the far end.
struct Channel {
    Guid switch_guid = kNoGuid;
    PortNumber port{};
    std::uint8_t lane = 0;
    [[nodiscard]] bool operator==(const Channel&) const = default;
};

/// Channels in the order packets take them. Only the first kMax are remembered.
struct ChannelList {
    static constexpr std::size_t kMax = 32;
    StaticVector<Channel, kMax> channels;
    std::uint32_t length = 0;  ///< All of them.
    std::uint8_t lanes = 1;    ///< Lanes of the graph: a text names a lane where there are several.
};

/// The channel dependency graph. A packet that holds the buffer of one channel waits for room in
/// that of the next; where such waits can close a cycle, traffic can stop for ever (Dally and
/// Seitz). Unicast and multicast packets wait for the same buffers: both may be added to one graph.
///
/// A channel is (exit, lane): the row in Topology::all_exits(), and a data VL. Its number is
/// lane * exits + exit, so on lane 0 a channel has the number of its exit, and a graph of one lane
/// costs what it would without lanes. A lane may change at each switch, as SL2VL tables allow.
class DependencyGraph {
    // First, because clang 14 evaluates only functions whose bodies it has seen.
    [[nodiscard]] static constexpr std::size_t WordsFor(std::size_t steps) {
        return (steps + 63) / 64;
    }

public:
    /// The words that Begin() needs for the largest subnet of a board.
    [[nodiscard]] static constexpr std::size_t Words(const Limits& limits) {
        return std::size_t{limits.max_ports} * limits.max_lanes *
               WordsFor(std::size_t{limits.max_switch_ports} * limits.max_lanes);
    }
    /// And those for one subnet.
    [[nodiscard]] static std::size_t Words(const Topology& topology, std::uint8_t lanes);
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(Words(limits));
    }

    constexpr DependencyGraph() = default;
    DependencyGraph(const DependencyGraph&) = delete;
    DependencyGraph& operator=(const DependencyGraph&) = delete;

    /// Begins a graph of `lanes` lanes, 1..15, without dependencies.
    void Begin(const Topology& topology, std::uint8_t lanes, Arena& scratch);
    /// The same in memory that outlives a run. Asserts that the words suffice.
    void Begin(const Topology& topology, std::uint8_t lanes, std::span<std::uint64_t> words);
    /// Goes on with what is in memory, over another topology of the same switches.
    void GoOn(const Topology& topology) {
        EMBER_ASSERT(onward_.size() == topology.all_exits().size() * lanes_ * words_);
        topology_ = &topology;
        exits_ = topology.all_exits().size();
    }

    /// The number of a channel.
    [[nodiscard]] std::size_t ChannelAt(std::size_t exit, std::uint8_t lane) const {
        EMBER_ASSERT(exit < exits_ && lane < lanes_);
        return lane * exits_ + exit;
    }
    /// Packets that hold `channel` leave the switch at its far end by port `onward`, 1..254, on
    /// `lane`.
    void Add(std::size_t channel, std::uint8_t onward, std::uint8_t lane = 0) {
        const std::size_t bit = BitOf(onward, lane);
        std::uint64_t& word = onward_[channel * words_ + bit / 64];
        const std::uint64_t mark = std::uint64_t{1} << (bit % 64);
        if ((word & mark) == 0) word |= mark;  // Mostly known: then the cache line stays clean.
    }
    /// Takes an Add() back.
    void Remove(std::size_t channel, std::uint8_t onward, std::uint8_t lane = 0) {
        const std::size_t bit = BitOf(onward, lane);
        onward_[channel * words_ + bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
    }
    [[nodiscard]] bool Has(std::size_t channel, std::uint8_t onward, std::uint8_t lane = 0) const {
        const std::size_t bit = BitOf(onward, lane);
        return (onward_[channel * words_ + bit / 64] >> (bit % 64) & 1U) != 0;
    }
    /// No packet leaves by `exit` any more: its channels wait for nothing.
    void Clear(std::size_t exit);
    /// Takes in all dependencies of another graph over the same topology, with as many lanes.
    void Merge(const DependencyGraph& other);
    /// The same in parts, of a graph with as many lanes or fewer, whose own topology may be gone:
    /// the channels of exits first..end-1.
    void TakeIn(const DependencyGraph& other, std::size_t first, std::size_t end);

    // A step is a channel that follows another, numbered at the far switch of the first: from 1, by
    // lane and then by port. On lane 0 it is the number of the port.
    /// The next step after `after` that packets in `channel` take; 0 when no more.
    [[nodiscard]] std::size_t NextStep(std::size_t channel, std::size_t after) const;
    /// The channel that a step from `channel` leads to.
    [[nodiscard]] std::size_t Follow(std::size_t channel, std::size_t step) const;
    /// The step that leads from `channel` to `next`: Follow() backwards.
    [[nodiscard]] std::size_t StepTo(std::size_t channel, std::size_t next) const;

    [[nodiscard]] Channel Name(std::size_t channel) const;
    [[nodiscard]] const Topology& topology() const { return *topology_; }
    [[nodiscard]] std::uint8_t lanes() const { return lanes_; }
    [[nodiscard]] std::size_t channel_count() const { return exits_ * lanes_; }

private:
    /// A channel, or a step less 1, in parts.
    struct Place {
        std::size_t lane = 0;
        std::size_t row = 0;  ///< The exit, or the port less 1.
    };
    /// Without a division on lane 0.
    [[nodiscard]] static Place PlaceOf(std::size_t number, std::size_t rows) {
        return number < rows ? Place{.lane = 0, .row = number}
                             : Place{.lane = number / rows, .row = number % rows};
    }
    [[nodiscard]] std::size_t BitOf(std::uint8_t port, std::uint8_t lane) const {
        return lane * ports_ + port - 1;
    }
    [[nodiscard]] const RoutingSwitch& FarSwitch(std::size_t channel) const;
    [[nodiscard]] std::size_t Study(const Topology& topology, std::uint8_t lanes);

    const Topology* topology_ = nullptr;
    std::size_t words_ = 1;  ///< Words a channel: one bit for each step.
    std::size_t exits_ = 0;  ///< Of the topology.
    std::size_t ports_ = 1;  ///< External ports of the largest switch.
    std::uint8_t lanes_ = 1;
    std::span<std::uint64_t> onward_;
};

/// Searches a dependency graph for a cycle: depth first with its own stack until one is met, then
/// breadth first for a shortest one through that place.
class CycleSearch {
    enum class State : std::uint8_t { kNew, kOnPath, kFinished };
    // First, because clang 14 evaluates only functions whose bodies it has seen.
    [[nodiscard]] static constexpr std::size_t BytesFor(std::size_t channels) {
        return Arena::BytesFor<State>(channels) + 2 * Arena::BytesFor<std::uint32_t>(channels);
    }

public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return BytesFor(std::size_t{limits.max_ports} * limits.max_lanes);
    }
    /// The bytes that Begin() takes for one subnet.
    [[nodiscard]] static std::size_t Bytes(const Topology& topology, std::uint8_t lanes) {
        return BytesFor(topology.all_exits().size() * lanes);
    }

    constexpr CycleSearch() = default;
    CycleSearch(const CycleSearch&) = delete;
    CycleSearch& operator=(const CycleSearch&) = delete;

    /// Takes its tables, for graphs of so many lanes; one search after the other may use them.
    void Begin(const Topology& topology, std::uint8_t lanes, Arena& scratch);
    /// Begins a search. The graph stands still until Advance() says kDone.
    void Start(const DependencyGraph& graph);
    /// The same for cycles that can be reached from one of these channels only. The roots stand
    /// still likewise.
    void Start(const DependencyGraph& graph, std::span<const std::uint32_t> roots);
    [[nodiscard]] Progress Advance();

    [[nodiscard]] bool found() const { return found_; }
    [[nodiscard]] const ChannelList& cycle() const { return cycle_; }

private:
    static constexpr std::size_t kStepsPerSlice = 50'000;
    static constexpr std::size_t kShortenSteps = 32;  // Each looks at all that follow a channel.

    [[nodiscard]] bool Descend();
    [[nodiscard]] bool EnterRoot();
    [[nodiscard]] bool Enter(std::size_t channel);
    void StartShortening(std::size_t channel);
    [[nodiscard]] bool Shorten();
    void NameCycle(std::size_t last);

    const DependencyGraph* graph_ = nullptr;
    std::span<State> state_;
    std::span<std::uint32_t> path_;  ///< Depth first: the path to here. Breadth first: the queue.
    std::span<std::uint32_t> reached_from_;
    std::size_t depth_ = 0;  ///< Used length of path_.
    std::size_t step_ = 0;   ///< Depth first: the step looked at last, from the end of the path.
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
