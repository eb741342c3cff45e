// SPDX-License-Identifier: Apache-2.0
// EmberSM: which buffer waits for which, and whether they can wait in a circle.

#include "core/graph/dependencies.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

/// The words that it takes.
std::size_t DependencyGraph::Study(const Topology& topology) {
    topology_ = &topology;
    std::size_t most_ports = 1;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        most_ports = std::max<std::size_t>(most_ports, topology.switch_row(at).port_count);
    }
    words_ = WordsFor(most_ports);
    return channel_count() * words_;
}

void DependencyGraph::Begin(const Topology& topology, Arena& scratch) {
    onward_ = scratch.Take<std::uint64_t>(Study(topology));
}

void DependencyGraph::Begin(const Topology& topology, std::span<std::uint64_t> words) {
    onward_ = words.first(Study(topology));
    std::fill(onward_.begin(), onward_.end(), 0);
}

void DependencyGraph::Merge(const DependencyGraph& other) {
    EMBER_ASSERT(onward_.size() == other.onward_.size());
    for (std::size_t i = 0; i < onward_.size(); ++i) {
        onward_[i] |= other.onward_[i];
    }
}

std::uint8_t DependencyGraph::NextOnward(std::size_t channel, std::uint8_t after) const {
    const auto words = onward_.subspan(channel * words_, words_);
    std::size_t word = after / 64U;  // Port `after` is bit after - 1: the next one is bit `after`.
    if (word == words_) return 0;
    std::uint64_t rest = words[word] & (~std::uint64_t{0} << (after % 64U));
    while (rest == 0) {
        if (++word == words_) return 0;
        rest = words[word];
    }
    return static_cast<std::uint8_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)) +
                                     1);
}

std::size_t DependencyGraph::Follow(std::size_t channel, std::uint8_t onward) const {
    const SwitchIndex far = topology_->all_exits()[channel].peer;
    EMBER_ASSERT(far != kNoSwitch);
    return topology_->switch_row(far).first_exit + std::size_t{onward};
}

void CycleSearch::Begin(const Topology& topology, Arena& scratch) {
    const std::size_t channels = topology.all_exits().size();
    state_ = scratch.Take<State>(channels);
    cursor_ = scratch.Take<std::uint8_t>(channels);
    path_ = scratch.Take<std::uint32_t>(channels);
    reached_from_ = scratch.Take<std::uint32_t>(channels);
}

void CycleSearch::Start(const DependencyGraph& graph) {
    EMBER_ASSERT(graph.channel_count() == state_.size());
    graph_ = &graph;
    std::fill(state_.begin(), state_.end(), State::kNew);
    std::fill(cursor_.begin(), cursor_.end(), 0);
    depth_ = 0;
    next_root_ = 0;
    from_all_ = true;
    shortening_ = false;
    found_ = false;
    cycle_ = {};
}

void CycleSearch::Start(const DependencyGraph& graph, std::span<const std::uint32_t> roots) {
    Start(graph);
    roots_ = roots;
    from_all_ = false;
}

Progress CycleSearch::Advance() {
    for (std::size_t steps = 0; steps < kStepsPerSlice;) {
        const bool more = shortening_ ? Shorten() : Descend();
        if (!more) return Progress::kDone;
        steps += shortening_ ? kShortenSteps : 1;
    }
    return Progress::kMore;
}

/// One step of the depth-first search. False at its end.
bool CycleSearch::Descend() {
    if (depth_ == 0) return EnterRoot();
    const std::size_t here = path_[depth_ - 1];
    const std::uint8_t onward = graph_->NextOnward(here, cursor_[here]);
    if (onward == 0) {
        state_[here] = State::kFinished;
        --depth_;
        return true;
    }
    cursor_[here] = onward;
    return Enter(graph_->Follow(here, onward));
}

/// False when there is no further one.
bool CycleSearch::EnterRoot() {
    if (next_root_ == (from_all_ ? state_.size() : roots_.size())) return false;
    const std::size_t root = from_all_ ? next_root_ : roots_[next_root_];
    ++next_root_;
    return Enter(root);
}

bool CycleSearch::Enter(std::size_t channel) {
    if (state_[channel] == State::kOnPath) {
        StartShortening(channel);
        return true;
    }
    if (state_[channel] == State::kFinished) return true;
    if (graph_->NextOnward(channel, 0) == 0) {
        state_[channel] = State::kFinished;
        return true;
    }
    state_[channel] = State::kOnPath;
    path_[depth_++] = static_cast<std::uint32_t>(channel);
    return true;
}

/// `channel` lies on a cycle. From here on kOnPath means "in the queue, or was".
void CycleSearch::StartShortening(std::size_t channel) {
    found_ = true;
    shortening_ = true;
    start_ = channel;
    std::fill(state_.begin(), state_.end(), State::kNew);
    path_[0] = static_cast<std::uint32_t>(channel);
    head_ = 0;
    depth_ = 1;
}

/// One channel of the breadth-first search. False when it came back to its start.
bool CycleSearch::Shorten() {
    EMBER_ASSERT(head_ < depth_);  // There is a cycle: the start is met before the queue is empty.
    const std::size_t here = path_[head_++];
    for (std::uint8_t onward = graph_->NextOnward(here, 0); onward != 0;
         onward = graph_->NextOnward(here, onward)) {
        const std::size_t next = graph_->Follow(here, onward);
        if (next == start_) {
            NameCycle(here);
            return false;
        }
        if (state_[next] != State::kNew) continue;
        state_[next] = State::kOnPath;
        reached_from_[next] = static_cast<std::uint32_t>(here);
        path_[depth_++] = static_cast<std::uint32_t>(next);
    }
    return true;
}

/// Writes down the way from start_ to `last`, which leads back to start_. The queue is no longer
/// needed and holds it, last channel first.
void CycleSearch::NameCycle(std::size_t last) {
    std::size_t length = 0;
    for (std::size_t at = last; at != start_; at = reached_from_[at]) {
        path_[length++] = static_cast<std::uint32_t>(at);
    }
    path_[length++] = static_cast<std::uint32_t>(start_);
    cycle_.length = static_cast<std::uint32_t>(length);
    while (length > 0 && !cycle_.channels.full()) {
        const Status pushed = cycle_.channels.TryPush(Name(path_[--length]));
        EMBER_ASSERT(pushed == Status::kOk);
    }
}

Channel CycleSearch::Name(std::size_t channel) const {
    const Topology& topology = graph_->topology();
    for (const SwitchIndex at : topology.switches_by_guid()) {
        const RoutingSwitch& row = topology.switch_row(at);
        if (channel < row.first_exit || channel > row.first_exit + std::size_t{row.port_count}) {
            continue;
        }
        return {row.guid, static_cast<PortNumber>(channel - row.first_exit)};
    }
    EMBER_ASSERT(false);
}

}  // namespace ember
