// SPDX-License-Identifier: Apache-2.0
// EmberSM: the end port that an operator means.
#pragma once

#include <string_view>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/fabric/node_names.h"
#include "core/log/fixed_text.h"

namespace ember::explain {

/// The end port with a LID that `word` means; else kNoPortIndex, and `why` has a sentence:
///
///   12                 a LID, of a range of LIDs too
///   0x0002c903000e0b72 a PortGUID, or a NodeGUID
///   name, name/2       what node_name_map_name calls the node, else its NodeDescription; its first
///                      word will do where no other node begins with it
///
/// Of a node with several ports that have LIDs the number of one must be said.
[[nodiscard]] PortIndex PortByWord(const Fabric& fabric,
                                   const NodeNames& names,
                                   std::string_view word,
                                   FixedText& why);

}  // namespace ember::explain
