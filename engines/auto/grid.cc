// SPDX-License-Identifier: Apache-2.0
// EmberSM: where switches stand on a grid that no file describes.

#include "engines/auto/grid.h"

#include <algorithm>

#include "core/base/assert.h"
#include "engines/auto/link_kinds.h"

namespace ember {

void Grid::Begin(const Topology& topology, Arena& scratch) {
    topology_ = &topology;
    const std::size_t bound = topology.switch_bound();
    links_.Begin(topology, scratch);
    parents_ = scratch.Take<std::uint32_t>(GridLinks::PlacesFor(bound));
    dimension_ = scratch.Take<std::uint8_t>(GridLinks::PlacesFor(bound));
    places_ = scratch.Take<std::uint8_t>(bound * kMostDimensions);
    class_of_ = scratch.Take<std::uint16_t>(kMostClasses);
    meet_ = BitSet(scratch.Take<std::uint64_t>(BitSet::WordsFor(kMostClasses * kMostClasses)));
    layer_ = scratch.Take<std::uint16_t>(bound);
    queue_ = scratch.Take<SwitchIndex>(bound);
    at_ = scratch.Take<SwitchIndex>(kMostPlacesEach * bound);
    missing_ = MissingLinks();
    trials_ = 0;
    holes_ = 0;
    is_grid_ = false;
    Start({});
}

/// As if two switches were neighbors that are not.
void Grid::Start(const GridLinks::Pair& supposed) {
    links_.Restart(supposed);
    for (std::size_t place = 0; place < parents_.size(); ++place) {
        parents_[place] = static_cast<std::uint32_t>(place);
    }
    meet_.clear();
    dimension_count_ = 0;
    class_count_ = 0;
    next_ = 0;
    phase_ = Phase::kNeighbors;
}

/// Does `work` for some switches as long as it returns true. False: it did not.
template <typename Work>
bool Grid::ForSome(const Work& work) {
    const auto switches = topology_->switches_by_guid();
    const std::size_t end = std::min(switches.size(), next_ + kSwitchesPerSlice);
    for (; next_ < end; ++next_) {
        if (!work(switches[next_])) return false;
    }
    return true;
}

/// A slice of a phase. False: this is no grid.
bool Grid::DoSlice() {
    switch (phase_) {
        case Phase::kNeighbors:
            return ForSome([this](SwitchIndex at) { return links_.Collect(at); });
        case Phase::kSquares:
            return ForSome([this](SwitchIndex at) { return UniteSquares(at); });
        case Phase::kClasses:
            next_ = topology_->switch_count();
            return NumberClasses();
        case Phase::kGaps:
            return ForSome([this](SwitchIndex at) { return missing_.Look(links_, at); });
        case Phase::kMeetings:
            return ForSome([this](SwitchIndex at) { return NoteMeetings(at); });
        case Phase::kLines:
            return ForSome([this](SwitchIndex at) { return UniteLines(at); });
        case Phase::kLayers:
            return FindLayers(next_++);
    }
    return false;
}

Progress Grid::Advance() {
    if (!DoSlice()) return TryOn() ? Progress::kMore : Progress::kDone;
    const std::size_t steps =
        phase_ == Phase::kLayers ? dimension_count_ : topology_->switch_count();
    if (next_ < steps) return Progress::kMore;
    if (phase_ == Phase::kGaps) return TryNext() ? Progress::kMore : Progress::kDone;
    const bool is_placed = phase_ == Phase::kLayers && PlaceAll();
    const bool goes_on = phase_ == Phase::kLines ? NumberDimensions() : phase_ != Phase::kLayers;
    if (is_placed) {
        links_.DropSupposed();
        is_grid_ = true;
        return Progress::kDone;
    }
    if (!goes_on) return TryOn() ? Progress::kMore : Progress::kDone;
    phase_ = static_cast<Phase>(Raw(phase_) + 1);
    next_ = 0;
    return Progress::kMore;
}

/// After it came out as no grid: whether a link may be missing. Where links of a switch are too
/// many, or too close, none is.
bool Grid::TryOn() {
    if (phase_ == Phase::kGaps) return false;
    if (trials_ > 0) return TryNext();
    if (phase_ <= Phase::kSquares) return false;
    phase_ = Phase::kGaps;
    next_ = 0;
    return true;
}

/// Looks once more, as if the next of the links that may be missing were there.
bool Grid::TryNext() {
    const GridLinks::Pair supposed = missing_.Take();
    if (supposed.one == kNoSwitch || trials_ == kMostTrials) return false;
    ++trials_;
    Start(supposed);
    return true;
}

std::uint32_t Grid::Root(std::uint32_t link) const {
    while ((parents_[link] & kNumbered) == 0 && parents_[link] != link) {  // Roots come nearer.
        link = parents_[link];
    }
    return link;
}

void Grid::Unite(std::uint32_t one, std::uint32_t other) {
    const std::uint32_t root = Root(one);
    const std::uint32_t other_root = Root(other);
    const std::uint32_t first = std::min(root, other_root);
    parents_[root] = parents_[other_root] = first;
    parents_[one] = parents_[other] = first;  // Shortens the way for those that come.
}

std::uint16_t Grid::ClassRoot(std::uint16_t one) const {
    while (class_of_[one] != one) {  // Roots have the least number.
        one = class_of_[one];
    }
    return one;
}

/// False: two links are opposite in no one way.
bool Grid::UniteSquares(SwitchIndex at) {
    const auto all = neighbors(at);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const GridLinks::Square square = links_.Study(at, all[i], all[j]);
            if (square.corner == GridLinks::Corner::kTangle) return false;
            if (square.corner == GridLinks::Corner::kTriangle)
                Unite(links_.LinkOf(at, all[i]), links_.LinkOf(at, all[j]));
            if (square.corner != GridLinks::Corner::kSquare) continue;
            Unite(links_.LinkOf(at, all[i]), links_.LinkOf(all[j], square.fourth));
            Unite(links_.LinkOf(at, all[j]), links_.LinkOf(all[i], square.fourth));
        }
    }
    return true;
}

/// Each place in links_ gets the class of its link. False: there are too many.
bool Grid::NumberClasses() {
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        for (const SwitchIndex peer : neighbors(at)) {
            const std::uint32_t root = Root(links_.LinkOf(at, peer));
            if ((parents_[root] & kNumbered) != 0) continue;
            if (class_count_ == kMostClasses) return false;
            class_of_[class_count_] = static_cast<std::uint16_t>(class_count_);
            parents_[root] = kNumbered | static_cast<std::uint32_t>(class_count_++);
        }
    }
    return class_count_ > 0;
}

/// Which classes form squares. True.
bool Grid::NoteMeetings(SwitchIndex at) {
    const auto all = neighbors(at);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (links_.Study(at, all[i], all[j]).corner != GridLinks::Corner::kSquare) continue;
            const std::size_t one = ClassOf(at, i);
            const std::size_t other = ClassOf(at, j);
            meet_.Add(one * kMostClasses + other);
            meet_.Add(other * kMostClasses + one);
        }
    }
    return true;
}

/// Joins classes that go on in each other at this switch. True.
bool Grid::UniteLines(SwitchIndex at) {
    std::array<std::uint16_t, GridLinks::kMostNeighbors> classes{};
    const auto all = neighbors(at);
    for (std::size_t i = 0; i < all.size(); ++i) {
        classes[i] = ClassOf(at, i);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t found = all.size();
        std::size_t ways = 0;
        for (std::size_t j = 0; j < all.size(); ++j) {
            const bool goes_on =
                classes[j] != classes[i] && !meet_.Has(classes[i] * kMostClasses + classes[j]);
            if (!goes_on) continue;
            found = j;
            ++ways;
        }
        if (ways != 1) continue;
        const std::uint16_t one = ClassRoot(classes[i]);
        const std::uint16_t other = ClassRoot(classes[found]);
        class_of_[std::max(one, other)] = std::min(one, other);
    }
    return true;
}

/// The class of the link to the i-th neighbor.
std::uint16_t Grid::ClassOf(SwitchIndex at, std::size_t i) const {
    return static_cast<std::uint16_t>(parents_[Root(links_.LinkOf(at, neighbors(at)[i]))] &
                                      ~kNumbered);
}

/// Each place in links_ gets the dimension of its link. False: there are too many.
bool Grid::NumberDimensions() {
    std::array<std::uint16_t, kMostDimensions> roots{};
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        for (std::size_t i = 0; i < neighbors(at).size(); ++i) {
            const std::uint16_t root = ClassRoot(ClassOf(at, i));
            const auto known = std::span(roots).first(dimension_count_);
            const auto number = static_cast<std::size_t>(
                std::find(known.begin(), known.end(), root) - known.begin());
            if (number == kMostDimensions) return false;
            if (number == dimension_count_) roots[dimension_count_++] = root;
            dimension_[GridLinks::PlaceOf(at, i)] = static_cast<std::uint8_t>(number);
        }
    }
    OrderDimensions();
    return true;
}

/// So that they are the same, and service levels of paths with them, when a link is lost.
void Grid::OrderDimensions() {
    LinkKinds<kMostDimensions> kinds;
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        for (const Trunk& trunk : topology_->trunks(at)) {
            kinds.Note(DimensionOf(at, trunk.peer), Raw(trunk.port));
        }
    }
    const auto places = kinds.Places(dimension_count_);
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        const auto own = dimension_.subspan(GridLinks::PlaceOf(at, 0), neighbors(at).size());
        for (std::uint8_t& one : own)
            one = places[one];
    }
}

bool Grid::FindLayers(std::size_t dimension) {
    const auto number = static_cast<std::uint8_t>(dimension);
    const std::size_t layers = FloodLayers(number);
    return layers >= 2 && layers <= kMostLayers && LineUp(number, layers);
}

/// Numbers what is left connected without the links of a dimension. Returns how many such layers
/// there are, or a number above kMostLayers.
std::size_t Grid::FloodLayers(std::uint8_t dimension) {
    std::fill(layer_.begin(), layer_.end(), kNoLayer);
    std::size_t layers = 0;
    for (const SwitchIndex root : topology_->switches_by_guid()) {
        if (layer_[Raw(root)] != kNoLayer) continue;
        if (layers == kMostLayers) return kMostLayers + 1;
        Flood(root, dimension, static_cast<std::uint16_t>(layers++));
    }
    return layers;
}

void Grid::Flood(SwitchIndex root, std::uint8_t dimension, std::uint16_t layer) {
    std::size_t tail = 0;
    queue_[tail++] = root;
    layer_[Raw(root)] = layer;
    for (std::size_t head = 0; head < tail; ++head) {  // Each switch joins once.
        const SwitchIndex here = queue_[head];
        const auto all = neighbors(here);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool crosses = dimension_[GridLinks::PlaceOf(here, i)] == dimension;
            if (crosses || layer_[Raw(all[i])] != kNoLayer) continue;
            layer_[Raw(all[i])] = layer;
            queue_[tail++] = all[i];
        }
    }
}

/// Which layers are next to each. False: one has more than two.
bool Grid::FindNextLayers(std::uint8_t dimension, NextLayers& next) const {
    for (auto& pair : next) {
        pair.fill(kNone);
    }
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        const auto all = neighbors(at);
        auto& [one, other] = next[layer_[Raw(at)]];
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto to = static_cast<std::uint8_t>(layer_[Raw(all[i])]);
            const bool crosses = dimension_[GridLinks::PlaceOf(at, i)] == dimension;
            if (!crosses || to == one || to == other) continue;
            if (to == layer_[Raw(at)] || other != kNone) return false;
            (one == kNone ? one : other) = to;
        }
    }
    return true;
}

/// Puts layers in a row or ring and numbers the places of switches accordingly. A ring begins with
/// the layer of the first switch by GUID, a row with one of its ends. False: they form neither.
bool Grid::LineUp(std::uint8_t dimension, std::size_t layers) {
    NextLayers next;
    if (!FindNextLayers(dimension, next)) return false;
    std::size_t first = 0;
    while (first < layers && next[first][1] != kNone) {
        ++first;
    }
    const bool is_ring = first == layers;
    std::array<std::uint8_t, kMostLayers> numbers{};
    numbers.fill(kNone);
    std::size_t count = 0;
    std::size_t here = is_ring ? 0 : first;
    while (here != kNone && numbers[here] == kNone) {  // Each layer is numbered once.
        numbers[here] = static_cast<std::uint8_t>(count++);
        const auto [one, other] = next[here];
        const bool takes_one = one != kNone && numbers[one] == kNone &&
                               (other == kNone || numbers[other] != kNone || one < other);
        here = takes_one ? one : other;
    }
    if (count != layers) return false;
    dimensions_[dimension] = {static_cast<std::uint8_t>(layers), is_ring};
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        places_[Raw(at) * kMostDimensions + dimension] = numbers[layer_[Raw(at)]];
    }
    return true;
}

/// False: two switches have one place, or the grid has far more places than there are switches;
/// with a link that is only supposed, any more.
bool Grid::PlaceAll() {
    std::size_t count = 1;
    for (const Dimension& dimension : dimensions()) {
        count *= dimension.radix;
        if (count > at_.size()) return false;
    }
    std::fill(at_.begin(), at_.end(), kNoSwitch);
    for (const SwitchIndex at : topology_->switches_by_guid()) {
        SwitchIndex& here = at_[PlaceIndex(at)];
        if (here != kNoSwitch) return false;
        here = at;
    }
    holes_ = count - topology_->switch_count();
    return trials_ == 0 || holes_ == 0;
}

std::size_t Grid::PlaceIndex(SwitchIndex at) const {
    std::size_t index = 0;
    for (std::size_t d = dimension_count_; d > 0; --d) {
        index = index * dimensions_[d - 1].radix + place(at, d - 1);
    }
    return index;
}

std::uint8_t Grid::DimensionOf(SwitchIndex from, SwitchIndex to) const {
    EMBER_ASSERT(links_.AreNeighbors(from, to));
    return dimension_[GridLinks::PlaceOf(from, links_.IndexOf(from, to))];
}

Grid::Heading Grid::HeadingTo(SwitchIndex from, SwitchIndex to) const {
    const std::uint8_t dimension = DimensionOf(from, to);
    const std::uint8_t here = place(from, dimension);
    const std::uint8_t there = place(to, dimension);
    const Dimension& row = dimensions_[dimension];
    return {dimension, row.is_ring ? there == (here + 1U) % row.radix : there > here};
}

SwitchIndex Grid::Next(SwitchIndex at, std::size_t dimension, bool is_up) const {
    const Dimension& row = dimensions_[dimension];
    const unsigned here = place(at, dimension);
    const unsigned there = is_up ? here + 1U : here + row.radix - 1U;
    const bool is_open = is_up ? here + 1U == row.radix : here == 0;
    if (is_open && !row.is_ring) return kNoSwitch;
    const auto all = neighbors(at);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (dimension_[GridLinks::PlaceOf(at, i)] != dimension) continue;
        if (place(all[i], dimension) == there % row.radix) return all[i];
    }
    return kNoSwitch;
}

SwitchIndex Grid::Moved(SwitchIndex at, std::size_t dimension, std::uint8_t to) const {
    std::size_t step = 1;
    for (std::size_t d = 0; d < dimension; ++d) {
        step *= dimensions_[d].radix;
    }
    return at_[PlaceIndex(at) - place(at, dimension) * step + to * step];
}

}  // namespace ember
