// SPDX-License-Identifier: Apache-2.0
// EmberSM: answers of simulated agents that are broken or hostile.
#pragma once

#include <cstdint>
#include <map>

#include "config/netlist/random.h"
#include "platform/sim/liar.h"

namespace ember::testing {

/// Lies that a broken or hostile agent tells.
enum class Lie : std::uint8_t {
    kNone,
    kNoPorts,         ///< NodeInfo: NumPorts 0.
    kManyPorts,       ///< NodeInfo: NumPorts 255.
    kNoGuids,         ///< NodeInfo: all GUIDs 0.
    kWrongLocalPort,  ///< NodeInfo: LocalPortNum beyond NumPorts.
    kStrangeType,     ///< NodeInfo: NodeType 9.
    kNoFdb,           ///< SwitchInfo: LinearFDBCap 0.
    kStrangeState,    ///< PortInfo: PortState 15, MTU codes 15, VL codes 15.
    kStrangeLid,      ///< PortInfo: LID 0xFFFF, LMC 7.
    kRefuses,         ///< Every answer has status "invalid field".
    kRubbish,         ///< The 64 octets of every answer are random.
    kWrongMethod,     ///< Answers come back as Set requests.
    kWrongAttribute,  ///< Answers name the next attribute.
    kCount,
};

/// Agents of single nodes tell one of these lies with every answer.
class Lies final : public sim::Liar {
public:
    void Tell(std::uint32_t node, Lie lie) { lies_[node] = lie; }
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override;

private:
    std::map<std::uint32_t, Lie> lies_;
    net::Random random_{1};
};

}  // namespace ember::testing
