// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberctl, which talks to a running subnet manager.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

#include "config/emberc/suggestion.h"
#include "config/explain/host/explain_command.h"
#include "config/explain/host/page.h"
#include "core/base/version.h"
#include "core/log/log_levels.h"
#include "platform/linux/control/default_socket.h"
#include "platform/linux/emberctl/answer.h"
#include "platform/linux/emberctl/client.h"
#include "platform/linux/emberctl/dump.h"
#include "platform/linux/emberctl/events.h"
#include "platform/linux/emberctl/output_file.h"
#include "platform/linux/emberctl/pages.h"

namespace ember::ctl {
namespace {

/// The command line, parsed.
struct Request {
    std::string socket{kDefaultSocket};
    bool json = false;
    bool markdown = false;
    bool is_open = false;  ///< Metrics in OpenMetrics' format.
    std::string output;    ///< A file for metrics, empty: standard output; a directory for dumps.
    std::string line;      ///< As the subnet manager takes it.
    int seconds = 10;      ///< Patience.
};

std::string Page(const Request& request, const nlohmann::ordered_json& answer) {
    if (request.line == "status") return StatusPage(answer);
    if (request.line == "memory") return MemoryPage(answer);
    if (answer.contains("explain")) return explain::Page(answer);
    if (answer.contains("sweep")) {
        return fmt::format("a {} sweep will begin\n", answer.value("sweep", ""));
    }
    if (answer.contains("handover")) {
        return fmt::format("the subnet is offered to {}; our priority is {}\n",
                           answer.value("handover", ""), answer.value("priority", 0));
    }
    if (answer.contains("sm_priority")) {
        return fmt::format("our priority is {} until the configuration is read again\n",
                           answer.value("sm_priority", 0));
    }
    if (answer.contains("reload")) return ReloadPage(answer);
    if (answer.contains("log_level")) {
        return fmt::format("notes of severity {} and above are kept\n",
                           answer.value("log_level", ""));
    }
    return "";
}

std::string MetricsPage(const Request& request) {
    const std::string line = request.line + (request.is_open ? " openmetrics" : "");
    constexpr std::string_view kLast = "# EOF";
    std::string page = AskForPage(request.socket, line, std::string(kLast), request.seconds);
    if (page.front() == '{') throw Trouble(kRefused, "this subnet manager has no such metrics");
    // OpenMetrics demands its last line; in the other format it is no more than the socket's mark.
    if (!request.is_open) page.resize(page.size() - kLast.size() - 1);
    return page;
}

/// A collector reads the file at any time. Without a subnet manager it goes: numbers of one that is
/// gone would be taken for those of now.
void WriteMetrics(const Request& request) {
    const std::filesystem::path path(request.output);
    const std::string folder = path.parent_path().string();
    const OutputDirectory directory(folder.empty() ? "." : folder);
    const std::string name = path.filename().string();
    try {
        OutputFile file(directory, name);
        file.Write(MetricsPage(request));
        file.Commit();
    } catch (const Trouble& trouble) {
        if (trouble.status() == kUnreachable) directory.Remove(name);
        throw;
    }
}

void ServeMetrics(const Request& request) {
    if (request.markdown) {
        fmt::print("{}", MetricsAsMarkdown());
        return;
    }
    if (request.json) {
        throw Trouble(kUsage, "metrics are a page of text; status --json has the same numbers");
    }
    if (!request.output.empty()) return WriteMetrics(request);
    fmt::print("{}", MetricsPage(request));
}

void ServeDump(const Request& request) {
    const DumpResult result = Dump(request.socket, request.output, request.seconds);
    if (request.json) {
        const nlohmann::ordered_json answer = {
            {"ok", true}, {"bytes", result.bytes}, {"files", result.files}};
        fmt::print("{}\n", answer.dump(2));
        return;
    }
    for (const std::string& file : result.files) {
        fmt::print("wrote {}\n", file);
    }
}

/// Of this program itself: nothing has to run for it.
void ServeEvents(const Request& request, const std::string& code) {
    const std::string page = request.markdown ? EventsAsMarkdown() : EventsPage(code);
    if (page.empty()) throw Trouble(kUsage, "there is no event " + code);
    fmt::print("{}", page);
}

void Serve(const Request& request, const std::string& word) {
    if (request.line == "events") return ServeEvents(request, word);
    if (request.line == "dump") return ServeDump(request);
    if (request.line == "metrics") return ServeMetrics(request);
    const nlohmann::ordered_json answer =
        ParseAnswer(Ask(request.socket, request.line, request.seconds));
    if (request.json) {
        fmt::print("{}\n", answer.dump(2));
    }
    if (!answer.value("ok", false)) {
        throw Trouble(kRefused, answer.value("error", "the subnet manager refused"));
    }
    if (!request.json) fmt::print("{}", Page(request, answer));
}

/// Declares the commands. Each leaves its line in `request`.
void Declare(CLI::App& app, Request& request, std::string& word,
             explain::ExplainCommand& explain_command) {
    app.set_version_flag("--version", "emberctl " + std::string(kEmberVersion));
    app.add_option("--socket", request.socket, "where the subnet manager listens")
        ->capture_default_str();
    app.add_flag("--json", request.json, "print the answer as JSON");
    app.require_subcommand(1);
    app.fallthrough();
    app.add_subcommand("status", "how the subnet is")->callback([&] { request.line = "status"; });
    app.add_subcommand("memory", "who takes how much static memory")->callback([&] {
        request.line = "memory";
    });
    app.add_subcommand("reload", "read the configuration again")->callback([&] {
        request.line = "reload";
    });
    CLI::App* const metrics =
        app.add_subcommand("metrics", "numbers for Prometheus, in its classic text format");
    metrics->add_flag("--openmetrics", request.is_open, "in the format OpenMetrics 1.0 instead");
    metrics->add_option("-o,--output", request.output,
                        "a file, which is written whole; without a subnet manager it is removed");
    metrics->add_flag("--markdown", request.markdown,
                      "list them instead: the page docs/metrics.md");
    metrics->callback([&] { request.line = "metrics"; });
    CLI::App* const events = app.add_subcommand("events", "what the codes of the log mean");
    events->add_option("code", word, "one of them");
    events->add_flag("--markdown", request.markdown, "the page docs/events.md");
    events->callback([&] { request.line = "events"; });
    CLI::App* const sweep = app.add_subcommand("sweep", "sweep as soon as possible");
    sweep->add_option("kind", word, "heavy or light")
        ->required()
        ->check(CLI::IsMember({"heavy", "light"}));
    sweep->callback([&] { request.line = "sweep " + word; });
    CLI::App* const handover = app.add_subcommand("handover", "hand the subnet to a standby");
    handover->add_option("port", word, "its port: a name, a GUID (0x...) or a LID")->required();
    handover->callback([&] { request.line = "handover " + explain::Quoted(word); });
    CLI::App* const priority =
        app.add_subcommand("sm-priority", "the priority of this subnet manager from now on");
    priority->add_option("priority", word, "0 to 15")->required();
    priority->callback([&] { request.line = "sm-priority " + word; });
    CLI::App* const level = app.add_subcommand("log-level", "which notes are kept from now on");
    level
        ->add_option("levels", word,
                     "error, warning, info or debug, and others by code: info,link=debug")
        ->required()
        ->check([](const std::string& text) {
            return std::string(LogLevelsOf(text).ok() ? "" : "wants info or info,link=debug");
        });
    level->callback([&] { request.line = "log-level " + word; });
    explain_command.AddTo(app, [&] { request.line = "explain " + explain_command.line(); });
    CLI::App* const dump = app.add_subcommand("dump", "write OpenSM's dump files");
    dump->add_option("directory", request.output, "where to; it must exist")->required();
    dump->callback([&] {
        request.line = "dump";
        request.seconds = 600;
    });
}

}  // namespace
}  // namespace ember::ctl

int main(int count, char** arguments) {
    CLI::App app("Talks to a running EmberSM.", "emberctl");
    ember::ctl::Request request;
    std::string word;
    ember::explain::ExplainCommand explain_command;
    try {
        ember::ctl::Declare(app, request, word, explain_command);
        app.parse(count, arguments);
        ember::ctl::Serve(request, word);
        return 0;
    } catch (const CLI::ParseError& error) {
        if (const std::string why = ember::emberc::NoSuchCommand(app); !why.empty()) {
            fmt::print(stderr, "emberctl: {}\n", why);
            return ember::ctl::kUsage;
        }
        return app.exit(error) == 0 ? 0 : ember::ctl::kUsage;
    } catch (const ember::ctl::Trouble& trouble) {
        fmt::print(stderr, "emberctl: {}\n", trouble.what());
        return trouble.status();
    } catch (const std::exception& error) {
        fmt::print(stderr, "emberctl: {}\n", error.what());
        return ember::ctl::kUnreachable;
    }
}
