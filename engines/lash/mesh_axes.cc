// SPDX-License-Identifier: Apache-2.0
// EmberSM: along which axis of a mesh each link leads.

#include "engines/lash/mesh_axes.h"

#include <algorithm>

namespace ember {
namespace {

/// Between neighbors in two dimensions: they are two sides of a square.
constexpr std::uint16_t kCorner = 2;
/// Neighbors on a line of which one can be told apart by its distance are no farther.
constexpr std::uint16_t kMostAcross = 4;
constexpr std::size_t kNone = ~std::size_t{0};

/// The links that face link `one`: no square has both.
struct Faces {
    std::size_t first = kNone;
    std::size_t count = 0;
};

Faces FacesOf(const NeighborDistances& distances, std::size_t one) {
    Faces facing;
    for (std::size_t i = 0; i < distances.count; ++i) {
        if (i == one || distances.of[one][i] == kCorner) continue;
        if (facing.count++ == 0) facing.first = i;
    }
    return facing;
}

std::size_t PlaceOf(std::span<const std::uint8_t> axes, std::uint8_t axis) {
    const auto found = std::find(axes.begin(), axes.end(), axis);
    return found == axes.end() ? kNone : static_cast<std::size_t>(found - axes.begin());
}

}  // namespace

void MeshAxes::Begin(const MeshNeighbors& neighbors, SwitchIndex seed, std::uint8_t dimensions,
                     Arena& scratch) {
    neighbors_ = &neighbors;
    seed_ = seed;
    news_ = 0;
    std::size_t links = 0;
    for (const SwitchIndex at : neighbors.topology().switches_by_guid()) {
        links += neighbors.topology().trunks(at).size();
    }
    axes_ = scratch.Take<std::uint8_t>(links);
    const auto axes = Of(seed);
    for (std::uint8_t d = 0; d < dimensions; ++d) {
        const std::size_t up = PlaceOf(axes, kNoAxis);
        if (up == kNone) return;
        axes[up] = static_cast<std::uint8_t>(2 * d + 1);
        for (std::size_t down = 0; down < axes.size(); ++down) {
            const bool is_corner = neighbors.distances(seed).of[up][down] == kCorner;
            if (axes[down] != kNoAxis || is_corner) continue;
            axes[down] = static_cast<std::uint8_t>(2 * d + 2);
            break;
        }
    }
}

std::span<std::uint8_t> MeshAxes::Of(SwitchIndex at) const {
    return axes_.subspan(neighbors_->topology().switch_row(at).first_trunk,
                         neighbors_->links(at).size());
}

/// As the seed has it: where a dimension has one link, that one's own axis.
std::uint8_t MeshAxes::Opposite(std::uint8_t axis) const {
    const auto axes = Of(seed_);
    const std::size_t place = PlaceOf(axes, axis);
    if (place == kNone) return axis;
    const Faces facing = FacesOf(neighbors_->distances(seed_), place);
    return facing.count == 0 ? axis : axes[facing.first];
}

std::uint8_t MeshAxes::Facing(SwitchIndex at, std::uint8_t axis) const {
    const auto axes = Of(at);
    const std::size_t place = PlaceOf(axes, axis);
    if (place == kNone || !neighbors_->HasDistances(at)) return axis;
    const auto facing = FacesOf(neighbors_->distances(at), place);
    if (facing.count == 0) return axis;
    return facing.count == 1 ? axes[facing.first] : Opposite(axis);
}

std::size_t MeshAxes::Apply(Rule rule, SwitchIndex at) {
    if (!neighbors_->HasDistances(at)) return 1;
    switch (rule) {
        case Rule::kAcross:
            return Across(at);
        case Rule::kBack:
            return Back(at);
        case Rule::kCorners:
            return Corners(at);
    }
    return 1;
}

void MeshAxes::Label(std::uint8_t& axis, std::uint8_t label) {
    if (axis != kNoAxis) return;
    axis = label;
    ++news_;
}

std::size_t MeshAxes::Across(SwitchIndex at) {
    const auto axes = Of(at);
    const NeighborDistances& distances = neighbors_->distances(at);
    const bool is_chain = axes.size() <= 2 && axes.size() < Of(seed_).size();
    if (is_chain) return 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == kNoAxis) continue;
        const auto facing = FacesOf(distances, i);
        if (facing.count != 1 || distances.of[i][facing.first] > kMostAcross) continue;
        Label(axes[facing.first], Opposite(axes[i]));
    }
    return 1 + axes.size() * axes.size();
}

std::size_t MeshAxes::Back(SwitchIndex at) {
    const auto axes = Of(at);
    const auto links = neighbors_->links(at);
    std::size_t steps = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == kNoAxis || !neighbors_->HasDistances(links[i].peer)) continue;
        const auto back = neighbors_->links(links[i].peer);
        for (std::size_t j = 0; j < back.size(); ++j) {
            if (back[j].peer == at) Label(Of(links[i].peer)[j], Opposite(axes[i]));
        }
        steps += back.size();
    }
    return steps;
}

std::size_t MeshAxes::Corners(SwitchIndex at) {
    const auto axes = Of(at);
    const NeighborDistances& distances = neighbors_->distances(at);
    std::size_t steps = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        for (std::size_t j = 0; j < axes.size(); ++j) {
            const bool are_labeled = axes[i] != kNoAxis && axes[j] != kNoAxis;
            if (i == j || !are_labeled || distances.of[i][j] != kCorner) continue;
            steps += Corner(at, i, j);
        }
    }
    return steps;
}

/// Completes the first square over two links of a switch.
std::size_t MeshAxes::Corner(SwitchIndex at, std::size_t one, std::size_t other) {
    const SwitchIndex beside = neighbors_->links(at)[one].peer;
    const SwitchIndex above = neighbors_->links(at)[other].peer;
    const auto from_beside = neighbors_->links(beside);
    const auto from_above = neighbors_->links(above);
    for (std::size_t k = 0; k < from_beside.size(); ++k) {
        if (from_beside[k].peer == at) continue;
        for (std::size_t l = 0; l < from_above.size(); ++l) {
            if (from_above[l].peer != from_beside[k].peer) continue;
            Label(Of(beside)[k], Of(at)[other]);
            Label(Of(above)[l], Of(at)[one]);
            return (k + 1) * from_above.size();
        }
    }
    return from_beside.size() * from_above.size();
}

}  // namespace ember
