// SPDX-License-Identifier: Apache-2.0
// EmberSM: the text files that options name.
#pragma once

#include <vector>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/file_places.h"

namespace ember::emberc {

/// Reads every file that `conf` names and that EmberSM acts on. `reports` begins with what was said
/// of opensm.conf, where a file that cannot be read is reported, and one that was found at its
/// default place. It gains a member for each file read.
/// With a `fabric` the port groups are compared with it.
[[nodiscard]] OptionContents ReadOptionFiles(const Conf& conf,
                                             const FilePlaces& places,
                                             std::vector<Diagnostics>& reports,
                                             const net::Netlist* fabric = nullptr);

}  // namespace ember::emberc
