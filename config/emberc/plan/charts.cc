// SPDX-License-Identifier: Apache-2.0
// EmberSM: the charts of a plan's page.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "config/emberc/plan/page.h"

namespace ember::plan {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 220;
constexpr double kSide = 16;  // So that the label of the first bar is not cut.
constexpr double kTop = 22;   // Room for the counts above the bars.
constexpr std::size_t kMostTold = 12;
constexpr double kBottom = 44;  // And for the labels and the axis below.

std::string Label(const LinkClass& row) {
    if (row.to > row.from) return fmt::format("level {} up to {}", row.from, row.to);
    if (row.to < row.from) return fmt::format("level {} down to {}", row.from, row.to);
    return fmt::format("within level {}", row.from);
}

std::string Cell(double x, double y, double width, const LinkClass& row, std::size_t tenth) {
    const std::size_t links = row.tenths[tenth];
    const double part = static_cast<double>(links) / static_cast<double>(row.links);
    // What is there at all is never invisible.
    const double strength = links == 0 ? 0.0 : 0.12 + 0.88 * part;
    std::string text = fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"28\" rx=\"3\" class=\"{}\" "
        "fill-opacity=\"{:.3f}\"><title>{} of {} links</title></rect>",
        x, y, width - 3,
        links == 0   ? "none"
        : tenth == 0 ? "idle"
                     : "heat",
        links == 0 ? 1.0 : strength, links, row.links);
    if (links > 0) {
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"cell{}\">{}</text>",
                            x + (width - 3) / 2, y + 18.5,
                            tenth > 0 && strength > 0.55 ? " on" : "", links);
    }
    return text;
}

}  // namespace

std::string Escape(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                // Descriptions may hold any octet; control characters have no place in a page.
                safe += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
        }
    }
    return safe;
}

std::string BarChart(const std::vector<Bar>& bars, std::string_view name, std::string_view axis) {
    if (bars.empty()) return "<p class=\"quiet\">Nothing to show.</p>\n";
    std::uint64_t most = 1;
    for (const Bar& bar : bars) {
        most = std::max(most, bar.count);
    }
    std::size_t filled = 0;
    for (const Bar& bar : bars) {
        if (bar.count > 0) ++filled;
    }
    const double step = std::min(90.0, (kWidth - 2 * kSide) / static_cast<double>(bars.size()));
    const double left = (kWidth - step * static_cast<double>(bars.size())) / 2;
    const double floor = kHeight - kBottom;
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n"
        "<line x1=\"0\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"axis\"/>\n",
        kWidth, kHeight, Escape(name), floor, kWidth, floor);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const Bar& bar = bars[i];
        const double part = static_cast<double>(bar.count) / static_cast<double>(most);
        const double height = bar.count == 0 ? 0 : std::max(1.5, part * (floor - kTop));
        const double x = left + step * static_cast<double>(i);
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" "
            "class=\"{}\"><title>{}</title></rect>\n",
            x + step * 0.1, floor - height, step * 0.8, height, bar.is_muted ? "muted" : "bar",
            Escape(bar.hint));
        const bool is_told = bar.count > 0 && (filled <= kMostTold || bar.count == most);
        const double middle = x + step / 2;
        if (is_told) {
            svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"count\">{}</text>\n",
                               middle, floor - height - 6, bar.count);
        }
        if (bar.label.empty()) continue;
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\">{}</text>\n", middle,
                           floor + 16, Escape(bar.label));
    }
    svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"name\">{}</text>\n</svg>\n", kWidth / 2,
                       kHeight - 6, Escape(axis));
    return svg;
}

std::string HeatMap(const std::vector<LinkClass>& classes) {
    if (classes.empty()) return "<p class=\"quiet\">No cables between switches.</p>\n";
    constexpr double kLabels = 150;
    constexpr double kRow = 31;
    const double column = (kWidth - kLabels) / static_cast<double>(kTenths + 1);
    const double height = kRow * static_cast<double>(classes.size()) + 40;
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Links by level and load\">\n", kWidth,
        height);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const double y = kRow * static_cast<double>(i);
        svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" class=\"row\">{}</text>\n", kLabels - 10,
                           y + 18.5, Label(classes[i]));
        for (std::size_t tenth = 0; tenth <= kTenths; ++tenth) {
            svg +=
                Cell(kLabels + column * static_cast<double>(tenth), y, column, classes[i], tenth);
        }
        svg += '\n';
    }
    for (std::size_t tenth = 0; tenth <= kTenths; ++tenth) {
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\">{}</text>",
                           kLabels + column * (static_cast<double>(tenth) + 0.5), height - 26,
                           tenth == 0 ? "idle" : fmt::format("{} %", tenth * 100 / kTenths));
    }
    svg += fmt::format(
        "\n<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name\">load, up to so much of the busiest "
        "link</text>\n</svg>\n",
        kLabels + (kWidth - kLabels) / 2, height - 6);
    return svg;
}

}  // namespace ember::plan
