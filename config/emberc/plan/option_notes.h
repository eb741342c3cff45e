// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files name that the fabric of a plan has not.
#pragma once

#include <string>
#include <vector>

#include "config/emberc/plan/planner.h"

namespace ember::plan {

/// A sentence for hosts that stand in root_guid_file for their switches, and, if `with_misses`,
/// for each option file that names GUIDs or ports which are not there: what embersm would note in
/// its log. Of an opensm.conf the diagnostics tell the latter.
[[nodiscard]] std::vector<std::string> OptionNotes(const Planned& plan, bool with_misses);

}  // namespace ember::plan
