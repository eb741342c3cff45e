// SPDX-License-Identifier: Apache-2.0
// EmberSM: the seeds of torus_config.
#include "config/emberc/option_files/torus_seeds.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace ember::emberc {
namespace {

constexpr std::string_view kAxes = "xyz";

std::string Text(const std::array<std::uint8_t, kTorusDimensions>& place) {
    return fmt::format("({})", fmt::join(place, ", "));
}

}  // namespace

void TorusSeeds::Report(Severity severity, const TorusSpot& at, Code code, std::string text) {
    Place place;  // The file as a whole.
    if (at.line > 0)
        place = {at.line, at.word.begin + 1, std::max<std::size_t>(1, at.word.text.size())};
    diagnostics_.Add({.severity = severity,
                      .place = place,
                      .code = code,
                      .text = std::move(text),
                      .source = std::string(at.source)});
}

void TorusSeeds::Next(const TorusSpot& spot) {
    drafts_.push_back({.begin = spot, .links = {}, .datelines = {}});
}

TorusSeeds::Draft& TorusSeeds::Last(const TorusSpot& spot) {
    if (drafts_.empty()) Next(spot);
    return drafts_.back();
}

void TorusSeeds::AddLink(std::size_t direction, const TorusSwitch& from, const TorusSwitch& to) {
    std::optional<Link>& link = Last(from.spot).links.at(direction);
    if (!link) {
        link = Link{from, to};
    } else if (link->from.guid == from.guid && link->to.guid == to.guid) {
        Report(Severity::kWarning, from.spot, Code::kDuplicateEntry,
               fmt::format("line {} says the same", link->from.spot.line));
    } else {
        Error(to.spot, Code::kContradiction,
              fmt::format("line {} says otherwise where this direction leads; another seed begins "
                          "with next_seed",
                          link->from.spot.line));
    }
}

void TorusSeeds::SetDateline(std::size_t dimension, int places, const TorusSpot& spot) {
    std::optional<Dateline>& dateline = Last(spot).datelines.at(dimension);
    if (dateline && dateline->places != places) {
        Error(spot, Code::kContradiction,
              fmt::format("line {} moves this dateline by {}", dateline->spot.line,
                          dateline->places));
    } else if (dateline) {
        Report(Severity::kWarning, spot, Code::kDuplicateEntry,
               fmt::format("line {} says the same", dateline->spot.line));
    }
    dateline = Dateline{places, spot};
}

/// Says enough of a dimension, and nothing of one that is not there.
void TorusSeeds::CheckDimension(const TorusShape& shape, const Draft& draft,
                                std::size_t dimension) {
    const int radix = shape.radix.at(dimension);
    const char axis = kAxes[dimension];
    const auto& minus = draft.links.at(2 * dimension);
    const auto& plus = draft.links.at(2 * dimension + 1);
    const auto& dateline = draft.datelines.at(dimension);
    if (dateline && std::abs(dateline->places) >= radix) {
        Error(dateline->spot, Code::kOutOfRange,
              fmt::format("a dateline of {0} moves by {1} to {2}, as its radix is {3}", axis,
                          1 - radix, radix - 1, radix));
    }
    if (radix == 1) {
        for (const auto& link : {minus, plus}) {
            if (!link) continue;
            Report(Severity::kWarning, link->from.spot, Code::kNoEffect,
                   fmt::format("nothing lies in a direction of {}, as its radix is 1", axis));
        }
        return;
    }
    const bool needs_both = radix == 4 && !shape.is_open(dimension);
    if (needs_both && !(minus && plus)) {
        Error(draft.begin, Code::kMissingEntry,
              fmt::format("a seed needs both {0}m_link and {0}p_link, as {0} is a ring of four, "
                          "whose links look like those of a face",
                          axis));
    } else if (!minus && !plus) {
        Error(draft.begin, Code::kMissingEntry,
              fmt::format("a seed needs {0}m_link or {0}p_link", axis));
    }
}

/// All links begin at one switch, and no switch stands at two places. Each line is held against the
/// lines before it.
void TorusSeeds::CheckSwitches(const TorusShape& shape, const Draft& draft) {
    std::vector<std::size_t> directions;
    for (std::size_t i = 0; i < draft.links.size(); ++i) {
        if (draft.links.at(i) && shape.radix.at(i / 2) > 1) directions.push_back(i);
    }
    std::sort(directions.begin(), directions.end(), [&](std::size_t one, std::size_t other) {
        return draft.links.at(one)->from.spot.line < draft.links.at(other)->from.spot.line;
    });
    for (std::size_t turn = 0; turn < directions.size(); ++turn) {
        const Link& link = *draft.links.at(directions[turn]);
        const Link& first = *draft.links.at(directions.front());
        if (link.from.guid != first.from.guid) {
            Error(link.from.spot, Code::kContradiction,
                  fmt::format("the links of a seed begin at one switch, which is {} in line {}",
                              Hex(first.from.guid), first.from.spot.line));
        }
        if (link.to.guid == link.from.guid) {
            Error(link.to.spot, Code::kContradiction, "a link leads to another switch");
        }
        for (std::size_t before = 0; before < turn; ++before) {
            const Link& other = *draft.links.at(directions[before]);
            const std::size_t axis = directions[turn] / 2;
            const bool is_one_place = directions[before] / 2 == axis && shape.radix.at(axis) == 2;
            if ((other.to.guid == link.to.guid) == is_one_place) continue;
            Error(link.to.spot, Code::kContradiction,
                  is_one_place ? fmt::format("with a radix of 2 this is the switch of line {}",
                                             other.to.spot.line)
                               : fmt::format("line {} puts this switch at another place",
                                             other.to.spot.line));
        }
    }
}

TorusSeed TorusSeeds::Make(const TorusShape& shape, const Draft& draft) {
    TorusSeed seed;
    for (std::size_t d = 0; d < kTorusDimensions; ++d) {
        CheckDimension(shape, draft, d);
        const int radix = shape.radix.at(d);
        const int places = draft.datelines.at(d) ? draft.datelines.at(d)->places : 0;
        seed.place.at(d) = static_cast<std::uint8_t>((radix - places % radix) % radix);
    }
    CheckSwitches(shape, draft);
    for (std::size_t i = 0; i < seed.to.size(); ++i) {
        const auto& link = draft.links.at(i);
        if (!link || shape.radix.at(i / 2) == 1) continue;
        seed.from = link->from.guid;
        seed.to.at(i) = link->to.guid;
    }
    return seed;
}

/// A later seed, for the case that a switch of an earlier one has failed, must name other switches,
/// and give them the places that the earlier one leads to: else service levels change.
void TorusSeeds::CompareSeeds(const TorusShape& shape, const std::vector<TorusSeed>& seeds) {
    std::vector<Placed> placed;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        const std::vector<Placed> own = PlacesOf(shape, drafts_[i], seeds[i]);
        for (const Placed& one : own) {
            const auto before = std::find_if(placed.begin(), placed.end(),
                                             [&](const Placed& it) { return it.guid == one.guid; });
            if (before == placed.end()) continue;
            const bool is_same = before->place == one.place;
            Report(Severity::kWarning, one.spot,
                   is_same ? Code::kDuplicateSwitch : Code::kContradiction,
                   is_same
                       ? fmt::format("line {} has this switch in an earlier seed: when it fails "
                                     "no seed is left",
                                     before->spot.line)
                       : fmt::format("an earlier seed puts this switch at {} in line {}, and "
                                     "this one at {}: service levels would change from one "
                                     "seed to the other; see x_dateline",
                                     Text(before->place), before->spot.line, Text(one.place)));
        }
        placed.insert(placed.end(), own.begin(), own.end());
    }
}

/// The switches of a seed, each once, and the first line that names it.
std::vector<TorusSeeds::Placed> TorusSeeds::PlacesOf(const TorusShape& shape, const Draft& draft,
                                                     const TorusSeed& seed) {
    std::vector<Placed> placed;
    const auto add = [&](const TorusSwitch& at, const TorusPlace& place) {
        const bool is_known = std::any_of(placed.begin(), placed.end(),
                                          [&](const Placed& it) { return it.guid == at.guid; });
        if (!is_known) placed.push_back({at.guid, place, at.spot});
    };
    for (std::size_t i = 0; i < draft.links.size(); ++i) {
        const std::size_t axis = i / 2;
        if (!draft.links.at(i) || shape.radix.at(axis) == 1) continue;
        const std::uint8_t radix = shape.radix.at(axis);
        TorusPlace to = seed.place;
        const int step = i % 2 == 0 ? radix - 1 : 1;
        to.at(axis) = static_cast<std::uint8_t>((to.at(axis) + step) % radix);
        add(draft.links.at(i)->from, seed.place);
        add(draft.links.at(i)->to, to);
    }
    return placed;
}

/// Both switches of each link are there, and a cable joins them. A switch that is away is told once
/// a seed.
void TorusSeeds::CheckLinks(const TorusFabric& fabric, const TorusShape& shape,
                            const Draft& draft) {
    std::vector<Guid> away;
    const auto is_there = [&](const TorusSwitch& at) {
        if (fabric.HasSwitch(at.guid)) return true;
        if (std::find(away.begin(), away.end(), at.guid) != away.end()) return false;
        away.push_back(at.guid);
        Report(Severity::kWarning, at.spot, Code::kNotInFabric,
               fmt::format("none of the {} switches of the fabric is {}: this seed is passed over",
                           fabric.switch_count(), Hex(at.guid)));
        return false;
    };
    for (std::size_t i = 0; i < draft.links.size(); ++i) {
        const auto& link = draft.links.at(i);
        if (!link || shape.radix.at(i / 2) == 1) continue;
        const bool is_from_there = is_there(link->from);
        const bool is_to_there = is_there(link->to);
        if (!is_from_there || !is_to_there || fabric.AreLinked(link->from.guid, link->to.guid))
            continue;
        Report(Severity::kWarning, link->to.spot, Code::kNotInFabric,
               fmt::format("no cable of the fabric joins these switches: {} is cabled to {}",
                           Hex(link->from.guid), fabric.NeighborsOf(link->from.guid)));
    }
}

/// Where the fabric has the switches of later seeds, by the first one that is there. CompareSeeds()
/// compares lines without a fabric.
void TorusSeeds::ComparePlaces(const TorusFabric& fabric, const TorusShape& shape,
                               std::span<const TorusSeed> seeds) {
    std::vector<Guid> known;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        const std::vector<Placed> own = PlacesOf(shape, drafts_[i], seeds[i]);
        const bool is_here = std::all_of(own.begin(), own.end(), [&fabric](const Placed& one) {
            return fabric.PlaceOf(one.guid).has_value();
        });
        const auto wrong = std::find_if(own.begin(), own.end(), [&](const Placed& one) {
            return std::find(known.begin(), known.end(), one.guid) == known.end() &&
                   fabric.PlaceOf(one.guid) != one.place;
        });
        for (const Placed& one : own) {
            known.push_back(one.guid);
        }
        if (!is_here || wrong == own.end()) continue;
        Report(Severity::kWarning, wrong->spot, Code::kNotInFabric,
               fmt::format("this seed puts the switch at {}, and the fabric has it at {} by the "
                           "first seed: service levels would change from one seed to the other; "
                           "see x_dateline",
                           Text(wrong->place), Text(*fabric.PlaceOf(wrong->guid))));
    }
}

void TorusSeeds::CompareWith(TorusFabric& fabric, const TorusShape& shape,
                             std::span<const TorusSeed> seeds, const TorusSpot& shape_spot,
                             bool routes_all) {
    for (const Draft& draft : drafts_) {
        CheckLinks(fabric, shape, draft);
    }
    if (!routes_all) return;
    const EngineComplaint complaint = fabric.Place(shape, seeds);
    if (complaint.what == EngineFault::kNone) return ComparePlaces(fabric, shape, seeds);
    const std::string formed = fabric.FormedShape();
    Report(Severity::kWarning, shape_spot, Code::kNotInFabric,
           fmt::format("torus-2QoS refuses the fabric: {}; there are {} places, and the fabric has "
                       "{} switches{}{}",
                       fabric.TextOf(complaint), shape.places(), fabric.switch_count(),
                       formed.empty() ? "" : ", whose cables form ", formed));
}

void TorusSeeds::ReportNoShape() {
    Error({}, Code::kMissingEntry, "a line 'torus' or 'mesh' with three radices is missing");
}

std::vector<TorusSeed> TorusSeeds::Finish(const TorusShape& shape) {
    std::vector<TorusSeed> seeds;
    if (drafts_.empty()) {
        Error({}, Code::kMissingEntry,
              "a seed is missing: a line such as xp_link for each dimension, with a switch and its "
              "neighbor");
    }
    std::transform(drafts_.begin(), drafts_.end(), std::back_inserter(seeds),
                   [&](const Draft& draft) { return Make(shape, draft); });
    CompareSeeds(shape, seeds);
    return seeds;
}

}  // namespace ember::emberc
