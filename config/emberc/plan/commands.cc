// SPDX-License-Identifier: Apache-2.0
// EmberSM: the command line of emberc plan, emberc explain, emberc fabric and emberc boards.
#include "config/emberc/plan/commands.h"

#include <CLI/CLI.hpp>

#include "config/emberc/configuration.h"

namespace ember::plan {
namespace {

constexpr const char* kPlanFooter =
    R"(Measures, all counted from the topology and the forwarding tables:
  A host is an end port that hangs on a switch. A link is one direction of a cable between two
  switches; links are taken to be as fast as a host's cable, except by rate. A flow is what one
  host sends to one other; a host with several LIDs is sent equal parts of it by each.
  load         flows on a link when every host sends one to every other; max, mean and deviation
               are over all links, idle ones included
  saturation   what each host can sustain of its cable's rate then: min(1, (hosts - 1) / max)
  by rate      the same where a link carries as much as its rate beside that of a host's cable
  hops         cables between switches on a path
  shifts       the host at place i sends to that at i + k; flows on the busiest link, worst and
               mean over k (all, or --shifts of them evenly spread)
  bisections   hosts are matched by chance into pairs that send to each other; a flow's rate is
               1 / (flows on the busiest link of its path); the mean over flows and matchings

Exit status: 0 done, 1 errors in the netlist or configuration, 2 wrong usage, 3 trouble with a
file, 4 not a blob, 5 the routing is refused, 7 the fabric does not fit the board, 8 the routing is
accepted and a credit loop is possible. The smallest that holds; the report's first line has all.)";

}  // namespace

void Commands::AddTo(CLI::App& app, std::function<int()>& work) {
    AddPlan(app, work);
    AddExplain(app, work);
    AddFabric(app, work);
    AddBoards(app, work);
}

void Commands::AddBoards(CLI::App& app, std::function<int()>& work) {
    CLI::App* const boards =
        app.add_subcommand("boards", "List the boards, or show what one takes of memory");
    boards->add_option("NAME", board_, "The board to show");
    boards->callback([this, &work] { work = [this] { return ShowBoards(plan_.boards, board_); }; });
}

void Commands::AddPlan(CLI::App& app, std::function<int()>& work) {
    CLI::App* const plan = app.add_subcommand(
        "plan", "Route a fabric on paper as embersm would, and say how good that is");
    plan->add_option("-f,--fabric", plan_.fabric,
                     "Netlist of ibnetdiscover or ibsim, - for standard input, or a shape: ft3:16");
    plan->add_option("-c,--config", plan_.config, "Blob or opensm.conf; default: all defaults");
    plan->add_option("-b,--board", plan_.board,
                     "Route on this board, and say whether the fabric fits it; default: on that of "
                     "embersm, and look at all boards");
    plan->add_option(
        "--sm", plan_.home,
        "Where the subnet manager sits: a node or port by name, GUID (0x...), LID or name/port");
    plan->add_option(
            "--fail", plan_.fail,
            "What a failure would do: link=name/port, switch=name (or GUID, LID), each-link, "
            "each-switch")
        ->type_name("WHAT")
        ->allow_extra_args(false);
    plan->add_option("--fail-sample", plan_.fail_sample,
                     "Try at most so many of each-link or each-switch, evenly spread")
        ->check(CLI::PositiveNumber);
    plan->add_option("--compare", plan_.compare,
                     "Route by each of these engines too, and put them side by side: minhop,updn "
                     "or all")
        ->type_name("ENGINES")
        ->delimiter(',')
        ->allow_extra_args(false);
    plan->add_option("--json", plan_.json, "Write all of it as JSON; - is standard output");
    plan->add_option("--html", plan_.html, "Write one page with pictures; - is standard output");
    plan->add_option("--shifts", plan_.effort.shifts, "Shift permutations at most")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    plan->add_option("--bisections", plan_.effort.bisections, "Random bisections")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    plan->add_option("--seed", plan_.effort.seed, "Of the bisections")->capture_default_str();
    plan->add_flag("--all", plan_.all, "Lists in full");
    emberc::AddFileTerms(*plan, plan_.terms);
    plan->add_flag("-q,--quiet", plan_.effort.is_quiet, "No progress bar");
    plan->footer(kPlanFooter);

    CLI::App* const diff = plan->add_subcommand(
        "diff", "Which routes move between two configurations on one --fabric");
    diff->add_option("A", diff_.before, "Blob or opensm.conf")->required();
    diff->add_option("B", diff_.after, "Blob or opensm.conf")->required();
    diff->footer(
        "The options --fabric, --sm, --json, --all, --strict, --allow, "
        "--without-partitions and "
        "--no-default-files of emberc plan hold here.");
    diff->fallthrough();
    plan->require_subcommand(0, 1);
    plan->callback([this, &work, diff] {
        if (plan_.fabric.empty()) throw CLI::RequiredError("--fabric");
        const bool is_diff = diff->parsed();
        work = [this, is_diff] { return is_diff ? Diff(diff_, plan_) : Plan(plan_); };
    });
}

void Commands::AddExplain(CLI::App& app, std::function<int()>& work) {
    CLI::App* const explain = explain_command_.AddTo(app, [this, &work] {
        if (plan_.fabric.empty()) throw CLI::RequiredError("--fabric");
        explain_.line = explain_command_.line();
        work = [this] { return ExplainOnPaper(explain_, plan_); };
    });
    explain->add_option("-f,--fabric", plan_.fabric,
                        "Netlist of ibnetdiscover or ibsim, - for standard input, or a shape");
    explain->add_option("-c,--config", plan_.config, "Blob or opensm.conf; default: all defaults");
    explain->add_option(
        "--sm", plan_.home,
        "Where the subnet manager sits: a node or port by name, GUID (0x...), LID or name/port");
    explain
        ->add_option("--port-mtu", explain_.port_mtu,
                     "Octets that every port can take, which no netlist tells")
        ->check(CLI::IsMember({256, 512, 1024, 2048, 4096}))
        ->capture_default_str();
    emberc::AddFileTerms(*explain, plan_.terms);
    explain->add_flag("--json", explain_.json, "Print the answer as JSON");
}

void Commands::AddFabric(CLI::App& app, std::function<int()>& work) {
    CLI::App* const fabric =
        app.add_subcommand("fabric", "Write the netlist of a fabric of a well-known shape");
    fabric->add_option("SHAPE", fabric_.shape, "ft2, ft3, torus, ...: see below")->required();
    fabric->add_option("NUMBERS", fabric_.numbers, "Its size")->required();
    CLI::Option* const hosts =
        fabric->add_option("--hosts", fabric_.hosts, "Hosts on every switch; default 1");
    fabric->add_option("--kill-links", fabric_.kill_links,
                       "Take away so many cables between switches, by chance");
    fabric->add_option("--seed", fabric_.seed, "Of all chance")->capture_default_str();
    fabric->add_option("-o,--output", fabric_.output, "The netlist; - is standard output")
        ->capture_default_str();
    fabric->footer(ShapesHelp());
    fabric->callback([this, &work, hosts] {
        fabric_.has_hosts = hosts->count() > 0;
        work = [this] { return WriteFabric(fabric_); };
    });
}

}  // namespace ember::plan
