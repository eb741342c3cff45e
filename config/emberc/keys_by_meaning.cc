// SPDX-License-Identifier: Apache-2.0
// EmberSM: words that mean a key and are not spelled like it.
#include "config/emberc/keys_by_meaning.h"

#include <algorithm>
#include <array>

#include "config/emberc/opensm_options_table.h"

namespace ember::emberc {
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
