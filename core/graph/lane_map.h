// SPDX-License-Identifier: Apache-2.0
// EmberSM: by which virtual lane a switch sends on a packet of a service level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/status.h"

namespace ember {

/// In place of a data lane in a map: the switch drops the packet. IBA vol. 1, 7.6.6.
inline constexpr std::uint8_t kNoLane = 15;

/// How a packet passes a switch. Port 0 is the switch itself, as source or destination.
struct LaneTurn {
    SwitchIndex at = kNoSwitch;
    PortNumber in{};
    PortNumber out{};
};

/// The SL to VL maps of all switches.
///
/// A map by input and output port can let the lane of a packet rise on its path though its service
/// level never changes, which is what frees arbitrary shortest paths of credit loops. A map that
/// looks at one of the ports only, as for dateline routings of tori (out) and dragonflies (in), is
/// one whose rows are alike.
///
/// A view of words of the board's storage, like a span: a copy of it shows the same words. The form
/// kIdentity needs no word.
class LaneMap {
public:
    enum class Form : std::uint8_t {
        kIdentity,  ///< The lane has the number of the service level; 15: kNoLane.
        kByPorts,   ///< By LaneTurn. Switches that are not added keep the identity.
    };

    constexpr LaneMap() = default;
    explicit constexpr LaneMap(std::span<std::uint64_t> words) : words_(words) {}

    /// Words that kByPorts takes beside those of the switches that are added, and those of one.
    [[nodiscard]] static constexpr std::size_t FixedWords(std::size_t switches) { return switches; }
    [[nodiscard]] static constexpr std::size_t WordsOf(std::uint8_t port_count) {
        return (port_count + std::size_t{1}) * (port_count + std::size_t{1});
    }

    /// Takes the form kByPorts, for switches 0..switches-1; none is added yet. kFull: there are
    /// fewer than FixedWords(), and all is as it was (EngineFault::kNoLaneMapBytes).
    [[nodiscard]] Status BeginByPorts(std::size_t switches);
    /// A map for a switch of so many external ports, in which every entry is kNoLane. One that it
    /// had is lost. kFull: there are fewer than WordsOf() left.
    [[nodiscard]] Status Add(SwitchIndex at, std::uint8_t port_count);
    /// Back to kIdentity.
    void Clear() { used_ = switches_ = 0; }
    /// Says what `other` says, of which it has at least as many words, in words of its own.
    void Copy(const LaneMap& other);
    /// The switch was added and has the ports. `sl`: 0..15; `lane`: 0..14 or kNoLane.
    void Set(const LaneTurn& turn, std::uint8_t sl, std::uint8_t lane);

    /// 0..14 or kNoLane, for service level 0..15. Ports of a switch that was added are its own.
    [[nodiscard]] std::uint8_t Of(const LaneTurn& turn, std::uint8_t sl) const;
    [[nodiscard]] Form form() const { return switches_ == 0 ? Form::kIdentity : Form::kByPorts; }

private:
    [[nodiscard]] bool Has(SwitchIndex at) const {
        return Raw(at) < switches_ && words_[Raw(at)] != 0;
    }
    [[nodiscard]] std::uint64_t& WordOf(const LaneTurn& turn) const;

    // The first words are, by switch, where its map begins and how many ports it is for, port 0
    // included; 0: it has none. A map has a row of words for each output port, a word for each
    // input port: what SLtoVLMappingTable says (IBA vol. 1, 14.2.5.8), the lane of SL i in the bits
    // 4i..4i+3.
    std::span<std::uint64_t> words_;
    std::size_t switches_ = 0;
    std::size_t used_ = 0;
};

}  // namespace ember
