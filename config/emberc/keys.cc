// SPDX-License-Identifier: Apache-2.0
// EmberSM: the table of keys, and which of them a word means. docs/configuration.md, `emberc check`
// and `emberc show` read it.
#include "config/emberc/keys.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "config/emberc/opensm_options_table.h"
#include "config/emberc/suggestion.h"
#include "config/keys/table.h"

namespace ember::emberc {
namespace {

constexpr std::array kKeys = AllKeysAs<Key>();

/// The number that a row writes as its default: decimal or hexadecimal, TRUE or FALSE, or a word of
/// a choice.
constexpr std::uint64_t NumberOf(const Key& key) {
    const auto word = std::find(key.words.begin(), key.words.end(), key.default_text);
    if (word != key.words.end()) return static_cast<std::uint64_t>(word - key.words.begin());
    if (key.kind == FieldKind::kBool) return key.default_text == "TRUE" ? 1 : 0;
    const bool is_hexadecimal = key.default_text.starts_with("0x");
    const std::string_view digits = key.default_text.substr(is_hexadecimal ? 2 : 0);
    std::uint64_t number = 0;
    for (const char digit : digits) {
        const int value = digit >= 'a' ? digit - 'a' + 10 : digit - '0';
        number = number * (is_hexadecimal ? 16 : 10) + static_cast<std::uint64_t>(value);
    }
    return number;
}

// A setting has its default in Settings; a row only says it.
static_assert(std::all_of(kKeys.begin(), kKeys.end(),
                          [](const Key& key) {
                              return !key.member.is_there() ||
                                     NumberOf(key) == key.member.Get(Settings{});
                          }),
              "default_text is not the default that core/settings/settings.h gives the member");
static_assert(Settings{}.routing_engine.empty() && Settings{}.sm_peers.empty(),
              "lists are unset by default");
static_assert(std::all_of(kKeys.begin(), kKeys.end(),
                          [](const Key& key) {
                              const bool is_choice = key.kind == FieldKind::kChoice;
                              return key.words.size() == (is_choice ? key.range.max + 1 : 0);
                          }),
              "a choice has a word for each of its numbers");

}  // namespace

std::span<const Key> Keys() {
    return kKeys;
}

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

namespace {

struct Meaning {
    std::string_view word;
    std::string_view key;
};

// clang-format off
constexpr std::array kMeanings = {
    Meaning{"priority", "sm_priority"},
    Meaning{"prio", "sm_priority"},
    Meaning{"sm_prio", "sm_priority"},
    Meaning{"log_level", "log_flags"},
    Meaning{"loglevel", "log_flags"},
    Meaning{"verbosity", "log_flags"},
    Meaning{"log", "log_file"},
    Meaning{"log_size", "log_max_size"},
    Meaning{"engine", "routing_engine"},
    Meaning{"routing", "routing_engine"},
    Meaning{"routing_algorithm", "routing_engine"},
    Meaning{"algorithm", "routing_engine"},
    Meaning{"roots", "root_guid_file"},
    Meaning{"root_guids", "root_guid_file"},
    Meaning{"partitions", "partition_config_file"},
    Meaning{"partition_file", "partition_config_file"},
    Meaning{"pkeys_file", "partition_config_file"},
    Meaning{"prefix", "subnet_prefix"},
    Meaning{"gid_prefix", "subnet_prefix"},
    Meaning{"port_guid", "guid"},
    Meaning{"max_smps", "max_wire_smps"},
    Meaning{"polling_timeout", "sminfo_polling_timeout"},
    Meaning{"polling_interval", "sminfo_polling_timeout"},
    Meaning{"max_vls", "max_op_vls"},
    Meaning{"vls", "max_op_vls"},
    Meaning{"hoq_lifetime", "head_of_queue_lifetime"},
    Meaning{"name_map", "node_name_map_name"},
    Meaning{"node_name_map", "node_name_map_name"},
    Meaning{"guid2lid", "guid2lid_file"},
    Meaning{"link_speed", "force_link_speed"},
    Meaning{"link_width", "force_link_width"},
    Meaning{"multicast", "disable_multicast"},
    Meaning{"topology", "torus_config"},
    Meaning{"ucast_cache", "use_ucast_cache"},
};
// clang-format on

/// Without capitals and hyphens.
std::string Folded(std::string_view word) {
    std::string folded(word);
    std::transform(folded.begin(), folded.end(), folded.begin(), [](unsigned char c) {
        if (c == '-') return '_';
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    return folded;
}

}  // namespace

std::string_view KeyByMeaning(std::string_view word) {
    const std::string folded = Folded(word);
    const auto* const found =
        std::find_if(kMeanings.begin(), kMeanings.end(),
                     [&folded](const Meaning& one) { return one.word == folded; });
    if (found != kMeanings.end()) return found->key;
    const auto* const option = std::find_if(
        kOpensmOptions.begin(), kOpensmOptions.end(), [&folded](const OpensmOption& one) {
            return one.name.size() > 1 && Folded(one.name) == folded;
        });
    return option == kOpensmOptions.end() ? std::string_view() : option->key;
}

}  // namespace ember::emberc
