// SPDX-License-Identifier: Apache-2.0
// EmberSM: what can go wrong in a simulated fabric, and how long things take there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ember::sim {

/// A chance of one in a hundred, in the unit of Faults.
inline constexpr std::uint32_t kPercent = 10'000;

/// Chance, by seed. Rates are per million datagrams and way: a request and its answer are two ways.
struct Faults {
    std::uint64_t seed = 1;
    std::uint32_t loss = 0;         ///< Datagrams that vanish.
    std::uint32_t duplication = 0;  ///< Datagrams that arrive twice.
    /// Datagrams of which 1 to 8 octets change. A real link drops those (VCRC), and so do the
    /// agents here, for a changed Set could lock a port for ever with an unknown M_Key.
    /// Datagrams for a subnet manager arrive changed, to see what it makes of them. Its answers to
    /// clients do not: a client would believe what it was not told.
    std::uint32_t corruption = 0;
    std::uint32_t jitter_ns = 0;  ///< Up to this much longer, so that datagrams overtake.
    std::uint32_t busy = 0;       ///< Calls of MadPort::Send() that are answered kBusy.
};

/// How long things take.
struct Timing {
    /// Answers are there when Send() returns: no virtual time passes, no fault by chance happens.
    bool instant = false;
    std::uint32_t hop_ns = 500;      ///< A switch or a cable's length.
    std::uint32_t agent_ns = 5'000;  ///< An agent's work on one request; it does one at a time.
    /// Requests that may wait for one agent; more are dropped, as VL15 does. 0: any number.
    std::uint32_t agent_backlog = 0;
    std::uint64_t training_ns = 20'000'000;        ///< From plugged in to INITIALIZE.
    std::uint64_t trap_resend_ns = 1'000'000'000;  ///< Until an unrepressed trap is sent again.
    std::uint32_t trap_tries = 10;
};

/// Sizes of queues, taken once when the simulator is built.
struct Capacity {
    std::size_t packets = 20'000;  ///< Datagrams under way.
    std::size_t inbox = 5'000;     ///< Datagrams that wait for one subnet manager.
    std::size_t scheduled_faults = 4'096;
};

}  // namespace ember::sim
