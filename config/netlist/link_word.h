// SPDX-License-Identifier: Apache-2.0
// EmberSM: the width and speed of a link, as ibnetdiscover writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/netlist/netlist.h"

namespace ember::net {

/// Sets the width to so many lanes. False: links have no such width.
[[nodiscard]] bool SetWidth(std::uint64_t lanes, NetPort& port);

/// The outcome of ReadLinkWord().
struct LinkWord {
    bool is_one = false;              ///< The word is of a link: its line says no more of it.
    std::vector<std::string> errors;  ///< Sentences on what is not known.
};

/// Sets width and speed of `port` by a word such as 4xEDR. An ibnetdiscover writes `??` for what it
/// is too old to name. As a width that can only be two lanes, for all others have a name in every
/// version; as a speed it may be any that came later, and is an error.
[[nodiscard]] LinkWord ReadLinkWord(std::string_view word, NetPort& port);

}  // namespace ember::net
