// SPDX-License-Identifier: Apache-2.0
// EmberSM: how time passes on a simulated fabric.
#pragma once

#include <cstdint>
#include <poll.h>
#include <span>

#include "platform/linux/process/main_loop.h"
#include "platform/sim/fabric_sim.h"

namespace ember {

/// Virtual time, in a hurry at first: while the subnet comes up, waiting costs nothing and the next
/// event simply happens. Once calm, virtual time keeps pace with the machine's clock, so that an
/// operator can watch a subnet that lives.
class SimWaiting final : public Waiting {
public:
    explicit SimWaiting(sim::FabricSim& sim) : sim_(sim) {}
    void WaitUntil(std::uint64_t deadline_us, std::uint64_t gather_us,
                   std::span<pollfd> descriptors) override;

    /// From now on keep pace with the machine's clock.
    void KeepPace();

private:
    sim::FabricSim& sim_;
    bool keeps_pace_ = false;
    std::uint64_t host_began_us_ = 0;
    std::uint64_t sim_began_us_ = 0;
    std::uint64_t others_due_us_ = 0;  ///< When descriptors are looked at again, by the host.
};

}  // namespace ember
