// SPDX-License-Identifier: Apache-2.0
// EmberSM: which metrics there are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ember {

/// The formats in which Prometheus and its collectors read metrics.
enum class MetricsFormat : std::uint8_t {
    kClassic,      ///< The text format 0.0.4, the only one that node_exporter reads from a file.
    kOpenMetrics,  ///< OpenMetrics 1.0.
};

/// The types of OpenMetrics 1.0 that are used here.
enum class MetricType : std::uint8_t {
    kGauge,
    kCounter,   ///< Its sample has the suffix _total.
    kInfo,      ///< Its sample has the suffix _info and the value 1.
    kStateSet,  ///< A sample for each state, 1 for the one that holds; the label has its name.
};

/// A family of metrics, as it is declared on the page and listed in docs/metrics.md.
struct MetricRow {
    std::string_view name;  ///< Ends in `unit`, if there is one.
    MetricType type{};
    std::string_view unit;    ///< Empty: a plain number.
    std::string_view labels;  ///< For people: "engine, reason".
    std::string_view help;    ///< A sentence.
};

/// "gauge", ... by MetricType. The classic format knows neither info nor stateset: gauges there.
[[nodiscard]] std::string_view WordOf(MetricType type,
                                      MetricsFormat format = MetricsFormat::kOpenMetrics);
/// The suffix of its samples' names.
[[nodiscard]] std::string_view SuffixOf(MetricType type);

/// All of them, in the order of the page.
[[nodiscard]] std::span<const MetricRow> Metrics();

}  // namespace ember
