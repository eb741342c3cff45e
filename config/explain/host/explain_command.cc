// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subcommand `explain` of emberc and of emberctl.
#include "config/explain/host/explain_command.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>

namespace ember::explain {
namespace {

constexpr const char* kFooter =
    R"(A port is named by its LID (12 or 0x000c), its PortGUID or the GUID of its node (0x...), or a name
of its node: that of node_name_map_name or its NodeDescription, of which the first word will do. Of
a node with several ports name one: host-1/2 or "host-1 port 2". A name with blanks stands in
quotation marks.)";

struct OptionRow {
    const char* name;
    const char* help;
    bool is_of_path;
    bool is_of_join;
};

constexpr std::array kOptions{
    OptionRow{"service-id", "Service ID that the path is for", true, false},
    OptionRow{"qos-class", "QoS class, 0 to 4095", true, false},
    OptionRow{"pkey", "P_Key, as in 0x8001", true, true},
    OptionRow{"qkey", "Q_Key", false, true},
    OptionRow{"sl", "Service level, 0 to 15", true, true},
    OptionRow{"mtu", "Octets: exactly 256, 512, 1024, 2048 or 4096", true, true},
    OptionRow{"rate", "Gb/s: exactly 2.5, 5, 10, 14, 20, 25, ...", true, true},
    OptionRow{"tclass", "Traffic class", false, true},
    OptionRow{"flow-label", "Flow label", false, true},
    OptionRow{"state", "Kind of membership: full, non, send-only, send-only-full", false, true},
};

}  // namespace

std::string Quoted(const std::string& word) {
    if (word.find('"') != std::string::npos || word.find('\n') != std::string::npos) {
        throw CLI::ValidationError("a name", "a name has no quotation marks and no ends of lines");
    }
    const bool is_plain = !word.empty() && word.find(' ') == std::string::npos;
    return is_plain ? word : '"' + word + '"';
}

CLI::App* ExplainCommand::AddTo(CLI::App& app, const std::function<void()>& chosen) {
    chosen_ = chosen;
    for (const OptionRow& row : kOptions) {
        options_.push_back({.name = row.name, .value = {}});
    }
    CLI::App* const explain = app.add_subcommand(
        "explain", "Why two ports may talk or not, what their path is, why a join is refused");
    explain->require_subcommand(1);
    explain->footer(kFooter);
    explain->fallthrough();

    CLI::App* const partition =
        AddKind(explain, "partition", "May two ports talk, in which partition, by which line");
    partition->add_option("A", one_, "A port")->required();
    partition->add_option("B", other_, "Another port")->required();

    CLI::App* const path = AddKind(
        explain, "path", "Level, P_Key, service level, lanes, hops, MTU and rate, and what limits");
    path->add_option("A", one_, "The port that asks")->required();
    path->add_option("B", other_, "Where the path leads")->required();
    path->add_flag("--reversible", reversible_, "Only a path that can be reversed");

    CLI::App* const join = AddKind(explain, "join", "May a port join a multicast group");
    join->add_option("PORT", one_, "The port that joins")->required();
    join->add_option("MGID", other_, "The group, as in ff12:401b:ffff::ffff:ffff")->required();

    for (std::size_t i = 0; i < kOptions.size(); ++i) {
        if (kOptions[i].is_of_path) AddOption(path, i, kOptions[i].help);
        if (kOptions[i].is_of_join) AddOption(join, i, kOptions[i].help);
    }
    return explain;
}

CLI::App* ExplainCommand::AddKind(CLI::App* explain, const std::string& kind,
                                  const std::string& help) {
    CLI::App* const command = explain->add_subcommand(kind, help);
    command->fallthrough();
    command->callback([this, kind] {
        MakeLine(kind);
        chosen_();
    });
    return command;
}

void ExplainCommand::AddOption(CLI::App* command, std::size_t at, const std::string& help) {
    command->add_option("--" + options_[at].name, options_[at].value, help);
}

void ExplainCommand::MakeLine(const std::string& kind) {
    line_ = kind + ' ' + Quoted(one_) + ' ' + Quoted(other_);
    for (const Option& option : options_) {
        if (!option.value.empty()) line_ += ' ' + Quoted(option.name + '=' + option.value);
    }
    if (reversible_) line_ += " reversible=1";
}

}  // namespace ember::explain
