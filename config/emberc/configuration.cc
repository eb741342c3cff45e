// SPDX-License-Identifier: Apache-2.0
// EmberSM: an opensm.conf and the files that it names.
#include "config/emberc/configuration.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "config/emberc/keys.h"
#include "config/emberc/keys_without_effect.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/option_files/option_files.h"

namespace ember::emberc {
namespace {

/// What a later release acts on may go on being allowed; nothing is lost by it.
void CheckAllowances(const Allowances& allowances, Diagnostics& report) {
    for (const std::string& name : allowances.keys) {
        const std::optional<std::size_t> key = FindKey(name);
        if (!key || Keys()[*key].use != Use::kActedOn || name == kPartitionsKey) continue;
        report.Add({.severity = Severity::kNote,
                    .place = {},
                    .code = Code::kNoEffect,
                    .text = fmt::format("EmberSM acts on '{}': there is nothing to allow", name),
                    .source = {}});
    }
}

}  // namespace

std::vector<Value> Configuration::values() const {
    std::vector<Value> values(conf.size());
    std::transform(conf.begin(), conf.end(), values.begin(),
                   [](const Setting& setting) { return setting.value; });
    return values;
}

Configuration ReadConfiguration(const std::string& name,
                                std::string_view text,
                                const ReadingTerms& terms) {
    Configuration read;
    Diagnostics& report = read.reports.emplace_back(name == "-" ? "(standard input)" : name);
    const FilePlaces places{.folder = std::filesystem::path(name).parent_path(),
                            .default_files = terms.default_files,
                            .default_folder = terms.default_folder,
                            .without_partitions = terms.allowances.Has(kPartitionsKey)};
    CheckAllowances(terms.allowances, report);
    read.conf = ParseOpensmConf(text, report, terms.allowances);
    read.contents = ReadOptionFiles(read.conf, places, read.reports);
    read.is_good = CountOf(read.reports, Severity::kError) == 0 &&
                   (!terms.strict || CountOf(read.reports, Severity::kWarning) == 0);
    return read;
}

}  // namespace ember::emberc
