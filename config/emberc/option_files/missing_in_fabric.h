// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the option files of routing name and a fabric on paper has not.
#pragma once

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/contents.h"
#include "config/netlist/netlist.h"

namespace ember::emberc {

/// Warns (Code::kNotInFabric) of each option that a listed engine looks at, once, with the number
/// of GUIDs and ports that are not there and the first of them: what embersm would note. The torus
/// is compared by its own file.
void CheckInFabric(const Conf& conf, const OptionContents& contents, const net::Netlist& fabric,
                   Diagnostics& report);

}  // namespace ember::emberc
