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

#include "config/emberc/checks.h"
#include "config/emberc/conf.h"
#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/raw_text.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

/// Dumps of tables have a line for each switch and LID; every other file is written by people.
template <typename File>
constexpr std::size_t LargestOf() {
    constexpr bool kIsDump = std::is_same_v<File, option_files::LftsFile> ||
                             std::is_same_v<File, option_files::LidMatrixDumpFile>;
    return kIsDump ? kLargestTableDump : kLargestFile;
}

/// The default of the option `name` as a place; for names of nodes OpenSM's library has one that
/// its options do not tell.
[[nodiscard]] std::string_view DefaultPlaceOf(std::string_view name) {
    return name == option_files::NodeNameMap::kOption ? "/etc/opensm/ib-node-name-map"
                                                      : Keys()[*FindKey(name)].default_text;
}

class Reader {
public:
    /// `report`: the row of `reports` for what is said of `conf`.
    Reader(const Conf& conf, const FilePlaces& places, std::vector<Diagnostics>& reports,
           std::size_t report = 0)
        : conf_(conf), places_(places), reports_(reports), report_(report) {}

    OptionContents Read(const net::Netlist* fabric);
    StepContents ReadOfStep(const Conf& main, const OptionContents& main_contents,
                            const net::Netlist* fabric);

private:
    [[nodiscard]] const Setting& At(std::string_view name) const {
        const auto key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        return conf_[*key];
    }
    [[nodiscard]] bool IsLookedAt(std::string_view name, std::string_view beside);
    [[nodiscard]] bool IsNamed(std::string_view name) const { return emberc::IsNamed(At(name)); }
    [[nodiscard]] bool HasDefaultName(std::string_view name) const {
        const Value& value = At(name).value;
        return value.set && IsDefaultName(value.text, DefaultPlaceOf(name));
    }
    /// No engine that is listed reads the file, which is told at its key. Where it is away or has
    /// mistakes, it is left out.
    [[nodiscard]] bool IsStale(std::string_view name) const {
        return !is_of_step_ && !IsHeardByEngines(conf_, name);
    }
    [[nodiscard]] std::filesystem::path PlaceOf(std::string_view name) const;
    [[nodiscard]] bool IsWanted(std::string_view name, const std::filesystem::path& path);
    [[nodiscard]] std::optional<std::string> Text(std::string_view name, std::size_t largest);
    void LeaveAlone(std::string_view name, Code code, std::string_view why);
    void ReportAt(std::string_view name, Severity severity, Code code, std::string text);

    /// The contents of one file, or nothing where none is named.
    template <typename Format>
    auto ReadOne(const SubnetFacts& subnet)
        -> std::optional<decltype(Format::Parse({}, std::declval<Diagnostics&>(), subnet))> {
        if (!IsLookedAt(Format::File::kOption, Format::File::kBeside)) return std::nullopt;
        const std::optional<std::string> text =
            Text(Format::File::kOption, LargestOf<typename Format::File>());
        if (!text) return std::nullopt;
        Diagnostics& report = reports_.back();
        std::optional<decltype(Format::Parse({}, report, subnet))> contents =
            Format::Parse(*text, report, subnet);
        if (report.all().empty() && EntriesOf(*contents).empty()) {
            report.Add({.severity = Severity::kWarning,
                        .place = {},
                        .code = Code::kEmptyFile,
                        .text = "there is no entry in it",
                        .source = {}});
        }
        report.Sort();
        const bool is_good = report.CountOf(Severity::kError) == 0;
        if (!IsStale(Format::File::kOption)) return contents;
        report.Soften();
        if (!is_good) contents.reset();
        return contents;
    }

    const Conf& conf_;
    const FilePlaces& places_;
    std::vector<Diagnostics>& reports_;
    std::size_t report_;
    bool is_of_step_ = false;  ///< `conf_` is that of a step, which names its engine elsewhere.
};

void Reader::ReportAt(std::string_view name, Severity severity, Code code, std::string text) {
    const Setting& setting = At(name);
    reports_[report_].Add({.severity = severity,
                           .place = setting.value_place,
                           .code = code,
                           .text = std::move(text),
                           .source = setting.source});
}

/// A note on the default file of an option that is named and would not be opened by OpenSM either.
/// Without a line there is nothing to tell, and a name of the site's own is told of elsewhere.
void Reader::LeaveAlone(std::string_view name, Code code, std::string_view why) {
    if (!IsNamed(name) || !HasDefaultName(name)) return;
    ReportAt(name, Severity::kNote, code,
             fmt::format("{} is left alone: {}", PlaceOf(name).string(), why));
}

/// Whether EmberSM acts on the file, the switch `beside`, if there is one, is on, and an engine
/// that is listed looks at it. A file that the site has named for an engine that is not is looked
/// at all the same, for a blob that is whole; see IsStale(). A file of a default name may be of
/// another time, as `opensm -c` writes the name down.
bool Reader::IsLookedAt(std::string_view name, std::string_view beside) {
    const auto key = FindKey(name);
    EMBER_ASSERT(key.has_value());
    if (Keys()[*key].use != Use::kActedOn) return false;
    if (!beside.empty() && At(beside).value.number == 0) {
        LeaveAlone(name, Code::kNoEffect, fmt::format("{} is FALSE", beside));
        return false;
    }
    if (is_of_step_ || !HasDefaultName(name)) return true;
    if (!IsHeardByEngines(conf_, name)) {
        LeaveAlone(name, Code::kEngineNotListed, "no engine that routing_engine has looks at it");
        return false;
    }
    // A step of a chain that cannot do without the file is told of where steps are looked at.
    const bool is_of_chain = IsNamed(option_files::RchPolicyFile::kOption);
    if (name != option_files::TorusConfig::kOption || !is_of_chain || IsThere(PlaceOf(name)))
        return true;
    LeaveAlone(name, Code::kNoEffect, "it is not there, and only a step by torus-2QoS needs it");
    return false;
}

/// Where the file of option `name` is; empty: there is none. To name no file of partitions or of
/// names is to look at the default place, as OpenSM does: the ports that it keeps apart stay apart.
std::filesystem::path Reader::PlaceOf(std::string_view name) const {
    const std::string_view by_default = DefaultPlaceOf(name);
    const Value& value = At(name).value;
    if (value.set && !value.text.empty()) return PathOf(value.text, by_default, places_);
    // OpenSM looks at the default place of these also where the option names no file.
    const bool has_default = name == kPartitionsKey || name == option_files::NodeNameMap::kOption;
    return has_default ? PathOf(by_default, by_default, places_) : std::filesystem::path();
}

/// Whether the file of option `name` is to be read. A file that a line names must be there,
/// whatever its name: what it says is lost otherwise, and this host is not the one where it was
/// written down. A file that no line names is looked for at its default place; that it was found is
/// told, because it came from the host and not from the site's files.
bool Reader::IsWanted(std::string_view name, const std::filesystem::path& path) {
    const bool is_found = !IsNamed(name) && places_.default_files && IsThere(path);
    const bool is_wanted = IsNamed(name) || is_found;
    if (name == kPartitionsKey && places_.without_partitions) {
        if (is_wanted) {
            ReportAt(name, Severity::kNote, Code::kNoEffect,
                     fmt::format("the partitions of {} are left out, and all ports may talk with "
                                 "each other, as --without-partitions accepts",
                                 path.string()));
        }
        return false;
    }
    if (is_found) {
        ReportAt(name, Severity::kNote, Code::kDefaultFile,
                 fmt::format("{} of this host goes into the blob, as the default of {}; "
                             "--no-default-files leaves it alone",
                             path.string(), name));
    }
    return is_wanted;
}

/// Advice on a file that is named and not there.
std::string WayOut(std::string_view name) {
    if (name != kPartitionsKey) return "bring the file here, or delete the line";
    return "bring the file here; --without-partitions accepts that all ports may talk with each "
           "other";
}

/// The text of the file that option `name` names, with a report of its own to fill.
std::optional<std::string> Reader::Text(std::string_view name, std::size_t largest) {
    const std::filesystem::path path = PlaceOf(name);
    if (path.empty() || !IsWanted(name, path)) return std::nullopt;
    try {
        std::string text = ReadOptionText(path, largest);
        Diagnostics& report = reports_.emplace_back(path.lexically_normal().string());
        ReadDirectives(text, report);
        // Names of nodes are for people, in any letters; dumps of tables come from programs.
        const bool is_of_people = name == option_files::NodeNameMap::kOption;
        if (is_of_people || largest != kLargestFile) return text;
        return Straightened(text, report);
    } catch (const FileError& error) {
        if (IsStale(name)) return std::nullopt;
        const bool is_away = !IsThere(path);
        ReportAt(name, Severity::kError, Code::kUnreadableFile,
                 is_away ? fmt::format("{}: {}", error.what(), WayOut(name)) : error.what());
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
                       .routes_as_one = !IsNamed(option_files::RchPolicyFile::kOption),
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

StepContents Reader::ReadOfStep(const Conf& main, const OptionContents& main_contents,
                                const net::Netlist* fabric) {
    is_of_step_ = true;
    StepContents of_step;
    SubnetFacts subnet{.routes_as_one = false, .fabric = fabric};
    option_files::ForEachFileOfSteps([&]<typename File>(File /*file*/, std::uint16_t bit) {
        const std::optional<std::size_t> key = FindKey(File::kOption);
        EMBER_ASSERT(key.has_value());
        // A line for the default file is the step's own where the main file has no such line.
        const bool is_own =
            conf_[*key].written && (conf_[*key].value != main[*key].value ||
                                    (IsNamed(File::kOption) && !main[*key].written));
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

StepContents ReadOptionFilesOfStep(const Conf& conf, const Conf& main,
                                   const OptionContents& main_contents, const FilePlaces& places,
                                   std::size_t report, std::vector<Diagnostics>& reports,
                                   const net::Netlist* fabric) {
    EMBER_ASSERT(report < reports.size());
    return Reader(conf, places, reports, report).ReadOfStep(main, main_contents, fabric);
}

OptionContents ReadOptionFiles(const Conf& conf, const FilePlaces& places,
                               std::vector<Diagnostics>& reports, const net::Netlist* fabric) {
    EMBER_ASSERT(!reports.empty());
    return Reader(conf, places, reports).Read(fabric);
}

}  // namespace ember::emberc
