// SPDX-License-Identifier: Apache-2.0
// EmberSM: the end port that an operator means.
#pragma once

#include <string_view>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/fabric/node_names.h"
#include "core/log/fixed_text.h"

namespace ember::explain {

/// The end port with a LID that `word` means, as Resolve() has it; else kNoPortIndex, and `why` has
/// a sentence. A node's names are that of node_name_map_name and its NodeDescription. Of a node
/// with several ports that have LIDs the number of one must be said.
[[nodiscard]] PortIndex PortByWord(const Fabric& fabric, const NodeNames& names,
                                   std::string_view word, FixedText& why);

}  // namespace ember::explain
