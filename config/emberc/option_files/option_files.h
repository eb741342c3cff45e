// SPDX-License-Identifier: Apache-2.0
// EmberSM: the text files that options name.
#pragma once

#include <filesystem>
#include <vector>

#include "config/emberc/diagnostics.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/option_files/contents.h"

namespace ember::emberc {

/// Reads every file that `conf` names and that EmberSM acts on. A relative name counts from
/// `folder`, that of the opensm.conf. `reports` begins with what was said of opensm.conf, where a
/// file that cannot be read is reported, and gains a member for each file read.
[[nodiscard]] OptionContents ReadOptionFiles(const Conf& conf,
                                             const std::filesystem::path& folder,
                                             std::vector<Diagnostics>& reports);

}  // namespace ember::emberc
