// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subcommand `explain` of emberc and of emberctl.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ember::explain {

/// A word as the line of a question has it. Names of nodes have no quotation marks: throws
/// CLI::ValidationError where there is one.
[[nodiscard]] std::string Quoted(const std::string& word);

/// The arguments of `explain`, which are the same on paper and on the switch, as the line that
/// explain::Answer() takes.
class ExplainCommand {
public:
    /// Adds `explain` to `app` and returns it; `chosen` is called when it was asked for. This must
    /// outlive both.
    CLI::App* AddTo(CLI::App& app, const std::function<void()>& chosen);

    /// "path host-1 \"host 2\" sl=2": without the word `explain`.
    [[nodiscard]] const std::string& line() const { return line_; }

private:
    struct Option {
        std::string name;
        std::string value;
    };

    CLI::App* AddKind(CLI::App* explain, const std::string& kind, const std::string& help);
    void AddOption(CLI::App* command, std::size_t at, const std::string& help);
    void MakeLine(const std::string& kind);

    std::string one_;
    std::string other_;
    std::vector<Option> options_;
    std::string line_;
    std::function<void()> chosen_;
    bool reversible_ = false;
};

}  // namespace ember::explain
