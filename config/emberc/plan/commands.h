// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc plan, emberc explain, emberc fabric and emberc boards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/emberc/configuration.h"
#include "config/emberc/plan/board.h"
#include "config/emberc/plan/report.h"
#include "config/explain/host/explain_command.h"
#include "config/netlist/netlist.h"

namespace CLI {
class App;
}

namespace ember::plan {

struct PlanRequest {
    std::span<const Board> boards;  ///< All that there are.
    std::string fabric;             ///< A netlist file, "-", or a shape as in "ft3:16".
    std::string config;             ///< A blob or an opensm.conf; empty: the defaults.
    std::string board;              ///< Empty: that of embersm, and all boards are looked at.
    std::string home;               ///< Where the manager sits; empty: see FindHome().
    std::string json;               ///< File, "-", or empty: none.
    std::string html;               ///< Likewise.
    std::vector<std::string> fail;
    std::vector<std::string> compare;  ///< Words of engines, or "all".
    std::size_t fail_sample = 0;       ///< At most so many of each-link, each-switch; 0: all.
    bool all = false;                  ///< Lists that are cut otherwise.
    emberc::ReadingTerms terms;        ///< Of the configuration.
    Effort effort;
};
/// Writes the plan and returns ConclusionOf() it, or the emberc::ExitStatus of what is wrong with
/// the request.
[[nodiscard]] int Plan(const PlanRequest& request);

struct DiffRequest {
    std::string before;  ///< A blob or an opensm.conf.
    std::string after;
};
/// Of `common` the fabric, home, json, all and terms count. Returns what the second configuration
/// comes to; when one of the two is refused, there is nothing to compare.
[[nodiscard]] int Diff(const DiffRequest& request, const PlanRequest& common);

struct ExplainRequest {
    std::string line;  ///< As explain::Answer() takes it.
    bool json = false;
    std::uint32_t port_mtu = 4096;  ///< MTUCap of every port, octets: no netlist tells it.
};
/// Answers it on the fabric of `common`, of which the fabric, config, home and terms count.
[[nodiscard]] int ExplainOnPaper(const ExplainRequest& request, const PlanRequest& common);

struct FabricRequest {
    std::string shape;
    std::vector<std::string> numbers;
    std::uint32_t hosts = 1;
    bool has_hosts = false;  ///< `hosts` was given.
    std::uint32_t kill_links = 0;
    std::uint64_t seed = 1;
    std::string output = "-";
};
[[nodiscard]] int WriteFabric(const FabricRequest& request);

/// Lists the boards; or shows, table for table, what the one with this name takes.
[[nodiscard]] int ShowBoards(std::span<const Board> boards, const std::string& name);

/// Makes the fabric, or says in `error` what is wrong with the request and returns none.
[[nodiscard]] net::Netlist MakeFabric(const FabricRequest& request, std::string& error);
/// The text of `emberc fabric --help` on the shapes.
[[nodiscard]] std::string ShapesHelp();

/// The subcommands plan, explain, fabric and boards, for emberc's command line.
class Commands {
public:
    /// `default_folder`: see emberc::FilePlaces.
    Commands(std::span<const Board> boards, const std::filesystem::path& default_folder) {
        plan_.boards = boards;
        plan_.terms.default_folder = default_folder;
    }

    /// Adds them to `app`; the one that is chosen puts itself into `work`. This must outlive both.
    void AddTo(CLI::App& app, std::function<int()>& work);

private:
    void AddPlan(CLI::App& app, std::function<int()>& work);
    void AddExplain(CLI::App& app, std::function<int()>& work);
    void AddFabric(CLI::App& app, std::function<int()>& work);
    void AddBoards(CLI::App& app, std::function<int()>& work);

    PlanRequest plan_;
    DiffRequest diff_;
    explain::ExplainCommand explain_command_;
    ExplainRequest explain_;
    FabricRequest fabric_;
    std::string board_;
};

}  // namespace ember::plan
