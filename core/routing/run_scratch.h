// SPDX-License-Identifier: Apache-2.0
// EmberSM: the scratch memory of a routing run.
#pragma once

#include <cstddef>

#include "core/base/arena.h"

namespace ember {

/// The scratch memory of a run of Router, which is a stack: the topology, what is known of the run
/// before, and on top of both the work at hand. A new phase takes the place of the one before
/// (Rewind()); when routes are made anew, what is known of the run before gives its place too.
class RunScratch {
public:
    /// From where `arena` stands.
    void Begin(Arena& arena) {
        arena_ = &arena;
        begin_ = topology_end_ = floor_ = arena.used_bytes();
    }
    /// The topology has been taken. What is known of the run before is taken next.
    void EndTopology() { topology_end_ = floor_ = arena_->used_bytes(); }
    /// All that is known of the run before has been taken.
    void EndBefore() { floor_ = arena_->used_bytes(); }
    /// From the next Rewind() on, work is done where it was.
    void ForgetBefore() { floor_ = topology_end_; }

    /// Gives back what was taken for the work at hand.
    void Rewind() { arena_->Rewind(floor_); }
    /// Gives back all that the run took.
    void GiveBack() { arena_->Rewind(begin_); }

    [[nodiscard]] Arena& arena() const { return *arena_; }
    /// Where the work at hand begins.
    [[nodiscard]] std::size_t floor() const { return floor_; }
    /// Octets for a work that needs the topology alone.
    [[nodiscard]] std::size_t room_behind_topology() const {
        return arena_->size_bytes() - topology_end_;
    }
    /// Octets for the work at hand.
    [[nodiscard]] std::size_t room() const { return arena_->size_bytes() - floor_; }

private:
    Arena* arena_ = nullptr;
    std::size_t begin_ = 0;
    std::size_t topology_end_ = 0;
    std::size_t floor_ = 0;
};

}  // namespace ember
