// SPDX-License-Identifier: Apache-2.0
// EmberSM: simulated subnets for the rows of the table.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "config/netlist/topologies.h"
#include "core/wire/sa_mad.h"
#include "tests/support/sim_world.h"

namespace ember::acts {

using testing::kMs;
using testing::kSecond;
using testing::SimWorld;

/// A number, or an enumerator of the specification by its code.
template <typename Value>
[[nodiscard]] std::string Text(Value value) {
    return fmt::format("{}", static_cast<std::uint64_t>(value));
}

/// The first record of an answer.
template <typename Record>
[[nodiscard]] Record RecordIn(const SaMad& mad) {
    std::array<std::uint8_t, sizeof(Record)> octets{};
    std::copy_n(mad.data.begin(), octets.size(), octets.begin());
    return std::bit_cast<Record>(octets);
}

/// A fat tree of 4 leaves and 2 spines with a manager at its first host, as the netlist numbers
/// them: hosts 0 to 7 first.
[[nodiscard]] inline net::Netlist SmallTree() {
    return net::FatTree2(4);
}

/// A master that has brought its subnet up and come to rest; the test is told when it has not.
[[nodiscard]] std::unique_ptr<SimWorld> BringUp(const Settings& settings,
                                                const net::Netlist& netlist = SmallTree(),
                                                const SimWorld::Options& options = {});

/// A switch that has hosts, one of its ports to a host and one to another switch.
struct Leaf {
    std::uint32_t node = 0;
    std::uint32_t to_host = 0;
    std::uint32_t to_switch = 0;
};
[[nodiscard]] Leaf FindLeaf(SimWorld& world);

/// The PortInfo that the hardware has.
[[nodiscard]] const PortInfo& InfoOf(SimWorld& world, std::uint32_t node, std::uint32_t port);
/// The LID of the port of a host.
[[nodiscard]] Lid LidOf(SimWorld& world, std::uint32_t host);

}  // namespace ember::acts
