// SPDX-License-Identifier: Apache-2.0
// EmberSM: the configuration files of the steps of a chain.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/option_files/option_files.h"
#include "config/emberc/option_files/step_options.h"
#include "config/emberc/raw_text.h"
#include "core/base/assert.h"
#include "engines/catalogue.h"

namespace ember::emberc {
namespace {

/// Why no step has the key for itself.
std::string_view WhyNotOwn(std::string_view name) {
    if (name == "order") return "LIDs are given out by it, too";
    if (name == "lfts_file" || name == "lid_matrix_dump_file")
        return "no step is routed by the engine 'file'";
    if (name == "lash_start_vl" || name == "nue_max_num_vls")
        return "the lanes of a chain are made for all of its steps together";
    return "all steps take it from the main file";
}

/// The mistake in a key that a step cannot have for itself; nothing: the main file says the same,
/// and the key is not of the whole subnet.
std::optional<Diagnostic> Judge(const Key& key, const Setting& setting, const Setting& main) {
    Diagnostic found{.severity = Severity::kError,
                     .place = setting.place,
                     .code = Code::kConflict,
                     .text = {},
                     .source = setting.source};
    const bool is_of_subnet =
        key.name.starts_with("qos") || key.name.starts_with("lmc") || key.name == "routing_engine";
    if (is_of_subnet) {
        found.text = fmt::format(
            "'{}' holds for the whole subnet: it stands in the main file alone", key.name);
        return found;
    }
    if (setting.value == main.value) return std::nullopt;
    if (key.part == Class::kRouting || key.name == "order") {  // Routes depend on it.
        found.text =
            fmt::format("a step has no '{}' of its own: {}", key.name, WhyNotOwn(key.name));
        return found;
    }
    found.severity = Severity::kWarning;
    found.code = Code::kNoEffect;
    found.text = fmt::format("'{}' is looked at in the main file alone", key.name);
    return found;
}

/// The option is for engines, but not for this one.
bool IsIgnoredBy(EngineKind kind, std::string_view name) {
    bool is_for_engines = false;
    for (const EngineEntry& entry : kEngineCatalogue) {
        if (std::find(entry.options.begin(), entry.options.end(), name) == entry.options.end())
            continue;
        if (entry.kind == kind) return false;
        is_for_engines = true;
    }
    return is_for_engines;
}

void WarnOfIgnored(const Key& key, const Setting& setting, EngineKind kind, Diagnostics& report) {
    if (!IsIgnoredBy(kind, key.name)) return;
    report.Add({.severity = Severity::kWarning,
                .place = setting.place,
                .code = Code::kNoEffect,
                .text = fmt::format("engine '{}' of this step does not look at '{}'",
                                    EngineName(kind), key.name),
                .source = setting.source});
}

void TakeKeys(const Conf& conf, const Conf& main, Diagnostics& report, ChainStep& step) {
    for (std::size_t i = 0; i < conf.size(); ++i) {
        if (!conf[i].written) continue;
        const Key& key = Keys()[i];
        if (const StepKey* const own = FindStepKey(key.name)) {
            SetOption(*own, conf[i].value.number, step);
            WarnOfIgnored(key, conf[i], step.engine, report);
            continue;
        }
        if (IsFileOfSteps(key.name)) {  // ReadOptionFilesOfStep() reads it.
            WarnOfIgnored(key, conf[i], step.engine, report);
            continue;
        }
        if (auto found = Judge(key, conf[i], main[i])) report.Add(std::move(*found));
    }
    report.Sort();
}

/// The torus of the step: its own file's, else that of the main file.
const LoadedTorus* TorusOf(const ChainStep& step, const OptionContents& contents) {
    bool is_own = false;
    option_files::ForEachFileOfSteps([&]<typename File>(File /*file*/, std::uint16_t bit) {
        const bool is_torus = std::is_same_v<File, option_files::TorusConfig>;
        if (is_torus && (step.own_files & bit) != 0) is_own = true;
    });
    if (is_own && step.tables == 0) return nullptr;
    const auto& torus = is_own ? contents.step_files[step.tables - 1U].torus : contents.torus;
    return torus ? &*torus : nullptr;
}

/// As the engine of a list: torus-2QoS has nothing to search for without the shape of the torus.
void CheckTorusSteps(const OptionContents& contents, Diagnostics& report) {
    for (const LoadedChain::Step& step : contents.chain->steps) {
        if (step.row.engine != EngineKind::kTorus2Qos) continue;
        const LoadedTorus* const torus = TorusOf(step.row, contents);
        if (torus != nullptr && HasShape(*torus)) continue;
        report.Add({.severity = Severity::kError,
                    .place = step.place,
                    .code = Code::kConflict,
                    .text = "engine `torus-2QoS` has no torus_config that says what torus there is",
                    .source = step.source});
    }
    report.Sort();
}

/// The row of the report of rch_policy_file; the first one if it has none.
std::size_t ReportOfChain(const Conf& main, const FilePlaces& places,
                          const std::vector<Diagnostics>& reports) {
    const auto key = FindKey("rch_policy_file");
    EMBER_ASSERT(key.has_value());
    const std::string path = PathOf(main[*key].value.text, Keys()[*key].default_text, places)
                                 .lexically_normal()
                                 .string();
    for (std::size_t i = 0; i < reports.size(); ++i) {
        if (reports[i].file() == path) return i;
    }
    return 0;
}

}  // namespace

void ReadStepFiles(const Conf& main, const FilePlaces& places, OptionContents& contents,
                   std::vector<Diagnostics>& reports, const net::Netlist* fabric) {
    const std::size_t chain_report = ReportOfChain(main, places, reports);
    EMBER_ASSERT(contents.chain.has_value());
    for (LoadedChain::Step& step : contents.chain->steps) {
        if (step.config.empty()) continue;
        const std::filesystem::path path = PathOf(step.config, {}, places);
        try {
            const std::string text = ReadOptionText(path);
            const std::size_t row = reports.size();
            reports.emplace_back(path.lexically_normal().string());
            ReadDirectives(text, reports[row]);
            const Conf conf = ReadKeys(text, reports[row]);
            TakeKeys(conf, main, reports[row], step.row);
            StepContents own =
                ReadOptionFilesOfStep(conf, main, contents, places, row, reports, fabric);
            step.row.own_files = own.own_files;
            if (own.contents == OptionContents{}) continue;
            contents.step_files.push_back(std::move(own.contents));
            step.row.tables = static_cast<std::uint8_t>(contents.step_files.size());
        } catch (const FileError& error) {
            reports[chain_report].Add({.severity = Severity::kError,
                                       .place = step.config_place,
                                       .code = Code::kUnreadableFile,
                                       .text = error.what(),
                                       .source = step.config_source});
            reports[chain_report].Sort();
        }
    }
    if (CountOf(reports, Severity::kError) == 0) CheckTorusSteps(contents, reports[chain_report]);
}

}  // namespace ember::emberc
