// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc explain.
#include <array>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/emberc/plan/paper_administration.h"
#include "config/emberc/plan/scene.h"
#include "config/explain/explain.h"
#include "config/explain/host/page.h"
#include "core/log/json_writer.h"

namespace ember::plan {
namespace {

/// Longer than any answer: embersm has 40 KiB.
constexpr std::size_t kAnswerBytes = 1U << 20U;

/// Rows of a fabric may be written also where its tables stand still.
void SetMtu(const Fabric& fabric, std::uint32_t octets) {
    const auto mtu = static_cast<Mtu>(std::bit_width(octets) - 8);
    ForEachPort(fabric, [mtu](PortIndex, Port& port) { port.info.Set(PortInfo::kMtuCap, mtu); });
}

/// The assumptions of an answer about hardware, for people.
std::string Assumptions(const nlohmann::ordered_json& answer, std::uint32_t port_mtu) {
    if (answer.value("explain", "") == "partition") return {};
    return fmt::format(
        "On paper: every port is taken to have an MTU of {} (--port-mtu) and 8 lanes, and links of "
        "which the netlist tells no speed to be EDR.\n",
        port_mtu);
}

int ExplainOrThrow(const ExplainRequest& request, const PlanRequest& common) {
    Scene scene = SceneOf(common);
    const auto source = SettingsOf(common.config, TermsIn(scene, common.terms));
    const Settings& settings = source->settings();
    scene.Seat(common.home, settings);
    const std::unique_ptr<Planned> plan = scene.Route(settings);
    // Without a switch there is nothing to route, and hosts face each other.
    if (plan->topology().switch_count() != 0 && !plan->verdict().may_program()) {
        for (const RoutingAttempt& attempt : plan->verdict().attempts) {
            emberc::Say(stderr, "emberc: {}: {}\n", attempt.engine, Explain(*plan, attempt));
        }
        return emberc::kRoutingIsRefused;
    }
    SetMtu(plan->fabric(), request.port_mtu);
    PaperAdministration administration(*plan, settings);
    std::vector<char> room(kAnswerBytes);
    std::array<char, 768> complaint{};
    JsonWriter json(room);
    FixedText why(complaint);
    json.Open();
    if (!explain::Answer(request.line, administration.scene(), json, why)) {
        throw UsageError(std::string(why.text()));
    }
    json.Close();
    EMBER_ASSERT(!json.full());
    const auto answer = nlohmann::ordered_json::parse(json.text());
    emberc::SayText(stdout, request.json
                                ? answer.dump(2) + "\n"
                                : explain::Page(answer) + Assumptions(answer, request.port_mtu));
    return emberc::kDone;
}

}  // namespace

int ExplainOnPaper(const ExplainRequest& request, const PlanRequest& common) {
    return Guarded([&] { return ExplainOrThrow(request, common); });
}

}  // namespace ember::plan
