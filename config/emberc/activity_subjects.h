// SPDX-License-Identifier: Apache-2.0
// EmberSM: the value of activity_report_subjects, a key of NVIDIA's manager.
#pragma once

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"

namespace ember::emberc {

inline constexpr std::string_view kActivitySubjectsKey = "activity_report_subjects";

/// Whether the value asks for a report: subjects apart by commas, each once; `all`, or `none`.
/// False: it asks for nothing, or is none of these, and a diagnostic says so.
[[nodiscard]] bool AsksForActivities(const Setting& setting, Diagnostics& diagnostics);

}  // namespace ember::emberc
