// SPDX-License-Identifier: Apache-2.0
// EmberSM: a key by its name, or by one that is nearly its name.
#include <array>
#include <vector>

#include "config/emberc/keys.h"
#include "config/emberc/suggestion.h"

namespace ember::emberc {
namespace {

constexpr std::array kAliases = {Alias{"dimn_ports_file", "port_search_ordering_file"}};

}  // namespace

std::span<const Alias> Aliases() {
    return kAliases;
}

std::optional<std::size_t> FindKey(std::string_view name) {
    for (const Alias& alias : Aliases()) {
        if (alias.name == name) name = alias.key;
    }
    for (std::size_t i = 0; i < Keys().size(); ++i) {
        if (Keys()[i].name == name) return i;
    }
    return std::nullopt;
}

std::string_view NearestKey(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Key& key : Keys()) {
        names.push_back(key.name);
    }
    for (const Alias& alias : Aliases()) {
        names.push_back(alias.name);
    }
    return Nearest(name, names);
}

}  // namespace ember::emberc
