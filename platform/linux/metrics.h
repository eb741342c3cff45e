// SPDX-License-Identifier: Apache-2.0
// EmberSM: the page of numbers that a monitoring system collects.
#pragma once

#include <cstddef>

#include "platform/common/fixed_text.h"
#include "platform/linux/status_view.h"

namespace ember {

/// The longest page: 16 refused engines, every label at its longest.
inline constexpr std::size_t kMaxMetricsBytes = std::size_t{40} * 1024;

/// Appends the page, in the text format of OpenMetrics 1.0 with its last line, "# EOF\n". The
/// numbers are those of AddStatus() and AddMemory().
void AddMetrics(FixedText& text, const StatusView& view);

}  // namespace ember
