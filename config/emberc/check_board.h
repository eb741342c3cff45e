// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a board, or its port, would refuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/contents.h"
#include "config/netlist/netlist.h"
#include "core/base/limits.h"

namespace ember::emberc {

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

}  // namespace ember::emberc
