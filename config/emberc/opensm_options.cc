// SPDX-License-Identifier: Apache-2.0
// EmberSM: OpenSM's command line as an opensm.conf: emberc options.
#include "config/emberc/opensm_options.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "config/emberc/numbers.h"
#include "config/emberc/opensm_options_table.h"
#include "config/emberc/say.h"
#include "config/emberc/suggestion.h"
#include "config/emberc/value_text.h"

namespace ember::emberc {
namespace {

constexpr std::uint64_t kUsualLogFlags = 3;
constexpr std::uint64_t kAllLogFlags = 0xFF;
constexpr std::string_view kProgram = "opensm";

/// Names differ in hyphens among the versions.
std::string WithoutHyphens(std::string_view name) {
    std::string folded(name);
    std::replace(folded.begin(), folded.end(), '-', '_');
    return folded;
}

/// The first two words of a line of an opensm.conf; empty where there are none.
std::pair<std::string_view, std::string_view> KeyAndValue(std::string_view line) {
    line = line.substr(0, line.find('#'));
    std::array<std::string_view, 2> words{};
    for (std::string_view& word : words) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        word = line.substr(0, line.find_first_of(" \t\r"));
        line.remove_prefix(word.size());
    }
    return {words[0], words[1]};
}

/// Takes the first line from `text`.
std::string_view TakeLine(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// The log_flags of a configuration, on which -v builds.
std::optional<std::uint64_t> LogFlagsOf(std::string_view text) {
    std::optional<std::uint64_t> flags;
    while (!text.empty()) {
        const auto [key, value] = KeyAndValue(TakeLine(text));
        if (key != "log_flags") continue;
        if (const Number number = ReadNumber(value); !number.error) flags = number.value;
    }
    return flags;
}

/// An option of the command line.
struct Given {
    const OpensmOption* row = nullptr;
    std::string written;  ///< As it is told of: "-a", "--root_guid_file".
    std::string value;
};

class Converter {
public:
    explicit Converter(std::span<const std::string> words) : words_(words) {}

    ConvertedOptions Convert();

private:
    void ReadWords();
    void ReadLong(const std::string& word);
    void ReadLetters(const std::string& word);
    [[nodiscard]] const OpensmOption* FindLong(std::string_view name, const std::string& word);
    [[nodiscard]] bool TakeValue(Given& given, std::optional<std::string> own);
    void ReadBase(const Given& given);
    void Act(const Given& given);
    void ActOnDebug(const Given& given);
    void Set(const Given& given, std::string_view key, std::string value);
    void Remark(bool is_error, std::string option, std::string text) {
        out_.remarks.push_back({is_error, std::move(option), std::move(text)});
    }
    [[nodiscard]] std::string Write() const;
    [[nodiscard]] std::string WriteBase() const;

    std::span<const std::string> words_;
    std::size_t at_ = 0;
    std::vector<Given> given_;
    std::map<std::size_t, std::string> values_;  ///< By key: the last counts.
    std::string base_;
    bool has_base_ = false;
    std::uint64_t log_flags_ = kUsualLogFlags;
    ConvertedOptions out_;
};

const OpensmOption* Converter::FindLong(std::string_view name, const std::string& word) {
    const std::string folded = WithoutHyphens(name);
    std::vector<const OpensmOption*> begun;  // As getopt_long() has it: a unique beginning will do.
    std::vector<std::string_view> names;
    for (const OpensmOption& row : kOpensmOptions) {
        if (WithoutHyphens(row.name) == folded) return &row;
        if (WithoutHyphens(row.name).starts_with(folded)) begun.push_back(&row);
        names.push_back(row.name);
    }
    if (begun.size() == 1) return begun.front();
    const std::string_view nearest = Nearest(name, names);
    Remark(true, word,
           begun.size() > 1
               ? fmt::format("it is short for --{} and --{}", begun[0]->name, begun[1]->name)
           : nearest.empty()
               ? std::string("OpenSM has no such option")
               : fmt::format("OpenSM has no such option; did you mean '--{}'?", nearest));
    return nullptr;
}

bool Converter::TakeValue(Given& given, std::optional<std::string> own) {
    if (!given.row->has_value) {
        if (own)
            Remark(true, given.written, fmt::format("it takes no value, and '{}' is one", *own));
        return !own;
    }
    if (own) {
        given.value = *own;
    } else if (at_ < words_.size()) {
        given.value = words_[at_++];
    } else {
        Remark(true, given.written, "its value is missing");
        return false;
    }
    return true;
}

void Converter::ReadLong(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    Given given{.row = FindLong(name, word), .written = word.substr(0, equals), .value = {}};
    if (given.row == nullptr) return;
    std::optional<std::string> own;
    if (equals != std::string::npos) own = word.substr(equals + 1);
    if (TakeValue(given, own)) given_.push_back(std::move(given));
}

/// "-zA", "-R updn", "-Rupdn".
void Converter::ReadLetters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
        const auto* const row =
            std::find_if(kOpensmOptions.begin(), kOpensmOptions.end(),
                         [&](const OpensmOption& one) { return one.letter == word[i]; });
        if (row == kOpensmOptions.end()) {
            Remark(true, fmt::format("-{}", word[i]),
                   fmt::format("OpenSM has no such option{}",
                               word.size() > 2 ? "; a long one begins with two hyphens" : ""));
            return;
        }
        Given given{.row = row, .written = fmt::format("-{}", word[i]), .value = {}};
        std::optional<std::string> own;
        if (row->has_value && i + 1 < word.size()) own = word.substr(i + 1);
        if (!TakeValue(given, own)) return;
        given_.push_back(std::move(given));
        if (row->has_value) return;
    }
}

void Converter::ReadWords() {
    const bool names_program =
        !words_.empty() && std::filesystem::path(words_.front()).filename() == kProgram;
    if (names_program) ++at_;
    while (at_ < words_.size()) {
        const std::string& word = words_[at_++];
        if (word.starts_with("--") && word.size() > 2) {
            ReadLong(word);
        } else if (word.starts_with('-') && word.size() > 1 && word != "--") {
            ReadLetters(word);
        } else {
            Remark(false, word, "it is no option: OpenSM passes over it");
        }
    }
}

void Converter::ReadBase(const Given& given) {
    try {
        base_ = ReadText(given.value);
        has_base_ = true;
        log_flags_ = LogFlagsOf(base_).value_or(kUsualLogFlags);
    } catch (const FileError& error) {
        Remark(true, given.written, error.what());
    }
}

/// Takes a value for a key, if the key takes it.
void Converter::Set(const Given& given, std::string_view name, std::string value) {
    const std::optional<std::size_t> key = FindKey(name);
    if (!key) {
        Remark(false, given.written, "EmberSM has no key for it");
        return;
    }
    if (value.find_first_of("#\n\r\"") != std::string::npos) {
        Remark(true, given.written,
               fmt::format("'{}' has a character that cannot stand in an opensm.conf", value));
        return;
    }
    const Key& row = Keys()[*key];
    Value parsed;
    const std::optional<emberc::Remark> wrong = ParseValue(row, value, parsed);
    if (wrong && wrong->severity == Severity::kError) {
        Remark(true, given.written, wrong->text);
        return;
    }
    if (row.use == Use::kRefused) {
        Remark(false, given.written,
               fmt::format("EmberSM does not act on '{}': its line is a comment, and emberc would "
                           "refuse it otherwise",
                           row.name));
    }
    const bool is_word = value == "stdout" || value == "syslog";  // Of log_file.
    const bool is_file =
        row.kind == FieldKind::kText && (row.name.ends_with("_file") || row.name == "torus_config");
    if (is_file && !is_word && !value.starts_with('/') && value != "(null)") {
        Remark(
            false, given.written,
            fmt::format("'{}' counts from the folder of the opensm.conf, and not from that where "
                        "the program is started",
                        value));
    }
    values_[*key] = std::move(value);
}

void Converter::ActOnDebug(const Given& given) {
    const Number number = ReadNumber(given.value);
    const std::string text = number.error ? given.value : std::to_string(number.value);
    const auto* const row =
        std::find_if(kDebugOptions.begin(), kDebugOptions.end(),
                     [&text](const DebugOption& one) { return one.number == text; });
    if (row == kDebugOptions.end() || row->key.empty()) {
        Remark(false, given.written, fmt::format("EmberSM has no debug option {}", given.value));
        return;
    }
    Set(given, row->key, "TRUE");
}

void Converter::Act(const Given& given) {
    const OpensmOption& row = *given.row;
    switch (row.act) {
        case OptionAct::kValue:
            Set(given, row.key, given.value);
            if (row.key != "log_flags") return;
            log_flags_ = ReadNumber(given.value).value;
            return;
        case OptionAct::kHex:
            Set(given, row.key,
                given.value.starts_with("0x") || given.value.starts_with("0X")
                    ? given.value
                    : "0x" + given.value);
            return;
        case OptionAct::kFixed:
            Set(given, row.key, std::string(row.value));
            return;
        case OptionAct::kBase:
            return;  // The configuration was read before.
        case OptionAct::kLouder:
            log_flags_ = (log_flags_ << 1U | 1U) & kAllLogFlags;
            Set(given, row.key, fmt::format("{:#04x}", log_flags_));
            return;
        case OptionAct::kLoudest:
            log_flags_ = kAllLogFlags;
            Set(given, row.key, fmt::format("{:#04x}", log_flags_));
            Set(given, "force_log_flush", "TRUE");
            return;
        case OptionAct::kDebug:
            ActOnDebug(given);
            return;
        case OptionAct::kExplained:
            Remark(false, given.written, std::string(row.value));
            return;
    }
}

/// The lines of the base, but for those that the command line overrides.
std::string Converter::WriteBase() const {
    std::string out;
    std::string_view rest = base_;
    while (!rest.empty()) {
        const std::string_view line = TakeLine(rest);
        const auto key = FindKey(KeyAndValue(line).first);
        const bool is_overridden = key && values_.contains(*key);
        out += fmt::format("{}{}\n", is_overridden ? "# (overridden) " : "", line);
    }
    return out;
}

std::string Converter::Write() const {
    std::string line;
    for (const std::string& word : words_) {
        line += " " + word;
    }
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
    std::string out = fmt::format("# Made by emberc options of:{}\n", line);
    if (has_base_) {
        out += WriteBase() + "\n# From the command line:\n";
    } else {
        out +=
            "# OpenSM reads /etc/opensm/opensm.conf besides, where there is one: -F takes it "
            "along.\n";
    }
    for (const auto& [key, value] : values_) {
        const bool is_refused = Keys()[key].use == Use::kRefused;
        out += fmt::format("{}{} {}\n", is_refused ? "# " : "", Keys()[key].name, value);
    }
    return out;
}

ConvertedOptions Converter::Convert() {
    ReadWords();
    for (const Given& given : given_) {
        if (given.row->act == OptionAct::kBase) ReadBase(given);
    }
    for (const Given& given : given_) {
        Act(given);
    }
    if (out_.is_good()) out_.text = Write();
    return std::move(out_);
}

}  // namespace

bool ConvertedOptions::is_good() const {
    return std::none_of(remarks.begin(), remarks.end(),
                        [](const OptionRemark& remark) { return remark.is_error; });
}

ConvertedOptions ConvertOptions(std::span<const std::string> words) {
    return Converter(words).Convert();
}

int WriteOptions(const OptionsRequest& request) {
    const ConvertedOptions converted = ConvertOptions(request.words);
    for (const OptionRemark& remark : converted.remarks) {
        Say(stderr, "emberc: {}: {}: {}\n", remark.is_error ? "error" : "note", remark.option,
            remark.text);
    }
    if (!converted.is_good()) {
        Say(stderr, "emberc: no configuration is written\n");
        return kInputIsWrong;
    }
    if (request.output.empty()) {
        fmt::print("{}", converted.text);
    } else {
        WriteText(request.output, converted.text, Access::kOwner);
    }
    return kDone;
}

}  // namespace ember::emberc
