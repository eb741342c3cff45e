// SPDX-License-Identifier: Apache-2.0
// EmberSM: fabrics of well-known shapes, called by name.
#include <charconv>
#include <vector>

#include "config/netlist/topologies.h"

namespace ember::net {
namespace {

/// Numbers between separators; empty when there is anything else.
std::vector<std::uint64_t> Numbers(std::string_view text, char separator) {
    std::vector<std::uint64_t> numbers;
    while (true) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{}) return {};
        numbers.push_back(value);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) return numbers;
        if (text.front() != separator) return {};
        text.remove_prefix(1);
    }
}

/// A shape's name cut at its colons, its numbers read and checked.
struct Order {
    std::string_view shape;
    std::vector<std::uint64_t> numbers;
    std::uint32_t hosts = 1;

    [[nodiscard]] bool Has(std::size_t count, std::uint64_t from, std::uint64_t to) const {
        if (numbers.size() != count) return false;
        for (const std::uint64_t number : numbers) {
            if (number < from || number > to) return false;
        }
        return true;
    }
    [[nodiscard]] std::uint32_t At(std::size_t i) const {
        return static_cast<std::uint32_t>(numbers[i]);
    }
};

bool ReadOrder(std::string_view name, Order& order) {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) return false;
    order.shape = name.substr(0, colon);
    std::string_view rest = name.substr(colon + 1);
    if (const std::size_t second = rest.find(':'); second != std::string_view::npos) {
        const std::vector<std::uint64_t> hosts = Numbers(rest.substr(second + 1), ':');
        if (hosts.size() != 1 || hosts[0] > 128) return false;
        order.hosts = static_cast<std::uint32_t>(hosts[0]);
        rest = rest.substr(0, second);
    }
    order.numbers = Numbers(rest, rest.find('x') != std::string_view::npos ? 'x' : ',');
    return !order.numbers.empty();
}

/// Grids of at most six dimensions and 4,096 switches.
Netlist GridByName(const Order& order) {
    std::vector<std::uint32_t> sizes;
    std::uint64_t count = 1;
    for (const std::uint64_t size : order.numbers) {
        if (size < 1 || size > 4096) return {};
        sizes.push_back(static_cast<std::uint32_t>(size));
        count *= size;
        if (count > 4096 || sizes.size() > 6) return {};
    }
    return order.shape == "torus" ? Torus(sizes, order.hosts) : Mesh(sizes, order.hosts);
}

Netlist Make(const Order& order) {
    const std::string_view shape = order.shape;
    if (shape == "torus" || shape == "mesh") return GridByName(order);
    if (shape == "ft2" && order.Has(1, 2, 254) && order.At(0) % 2 == 0)
        return FatTree2(order.At(0));
    if (shape == "ft3" && order.Has(1, 2, 48) && order.At(0) % 2 == 0) return FatTree3(order.At(0));
    if (shape == "hypercube" && order.Has(1, 1, 12)) return Hypercube(order.At(0), order.hosts);
    if (shape == "dragonfly" && order.Has(2, 1, 16)) {
        return Dragonfly(order.At(0), order.At(1), order.hosts);
    }
    if (shape == "ring" && order.Has(1, 2, 4096)) return Ring(order.At(0), order.hosts);
    if (shape == "random" && order.numbers.size() == 3) {
        const bool fits = order.numbers[1] >= 1 && order.numbers[1] <= 4096 &&
                          order.numbers[2] >= 2 && order.numbers[2] <= 64;
        if (fits) return RandomGraph(order.numbers[0], order.At(1), order.At(2), order.hosts);
    }
    if (shape == "single" && order.Has(1, 1, 254)) return SingleSwitch(order.At(0));
    if (shape == "parallel" && order.Has(1, 1, 120)) return ParallelLinks(order.At(0), order.hosts);
    if (shape == "dualrail" && order.Has(2, 1, 120)) return DualRail(order.At(0), order.At(1));
    return {};
}

}  // namespace

Netlist TopologyByName(std::string_view name, std::string& error) {
    Order order;
    if (!ReadOrder(name, order)) {
        error = "a topology is a shape, a colon and numbers, as in ft3:16 or torus:4x4x4:2";
        return {};
    }
    Netlist net = Make(order);
    if (net.nodes.empty()) {
        error = "no topology \"" + std::string(name) +
                "\"; there are ft2:K ft3:K torus:AxB mesh:AxB hypercube:N dragonfly:A,H ring:N "
                "random:SEED,N,DEGREE single:HOSTS parallel:CABLES dualrail:HOSTS,CABLES, with "
                "numbers that fit; K is even";
    }
    return net;
}

}  // namespace ember::net
