// SPDX-License-Identifier: Apache-2.0
// EmberSM: the seam at which a test lies in the name of simulated agents.
#pragma once

#include <cstdint>

#include "core/wire/mad.h"

namespace ember::sim {

/// The say that a test has in the agents of nodes of its choice. FabricSim asks it about every
/// request that an agent gets; `node` is the number of the node in the netlist. A liar draws from a
/// seed of its own, so that a run stays a function of its seeds.
class Liar {
public:
    /// The deed of an agent on a request, before anything is answered.
    enum class Deed : std::uint8_t {
        kAct,   ///< As an honest one: a Set takes effect, a Get is read.
        kSham,  ///< Nothing. The answer begins as the request's own data with status 0.
        kDeaf,  ///< Nothing, and nothing is answered.
    };
    virtual Deed Meet(std::uint32_t node, const Mad& asked) {
        static_cast<void>(node);
        static_cast<void>(asked);
        return Deed::kAct;
    }
    /// `answer` is what goes back unless it is changed here; its direction bit is set later. False:
    /// nothing goes back, though the deed is done.
    virtual bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) = 0;
    /// A directed request came to `node` and wants to go on where there is no way: through a CA, or
    /// by a port of a switch that has no link. True: `answer`, which begins as the request's own
    /// data with status 0, comes back as if a node out there had spoken.
    virtual bool AnswerBeyond(std::uint32_t node, const Mad& asked, Mad& answer) {
        static_cast<void>(node);
        static_cast<void>(asked);
        static_cast<void>(answer);
        return false;
    }

protected:
    ~Liar() = default;
};

}  // namespace ember::sim
