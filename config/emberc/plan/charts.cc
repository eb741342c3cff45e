// SPDX-License-Identifier: Apache-2.0
// EmberSM: the charts of a plan's page.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "config/emberc/plan/page.h"

namespace ember::plan {
namespace {

/// The size of labels in a picture, in its own units; page.cc's style says the same.
constexpr double kLabelSize = 12;
/// The width of a digit, at most: fonts differ, and the reader's is not known.
constexpr double kDigitWidth = 7.7;

}  // namespace

bool Labels::Take(double x, double y, std::string_view text, Anchor anchor) {
    constexpr double kGap = 2;
    const double width = kDigitWidth * static_cast<double>(text.size());
    double left = x - width / 2;
    if (anchor == Anchor::kStart) left = x;
    if (anchor == Anchor::kEnd) left = x - width;
    const Box box = {left - kGap, left + width + kGap, y};
    const bool is_free = std::none_of(taken_.begin(), taken_.end(), [&](const Box& other) {
        return box.left < other.right && other.left < box.right &&
               std::abs(box.base - other.base) < kLabelSize;
    });
    if (is_free) taken_.push_back(box);
    return is_free;
}

namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 250;
constexpr double kSide = 16;      // So that the label of the first bar is not cut.
constexpr double kTop = 50;       // Room for the counts above the bars, in rows.
constexpr double kCountRow = 14;  // A count that would print over another is so much higher.
constexpr int kCountRows = 3;
constexpr std::size_t kMostListed = 12;
constexpr double kBottom = 44;  // And for the labels and the axis below.

std::string Label(const LinkClass& row) {
    if (row.to > row.from) return fmt::format("level {} up to {}", row.from, row.to);
    if (row.to < row.from) return fmt::format("level {} down to {}", row.from, row.to);
    return fmt::format("within level {}", row.from);
}

std::string Cell(double x, double y, double width, const LinkClass& row, std::size_t band) {
    const std::size_t links = row.bands[band];
    const double part = static_cast<double>(links) / static_cast<double>(row.links);
    // A cell with any links is never invisible.
    const double strength = links == 0 ? 0.0 : 0.12 + 0.88 * part;
    std::string text = fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"28\" rx=\"3\" class=\"{}\" "
        "fill-opacity=\"{:.3f}\"><title>{} of {} links</title></rect>",
        x, y, width - 3,
        links == 0  ? "none"
        : band == 0 ? "idle"
                    : "heat",
        links == 0 ? 1.0 : strength, links, row.links);
    if (links > 0) {
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"cell{}\">{}</text>",
                            x + (width - 3) / 2, y + 18.5, band > 0 && strength > 0.55 ? " on" : "",
                            links);
    }
    return text;
}

/// Where the bars of a chart stand.
struct Frame {
    double left = 0;
    double step = 0;
    double floor = 0;
    std::uint64_t most = 1;  ///< Of the highest bar.

    [[nodiscard]] double MiddleOf(std::size_t bar) const {
        return left + step * (static_cast<double>(bar) + 0.5);
    }
    [[nodiscard]] double HeightOf(std::uint64_t count) const {
        const double part = static_cast<double>(count) / static_cast<double>(most);
        return count == 0 ? 0 : std::max(1.5, part * (floor - kTop));
    }
};

Frame FrameOf(const std::vector<Bar>& bars) {
    Frame frame;
    for (const Bar& bar : bars) {
        frame.most = std::max(frame.most, bar.count);
    }
    frame.step = std::min(90.0, (kWidth - 2 * kSide) / static_cast<double>(bars.size()));
    frame.left = (kWidth - frame.step * static_cast<double>(bars.size())) / 2;
    frame.floor = kHeight - kBottom;
    return frame;
}

/// The counts above the bars: all when few bars are not empty, else the highest bar's. Each stands
/// where it prints over no other; one for which there is no such place is left to the bar's hint.
std::string CountsOf(const std::vector<Bar>& bars, const Frame& frame) {
    std::vector<std::size_t> listed;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        if (bars[i].count > 0) listed.push_back(i);
    }
    std::stable_sort(listed.begin(), listed.end(), [&](std::size_t one, std::size_t other) {
        return bars[one].count > bars[other].count;
    });
    const bool is_cut = listed.size() > kMostListed;
    Labels labels;
    std::string svg;
    for (const std::size_t i : listed) {
        if (is_cut && bars[i].count < frame.most) break;
        const std::string count = std::to_string(bars[i].count);
        double y = frame.floor - frame.HeightOf(bars[i].count) - 6;
        for (int row = 0; row < kCountRows; ++row, y -= kCountRow) {
            if (!labels.Take(frame.MiddleOf(i), y, count)) continue;
            svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"count\">{}</text>\n",
                               frame.MiddleOf(i), y, count);
            break;
        }
    }
    return svg;
}

/// The labels below the bars, but for those that the one before leaves no room.
std::string TicksOf(const std::vector<Bar>& bars, const Frame& frame) {
    Labels labels;
    std::string svg;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double y = frame.floor + 16;
        if (bars[i].label.empty() || !labels.Take(frame.MiddleOf(i), y, bars[i].label)) continue;
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\">{}</text>\n",
                           frame.MiddleOf(i), y, Escape(bars[i].label));
    }
    return svg;
}

}  // namespace

std::string BandName(std::size_t band) {
    if (band == 0) return "idle";
    if (band > kBandEdges.size()) return fmt::format("> {:.0f} %", 100 * kBandEdges.back());
    return fmt::format("\u2264 {:.0f} %", 100 * kBandEdges[band - 1]);
}

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
    const Frame frame = FrameOf(bars);
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n"
        "<line x1=\"0\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"axis\"/>\n",
        kWidth, kHeight, Escape(name), frame.floor, kWidth, frame.floor);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double height = frame.HeightOf(bars[i].count);
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" "
            "class=\"{}\"><title>{}</title></rect>\n",
            frame.MiddleOf(i) - frame.step * 0.4, frame.floor - height, frame.step * 0.8, height,
            bars[i].is_muted ? "muted" : "bar", Escape(bars[i].hint));
    }
    svg += CountsOf(bars, frame) + TicksOf(bars, frame);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"name\">{}</text>\n</svg>\n", kWidth / 2,
                       kHeight - 6, Escape(axis));
    return svg;
}

std::string HeatMap(const std::vector<LinkClass>& classes) {
    if (classes.empty()) return "<p class=\"quiet\">No cables between switches.</p>\n";
    constexpr double kNames = 150;
    constexpr double kRow = 31;
    const double column = (kWidth - kNames) / static_cast<double>(kBands);
    const double height = kRow * static_cast<double>(classes.size()) + 40;
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Links by level and load\">\n", kWidth,
        height);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const double y = kRow * static_cast<double>(i);
        svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" class=\"row\">{}</text>\n", kNames - 10,
                           y + 18.5, Label(classes[i]));
        for (std::size_t band = 0; band < kBands; ++band) {
            svg += Cell(kNames + column * static_cast<double>(band), y, column, classes[i], band);
        }
        svg += '\n';
    }
    for (std::size_t band = 0; band < kBands; ++band) {
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\">{}</text>",
                           kNames + column * (static_cast<double>(band) + 0.5), height - 26,
                           BandName(band));
    }
    svg += fmt::format(
        "\n<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name\">load, in parts of the fair "
        "share</text>\n</svg>\n",
        kNames + (kWidth - kNames) / 2, height - 6);
    return svg;
}

}  // namespace ember::plan
