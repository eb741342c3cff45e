// SPDX-License-Identifier: Apache-2.0
// EmberSM: an opensm.conf and the files that it names.
#include "config/emberc/configuration.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "config/emberc/blob_file.h"
#include "config/emberc/checks.h"
#include "config/emberc/keys.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/option_files/option_files.h"
#include "config/emberc/payload_writer.h"
#include "config/emberc/raw_text.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

/// A key that a later release acts on may go on being allowed; nothing is lost by it.
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

/// Judges what was said, file by file: by what the file allows, and the command line for all.
void JudgeAll(const Allowances& allowances, std::vector<Diagnostics>& reports) {
    Verdicts verdicts;
    for (const std::string& word : allowances.keys) {
        if (const auto code = FindCode(word)) verdicts.allowed.set(static_cast<std::size_t>(*code));
    }
    for (const std::string& word : allowances.denied) {
        if (const auto code = FindCode(word)) verdicts.denied.set(static_cast<std::size_t>(*code));
    }
    for (Diagnostics& report : reports) {
        Verdicts of_file = verdicts;
        of_file.allowed |= report.allowed_here();
        report.Judge(of_file);
    }
}

/// Adds a warning at the value of a key.
void WarnAt(const Configuration& read, std::string_view name, std::string text, Diagnostics& to) {
    const std::optional<std::size_t> key = FindKey(name);
    EMBER_ASSERT(key.has_value());
    const Setting& setting = read.conf[*key];
    to.Add({.severity = Severity::kWarning,
            .place = setting.value_place,
            .code = Code::kNoEffect,
            .text = std::move(text),
            .source = setting.source});
    to.Sort();
}

/// Port groups act through the rules and topologies that name them, topologies through a chain.
void CheckPortGroups(const Configuration& read, Diagnostics& report) {
    const OptionContents& contents = read.contents;
    if (contents.topologies && !contents.chain) {
        WarnAt(read, option_files::TopoPolicyFile::kOption,
               "its topologies change nothing: rch_policy_file names no chain", report);
    }
    if (!contents.port_groups || contents.topologies) return;
    const auto is_named = [](const LoadedBandwidths::GroupRule& rule) {
        return rule.group >= kMostQosGroups && rule.group < kGroupOfTypes;
    };
    const auto& bandwidths = contents.bandwidths;
    if (bandwidths && std::any_of(bandwidths->groups.begin(), bandwidths->groups.end(), is_named)) {
        return;
    }
    WarnAt(read, option_files::PgrpPolicyFile::kOption,
           "its port groups change nothing: no topology of topo_policy_file and no rule of "
           "enhanced_qos_policy_file names one of them",
           report);
}

/// While `qos` is off no port is given SL to VL maps, and paths and groups have SL 0.
void CheckPartitionLevels(const Configuration& read, Diagnostics& report) {
    const std::optional<std::size_t> qos = FindKey("qos");
    EMBER_ASSERT(qos.has_value());
    if (!read.contents.partitions || read.conf[*qos].value.number != 0) return;
    std::set<std::uint32_t> lines;
    for (const PartitionConf::Partition& row : read.contents.partitions->partitions) {
        if (row.sl != 0) lines.insert(row.line);
    }
    for (const PartitionGroup& group : read.contents.partitions->groups) {
        if (group.sl != 0) lines.insert(group.line);
    }
    if (lines.empty()) return;
    WarnAt(read, kPartitionsKey,
           fmt::format("qos is FALSE, so paths and multicast groups have SL 0: `sl=` counts for "
                       "nothing in {} {} of the file",
                       lines.size() == 1 ? "line" : "lines", fmt::join(lines, ", ")),
           report);
}

/// torus-2QoS has nothing to search for without the shape of the torus. A named file that is away
/// is told of where it is named. The steps of a chain are looked at with their files.
void CheckTorusFile(const Configuration& read, Diagnostics& report) {
    const std::optional<std::size_t> file = FindKey(option_files::TorusConfig::kOption);
    const std::optional<std::size_t> chain = FindKey(option_files::RchPolicyFile::kOption);
    const std::optional<std::size_t> engines = FindKey("routing_engine");
    EMBER_ASSERT(file.has_value());
    EMBER_ASSERT(chain.has_value());
    EMBER_ASSERT(engines.has_value());
    if (IsNamed(read.conf[*chain]) || !AsksEngine(read.conf, EngineKind::kTorus2Qos)) return;
    const auto& torus = read.contents.torus;
    if ((torus && HasShape(*torus)) || (!torus && IsNamed(read.conf[*file]))) return;
    const bool has_mistakes = std::any_of(
        read.reports.begin() + 1, read.reports.end(),
        [](const Diagnostics& of_file) { return of_file.CountOf(Severity::kError) != 0; });
    if (has_mistakes) return;  // They are told where they stand.
    const bool alone = AsksOnly(read.conf, EngineKind::kTorus2Qos);
    report.Add({.severity = alone ? Severity::kError : Severity::kWarning,
                .place = read.conf[*engines].place,
                .code = alone ? Code::kConflict : Code::kNoEffect,
                .text = fmt::format("engine `torus-2QoS` has no torus_config that says what torus "
                                    "there is: {}",
                                    alone ? "no engine of the list can route"
                                          : "the other engines of the list route instead"),
                .source = read.conf[*engines].source});
    report.Sort();
}

/// The board refuses a larger blob than it has room for.
void CheckSize(const Configuration& read, const BoardTerms& board, Diagnostics& report) {
    if (board.blob_bytes == 0 || CountOf(read.reports, Severity::kError) != 0) return;
    const std::size_t octets =
        PutTogether(WritePayload(read.values(), read.contents), 1, nullptr).size();
    if (octets <= board.blob_bytes) return;
    report.Add({.severity = Severity::kError,
                .place = {},
                .code = Code::kTooLarge,
                .text = fmt::format("the blob takes {} octets, and the board {} takes {}", octets,
                                    board.name, board.blob_bytes),
                .source = {}});
}

}  // namespace

std::vector<Value> Configuration::values() const {
    std::vector<Value> values(conf.size());
    std::transform(conf.begin(), conf.end(), values.begin(),
                   [](const Setting& setting) { return setting.value; });
    return values;
}

Configuration ReadConfiguration(const std::string& name, std::string_view text,
                                const ReadingTerms& terms) {
    Configuration read;
    Diagnostics& report = read.reports.emplace_back(name == "-" ? "(standard input)" : name);
    const FilePlaces places{.folder = std::filesystem::path(name).parent_path(),
                            .default_files = terms.default_files,
                            .default_folder = terms.default_folder,
                            .without_partitions = terms.allowances.Has(kPartitionsKey)};
    CheckAllowances(terms.allowances, report);
    ReadDirectives(text, report);
    read.conf = ParseOpensmConf(text, report, terms.allowances);
    read.contents = ReadOptionFiles(read.conf, places, read.reports, terms.fabric);
    if (read.contents.chain)
        ReadStepFiles(read.conf, places, read.contents, read.reports, terms.fabric);
    if (terms.fabric != nullptr) {
        CheckInFabric(read.conf, read.contents, *terms.fabric, read.reports.front());
    }
    CheckPortGroups(read, read.reports.front());
    CheckTorusFile(read, read.reports.front());
    CheckBoard(read.conf, read.contents, terms.board, terms.fabric, read.reports.front());
    CheckSize(read, terms.board, read.reports.front());
    CheckPartitionLevels(read, read.reports.front());
    JudgeAll(terms.allowances, read.reports);
    read.is_good = CountOf(read.reports, Severity::kError) == 0 &&
                   (!terms.strict || CountOf(read.reports, Severity::kWarning) == 0);
    return read;
}

namespace {

struct Offer {
    std::string_view key;
    std::string_view use;
};

constexpr std::array kOffers = {
    Offer{"edge_ports",
          "with the ports of switches that have a host behind them: a host that plays a switch, or "
          "a subnet manager, is left alone there"},
};

}  // namespace

std::vector<std::string> OffersFor(const Configuration& read) {
    std::vector<std::string> sentences;
    const std::vector<Value> values = read.values();
    for (const Offer& offer : kOffers) {
        const Value& value = values[*FindKey(offer.key)];
        if (value.set && !value.text.empty()) continue;
        sentences.push_back(fmt::format("you may set {} {}", offer.key, offer.use));
    }
    return sentences;
}

void AddFileTerms(CLI::App& command, ReadingTerms& terms) {
    command.add_flag("--strict", terms.strict, "Warnings in the configuration are errors");
    command
        .add_option("--allow", terms.allowances.keys,
                    "A key without effect that may be lost, or a code whose warnings are known; "
                    "more of them apart by commas")
        ->type_name("KEY|CODE")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(WhyNotAllowed);
    command
        .add_option("--deny", terms.allowances.denied,
                    "A code whose warnings and notes are errors; more of them apart by commas")
        ->type_name("CODE")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(WhyNotDenied);
    command.add_flag_callback(
        "-v,--verbose", [&terms] { terms.showing = Showing::kAll; },
        "Show notes, and warnings that are allowed, too");
    command.add_flag_callback(
        "--without-partitions", [&terms] { terms.allowances.keys.emplace_back(kPartitionsKey); },
        "Leave the partitions out: every host may talk with every other");
    command.add_flag("!--no-default-files", terms.default_files,
                     "Leave alone what this host has in /etc/opensm, unless a line of the "
                     "configuration names it");
}

}  // namespace ember::emberc
