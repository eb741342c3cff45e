// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files name that is not in the subnet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The option files about nodes and ports, by the option that names them.
enum class OptionFile : std::uint8_t {
    kRoots,
    kIds,
    kComputeNodes,
    kIoNodes,
    kRoutingOrder,
    kHopWeights,
    kIgnoredPorts,
    kSearchOrder,
    kLfts,
    kLidMatrix,
    kTorus,
};
inline constexpr std::size_t kOptionFiles = 11;

/// The option's name in opensm.conf.
[[nodiscard]] std::string_view NameOf(OptionFile file);

/// Names in an option file that the subnet lacks. The engines pass over them: a line about a GUID
/// that no node has says nothing, nor does one about a port that the switch does not have, and a
/// search order with such a port is left out whole, as is a seed of a torus with such a GUID.
struct OptionMisses {
    std::uint32_t guids = 0;    ///< GUIDs, one a line, of no switch, or of no port with a LID.
    Guid first_guid = kNoGuid;  ///< The first of them.
    std::uint32_t ports = 0;    ///< Lines about a switch that is there, but not such a port of it.
    Guid first_switch = kNoGuid;  ///< The first of them.
    PortNumber first_port = kNoPort;
    std::uint32_t hosts = 0;    ///< GUIDs in the place of a switch's that name hosts or routers.
    Guid first_host = kNoGuid;  ///< The first of them.
    [[nodiscard]] bool any() const { return guids + ports != 0; }
    [[nodiscard]] bool operator==(const OptionMisses&) const = default;
};

/// Misses by option file. Lines that say the same count once, as in EngineTables.
using OptionReport = IndexedArray<OptionFile, OptionMisses, kOptionFiles>;

/// Compares the tables of option files with the subnet. To be told once for a set of settings and
/// again when it changed. Pure; about 0.1 us a line, and so cut in slices: a file may have a
/// line for every port.
class OptionCheck {
public:
    /// `topology` and `options` stay still until Advance() says kDone.
    void Begin(const Topology& topology, const EngineOptions& options);
    Progress Advance();
    /// Whole when Advance() has said kDone.
    [[nodiscard]] const OptionReport& report() const { return report_; }

private:
    static constexpr std::size_t kLinesPerSlice = 2048;
    static constexpr std::size_t kRootsPerSlice = 64;

    void CheckFile();
    void CheckPortGuid(Guid guid);
    void CheckRoot(Guid guid);
    SwitchIndex CheckSwitch(Guid guid);
    bool CheckPort(SwitchIndex at, PortNumber port);
    void CheckSearchOrder(const PortOrder& line);
    void CheckSeed(const TorusSeed& seed);
    void MissGuid(Guid guid);
    template <typename Line, typename Check>
    void CheckLines(std::span<const Line> lines, Check check);

    const Topology* topology_ = nullptr;
    const EngineOptions* options_ = nullptr;
    const EngineTables* tables_ = nullptr;  ///< Of these.
    std::size_t file_ = 0;                  ///< The file that is read, by OptionFile.
    std::size_t line_ = 0;                  ///< Of it.
    std::size_t left_ = 0;                  ///< Lines that may be looked at in this slice.
    OptionReport report_;
};

}  // namespace ember
