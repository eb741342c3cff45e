// SPDX-License-Identifier: Apache-2.0
// EmberSM: the page of numbers that a monitoring system collects.
#pragma once

#include <cstddef>

#include "core/log/fixed_text.h"
#include "platform/linux/views/metrics_table.h"
#include "platform/linux/views/status_view.h"

namespace ember {

/// The longest page: 16 refused engines, every label at its longest.
inline constexpr std::size_t kMaxMetricsBytes = std::size_t{40} * 1024;

/// Appends the page and its last line, "# EOF\n", which OpenMetrics demands and which is a comment
/// in the classic format. The numbers are those of AddStatus() and AddMemory().
void AddMetrics(FixedText& text, const StatusView& view,
                MetricsFormat format = MetricsFormat::kClassic);

}  // namespace ember
