// SPDX-License-Identifier: Apache-2.0
// EmberSM: the order in which lash looks at a mesh or torus.

#include "engines/lash/mesh_analysis.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"

namespace ember {
namespace {

/// As OpenSM compares: what has no place is INT_MAX, and the difference to less than 0 overflows.
std::int32_t Difference(std::int32_t one, std::int32_t other) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(one) -
                                     static_cast<std::uint32_t>(other));
}

std::int32_t Magnitude(std::int32_t value) {
    return value < 0 ? -value : value;
}

}  // namespace

void MeshAnalysis::Begin(const Topology& topology, std::span<SwitchIndex> switches,
                         Arena& scratch) {
    topology_ = &topology;
    scratch_ = &scratch;
    phase_ = Phase::kCollect;
    next_ = 0;
    std::size_t links = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        links += topology.trunks(at).size();
    }
    links_ = scratch.Take<Trunk>(links);
    switches_ = switches.first(topology.switch_count());
    const auto by_guid = topology.switches_by_guid();
    std::copy(by_guid.begin(), by_guid.end(), switches_.begin());
    order_ = {.switches = switches_, .shares_links = true};
    merged_ = scratch.Take<SwitchIndex>(topology.switch_count());
    shapes_.Begin();
    has_shapes_ = false;
    neighbors_.Begin(topology, scratch);
    polynomials_ = scratch.Take<Polynomial>(topology.switch_bound());
    dimensions_of_ = scratch.Take<std::uint8_t>(topology.switch_bound());
    class_ = scratch.Take<SwitchIndex>(topology.switch_count());
    class_count_ = scratch.Take<std::uint32_t>(topology.switch_count());
    classes_ = 0;
}

Progress MeshAnalysis::Advance() {
    if (!has_shapes_) {
        has_shapes_ = !shapes_.ComputeNext();
        return Progress::kMore;
    }
    const auto switches = topology_->switches_by_guid();
    for (std::size_t steps = 0; steps < kStepsPerSlice;) {
        if (next_ == switches.size()) {
            if (EndPhase()) return Progress::kDone;
            next_ = 0;
            ++steps;
            continue;
        }
        steps += DoNext(switches[next_++]);
    }
    return Progress::kMore;
}

std::size_t MeshAnalysis::DoNext(SwitchIndex at) {
    switch (phase_) {
        case Phase::kCollect:
            return neighbors_.Collect(at);
        case Phase::kMeasure: {
            const std::size_t steps = neighbors_.Measure(at);
            Study(at);
            constexpr std::size_t kStudySteps = 1000;
            return steps + kStudySteps;
        }
        case Phase::kClassify:
            return Classify(at);
        case Phase::kAcross:
            return axes_.Apply(MeshAxes::Rule::kAcross, at);
        case Phase::kBack:
            return axes_.Apply(MeshAxes::Rule::kBack, at);
        case Phase::kCorners:
            return axes_.Apply(MeshAxes::Rule::kCorners, at);
        case Phase::kPlace:
            return PlaceNeighbors(at);
        case Phase::kReorder:
            return Reorder(at);
    }
    return 1;
}

/// Goes on to the next phase. True: that was the last.
bool MeshAnalysis::EndPhase() {
    switch (phase_) {
        case Phase::kCollect:
            phase_ = Phase::kMeasure;
            return false;
        case Phase::kMeasure:
            phase_ = Phase::kClassify;
            return false;
        case Phase::kClassify:
            phase_ = Phase::kAcross;
            return !BeginAxes();
        case Phase::kAcross:
            phase_ = Phase::kBack;
            return false;
        case Phase::kBack:
            phase_ = Phase::kCorners;
            return false;
        case Phase::kCorners:
            phase_ = axes_.TakeNews() > 0 ? Phase::kAcross : Phase::kPlace;
            return false;
        case Phase::kPlace:
            if (std::exchange(news_, 0) > 0) return false;
            OrderDimensions();
            phase_ = Phase::kReorder;
            return false;
        case Phase::kReorder:
            SortSwitches();
            order_.trunks = links_;
            return true;
    }
    return true;
}

void MeshAnalysis::Study(SwitchIndex at) {
    if (!neighbors_.HasDistances(at)) return;
    polynomials_[Raw(at)] = CharacteristicPolynomial(neighbors_.distances(at));
    dimensions_of_[Raw(at)] = shapes_.DimensionsOf(polynomials_[Raw(at)]);
}

/// The switch seems to be in a mesh, and a neighbor has more links: the edge of a larger mesh.
bool MeshAnalysis::IsEdge(SwitchIndex at) const {
    const auto links = neighbors_.links(at);
    return dimensions_of_[Raw(at)] != 0 &&
           std::any_of(links.begin(), links.end(), [&](const Trunk& link) {
               return neighbors_.links(link.peer).size() > links.size();
           });
}

std::size_t MeshAnalysis::Classify(SwitchIndex at) {
    if (!neighbors_.HasDistances(at) || IsEdge(at)) return 1;
    std::size_t kind = 0;
    while (kind < classes_ && !(polynomials_[Raw(class_[kind])] == polynomials_[Raw(at)])) {
        ++kind;
    }
    if (kind == classes_) class_[classes_++] = at;
    ++class_count_[kind];
    return 1 + kind;
}

/// From the first switch of the kind that is most common. False: that is no mesh.
bool MeshAnalysis::BeginAxes() {
    if (classes_ == 0) return false;
    const auto counts = class_count_.first(classes_);
    const auto most = std::max_element(counts.begin(), counts.end());
    const SwitchIndex seed = class_[static_cast<std::size_t>(most - counts.begin())];
    dimensions_ = dimensions_of_[Raw(seed)];
    if (dimensions_ == 0) return false;
    axes_.Begin(neighbors_, seed, dimensions_, *scratch_);
    places_ = scratch_->Take<Place>(topology_->switch_bound());
    for (Place& place : places_) {
        place.fill(kUnplaced);
    }
    places_[Raw(seed)] = {};
    news_ = 0;
    return true;
}

std::size_t MeshAnalysis::PlaceNeighbors(SwitchIndex at) {
    const Place& place = places_[Raw(at)];
    if (place[0] == kUnplaced) return 1;
    const auto links = neighbors_.links(at);
    const auto axes = axes_.of(at);
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (axes[i] == MeshAxes::kNoAxis) continue;
        const std::size_t axis = axes[i] - std::size_t{1};
        Place neighbor = place;
        neighbor[axis / 2] += axis % 2 == 0 ? 1 : -1;
        TakePlace(links[i].peer, neighbor);
    }
    return 1 + links.size() * dimensions_;
}

/// A coordinate near 0 counts more than one farther away, and of two a positive one.
void MeshAnalysis::TakePlace(SwitchIndex at, const Place& place) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
        std::int32_t& value = places_[Raw(at)][d];
        const std::int32_t far = Magnitude(place[d]);
        const std::int32_t before = Magnitude(value);
        if (far > before || (far == before && place[d] <= value)) continue;
        value = place[d];
        ++news_;
    }
}

void MeshAnalysis::OrderDimensions() {
    std::array<std::int32_t, kMostDimensions> least{};
    std::array<std::int32_t, kMostDimensions> most{};
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        for (std::size_t d = 0; d < dimensions_; ++d) {
            const std::int32_t value = places_[Raw(at)][d];
            if (value == kUnplaced) continue;
            least[d] = std::min(least[d], value);
            most[d] = std::max(most[d], value);
        }
    }
    for (std::uint8_t d = 0; d < dimensions_; ++d) {
        std::size_t rank = d;
        const auto is_larger = [&](std::size_t other) {
            return most[d] - least[d] > most[other] - least[other];
        };
        for (; rank > 0 && is_larger(by_size_[rank - 1]); --rank) {
            by_size_[rank] = by_size_[rank - 1];
        }
        by_size_[rank] = d;
    }
}

/// Links by dimension; on the positive side those that lead down come first. The others stay in
/// their order behind.
std::size_t MeshAnalysis::Reorder(SwitchIndex at) {
    const auto links = neighbors_.links(at);
    const auto axes = axes_.of(at);
    const RoutingSwitch& row = topology_->switch_row(at);
    const auto ordered = links_.subspan(row.first_trunk, row.trunk_count);
    std::array<bool, 256> is_taken{};
    std::size_t count = 0;
    const auto take = [&](auto&& wants) {
        for (std::size_t i = 0; i < links.size(); ++i) {
            if (is_taken[i] || !wants(i)) continue;
            is_taken[i] = true;
            ordered[count++] = links[i];
        }
    };
    for (std::size_t i = 0; i < 2 * std::size_t{dimensions_}; ++i) {
        const std::size_t d = by_size_[i / 2];
        auto axis = static_cast<std::uint8_t>(2 * d + 1 + i % 2);
        if (places_[Raw(at)][d] > 0) axis = axes_.Facing(at, axis);
        take([&](std::size_t link) { return axes[link] == axis; });
    }
    take([](std::size_t /*link*/) { return true; });
    // Further cables to a neighbor make no difference to a tree.
    if (count > 0)
        std::fill(ordered.begin() + static_cast<std::ptrdiff_t>(count), ordered.end(), ordered[0]);
    return 1 + links.size() * (2 * std::size_t{dimensions_} + 1);
}

/// Not a strict order where places are missing. So the steps count: halves are sorted, then merged.
void MeshAnalysis::SortSwitches() {
    struct Half {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::uint8_t sorted = 0;  ///< Of its own halves.
    };
    constexpr std::size_t kMostHalves = 20;  // Halves of halves of at most 2^16 switches.
    std::array<Half, kMostHalves> open{};
    std::size_t depth = 0;
    open[depth++] = {.begin = 0, .end = switches_.size()};
    while (depth > 0) {
        EMBER_ASSERT(depth < kMostHalves);
        Half& half = open[depth - 1];
        const std::size_t middle = half.begin + (half.end - half.begin) / 2;
        if (half.end - half.begin < 2) {
            --depth;
        } else if (half.sorted == 2) {
            Merge(half.begin, middle, half.end);
            --depth;
        } else {
            const bool is_second = half.sorted++ == 1;
            open[depth++] = {.begin = is_second ? middle : half.begin,
                             .end = is_second ? half.end : middle};
        }
    }
}

void MeshAnalysis::Merge(std::size_t begin, std::size_t middle, std::size_t end) {
    std::size_t left = begin;
    std::size_t right = middle;
    for (std::size_t to = begin; to < end; ++to) {
        const bool takes_right =
            left == middle || (right < end && IsBehind(switches_[left], switches_[right]));
        merged_[to] = switches_[takes_right ? right++ : left++];
    }
    std::copy(merged_.begin() + static_cast<std::ptrdiff_t>(begin),
              merged_.begin() + static_cast<std::ptrdiff_t>(end),
              switches_.begin() + static_cast<std::ptrdiff_t>(begin));
}

bool MeshAnalysis::IsBehind(SwitchIndex one, SwitchIndex other) const {
    for (std::size_t i = 0; i < dimensions_; ++i) {
        const std::size_t d = by_size_[i];
        const std::int32_t difference = Difference(places_[Raw(one)][d], places_[Raw(other)][d]);
        if (difference != 0) return difference > 0;
    }
    return false;
}

}  // namespace ember
