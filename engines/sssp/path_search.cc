// SPDX-License-Identifier: Apache-2.0
// EmberSM: least paths from all switches to one LID, over links that count what they carry.

#include "engines/sssp/path_search.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void PathSearch::Begin(const Topology& topology, Arena& scratch, bool avoids_throttled) {
    topology_ = &topology;
    switches_ = topology.switches_by_guid();
    const std::size_t vertices = switches_.size() + 1;
    std::size_t links = 0;
    for (const SwitchIndex at : switches_) {
        links += topology.trunks(at).size();
    }
    links_ = scratch.Take<Link>(links);
    heap_ = scratch.Take<Place>(vertices);
    best_ = scratch.Take<Weight>(vertices);
    first_ = scratch.Take<std::uint32_t>(vertices + 1);
    lids_ = scratch.Take<std::uint32_t>(vertices);
    used_ = scratch.Take<std::uint32_t>(vertices);
    where_ = scratch.Take<std::uint32_t>(vertices);
    vertex_ = scratch.Take<Vertex>(topology.switch_bound());
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        vertex_[Raw(switches_[i])] = static_cast<Vertex>(i + 1);
    }
    CountLids();
    AddLinks(avoids_throttled, first_weight_);
}

/// More than a path over all switches carries; a path of many such links is still no dead end.
void PathSearch::TakeThrottled() {
    const Weight vertices = switches_.size() + 1;
    AddLinks(false, std::min(2 * vertices * first_weight_, kFar / (2 * vertices)));
}

/// Ports of routers are not among the LIDs that OpenSM's first weight is made of.
void PathSearch::CountLids() {
    Weight all = 0;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        // End ports that have no LID count as one.
        lids_[i + 1] = topology_->switch_row(switches_[i]).end_port_count;
    }
    for (const Destination& row : topology_->destinations()) {
        if (!row.is_router) all += row.lid_count();
        if (row.at == kNoSwitch) continue;
        lids_[vertex_[Raw(row.at)]] += row.lid_count() - (row.is_switch() ? 0 : 1);
    }
    first_weight_ = all * all;
}

void PathSearch::AddLinks(bool leaves_out, Weight throttled) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        const auto from = static_cast<Vertex>(i + 1);
        first_[from] = count;
        for (const Trunk& trunk : topology_->trunks(switches_[i])) {
            const bool is_throttled = topology_->exit(switches_[i], trunk.port).is_throttled;
            if (is_throttled && leaves_out) continue;
            links_[count++] = {.weight = is_throttled ? throttled : first_weight_,
                               .from = from,
                               .to = vertex_[Raw(trunk.peer)],
                               .to_port = Raw(trunk.peer_port)};
        }
    }
    first_[switches_.size() + 1] = count;
}

void PathSearch::FillHeap(bool with_host) {
    std::fill(best_.begin(), best_.end(), kFar);
    std::fill(used_.begin(), used_.end(), kNoLink);
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        PutAt(i, {kFar, static_cast<Vertex>(i + 1)});
    }
    if (with_host) PutAt(switches_.size(), {kFar, kHost});
    count_ = size_ = switches_.size() + (with_host ? 1 : 0);
}

void PathSearch::Run(const Destination& destination) {
    EMBER_ASSERT(destination.at != kNoSwitch);
    home_ = destination.at;
    home_port_ = destination.port;
    const Vertex home = vertex_[Raw(home_)];
    FillHeap(!destination.is_switch());
    reached_ = 0;
    Lower(destination.is_switch() ? home : kHost, 0);
    while (count_ > 0) {
        const Place nearest = TakeNearest();
        best_[nearest.vertex] = 0;
        if (nearest.distance >= kFar) continue;
        if (nearest.vertex != kHost) {
            ++reached_;
            Leave(nearest);
            continue;
        }
        used_[home] = kHomeLink;
        Lower(home, 1);
    }
}

/// Looks at the links out of a switch.
void PathSearch::Leave(const Place& place) {
    const std::uint32_t end = first_[place.vertex + std::size_t{1}];
    for (std::uint32_t i = first_[place.vertex]; i < end; ++i) {
        const Link& link = links_[i];
        const Weight distance = place.distance + link.weight;
        if (distance >= best_[link.to]) continue;
        used_[link.to] = i;
        Lower(link.to, distance);
    }
}

/// Lets a vertex rise to where its new distance belongs. Equals stay below.
void PathSearch::Lower(Vertex vertex, Weight distance) {
    best_[vertex] = distance;
    std::size_t at = where_[vertex];
    while (at > 0) {
        const std::size_t parent = (at - 1) / kBranches;
        if (distance >= heap_[parent].distance) break;
        PutAt(at, heap_[parent]);
        at = parent;
    }
    PutAt(at, {distance, vertex});
}

PathSearch::Place PathSearch::TakeNearest() {
    EMBER_ASSERT(count_ > 0);
    const Place nearest = heap_[0];
    --count_;
    if (count_ == 0) return nearest;
    PutAt(0, heap_[count_]);
    PutAt(count_, nearest);
    SinkRoot();
    return nearest;
}

void PathSearch::SinkRoot() {
    const Place sinking = heap_[0];
    std::size_t at = 0;
    while (at * kBranches + 1 < count_) {
        const std::size_t first = at * kBranches + 1;
        const std::size_t end = std::min(first + kBranches, count_);
        std::size_t least = first;
        for (std::size_t child = first + 1; child < end; ++child) {
            if (heap_[child].distance <= heap_[least].distance) least = child;
        }
        if (sinking.distance <= heap_[least].distance) break;
        PutAt(at, heap_[least]);
        at = least;
    }
    PutAt(at, sinking);
}

/// From the farthest switch on, each hands what it and those behind it send to the next one. The
/// sums stand where the distances stood.
void PathSearch::CountPaths() {
    std::copy(lids_.begin(), lids_.end(), best_.begin());
    for (std::size_t i = 0; i < size_; ++i) {
        const Vertex at = heap_[i].vertex;
        if (used_[at] >= kHomeLink) continue;
        Link& link = links_[used_[at]];
        link.weight += best_[at];
        best_[link.from] += best_[at];
    }
}

SwitchIndex PathSearch::unreached() const {
    const Vertex home = vertex_[Raw(home_)];
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        if (i + 1 != home && used_[i + 1] == kNoLink) return switches_[i];
    }
    return kNoSwitch;
}

}  // namespace ember
