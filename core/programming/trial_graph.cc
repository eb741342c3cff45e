// SPDX-License-Identifier: Apache-2.0
// EmberSM: channel dependencies that are tried beside those of a proved routing.

#include "core/programming/trial_graph.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

void TrialGraph::Begin(const Topology& topology, const DependencyGraph& graph, Arena& scratch) {
    source_ = &graph;
    exits_ = topology.all_exits().size();
    next_ = 0;
    graph_.Begin(topology, graph.lanes(), scratch);
    search_.Begin(topology, graph.lanes(), scratch);
    channels_ = scratch.Take<std::uint32_t>(kMostAdded);
    onward_ = scratch.Take<Onward>(kMostAdded);
    count_ = 0;
    is_full_ = false;
}

Progress TrialGraph::Copy() {
    EMBER_ASSERT(count_ == 0);
    const std::size_t end = std::min(exits_, next_ + kExitsPerSlice);
    graph_.TakeIn(*source_, next_, end);
    next_ = end;
    return next_ == exits_ ? Progress::kDone : Progress::kMore;
}

void TrialGraph::Add(std::size_t exit, unsigned held, std::uint8_t onward, unsigned lanes) {
    for (; held != 0; held &= held - 1) {
        const auto lane = static_cast<std::uint8_t>(std::countr_zero(held));
        const std::size_t channel = graph_.ChannelAt(exit, lane);
        for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
            AddOne(channel, onward, static_cast<std::uint8_t>(std::countr_zero(rest)));
        }
    }
}

void TrialGraph::AddOne(std::size_t channel, std::uint8_t onward, std::uint8_t lane) {
    if (graph_.Has(channel, onward, lane)) return;
    if (count_ == channels_.size()) {
        is_full_ = true;
        return;
    }
    graph_.Add(channel, onward, lane);
    channels_[count_] = static_cast<std::uint32_t>(channel);
    onward_[count_] = {onward, lane};
    ++count_;
}

void TrialGraph::TakeBack() {
    for (std::size_t i = 0; i < count_; ++i) {
        graph_.Remove(channels_[i], onward_[i].port, onward_[i].lane);
    }
    count_ = 0;
    is_full_ = false;
}

}  // namespace ember
