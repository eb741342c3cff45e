// SPDX-License-Identifier: Apache-2.0
// EmberSM: a command line without a command, or with one that there is not.
#include "config/emberc/no_such_command.h"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "config/emberc/suggestion.h"

namespace ember::emberc {

std::string NoSuchCommand(const CLI::App& app) {
    const std::vector<std::string> words = app.remaining();
    const bool is_command = app.get_subcommands().empty() && !words.empty() &&
                            !words.front().empty() && words.front().front() != '-';
    if (!is_command) return {};
    std::vector<std::string> names;
    for (const CLI::App* const command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view nearest = Nearest(words.front(), views);
    std::string text = "there is no command '" + words.front() + "'";
    if (!nearest.empty()) return text + "; did you mean '" + std::string(nearest) + "'?";
    text += "; there are";
    for (const std::string& name : names) {
        text += (name == names.front() ? " " : ", ") + name;
    }
    return text;
}

}  // namespace ember::emberc
