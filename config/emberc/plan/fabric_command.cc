// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc fabric: netlists of well-known shapes.
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "config/emberc/plan/commands.h"
#include "config/emberc/say.h"
#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"

namespace ember::plan {
namespace {

/// A shape as people ask for it.
struct Shape {
    std::string_view name;
    std::size_t numbers;  ///< How many arguments.
    std::string_view usage;
    std::string_view meaning;
    bool takes_hosts;
};

// clang-format off
constexpr std::array kShapes = {
    Shape{"ft2",       1, "K",          "two levels of K-port switches, K even, 2 to 254",             false},
    Shape{"ft3",       1, "K",          "three levels of K-port switches, K even, 2 to 48",            false},
    Shape{"torus",     1, "AxBx...",    "a grid of closed rows, 6 dimensions and 4,096 switches at most", true},
    Shape{"mesh",      1, "AxBx...",    "a grid of open rows, 6 dimensions and 4,096 switches at most",   true},
    Shape{"hypercube", 1, "N",          "2^N switches, N from 1 to 12",                                true},
    Shape{"dragonfly", 2, "A H",        "A switches a group, H cables to other groups on each, 1 to 16", true},
    Shape{"random",    2, "N DEGREE",   "N switches, 1 to 4096, with DEGREE cables on average, 2 to 64, drawn from --seed", true},
    Shape{"ring",      1, "N",          "N switches, 2 to 4096",                                       true},
    Shape{"parallel",  1, "CABLES",     "two switches joined by 1 to 120 cables",                      true},
    Shape{"single",    1, "HOSTS",      "one switch with 1 to 254 hosts",                              false},
    Shape{"dualrail",  2, "HOSTS CABLES", "two switches, 1 to 120 two-port hosts on both, 1 to 120 cables", false},
};
// clang-format on

const Shape* FindShape(std::string_view name) {
    for (const Shape& shape : kShapes) {
        if (shape.name == name) return &shape;
    }
    return nullptr;
}

/// As TopologyByName() wants it.
std::string NameOf(const FabricRequest& request, const Shape& shape) {
    std::string name = fmt::format("{}:", shape.name);
    if (shape.name == "random") name += fmt::format("{},", request.seed);
    for (std::size_t i = 0; i < request.numbers.size(); ++i) {
        name += (i == 0 ? "" : ",") + request.numbers[i];
    }
    if (shape.takes_hosts) name += fmt::format(":{}", request.hosts);
    return name;
}

}  // namespace

std::string ShapesHelp() {
    std::string text = "Shapes:\n";
    for (const Shape& shape : kShapes) {
        text += fmt::format("  {:<24}{}\n", fmt::format("{} {}", shape.name, shape.usage),
                            shape.meaning);
    }
    return text +
           "A switch of torus, mesh, hypercube, dragonfly, random, ring and parallel has "
           "--hosts hosts.\n";
}

net::Netlist MakeFabric(const FabricRequest& request, std::string& error) {
    const Shape* const shape = FindShape(request.shape);
    if (shape == nullptr) {
        error =
            fmt::format("there is no shape \"{}\"; emberc fabric --help lists them", request.shape);
        return {};
    }
    if (request.has_hosts && !shape->takes_hosts) {
        error = fmt::format("{} has its number of hosts by its shape; --hosts says nothing here",
                            shape->name);
        return {};
    }
    std::string given;
    bool is_plain = request.numbers.size() == shape->numbers;
    for (const std::string& number : request.numbers) {
        given += " " + number;
        // A colon would begin another part of the name.
        is_plain = is_plain && number.find_first_not_of("0123456789x") == std::string::npos;
    }
    net::Netlist netlist;
    std::string ignored;
    if (is_plain && request.hosts <= 128) {
        netlist = net::TopologyByName(NameOf(request, *shape), ignored);
    }
    if (netlist.nodes.empty()) {
        error = fmt::format("{} takes {}: {}{}; not \"{}{}\"", shape->name, shape->usage,
                            shape->meaning, shape->takes_hosts ? ", with 0 to 128 --hosts" : "",
                            shape->name, given);
        if (request.has_hosts) error += fmt::format(" --hosts {}", request.hosts);
        return {};
    }
    const std::size_t trunks = net::TrunksOf(netlist).size();
    if (request.kill_links > trunks) {
        error = fmt::format("there are only {} cables between switches to kill", trunks);
        return {};
    }
    static_cast<void>(net::KillLinks(netlist, request.kill_links, request.seed));
    return netlist;
}

int WriteFabric(const FabricRequest& request) {
    std::string error;
    const net::Netlist netlist = MakeFabric(request, error);
    if (netlist.nodes.empty()) {
        emberc::Say(stderr, "emberc: {}\n", error);
        return emberc::kUsageIsWrong;
    }
    const std::string text = net::WriteNetlist(netlist);
    if (request.output == "-") {
        fmt::print("{}", text);
        return emberc::kDone;
    }
    emberc::WriteText(request.output, text, emberc::Access::kEverybody);
    emberc::Say(stdout, "{}: {} switches, {} hosts, {} cables\n", request.output,
                netlist.switch_count(), netlist.nodes.size() - netlist.switch_count(),
                netlist.link_count());
    return emberc::kDone;
}

}  // namespace ember::plan
