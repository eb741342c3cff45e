// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a configuration is held to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "core/base/engine_kind.h"
#include "core/base/limits.h"

namespace ember::net {
struct Netlist;
}

namespace ember::emberc {

struct OptionContents;

/// How embersm reaches the fabric.
enum class PortKind : std::uint8_t { kUnknown, kUmad, kMailbox, kSim };

/// The board whose switch takes the blob, and the port there.
struct BoardTerms {
    std::string name{};              ///< Empty: not told.
    const Limits* limits = nullptr;  ///< nullptr: not told.
    std::size_t blob_bytes = 0;      ///< The largest blob that it accepts; 0: any.
    bool has_ports = false;          ///< Its program is embersm, which takes the port as an option.
    PortKind port = PortKind::kUnknown;
};

/// Adds what the board and its port cannot do of what `conf` and its files ask for: limits of
/// bandwidth, lanes, SL to VL maps, steps of a chain, and how many switches one has in `fabric` if
/// that is not null. A request that the board cannot meet is an error where the subnet would be
/// refused or run without it, a warning where that hangs on the fabric.
void CheckBoard(const Conf& conf, const OptionContents& contents, const BoardTerms& board,
                const net::Netlist* fabric, Diagnostics& report);

/// Looks at settings that belong together; may complete one from another as OpenSM would, where the
/// file leaves it open.
void CheckTogether(Conf& settings, Diagnostics& diagnostics);

/// Looks at options of routing that do nothing beside each other, or for the engines listed.
void CheckRouting(const Conf& settings, Diagnostics& diagnostics);

/// Whether an engine that may be asked looks at the option, or it is not for engines alone.
[[nodiscard]] bool IsHeardByEngines(const Conf& settings, std::string_view key);

/// Whether the engine may be asked: it is listed, or a step may have it.
[[nodiscard]] bool AsksEngine(const Conf& settings, EngineKind kind);

/// Whether the engine is the only one that is listed; never beside rch_policy_file.
[[nodiscard]] bool AsksOnly(const Conf& settings, EngineKind kind);

/// Looks at the keys of virtual lanes: what is dropped, never served, or without effect.
void CheckLanes(const Conf& settings, Diagnostics& diagnostics);

/// Looks at the same keys where torus-2QoS is listed: those that it overrides, and weights by which
/// lanes of one level of service would share unequally, as OpenSM warns of them.
void CheckTorusLanes(const Conf& settings, Diagnostics& diagnostics);

/// Says of each key that is set to other than its default, and has no effect, how grave that is: by
/// its `use`, one step milder where OpenSM would not look at it either because the key beside it is
/// not set. A key that is allowed draws a note.
void CheckKeysWithoutEffect(const Conf& conf, const Allowances& allowances,
                            Diagnostics& diagnostics);

/// The mistake in a key or code behind --allow, a code behind --deny; empty: none.
[[nodiscard]] std::string WhyNotAllowed(const std::string& name);
[[nodiscard]] std::string WhyNotDenied(const std::string& code);

/// Warns (Code::kNotInFabric) of each option that a listed engine looks at, once, with the number
/// of GUIDs and ports that are not there and the first of them: what embersm would note. The torus
/// is compared by its own file.
void CheckInFabric(const Conf& conf, const OptionContents& contents, const net::Netlist& fabric,
                   Diagnostics& report);

}  // namespace ember::emberc
