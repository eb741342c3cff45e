// SPDX-License-Identifier: Apache-2.0
// EmberSM: enhanced_qos_policy_file.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_layout.h"
#include "config/emberc/option_files/qos_text.h"
#include "config/emberc/suggestion.h"

namespace ember::emberc {
namespace {

enum class Section : std::uint8_t { kNames, kRules, kVirtualRules };

/// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kSectionWords = {"BW_NAMES", "BW_RULES",
                                                           "VPORT_BW_RULES"};
constexpr std::string_view kSections = "BW_NAMES, BW_RULES, VPORT_BW_RULES";
constexpr std::string_view kDefault = "default";
constexpr std::string_view kAll = "all";
constexpr std::uint64_t kMostMbps = 0xFFFFFFFF;
/// GUIDs with fewer digits are taken for decimal ones without a remark.
constexpr std::size_t kFewDigits = 8;

bool IsDigit(char c) {
    return c >= '0' && c <= '9';
}

class BandwidthReader {
public:
    BandwidthReader(std::string_view text, Diagnostics& diagnostics, const SubnetFacts& subnet)
        : text_(text, diagnostics),
          diagnostics_(diagnostics),
          groups_(subnet.port_groups),
          policy_groups_(subnet.policy_port_groups) {}

    LoadedBandwidths Read();

private:
    struct Bandwidth {
        std::uint32_t mbps = 0;
        Spot spot;
        bool is_used = false;
    };
    /// "sl:name", as written.
    struct Item {
        std::optional<std::uint8_t> sl{};  ///< None: all.
        std::string name;
        Spot spot;  ///< Of the whole.
        Spot name_spot;
    };
    /// Whom a rule is for.
    struct Subject {
        Guid guid = kNoGuid;  ///< kNoGuid: of the default rule, unless it is one of a group.
        std::optional<std::uint16_t> group{};
        [[nodiscard]] auto operator<=>(const Subject&) const = default;
    };
    struct Rule {
        Section section{};
        Subject subject{};
        std::vector<Item> items{};
    };

    void ReadLine();
    void BeginSection(std::size_t at);
    void ReadName(const Word& left, const Word& right);
    void ReadRule(const Word& left, const Word& right);
    [[nodiscard]] std::optional<Subject> ReadSubject(const Word& left);
    [[nodiscard]] std::optional<Subject> ReadGuidSubject(const Word& left);
    [[nodiscard]] std::optional<std::uint16_t> FindGroup(const QosName& name, const Word& at);
    [[nodiscard]] std::string NameOf(std::uint16_t group) const;
    [[nodiscard]] std::optional<Subject> ReadGroup(const Word& left);
    [[nodiscard]] std::optional<Item> ReadItem(const Word& word);
    [[nodiscard]] bool ReadSl(const Word& word, std::optional<std::uint8_t>& sl);
    [[nodiscard]] BandwidthSet LimitsOf(const Rule& rule);
    [[nodiscard]] const Bandwidth* Look(const Item& item);
    void CheckTwice(const Item& item, const Item& before);
    void CheckUse();
    void Add(const Rule& rule, LoadedBandwidths& loaded);

    QosText text_;
    Diagnostics& diagnostics_;
    std::span<const LoadedQosPolicy::Group> groups_;
    std::span<const LoadedPortGroups::Group> policy_groups_;
    std::optional<Section> section_;
    std::array<std::size_t, kSectionWords.size()> begun_{};  ///< Their lines; 0: not there.
    std::map<std::string, Bandwidth> names_;
    std::vector<Rule> rules_;
    std::map<std::pair<Section, Subject>, std::size_t> subjects_;  ///< And their lines.
};

void BandwidthReader::BeginSection(std::size_t at) {
    section_ = static_cast<Section>(at);
    const std::size_t line = text_.SpotOf(text_.line()).place.line;
    if (begun_[at] != 0) {
        text_.Error(text_.line(), Code::kDuplicateEntry,
                    fmt::format("line {} has this section already", begun_[at]));
        return;
    }
    begun_[at] = line;
}

void BandwidthReader::ReadLine() {
    const Word line = text_.line();
    const auto* const section = std::find(kSectionWords.begin(), kSectionWords.end(), line.text);
    if (section != kSectionWords.end()) {
        BeginSection(static_cast<std::size_t>(section - kSectionWords.begin()));
        return;
    }
    const std::size_t equals = line.text.find('=');
    if (equals == std::string_view::npos) {
        const std::string_view nearest = Nearest(line.text, kSectionWords);
        text_.Error(line, Code::kUnknownLine,
                    nearest.empty()
                        ? fmt::format("a line is a section ({}) or has a '='", kSections)
                        : fmt::format("no section is called so; did you mean '{}'?", nearest));
        return;
    }
    const Word left = Trimmed({line.text.substr(0, equals), line.begin});
    const Word right = Trimmed({line.text.substr(equals + 1), line.begin + equals + 1});
    if (!section_) {
        text_.Error(line, Code::kUnknownLine,
                    fmt::format("it stands before the first section ({})", kSections));
    } else if (left.text.empty()) {
        text_.Error({line.text.substr(equals, 1), line.begin + equals}, Code::kMissingValue,
                    section_ == Section::kNames ? "a name is missing before '='"
                                                : "it is missing before '=' whom the rule is for");
    } else if (section_ == Section::kNames) {
        ReadName(left, right);
    } else {
        ReadRule(left, right);
    }
}

/// "name = rate".
void BandwidthReader::ReadName(const Word& left, const Word& right) {
    const auto odd = std::find_if(left.text.begin(), left.text.end(), [](char c) {
        return c == ':' || c == ',' || c == '"' || c <= ' ' || c > '~';
    });
    if (odd != left.text.end()) {
        const auto at = static_cast<std::size_t>(odd - left.text.begin());
        text_.Error({left.text.substr(at, 1), left.begin + at}, Code::kNotAName,
                    "the name of a bandwidth is printable ASCII without blanks, ':', ',' and "
                    "quotation marks");
        return;
    }
    if (right.text.empty()) {
        text_.Error(left, Code::kMissingValue, "its rate is missing, in Mbit/s");
        return;
    }
    const auto rate = text_.ReadNumber(right, "rate, in Mbit/s,", 0, kMostMbps);
    if (!rate) return;
    const auto mbps = static_cast<std::uint32_t>(*rate);
    const auto [at, is_new] = names_.try_emplace(
        std::string(left.text), Bandwidth{.mbps = mbps, .spot = text_.SpotOf(left)});
    if (is_new) return;
    const std::size_t line = at->second.spot.place.line;
    if (at->second.mbps == mbps) {
        text_.Report(Severity::kWarning, left, Code::kDuplicateEntry,
                     fmt::format("line {} says the same", line));
    } else {
        text_.Error(left, Code::kContradiction,
                    fmt::format("line {} gives this name {} Mbit/s", line, at->second.mbps));
    }
}

std::optional<BandwidthReader::Subject> BandwidthReader::ReadGuidSubject(const Word& left) {
    const auto guid = text_.ReadGuid(left);
    if (!guid) return std::nullopt;
    if (!KeyOf(left.text).starts_with("0x") && left.text.size() >= kFewDigits) {
        text_.Report(Severity::kWarning, left, Code::kDecimalGuid,
                     "without 0x this is a decimal number");
    }
    return Subject{.guid = *guid};
}

/// A group of either file, or a predefined one; of equal names in pgrp_policy_file the last counts.
std::optional<std::uint16_t> BandwidthReader::FindGroup(const QosName& name, const Word& at) {
    const auto has_name = [&name](const auto& group) { return KeyOf(group.name) == name.key; };
    const auto found = std::find_if(groups_.begin(), groups_.end(), has_name);
    const auto defined = std::find_if(policy_groups_.rbegin(), policy_groups_.rend(), has_name);
    const bool is_there = found != groups_.end();
    if (defined != policy_groups_.rend()) {
        if (is_there) {
            text_.Report(Severity::kWarning, at, Code::kContradiction,
                         "qos_policy_file has a port-group of this name too; that of "
                         "pgrp_policy_file counts");
        }
        const auto row = policy_groups_.rend() - defined - 1;
        return static_cast<std::uint16_t>(kMostQosGroups + static_cast<std::size_t>(row));
    }
    if (is_there) return static_cast<std::uint16_t>(found - groups_.begin());
    const PredefinedPortGroup* const predefined = FindPredefined(name.key);
    if (predefined == nullptr) return std::nullopt;
    return static_cast<std::uint16_t>(kGroupOfTypes | predefined->node_types);
}

std::optional<BandwidthReader::Subject> BandwidthReader::ReadGroup(const Word& left) {
    const auto name = text_.ReadName(left);
    if (!name) return std::nullopt;
    if (const auto group = FindGroup(*name, left)) return Subject{.group = group};
    if (name->key == kDefault) {
        text_.Error(left, Code::kUndefinedName, "the default rule is called 'default'");
    } else {
        text_.Error(left, Code::kUndefinedName,
                    fmt::format("there is no port-group '{}' in pgrp_policy_file or "
                                "qos_policy_file; a GUID begins with 0x",
                                name->text));
    }
    return std::nullopt;
}

std::optional<BandwidthReader::Subject> BandwidthReader::ReadSubject(const Word& left) {
    if (left.text == kDefault) return Subject{};
    if (IsDigit(left.text.front()) || left.text.front() == '-') return ReadGuidSubject(left);
    if (section_ == Section::kRules) return ReadGroup(left);
    text_.Error(left, Code::kBadValue,
                "a rule of VPORT_BW_RULES is for the GUID of a virtual port, which begins with 0x, "
                "or is 'default'");
    return std::nullopt;
}

/// "default = all:name, 3:name".
void BandwidthReader::ReadRule(const Word& left, const Word& right) {
    Rule rule{.section = *section_};
    const auto subject = ReadSubject(left);
    if (right.text.empty()) {
        text_.Error(left, Code::kMissingValue, "its service levels are missing, as in 'all:name'");
        return;
    }
    for (const Word& part : Split(right, ',')) {
        if (auto item = ReadItem(part)) rule.items.push_back(std::move(*item));
    }
    if (!subject) return;
    rule.subject = *subject;
    const std::size_t line = text_.SpotOf(left).place.line;
    const auto [at, is_new] = subjects_.try_emplace({rule.section, rule.subject}, line);
    if (!is_new) {
        text_.Error(left, Code::kContradiction,
                    fmt::format("line {} has a rule for it already", at->second));
        return;
    }
    rules_.push_back(std::move(rule));
}

bool BandwidthReader::ReadSl(const Word& word, std::optional<std::uint8_t>& sl) {
    if (word.text == kAll) return true;
    Word number = word;
    if (word.text.size() > 2 && KeyOf(word.text.substr(0, 2)) == "sl") {
        number = {word.text.substr(2), word.begin + 2};
    }
    if (!IsDigit(number.text.front())) {
        text_.Error(word, Code::kBadValue, "a service level is 0..15, SL0..SL15 or 'all'");
        return false;
    }
    const auto value = text_.ReadNumber(number, "service level", 0, kTopSl);
    if (value) sl = static_cast<std::uint8_t>(*value);
    return value.has_value();
}

std::optional<BandwidthReader::Item> BandwidthReader::ReadItem(const Word& word) {
    const std::size_t colon = word.text.find(':');
    if (colon == std::string_view::npos) {
        text_.Error(word, Code::kMissingValue,
                    word.text.empty() ? "a service level and its bandwidth are missing"
                                      : "a service level and its bandwidth are written 'SL:name'");
        return std::nullopt;
    }
    const Word left = Trimmed({word.text.substr(0, colon), word.begin});
    const Word right = Trimmed({word.text.substr(colon + 1), word.begin + colon + 1});
    if (left.text.empty() || right.text.empty()) {
        text_.Error(word, Code::kMissingValue,
                    left.text.empty() ? "a service level is missing before ':'"
                                      : "the name of a bandwidth is missing behind ':'");
        return std::nullopt;
    }
    Item item{.name = std::string(right.text),
              .spot = text_.SpotOf(word),
              .name_spot = text_.SpotOf(right)};
    if (!ReadSl(left, item.sl)) return std::nullopt;
    return item;
}

/// The bandwidth that an item names; null: there is none.
const BandwidthReader::Bandwidth* BandwidthReader::Look(const Item& item) {
    const auto found = names_.find(item.name);
    if (found != names_.end()) {
        found->second.is_used = true;
        return &found->second;
    }
    std::vector<std::string_view> names;
    for (const auto& [name, bandwidth] : names_) {
        names.push_back(name);
    }
    const std::string_view nearest = Nearest(item.name, names);
    text_.ReportAt(
        Severity::kError, item.name_spot, Code::kUndefinedName,
        fmt::format("BW_NAMES has no '{}'{}", item.name,
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
    return nullptr;
}

void BandwidthReader::CheckTwice(const Item& item, const Item& before) {
    const bool is_same = item.name == before.name;
    text_.ReportAt(
        is_same ? Severity::kWarning : Severity::kError, item.spot,
        is_same ? Code::kDuplicateEntry : Code::kContradiction,
        fmt::format("the rule gives {} the bandwidth '{}' already",
                    item.sl ? fmt::format("SL {}", *item.sl) : "all service levels", before.name));
}

/// An SL has what is said of it, wherever `all` stands.
BandwidthSet BandwidthReader::LimitsOf(const Rule& rule) {
    BandwidthSet limits;
    std::array<const Item*, kBandwidthSls> by_sl{};
    const Item* of_all = nullptr;
    for (const Item& item : rule.items) {
        const Item*& place = item.sl ? by_sl.at(*item.sl) : of_all;
        const Bandwidth* const bandwidth = Look(item);
        if (place != nullptr) {
            CheckTwice(item, *place);
            continue;
        }
        place = &item;
        if (bandwidth == nullptr) continue;
        for (std::size_t sl = 0; sl < kBandwidthSls; ++sl) {
            const bool is_meant = item.sl ? *item.sl == sl : by_sl.at(sl) == nullptr;
            if (!is_meant) continue;
            limits.named = static_cast<std::uint16_t>(limits.named | 1U << sl);
            limits.rates.at(sl) = bandwidth->mbps;
        }
    }
    return limits;
}

void BandwidthReader::CheckUse() {
    if (text_.has_errors()) return;
    for (const auto& [name, bandwidth] : names_) {
        if (bandwidth.is_used) continue;
        text_.ReportAt(Severity::kNote, bandwidth.spot, Code::kUnusedEntry,
                       "no rule names this bandwidth");
    }
    if (!rules_.empty()) return;
    text_.ReportAt(Severity::kWarning, {}, Code::kEmptyFile,
                   "there is no rule in it: the limits of all ports are lifted");
}

std::string BandwidthReader::NameOf(std::uint16_t group) const {
    if (group < kMostQosGroups) return groups_[group].name;
    if (group < kGroupOfTypes) return policy_groups_[group - kMostQosGroups].name;
    return std::string(NameOfTypes(group - unsigned{kGroupOfTypes}));
}

void BandwidthReader::Add(const Rule& rule, LoadedBandwidths& loaded) {
    const BandwidthSet limits = LimitsOf(rule);
    if (rule.subject.group) {
        const std::uint16_t group = *rule.subject.group;
        loaded.groups.push_back({.group = group, .name = NameOf(group), .limits = limits});
        return;
    }
    auto& rules = rule.section == Section::kRules ? loaded.rules : loaded.virtual_rules;
    rules.push_back({.guid = rule.subject.guid, .limits = limits});
}

LoadedBandwidths BandwidthReader::Read() {
    while (text_.NextLine()) {
        ReadLine();
    }
    LoadedBandwidths loaded;
    for (const Rule& rule : rules_) {
        Add(rule, loaded);
    }
    for (auto* const rules : {&loaded.rules, &loaded.virtual_rules}) {
        std::sort(rules->begin(), rules->end(), [](const auto& one, const auto& other) {
            return Raw(one.guid) < Raw(other.guid);
        });
    }
    CheckRoom(loaded, diagnostics_);
    CheckUse();
    return loaded;
}

}  // namespace

LoadedBandwidths ParseEnhancedQosPolicyFile(std::string_view text, Diagnostics& diagnostics,
                                            const SubnetFacts& subnet) {
    return BandwidthReader(text, diagnostics, subnet).Read();
}

}  // namespace ember::emberc
