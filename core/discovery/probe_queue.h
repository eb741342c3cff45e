// SPDX-License-Identifier: Apache-2.0
// EmberSM: the questions that a sweep has yet to ask.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/ring.h"
#include "core/base/time.h"
#include "core/discovery/probe.h"
#include "core/discovery/sweep_outcome.h"

namespace ember {

/// Questions in the order in which they are asked, and those that wait until all others were: to
/// cross a crowded exit, or one behind which a known node's place is claimed.
class ProbeQueue {
public:
    /// Octets that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Probe>(ProbesFor(limits)) + Arena::BytesFor<Probe>(limits.max_ports);
    }

    /// A queue that is full leaves `outcome` unsettled.
    ProbeQueue(const Limits& limits, SweepOutcome& outcome)
        : outcome_(outcome), most_probes_(ProbesFor(limits)), most_waiting_(limits.max_ports) {}
    ProbeQueue(const ProbeQueue&) = delete;
    ProbeQueue& operator=(const ProbeQueue&) = delete;

    void Begin(Arena& scratch);
    /// Gives up all questions, and forgets the arena.
    void End();
    void Clear();

    void Queue(Probe::Kind kind, PortIndex port, std::uint8_t cursor = 0, std::uint8_t turn = 0);
    /// Puts a probe off until all others were asked.
    void Wait(const Probe& probe);
    /// No question is left, and none waits.
    [[nodiscard]] bool empty() const { return probes_.empty() && waiting_.empty(); }
    [[nodiscard]] bool has_waiting() const { return !waiting_.empty(); }
    [[nodiscard]] bool has_next() const { return !probes_.empty(); }
    /// Asserts has_next().
    [[nodiscard]] Probe Pop() { return probes_.Pop(); }
    /// Queues those that wait when no other is left. A crowded exit is crossed soon. A claim waits
    /// until every question was answered or has timed out, as the claimed node may be among the
    /// last. Returns true when crowded exits are crossed now, and shall have larger shares.
    [[nodiscard]] bool TakeUpWaiting(std::uint32_t in_flight, std::uint64_t now_us);
    /// When TakeUpWaiting() has work without an answer; kNever: not by time alone.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return wider_at_us_; }

private:
    // A port is crossed and asked once each, plus once more after a conflict; a node is asked for
    // its description and, a switch, for its SwitchInfo and its run of ports.
    [[nodiscard]] static constexpr std::size_t ProbesFor(const Limits& limits) {
        return std::size_t{limits.max_ports} * 2 + std::size_t{limits.max_nodes} * 3;
    }

    SweepOutcome& outcome_;
    std::size_t most_probes_;
    std::size_t most_waiting_;
    Ring<Probe> probes_;
    Ring<Probe> waiting_;
    std::size_t claims_waiting_ = 0;      ///< Claims among these.
    std::uint64_t wider_at_us_ = kNever;  ///< When crowded exits get larger shares.
};

}  // namespace ember
