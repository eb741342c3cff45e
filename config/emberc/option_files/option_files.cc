// SPDX-License-Identifier: Apache-2.0
// EmberSM: the text files that options name.
#include "config/emberc/option_files/option_files.h"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/emberc/allowances.h"
#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/contents.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

class Reader {
public:
    /// `report`: the row of `reports` for what is said of `conf`.
    Reader(const Conf& conf,
           const FilePlaces& places,
           std::vector<Diagnostics>& reports,
           std::size_t report = 0)
        : conf_(conf), places_(places), reports_(reports), report_(report) {}

    OptionContents Read(const net::Netlist* fabric);
    StepContents ReadOfStep(const Conf& main, const OptionContents& main_contents);

private:
    [[nodiscard]] const Setting& At(std::string_view name) const {
        const auto key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        return conf_[*key];
    }
    /// Whether EmberSM acts on the file, and the switch `beside`, if there is one, is on.
    [[nodiscard]] bool IsLookedAt(std::string_view name, std::string_view beside) const {
        const auto key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        return Keys()[*key].use == Use::kActedOn &&
               (beside.empty() || At(beside).value.number != 0);
    }
    [[nodiscard]] std::string_view FileNameOf(std::string_view name) const;
    [[nodiscard]] bool IsWanted(std::string_view name, const std::filesystem::path& path);
    [[nodiscard]] std::optional<std::string> Text(std::string_view name);
    void ReportAt(std::string_view name, Severity severity, Code code, std::string text);

    /// The contents of one file, or nothing where none is named.
    template <typename Format>
    auto ReadOne(const SubnetFacts& subnet)
        -> std::optional<decltype(Format::Parse({}, std::declval<Diagnostics&>(), subnet))> {
        if (!IsLookedAt(Format::File::kOption, Format::File::kBeside)) return std::nullopt;
        const std::optional<std::string> text = Text(Format::File::kOption);
        if (!text) return std::nullopt;
        Diagnostics& report = reports_.back();
        auto contents = Format::Parse(*text, report, subnet);
        if (report.all().empty() && EntriesOf(contents).empty()) {
            report.Add({.severity = Severity::kWarning,
                        .place = {},
                        .code = Code::kEmptyFile,
                        .text = "there is no entry in it",
                        .source = {}});
        }
        report.Sort();
        return contents;
    }

    const Conf& conf_;
    const FilePlaces& places_;
    std::vector<Diagnostics>& reports_;
    std::size_t report_;
};

void Reader::ReportAt(std::string_view name, Severity severity, Code code, std::string text) {
    const Setting& setting = At(name);
    reports_[report_].Add({.severity = severity,
                           .place = setting.value_place,
                           .code = code,
                           .text = std::move(text),
                           .source = setting.source});
}

/// The name of the file of option `name`; empty: there is none. To name no file of partitions is to
/// name the default one, as OpenSM has it: the ports that it keeps apart stay apart.
std::string_view Reader::FileNameOf(std::string_view name) const {
    const Value& value = At(name).value;
    if (value.set && !value.text.empty()) return value.text;
    return name == kPartitionsKey ? Keys()[*FindKey(name)].default_text : std::string_view();
}

/// Whether the file of option `name` is to be read. A file that only a default names may be
/// missing, also where a whole configuration was written out and has the line. If it is there, that
/// is told, because it came from the host and not from the site's files.
bool Reader::IsWanted(std::string_view name, const std::filesystem::path& path) {
    const Setting& setting = At(name);
    const bool is_default = IsDefaultName(FileNameOf(name), Keys()[*FindKey(name)].default_text);
    if (name == kPartitionsKey && places_.without_partitions) {
        if (!is_default || (places_.default_files && IsThere(path))) {
            ReportAt(name, Severity::kNote, Code::kNoEffect,
                     fmt::format("the partitions of {} are left out, and all ports may talk with "
                                 "each other, as --without-partitions accepts",
                                 path.string()));
        }
        return false;
    }
    if (!is_default) return true;
    if (!places_.default_files) {
        if (setting.written) {
            ReportAt(name, Severity::kNote, Code::kDefaultFile,
                     fmt::format("{} is left alone, as default files were to be", path.string()));
        }
        return false;
    }
    if (!IsThere(path)) return false;
    ReportAt(name, Severity::kNote, Code::kDefaultFile,
             fmt::format("{} of this host goes into the blob, as the default of {}; "
                         "--no-default-files leaves it alone",
                         path.string(), name));
    return true;
}

/// The text of the file that option `name` names, if anything acts on that option, with a report of
/// its own to fill.
std::optional<std::string> Reader::Text(std::string_view name) {
    const Key& key = Keys()[*FindKey(name)];
    if (key.use != Use::kActedOn) return std::nullopt;
    const std::string_view file = FileNameOf(name);
    if (file.empty()) return std::nullopt;
    const std::filesystem::path path = PathOf(file, key.default_text, places_);
    if (!IsWanted(name, path)) return std::nullopt;
    try {
        std::string text = ReadText(path, kLargestOptionFile);
        reports_.emplace_back(path.lexically_normal().string());
        return text;
    } catch (const FileError& error) {
        ReportAt(name, Severity::kError, Code::kUnreadableFile, error.what());
        return std::nullopt;
    }
}

OptionContents Reader::Read(const net::Netlist* fabric) {
    OptionContents contents;
    SubnetFacts subnet{.prefix = At("subnet_prefix").value.number,
                       .lmc = static_cast<std::uint8_t>(At("lmc").value.number),
                       .both_p_keys = At("allow_both_pkeys").value.number != 0,
                       .has_step_lanes = At("chain_lanes").value.number != 0,
                       .is_balanced = At("order").value.number == Raw(Order::kBalanced),
                       .fabric = fabric};
    std::vector<PartitionName> partitions;  // Read before the QoS policy, which names them.
    ForEachFileFormat([&]<typename Format>(const Format& /*format*/) {
        contents.*Format::kContents = ReadOne<Format>(subnet);
        using File = typename Format::File;
        if constexpr (std::is_same_v<File, option_files::PgrpPolicyFile> ||
                      std::is_same_v<File, option_files::TopoPolicyFile>) {
            const bool is_read = (contents.*Format::kContents).has_value();
            const bool is_wrong = reports_.back().CountOf(Severity::kError) > 0;
            if (is_read && is_wrong) subnet.is_chain_sound = false;
        }
        if (contents.topologies) subnet.topologies = &*contents.topologies;
        if (contents.port_groups) subnet.port_group_policy = &*contents.port_groups;
        if (contents.compute_nodes) subnet.compute_nodes = *contents.compute_nodes;
        if (contents.qos_policy) subnet.port_groups = contents.qos_policy->groups;
        if (contents.port_groups) subnet.policy_port_groups = contents.port_groups->groups;
        if (!contents.partitions || !partitions.empty()) return;
        for (const PartitionConf::Partition& one : contents.partitions->partitions) {
            partitions.push_back({.name = one.name, .p_key = one.p_key});
        }
        subnet.partitions = partitions;
    });
    reports_.front().Sort();
    return contents;
}

StepContents Reader::ReadOfStep(const Conf& main, const OptionContents& main_contents) {
    StepContents of_step;
    SubnetFacts subnet;
    option_files::ForEachFileOfSteps([&]<typename File>(File /*file*/, std::uint16_t bit) {
        const std::optional<std::size_t> key = FindKey(File::kOption);
        EMBER_ASSERT(key.has_value());
        const bool is_own = conf_[*key].written && conf_[*key].value != main[*key].value;
        if (is_own) of_step.own_files |= bit;
        ForEachFileFormat([&]<typename Format>(const Format& /*format*/) {
            if constexpr (std::is_same_v<typename Format::File, File>) {
                auto& own = of_step.contents.*Format::kContents;
                if (is_own) own = ReadOne<Format>(subnet);
                const auto& all = is_own ? own : main_contents.*Format::kContents;
                // Read before io_guid_file, which is compared with it.
                if constexpr (std::is_same_v<File, option_files::CnGuidFile>) {
                    if (all) subnet.compute_nodes = *all;
                }
            }
        });
    });
    reports_[report_].Sort();
    return of_step;
}

}  // namespace

StepContents ReadOptionFilesOfStep(const Conf& conf,
                                   const Conf& main,
                                   const OptionContents& main_contents,
                                   const FilePlaces& places,
                                   std::size_t report,
                                   std::vector<Diagnostics>& reports) {
    EMBER_ASSERT(report < reports.size());
    return Reader(conf, places, reports, report).ReadOfStep(main, main_contents);
}

OptionContents ReadOptionFiles(const Conf& conf,
                               const FilePlaces& places,
                               std::vector<Diagnostics>& reports,
                               const net::Netlist* fabric) {
    EMBER_ASSERT(!reports.empty());
    return Reader(conf, places, reports).Read(fabric);
}

}  // namespace ember::emberc
