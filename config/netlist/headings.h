// SPDX-License-Identifier: Apache-2.0
// EmberSM: lines of listings that are no line of a node.
#pragma once

#include <string_view>

namespace ember::net {

/// True for what ibnetdiscover says between nodes, with -g too.
[[nodiscard]] bool IsHeading(std::string_view line);

/// Words for the tool whose output begins with this line, where that is another one of
/// infiniband-diags than ibnetdiscover, or ibnetdiscover with an option that lists no cables; or
/// for what it is besides. Empty: none that is known.
[[nodiscard]] std::string_view ForeignTool(std::string_view line);

}  // namespace ember::net
