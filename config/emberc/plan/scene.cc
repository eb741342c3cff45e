// SPDX-License-Identifier: Apache-2.0
// EmberSM: what commands on a fabric on paper begin with: a netlist, settings, and mistakes.
#include "config/emberc/plan/scene.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "config/emberc/plan/node_by_word.h"
#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"

namespace ember::plan {

net::Netlist ReadFabric(const std::string& name) {
    const bool is_file = name == "-" || std::filesystem::exists(name);
    if (!is_file && name.find(':') != std::string::npos && name.find('/') == std::string::npos) {
        std::string error;
        net::Netlist netlist = net::TopologyByName(name, error);
        if (netlist.nodes.empty()) throw UsageError(error);
        return netlist;
    }
    net::NetErrors errors;
    net::Netlist netlist = net::ParseNetlist(emberc::ReadText(name), name, errors);
    for (const std::string& error : errors) {
        emberc::Say(stderr, "{}\n", error);
    }
    if (netlist.nodes.empty()) throw InputError(fmt::format("{} is no netlist", name));
    return netlist;
}

std::unique_ptr<PlanSettings> SettingsOf(const std::string& path,
                                         const emberc::ReadingTerms& terms) {
    if (path.empty()) return std::make_unique<PlanSettings>();
    auto loaded = LoadSettings(path, terms);
    if (loaded == nullptr) throw InputError(fmt::format("{} has errors; there is no plan", path));
    return loaded;
}

void Scene::Seat(const std::string& word, const Settings& settings) {
    try {
        home = FindHome(whole, word, settings.guid, {.tables = &settings.manager_tables});
    } catch (const std::runtime_error& error) {
        throw UsageError(error.what());
    }
}

std::unique_ptr<Planned> Scene::Route(const Settings& settings) const {
    net::Part part = net::Reachable(whole, home);
    return std::make_unique<Planned>(std::move(part.netlist), part.from, settings, nullptr,
                                     board == nullptr ? nullptr : &board->limits);
}

std::unique_ptr<Planned> Scene::RouteWithoutBounds(const Settings& settings) const {
    net::Part part = net::Reachable(whole, home);
    return std::make_unique<Planned>(std::move(part.netlist), part.from, settings);
}

namespace {

const Board* BoardFor(const PlanRequest& request) {
    if (request.board.empty()) return ShippedBoard(request.boards);
    const Board* const board = FindBoard(request.boards, request.board);
    if (board != nullptr) return board;
    std::string names;
    for (const Board& known : request.boards) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    }
    throw UsageError(fmt::format("there is no board \"{}\"; there are {}", request.board, names));
}

}  // namespace

Scene SceneOf(const PlanRequest& request) {
    Scene scene;
    scene.board = BoardFor(request);
    scene.whole = ReadFabric(request.fabric);
    return scene;
}

}  // namespace ember::plan
