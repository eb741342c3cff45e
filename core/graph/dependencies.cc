// SPDX-License-Identifier: Apache-2.0
// EmberSM: which buffer waits for which, and whether such waits can close a cycle.

#include "core/graph/dependencies.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

namespace {

/// External ports of the largest switch.
[[nodiscard]] std::size_t MostPorts(const Topology& topology) {
    std::size_t most = 1;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        most = std::max<std::size_t>(most, topology.switch_row(at).port_count);
    }
    return most;
}

void AddBits(std::span<const std::uint64_t> from, std::span<std::uint64_t> to) {
    EMBER_ASSERT(from.size() <= to.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] |= from[i];
    }
}

}  // namespace

std::size_t DependencyGraph::Words(const Topology& topology, std::uint8_t lanes) {
    return topology.all_exits().size() * lanes * WordsFor(MostPorts(topology) * lanes);
}

/// The words that the graph takes.
std::size_t DependencyGraph::Study(const Topology& topology, std::uint8_t lanes) {
    EMBER_ASSERT(lanes >= 1 && lanes <= DataVls(VlCap::kVl0To14));
    topology_ = &topology;
    lanes_ = lanes;
    exits_ = topology.all_exits().size();
    ports_ = MostPorts(topology);
    words_ = WordsFor(ports_ * lanes);
    return channel_count() * words_;
}

void DependencyGraph::Begin(const Topology& topology, std::uint8_t lanes, Arena& scratch) {
    onward_ = scratch.Take<std::uint64_t>(Study(topology, lanes));
}

void DependencyGraph::Begin(const Topology& topology, std::uint8_t lanes,
                            std::span<std::uint64_t> words) {
    const std::size_t count = Study(topology, lanes);
    EMBER_ASSERT(count <= words.size());
    onward_ = words.first(count);
    std::fill(onward_.begin(), onward_.end(), 0);
}

void DependencyGraph::Clear(std::size_t exit) {
    EMBER_ASSERT(exit < exits_);
    for (std::size_t channel = exit; channel < channel_count(); channel += exits_) {
        const auto words = onward_.subspan(channel * words_, words_);
        std::fill(words.begin(), words.end(), 0);
    }
}

void DependencyGraph::Merge(const DependencyGraph& other) {
    EMBER_ASSERT(exits_ == other.exits_ && ports_ == other.ports_ && lanes_ == other.lanes_);
    EMBER_ASSERT(onward_.size() == other.onward_.size());
    AddBits(other.onward_, onward_);
}

void DependencyGraph::TakeIn(const DependencyGraph& other, std::size_t first, std::size_t end) {
    EMBER_ASSERT(exits_ == other.exits_ && ports_ == other.ports_ && lanes_ >= other.lanes_);
    EMBER_ASSERT(first <= end && end <= exits_);
    for (std::size_t lane = 0; lane < other.lanes_; ++lane) {
        for (std::size_t channel = lane * exits_ + first; channel < lane * exits_ + end;
             ++channel) {
            // Steps go by lane and then by port in both, so the words of one begin as the other's.
            AddBits(other.onward_.subspan(channel * other.words_, other.words_),
                    onward_.subspan(channel * words_, words_));
        }
    }
}

std::size_t DependencyGraph::NextStep(std::size_t channel, std::size_t after) const {
    const auto words = onward_.subspan(channel * words_, words_);
    std::size_t word = after / 64U;  // Step `after` is bit after - 1: the next one is bit `after`.
    if (word == words_) return 0;
    std::uint64_t rest = words[word] & (~std::uint64_t{0} << (after % 64U));
    while (rest == 0) {
        if (++word == words_) return 0;
        rest = words[word];
    }
    return word * 64 + static_cast<std::size_t>(std::countr_zero(rest)) + 1;
}

const RoutingSwitch& DependencyGraph::FarSwitch(std::size_t channel) const {
    const SwitchIndex far = topology_->all_exits()[PlaceOf(channel, exits_).row].peer;
    EMBER_ASSERT(far != kNoSwitch);
    return topology_->switch_row(far);
}

std::size_t DependencyGraph::Follow(std::size_t channel, std::size_t step) const {
    EMBER_ASSERT(step >= 1);
    const Place onward = PlaceOf(step - 1, ports_);
    return onward.lane * exits_ + FarSwitch(channel).first_exit + onward.row + 1;
}

std::size_t DependencyGraph::StepTo(std::size_t channel, std::size_t next) const {
    const Place place = PlaceOf(next, exits_);
    const RoutingSwitch& far = FarSwitch(channel);
    EMBER_ASSERT(place.row > far.first_exit && place.row <= far.first_exit + far.port_count);
    return place.lane * ports_ + place.row - far.first_exit;
}

Channel DependencyGraph::Name(std::size_t channel) const {
    EMBER_ASSERT(channel < channel_count());
    const Place place = PlaceOf(channel, exits_);
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        const RoutingSwitch& row = topology_->switch_row(at);
        if (place.row < row.first_exit || place.row > row.first_exit + row.port_count) continue;
        return {.switch_guid = row.guid,
                .port = static_cast<PortNumber>(place.row - row.first_exit),
                .lane = static_cast<std::uint8_t>(place.lane)};
    }
    EMBER_ASSERT(false);  // Every exit is a switch's.
}

void CycleSearch::Begin(const Topology& topology, std::uint8_t lanes, Arena& scratch) {
    EMBER_ASSERT(lanes >= 1);
    const std::size_t channels = topology.all_exits().size() * lanes;
    state_ = scratch.Take<State>(channels);
    path_ = scratch.Take<std::uint32_t>(channels);
    reached_from_ = scratch.Take<std::uint32_t>(channels);
}

void CycleSearch::Start(const DependencyGraph& graph) {
    EMBER_ASSERT(graph.channel_count() == state_.size());
    graph_ = &graph;
    std::fill(state_.begin(), state_.end(), State::kNew);
    depth_ = 0;
    step_ = 0;
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
    EMBER_ASSERT(graph_ != nullptr);  // Start() came before.
    for (std::size_t steps = 0; steps < kStepsPerSlice;) {
        const bool more = shortening_ ? Shorten() : Descend();
        if (!more) return Progress::kDone;
        steps += shortening_ ? kShortenSteps : 1;
    }
    return Progress::kMore;
}

/// Takes one step of the depth-first search. False at its end.
bool CycleSearch::Descend() {
    if (depth_ == 0) return EnterRoot();
    const std::size_t here = path_[depth_ - 1];
    step_ = graph_->NextStep(here, step_);
    if (step_ != 0) return Enter(graph_->Follow(here, step_));
    state_[here] = State::kFinished;
    --depth_;
    if (depth_ != 0) step_ = graph_->StepTo(path_[depth_ - 1], here);
    return true;
}

/// False when there is no further one.
bool CycleSearch::EnterRoot() {
    if (next_root_ == (from_all_ ? state_.size() : roots_.size())) return false;
    const std::size_t root = from_all_ ? next_root_ : roots_[next_root_];
    ++next_root_;
    return Enter(root);
}

bool CycleSearch::Enter(std::size_t channel) {
    EMBER_ASSERT(channel < state_.size());
    if (state_[channel] == State::kOnPath) {
        StartShortening(channel);
        return true;
    }
    if (state_[channel] == State::kFinished) return true;
    if (graph_->NextStep(channel, 0) == 0) {
        state_[channel] = State::kFinished;
        return true;
    }
    state_[channel] = State::kOnPath;
    EMBER_ASSERT(depth_ < path_.size());
    path_[depth_++] = static_cast<std::uint32_t>(channel);
    step_ = 0;
    return true;
}

/// `channel` lies on a cycle. From here on kOnPath means "in the queue, or was".
void CycleSearch::StartShortening(std::size_t channel) {
    EMBER_ASSERT(!found_);
    found_ = true;
    shortening_ = true;
    start_ = channel;
    std::fill(state_.begin(), state_.end(), State::kNew);
    path_[0] = static_cast<std::uint32_t>(channel);
    head_ = 0;
    depth_ = 1;
}

/// Looks at one channel of the breadth-first search. False when it came back to its start.
bool CycleSearch::Shorten() {
    EMBER_ASSERT(head_ < depth_);  // There is a cycle: the start is met before the queue is empty.
    const std::size_t here = path_[head_++];
    for (std::size_t step = graph_->NextStep(here, 0); step != 0;
         step = graph_->NextStep(here, step)) {
        const std::size_t next = graph_->Follow(here, step);
        if (next == start_) {
            NameCycle(here);
            return false;
        }
        if (state_[next] != State::kNew) continue;
        state_[next] = State::kOnPath;
        reached_from_[next] = static_cast<std::uint32_t>(here);
        EMBER_ASSERT(depth_ < path_.size());
        path_[depth_++] = static_cast<std::uint32_t>(next);
    }
    return true;
}

/// Writes down the path from start_ to `last`, which leads back to start_. The queue is no longer
/// needed and holds it, last channel first.
void CycleSearch::NameCycle(std::size_t last) {
    std::size_t length = 0;
    for (std::size_t at = last; at != start_; at = reached_from_[at]) {
        EMBER_ASSERT(length < depth_);  // Each of them was in the queue.
        path_[length++] = static_cast<std::uint32_t>(at);
    }
    path_[length++] = static_cast<std::uint32_t>(start_);
    cycle_.length = static_cast<std::uint32_t>(length);
    cycle_.lanes = graph_->lanes();
    while (length > 0 && !cycle_.channels.full()) {
        const Status pushed = cycle_.channels.TryPush(graph_->Name(path_[--length]));
        EMBER_ASSERT(pushed == Status::kOk);
    }
}

}  // namespace ember
