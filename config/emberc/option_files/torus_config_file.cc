// SPDX-License-Identifier: Apache-2.0
// EmberSM: torus_config, the file torus-2QoS.conf.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "config/emberc/numbers.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"
#include "config/emberc/option_files/torus_seeds.h"
#include "config/emberc/suggestion.h"

namespace ember::emberc {
namespace {

constexpr std::array<std::string_view, 15> kKeywords = {"torus",
                                                        "mesh",
                                                        "xp_link",
                                                        "xm_link",
                                                        "yp_link",
                                                        "ym_link",
                                                        "zp_link",
                                                        "zm_link",
                                                        "x_dateline",
                                                        "y_dateline",
                                                        "z_dateline",
                                                        "next_seed",
                                                        "portgroup_max_ports",
                                                        "port_order",
                                                        "max_changes"};
constexpr std::uint64_t kMostRadix = 255;
constexpr std::uint8_t kAnyRadix = 3;  // Instead of one that cannot be read.
constexpr std::uint64_t kMostGroupPorts = 255;
constexpr std::uint64_t kLastPort = 254;

class TorusReader {
public:
    TorusReader(std::string_view text, Diagnostics& diagnostics)
        : reader_(text, diagnostics), seeds_(diagnostics), diagnostics_(diagnostics) {}

    LoadedTorus Read(const SubnetFacts& subnet) {
        while (reader_.NextWords()) {
            has_lines_ = true;
            ReadLine();
        }
        if (has_shape_) {
            torus_.seeds = seeds_.Finish(torus_.shape);
            Compare(subnet);
        } else if (has_lines_) {
            seeds_.ReportNoShape();
        }
        return std::move(torus_);
    }

private:
    void Compare(const SubnetFacts& subnet);
    void ReadLine();
    void ReadShape(bool is_mesh);
    [[nodiscard]] bool ReadRadix(std::size_t dimension, bool is_mesh);
    void ReadLink(std::size_t direction);
    void ReadDateline(std::size_t dimension);
    void ReadPortOrder();
    [[nodiscard]] bool HasValues(std::size_t count, std::string_view form);
    [[nodiscard]] TorusSpot Spot(std::size_t word) const {
        return {reader_.number(), reader_.words()[word], reader_.line()};
    }

    LineReader reader_;
    TorusSeeds seeds_;
    Diagnostics& diagnostics_;
    LoadedTorus torus_;
    TorusSpot shape_;  ///< The line that gives it.
    bool has_lines_ = false;
    bool has_shape_ = false;
};

void TorusReader::Compare(const SubnetFacts& subnet) {
    if (subnet.fabric == nullptr || diagnostics_.CountOf(Severity::kError) > 0) return;
    TorusFabric fabric(*subnet.fabric);
    seeds_.CompareWith(fabric, torus_.shape, torus_.seeds, shape_, subnet.routes_as_one);
}

/// A line has so many words behind its keyword. OpenSM passes over what follows them.
bool TorusReader::HasValues(std::size_t count, std::string_view form) {
    if (reader_.words().size() <= count) {
        reader_.Error(reader_.words().back(), Code::kMissingValue,
                      fmt::format("a line is {}", form));
        return false;
    }
    if (reader_.words().size() > count + 1) {
        reader_.Report(
            Severity::kWarning, reader_.words()[count + 1], Code::kTrailingText,
            fmt::format("a line is {}; put a '#' before what is meant for people", form));
    }
    return true;
}

void TorusReader::ReadLine() {
    const Word keyword = reader_.words().front();
    const auto found = std::find(kKeywords.begin(), kKeywords.end(), keyword.text);
    if (found == kKeywords.end()) {
        const std::string_view nearest = Nearest(keyword.text, kKeywords);
        reader_.Error(keyword, Code::kUnknownLine,
                      fmt::format("'{}' begins no line of this file{}", keyword.text,
                                  nearest.empty() ? std::string()
                                                  : fmt::format("; did you mean '{}'?", nearest)));
        return;
    }
    const std::string_view word = *found;
    const auto dimension = static_cast<std::size_t>(word.front() - 'x');  // If it is one.
    if (word == "torus" || word == "mesh") {
        ReadShape(word == "mesh");
    } else if (word.ends_with("_link")) {
        ReadLink(2 * dimension + (word[1] == 'p' ? 1U : 0U));
    } else if (word.ends_with("_dateline")) {
        ReadDateline(dimension);
    } else if (word == "next_seed") {
        if (HasValues(0, "next_seed alone")) seeds_.Next(Spot(0));
    } else if (word == "port_order") {
        ReadPortOrder();
    } else if (HasValues(1, fmt::format("{} and a number", word))) {
        const bool is_group = word == "portgroup_max_ports";
        const auto number = is_group
                                ? reader_.ReadNumber(reader_.words()[1], word, 1, kMostGroupPorts)
                                : reader_.ReadNumber(reader_.words()[1], word, 0, 0xFFFF'FFFF);
        if (!number) return;
        if (is_group) {
            torus_.shape.group_ports = static_cast<std::uint8_t>(*number);
        } else {
            reader_.Report(Severity::kWarning, keyword, Code::kNoEffect,
                           "EmberSM logs which cables have come and gone, and no list of changes "
                           "of the torus that this could bound");
        }
    }
}

void TorusReader::ReadShape(bool is_mesh) {
    if (has_shape_) {
        reader_.Error(reader_.words().front(), Code::kDuplicateEntry,
                      "the shape is given already; there is one");
        return;
    }
    has_shape_ = true;
    shape_ = Spot(0);
    if (!HasValues(3,
                   "'torus' or 'mesh' and the radices of x, y and z, each with t or m behind "
                   "it where its dimension differs")) {
        torus_.shape.radix.fill(kAnyRadix);
        return;
    }
    bool is_fine = true;
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        is_fine = ReadRadix(d, is_mesh) && is_fine;
    }
    if (is_fine && torus_.shape.places() == 1) {
        reader_.Error(reader_.words()[1], Code::kOutOfRange, "a torus has two switches at least");
    }
    if (is_fine && torus_.shape.places() > option_files::kMostTorusPlaces) {
        reader_.Error(reader_.words()[1], Code::kOutOfRange,
                      fmt::format("{} switches are more than a subnet has", torus_.shape.places()));
    }
}

bool TorusReader::ReadRadix(std::size_t dimension, bool is_mesh) {
    Word word = reader_.words()[1 + dimension];
    const char last = word.text.back();
    const bool is_looped = last == 't' || last == 'T';
    const bool is_open = last == 'm' || last == 'M';
    if (is_looped || is_open) word.text.remove_suffix(1);
    const auto radix = reader_.ReadNumber(word, "radix", 1, kMostRadix);
    torus_.shape.radix.at(dimension) = static_cast<std::uint8_t>(radix.value_or(kAnyRadix));
    // A ring of two is a row with double links.
    const bool stays_open = is_open || (is_mesh && !is_looped) || radix == 2U;
    if (stays_open) torus_.shape.open |= static_cast<std::uint8_t>(1U << dimension);
    return radix.has_value();
}

void TorusReader::ReadLink(std::size_t direction) {
    if (!HasValues(2, "a direction and the NodeGUIDs of two switches")) return;
    const auto from = reader_.ReadGuid(reader_.words()[1]);
    const auto to = reader_.ReadGuid(reader_.words()[2]);
    if (!from || !to) return;
    seeds_.AddLink(direction, {*from, Spot(1)}, {*to, Spot(2)});
}

void TorusReader::ReadDateline(std::size_t dimension) {
    if (!HasValues(1, "a dateline and by how much it moves")) return;
    const Word word = reader_.words()[1];
    const Number number = ReadNumber(word.text);
    if (number.error) {
        reader_.Error(word, number.error->code, number.error->text);
    } else if (number.value > kMostRadix) {
        reader_.Error(
            word, Code::kOutOfRange,
            fmt::format("a dateline moves by less than its radix, {} at most", kMostRadix));
    } else {
        const int places = static_cast<int>(number.value);
        seeds_.SetDateline(dimension, number.negative ? -places : places, Spot(1));
    }
}

/// A mistake in one port does not keep the others from being read. A second line replaces the
/// first, as with OpenSM, which is told.
void TorusReader::ReadPortOrder() {
    if (reader_.words().size() == 1) {
        reader_.Error(reader_.words().front(), Code::kMissingValue,
                      "a line is port_order and port numbers");
        return;
    }
    if (!torus_.port_order.empty()) {
        reader_.Report(Severity::kWarning, reader_.words().front(), Code::kDuplicateEntry,
                       "the ports are in order already; this line counts");
        torus_.port_order.clear();
    }
    std::bitset<kLastPort + 1> seen;
    for (const Word& word : reader_.words().subspan(1)) {
        const auto number = reader_.ReadNumber(word, "port", 0, kLastPort);
        if (!number) continue;
        const auto port = static_cast<std::size_t>(*number);
        if (seen[port]) {
            reader_.Report(Severity::kWarning, word, Code::kDuplicatePort,
                           fmt::format("port {} stands in this line already", port));
            continue;
        }
        seen.set(port);
        torus_.port_order.push_back(static_cast<PortNumber>(port));
    }
}

}  // namespace

LoadedTorus ParseTorusConfig(std::string_view text, Diagnostics& diagnostics,
                             const SubnetFacts& subnet) {
    return TorusReader(text, diagnostics).Read(subnet);
}

std::string AsLine(const TorusEntry& entry) {
    return entry.line;
}

std::vector<TorusEntry> EntriesOf(const LoadedTorus& torus) {
    const TorusShape& shape = torus.shape;
    if (shape.places() == 0) return {};
    std::string line = "torus";
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        line += fmt::format(" {}{}", shape.radix.at(d), shape.is_open(d) ? "m" : "");
    }
    std::vector<TorusEntry> entries{{std::move(line)}};
    entries.push_back({fmt::format("portgroup_max_ports {}", shape.group_ports)});
    for (const TorusSeed& seed : torus.seeds) {
        if (&seed != &torus.seeds.front()) entries.push_back({"next_seed"});
        for (std::size_t i = 0; i < seed.to.size(); ++i) {
            if (seed.to.at(i) == kNoGuid) continue;
            entries.push_back({fmt::format("{}{}_link {} {}", "xyz"[i / 2], "mp"[i % 2],
                                           Hex(seed.from), Hex(seed.to.at(i)))});
        }
        for (std::size_t d = 0; d < kTorusDimensions; ++d) {
            if (seed.place.at(d) == 0) continue;
            entries.push_back(
                {fmt::format("{}_dateline {}", "xyz"[d], shape.radix.at(d) - seed.place.at(d))});
        }
    }
    if (torus.port_order.empty()) return entries;
    line = "port_order";
    for (const PortNumber port : torus.port_order) {
        line += fmt::format(" {}", Raw(port));
    }
    entries.push_back({std::move(line)});
    return entries;
}

}  // namespace ember::emberc
