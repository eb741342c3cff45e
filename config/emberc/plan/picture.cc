// SPDX-License-Identifier: Apache-2.0
// EmberSM: the picture of a fabric on a plan's page.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/emberc/plan/page.h"

namespace ember::plan {
namespace {

constexpr double kWidth = 960;
constexpr double kLevelHeight = 130;
constexpr double kMargin = 40;
constexpr std::size_t kMostInALevel = 48;
constexpr std::size_t kMostOnACircle = 96;

/// A box of the picture: a switch, or neighbors of one level.
struct Box {
    std::uint32_t level = 0;
    std::vector<SwitchIndex> switches;
    std::size_t hosts = 0;
    double x = 0;
    double y = 0;
};

/// All cables between two boxes.
struct Strand {
    std::size_t links = 0;
    double max = 0;  ///< Flows on the busiest of their directions.
};

/// How many boxes a level of so many switches gets: groups of equal size if that is possible, for
/// pods and racks are.
std::size_t BoxesFor(std::size_t switches, std::size_t most) {
    if (switches <= most) return switches;
    for (std::size_t count = most; count > most / 2; --count) {
        if (switches % count == 0) return count;
    }
    return most;
}

/// The class of a step's color in the style sheet.
std::string StepClass(std::size_t row) {
    return fmt::format("s{}", row % kStepColors);
}

/// The legend of the colors of boxes, where a chain routes.
std::string StepLegend(const Planned& plan) {
    const std::vector<PlannedStep> steps = plan.steps();
    if (steps.empty()) return {};
    std::string text = "<p class=\"scale\">";
    for (std::size_t row = 0; row < steps.size(); ++row) {
        text += fmt::format(
            "<span><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><rect x=\"1\" y=\"1\" "
            "width=\"12\" height=\"12\" rx=\"2\" class=\"leaf {}\"/></svg> unicast-step {} by "
            "{}</span>\n",
            StepClass(row), steps[row].id, Escape(steps[row].engine));
    }
    return text +
           "</p>\n<p class=\"quiet\">A box has the color of the last step that routes on its "
           "switches.</p>\n";
}

class Drawing {
public:
    Drawing(const Planned& plan, const Report& report) : plan_(plan), report_(report) {
        Gather();
        Place();
        Tie();
    }

    [[nodiscard]] std::string Svg() const {
        std::string svg = fmt::format(
            "<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"The switches and cables of "
            "the fabric\">\n",
            kWidth, height_);
        std::vector<std::pair<std::pair<std::size_t, std::size_t>, Strand>> lines(strands_.begin(),
                                                                                  strands_.end());
        std::stable_sort(lines.begin(), lines.end(), [](const auto& one, const auto& other) {
            return one.second.max < other.second.max;  // Busy strands lie on top.
        });
        for (const auto& [ends, strand] : lines) {
            svg += LineOf(boxes_[ends.first], boxes_[ends.second], strand);
        }
        for (const Box& box : boxes_) {
            svg += MarkOf(box);
        }
        Labels labels;
        for (std::uint32_t level = 0; level < levels_ && !is_circle_; ++level) {
            const std::string name = fmt::format("level {}", level);
            static_cast<void>(labels.Take(4, YOf(level) + 4, name, Labels::Anchor::kStart));
            svg += fmt::format("<text x=\"4\" y=\"{:.1f}\" class=\"level\">{}</text>\n",
                               YOf(level) + 4, name);
        }
        for (const Box& box : boxes_) {
            svg += SizeOf(box, labels);
        }
        return svg + "</svg>\n";
    }
    [[nodiscard]] bool is_grouped() const { return is_grouped_; }

private:
    void Gather() {
        const Topology& topology = plan_.topology();
        std::vector<std::vector<SwitchIndex>> by_level;
        for (std::size_t i = 0; i < topology.switch_bound(); ++i) {
            const auto at = static_cast<SwitchIndex>(i);
            if (!topology.Has(at) || report_.levels[i] == kNoLevel) continue;
            if (by_level.size() <= report_.levels[i]) by_level.resize(report_.levels[i] + 1UL);
            by_level[report_.levels[i]].push_back(at);
        }
        levels_ = static_cast<std::uint32_t>(by_level.size());
        is_circle_ = levels_ == 1 && by_level[0].size() > 2;
        const std::size_t most = is_circle_ ? kMostOnACircle : kMostInALevel;
        box_of_.assign(topology.switch_bound(), boxes_.size());
        for (std::uint32_t level = 0; level < levels_; ++level) {
            const auto& row = by_level[level];
            const std::size_t count = BoxesFor(row.size(), most);
            if (count < row.size()) is_grouped_ = true;
            for (std::size_t i = 0; i < row.size(); ++i) {
                // Even groups: the one at i begins where i * count / size steps.
                const std::size_t group = i * count / row.size();
                if (i == 0 || group != (i - 1) * count / row.size()) {
                    boxes_.push_back({level, {}, 0, 0, 0});
                }
                boxes_.back().switches.push_back(row[i]);
                boxes_.back().hosts += topology.switch_row(row[i]).end_port_count;
                box_of_[Raw(row[i])] = boxes_.size() - 1;
            }
        }
    }

    [[nodiscard]] double YOf(std::uint32_t level) const {
        return kMargin + kLevelHeight * static_cast<double>(levels_ - 1 - level);
    }

    void Place() {
        std::vector<std::size_t> count(levels_);
        for (const Box& box : boxes_) {
            ++count[box.level];
        }
        std::vector<std::size_t> placed(levels_);
        const double radius = 260;
        height_ = is_circle_ ? 2 * (radius + kMargin) : YOf(0) + kMargin;
        for (Box& box : boxes_) {
            const double turn = (static_cast<double>(placed[box.level]++) + 0.5) /
                                static_cast<double>(count[box.level]);
            if (is_circle_) {
                constexpr double kCircle = 2 * 3.14159265358979;
                box.x = kWidth / 2 + radius * std::sin(kCircle * turn);
                box.y = height_ / 2 - radius * std::cos(kCircle * turn);
            } else {
                box.x = 60 + (kWidth - 80) * turn;
                box.y = YOf(box.level);
            }
        }
    }

    void Tie() {
        const Topology& topology = plan_.topology();
        for (std::size_t b = 0; b < boxes_.size(); ++b) {
            for (const SwitchIndex at : boxes_[b].switches) {
                const std::uint32_t first = topology.switch_row(at).first_exit;
                for (const Trunk& trunk : topology.trunks(at)) {
                    const std::size_t other = box_of_[Raw(trunk.peer)];
                    if (other == b) continue;
                    Strand& strand = strands_[{std::min(b, other), std::max(b, other)}];
                    if (b < other) ++strand.links;
                    strand.max =
                        std::max(strand.max,
                                 static_cast<double>(report_.loads.load[first + Raw(trunk.port)]) /
                                     static_cast<double>(report_.loads.unit));
                }
            }
        }
        constexpr double kManyStrands = 250;
        thinness_ = std::clamp(kManyStrands / static_cast<double>(strands_.size() + 1), 0.25, 1.0);
    }

    [[nodiscard]] std::string LineOf(const Box& one, const Box& other, const Strand& strand) const {
        const std::size_t band = BandOf(strand.max, FairShare(report_.loads));
        // Boxes of one row of levels are joined by arcs, or their lines would lie on each other.
        const bool is_arc = !is_circle_ && one.level == other.level;
        const double lift = is_arc ? std::min(55.0, 12 + std::abs(one.x - other.x) / 8) : 0;
        return fmt::format(
            "<path d=\"M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}\" class=\"b{}\" "
            "stroke-width=\"{:.2f}\"><title>{} cables, at most {:.6g} flows</title></path>\n",
            one.x, one.y, (one.x + other.x) / 2, (one.y + other.y) / 2 - lift, other.x, other.y,
            band,
            thinness_ * std::min(5.0, 0.7 + 0.5 * std::sqrt(static_cast<double>(strand.links))),
            strand.links, strand.max);
    }

    [[nodiscard]] std::string MarkOf(const Box& box) const {
        const std::string name = box.switches.size() == 1
                                     ? plan_.NameOf(box.switches.front())
                                     : fmt::format("{} switches, {} to {}", box.switches.size(),
                                                   plan_.NameOf(box.switches.front()),
                                                   plan_.NameOf(box.switches.back()));
        return fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" rx=\"2\" class=\"{}{}\">"
            "<title>{}{}{}</title></rect>\n",
            box.x - 6, box.y - 6, box.hosts > 0 ? "leaf" : "inner", ColorOf(box), Escape(name),
            box.hosts > 0 ? fmt::format("; {} hosts", box.hosts) : "", StepsOf(box));
    }

    /// The steps of a chain that route on switches of the box, the last ones of each.
    [[nodiscard]] std::set<std::size_t> RowsOf(const Box& box) const {
        std::set<std::size_t> rows;
        for (const SwitchIndex at : box.switches) {
            rows.insert(plan_.StepOf(at));
        }
        return rows;
    }
    /// A class of the style sheet for a box of one step.
    [[nodiscard]] std::string ColorOf(const Box& box) const {
        if (steps_.empty()) return {};
        const std::set<std::size_t> rows = RowsOf(box);
        return rows.size() == 1 ? " " + StepClass(*rows.begin()) : std::string();
    }
    [[nodiscard]] std::string StepsOf(const Box& box) const {
        if (steps_.empty()) return {};
        std::string text;
        for (const std::size_t row : RowsOf(box)) {
            text += fmt::format("; unicast-step {} by {}", steps_[row].id, steps_[row].engine);
        }
        return text;
    }

    /// How many switches a box stands for, where that prints over nothing; the box's hint says it
    /// in any case.
    [[nodiscard]] static std::string SizeOf(const Box& box, Labels& labels) {
        const std::string size = std::to_string(box.switches.size());
        if (box.switches.size() < 2 || !labels.Take(box.x, box.y + 22, size)) return {};
        return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"count\">{}</text>\n", box.x,
                           box.y + 22, size);
    }

    const Planned& plan_;
    const Report& report_;
    std::vector<PlannedStep> steps_ = plan_.steps();
    std::vector<Box> boxes_;
    std::vector<std::size_t> box_of_;  ///< By switch row.
    std::map<std::pair<std::size_t, std::size_t>, Strand> strands_;
    std::uint32_t levels_ = 0;
    bool is_circle_ = false;
    bool is_grouped_ = false;
    double height_ = 0;
    double thinness_ = 1;  ///< Many strands are drawn thinner, or they would hide each other.
};

}  // namespace

std::string Picture(const Planned& plan, const Report& report) {
    if (report.levels.empty()) return "<p class=\"quiet\">There is no routing to show.</p>\n";
    const bool has_level = std::any_of(report.levels.begin(), report.levels.end(),
                                       [](std::uint32_t level) { return level != kNoLevel; });
    if (!has_level) return "<p class=\"quiet\">No switch has a host.</p>\n";
    const Drawing drawing(plan, report);
    // A narrow screen shows it through a window: if it were smaller, cables could
    // not be told apart.
    std::string text = "<div class=\"wide\">\n" + drawing.Svg() + "</div>\n";
    text += "<p class=\"scale\">";
    for (std::size_t band = 0; band < kBands; ++band) {
        text += fmt::format(
            "<span><svg viewBox=\"0 0 14 8\" aria-hidden=\"true\"><path d=\"M0 4 H14\" "
            "class=\"b{}\" stroke-width=\"5\"/></svg> {}</span>\n",
            band, BandName(band));
    }
    text += fmt::format(
        "</p>\n<p class=\"quiet\">The color of a cable is the load of its busier direction in "
        "parts "
        "of the fair share, {:.6g} flows: those of the mean link, or of a host's own cable if they "
        "are more.</p>\n",
        FairShare(report.loads));
    text += StepLegend(plan);
    if (drawing.is_grouped()) {
        text +=
            "<p class=\"quiet\">Boxes with a number stand for so many switches of a level that are "
            "neighbors in the netlist; cables inside a box are not drawn, and those between two "
            "have the color of the busiest.</p>\n";
    }
    return text;
}

}  // namespace ember::plan
