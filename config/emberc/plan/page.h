// SPDX-License-Identifier: Apache-2.0
// EmberSM: a plan as one self-contained HTML page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/plan/membership.h"
#include "config/emberc/plan/planner.h"
#include "config/emberc/plan/report.h"

namespace ember::plan {

/// The whole page: no script, no reference to anything outside, names escaped. Colors follow the
/// reader's light or dark scheme. `worst`: so many failures are listed.
[[nodiscard]] std::string RenderPage(const Planned& plan, const Report& report, std::size_t worst);

// Its parts.

/// Partitions by kinds of ports: at most kShownPartitions by kShownKinds.
[[nodiscard]] std::string MembershipTable(const MembershipMatrix& matrix);

/// Text as it may stand in HTML, in an attribute too.
[[nodiscard]] std::string Escape(std::string_view text);

/// The labels that a picture has so far. Labels are digits and short words in one font size, so
/// their extent is known well enough without a browser.
class Labels {
public:
    /// Where x is in the label.
    enum class Anchor { kStart, kMiddle, kEnd };

    /// Takes the place of `text` with its base line at y. False when it would touch a label that is
    /// there; nothing is taken then.
    [[nodiscard]] bool Take(double x, double y, std::string_view text,
                            Anchor anchor = Anchor::kMiddle);

private:
    struct Box {
        double left;
        double right;
        double base;
    };
    std::vector<Box> taken_;
};

/// A bar of a chart.
struct Bar {
    std::string label;  ///< Below it; empty: none.
    std::string hint;   ///< Shown when pointed at.
    std::uint64_t count = 0;
    bool is_muted = false;
};
/// Bars side by side, as inline SVG; the highest has its count above it, as have all when few are
/// not empty. No two labels touch. `name` is for screen readers.
[[nodiscard]] std::string BarChart(const std::vector<Bar>& bars, std::string_view name,
                                   std::string_view axis);

/// The name of a band of load in a legend: "idle", a sign and a percentage.
[[nodiscard]] std::string BandName(std::size_t band);

/// Classes of links by level against bands of load: how large a part of a class is there.
[[nodiscard]] std::string HeatMap(const std::vector<LinkClass>& classes);

/// Colors for the steps of a chain, after which they come again.
inline constexpr std::size_t kStepColors = 8;

/// Switches by level, and cables colored by the band of load of their busier direction. More than
/// 48 switches in a level (or 96 on a circle, when there is one level only) are drawn in groups of
/// neighbors in the netlist, of equal size where that is possible.
[[nodiscard]] std::string Picture(const Planned& plan, const Report& report);

}  // namespace ember::plan
