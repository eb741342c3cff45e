// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the surroundings of a switch of a mesh or torus look like.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engines/lash/characteristic_polynomial.h"

namespace ember {

/// The meshes and tori that OpenSM knows by what a switch sees around it: of one to eight
/// dimensions, each of them one link (at the edge of a mesh), or two whose ends are 1, 3 or 4 apart
/// (a ring of 3, of 5, anything longer). A ring of 4 looks like two dimensions of one link each.
class MeshShapes {
public:
    void Begin() { count_ = number_ = 0; }
    /// Computes some of them. False: these were the last.
    [[nodiscard]] bool ComputeNext();
    /// Dimensions of the mesh in which a switch sees this; 0: it is none.
    [[nodiscard]] std::uint8_t DimensionsOf(const Polynomial& polynomial) const;

private:
    static constexpr std::size_t kShapes = 100;
    static constexpr std::size_t kShapesPerSlice = 25;

    struct Shape {
        Polynomial polynomial;
        std::uint8_t dimensions = 0;
    };

    std::array<Shape, kShapes> shapes_{};
    std::size_t count_ = 0;
    std::uint32_t number_ = 0;  ///< Where the search for the next one goes on.
};

}  // namespace ember
