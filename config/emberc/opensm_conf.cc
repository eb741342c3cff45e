// SPDX-License-Identifier: Apache-2.0
// EmberSM: reading opensm.conf.
#include "config/emberc/opensm_conf.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "config/emberc/checks.h"
#include "config/emberc/foreign_keys.h"
#include "config/emberc/keys.h"
#include "config/emberc/raw_text.h"
#include "config/emberc/value_text.h"

namespace ember::emberc {
namespace {

constexpr std::size_t kMaxLine = 1023;  // Characters of a line that OpenSM reads at once.

bool IsBlank(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Reads the lines of one file, one after the other.
class Reader {
public:
    Reader(Conf& settings, Diagnostics& diagnostics, const Allowances& allowances)
        : settings_(settings), diagnostics_(diagnostics), allowances_(allowances) {}

    void ReadLine(std::string_view line);
    /// At the end.
    void ReportIdleForeign();

private:
    /// A stretch of the line at hand.
    struct Span {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    [[nodiscard]] std::string_view Text(Span span) const {
        return line_.substr(span.begin, span.end - span.begin);
    }
    [[nodiscard]] Span Trim(Span span) const;
    [[nodiscard]] std::optional<Span> WithoutComment();
    [[nodiscard]] std::optional<Span> WithoutQuotes(Span value);
    [[nodiscard]] bool IsPlain();
    void ReadSetting(Span name, Span value);
    void PassOverMark(Span& name, Span& value);
    [[nodiscard]] Span WithoutLastMark(std::size_t key, Span value);
    void Set(std::size_t key, Span name, Span value);
    void ReportUnknown(Span name, std::string_view value);
    void KeepForeign(Span name);
    void ReportForeign(Span name, std::string_view feature);
    void ReportRepetition(std::size_t key, Span name);
    void Report(Severity severity, Span at, Code code, std::string text);

    Conf& settings_;
    Diagnostics& diagnostics_;
    const Allowances& allowances_;
    std::string_view line_;
    std::size_t number_ = 0;
    std::size_t idle_foreign_ = 0;  ///< Keys of another subnet manager that ask for nothing.
    Place first_foreign_;           ///< Of the first of them.
};

void Reader::Report(Severity severity, Span at, Code code, std::string text) {
    diagnostics_.Add({.severity = severity,
                      .place = {number_, at.begin + 1, std::max(at.end, at.begin + 1) - at.begin},
                      .code = code,
                      .text = std::move(text),
                      .source = std::string(line_)});
}

Reader::Span Reader::Trim(Span span) const {
    while (span.begin < span.end && IsBlank(line_[span.begin])) {
        ++span.begin;
    }
    while (span.begin < span.end && IsBlank(line_[span.end - 1])) {
        --span.end;
    }
    return span;
}

/// A text editor's mistakes: a file that is not text, a line that OpenSM would cut in two.
bool Reader::IsPlain() {
    if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) {
        Report(Severity::kError, {0, 3}, Code::kByteOrderMark,
               "the file begins with a byte order mark; OpenSM would take it for part of the first "
               "key");
        return false;
    }
    if (const std::size_t zero = line_.find('\0'); zero != std::string_view::npos) {
        Report(Severity::kError, {zero, zero + 1}, Code::kNotText,
               "a NUL: this is not a text file");
        return false;
    }
    if (line_.size() <= kMaxLine) return true;
    Report(Severity::kError, {kMaxLine, line_.size()}, Code::kLineTooLong,
           fmt::format("the line has {} characters; OpenSM reads {} and takes the rest for a new "
                       "line",
                       line_.size(), kMaxLine));
    return false;
}

/// The line up to the first '#', which begins a comment even inside quotes and words.
std::optional<Reader::Span> Reader::WithoutComment() {
    const std::size_t hash = line_.find('#');
    if (hash == std::string_view::npos) return Span{0, line_.size()};
    const std::string_view before = line_.substr(0, hash);
    const Span body = Trim({0, hash});
    if (body.begin == body.end || IsBlank(before.back())) return body;
    Report(Severity::kWarning, {hash, hash + 1}, Code::kCommentInWord,
           "'#' begins a comment even inside a word: what follows is not part of the value");
    return body;
}

std::optional<Reader::Span> Reader::WithoutQuotes(Span value) {
    const std::string_view text = Text(value);
    if (text.empty()) return value;
    const char first = text.front();
    const char last = text.back();
    const bool opens = first == '"' || first == '\'';
    const bool closes = last == '"' || last == '\'';
    if (!opens && !closes) return value;
    if (opens && last == first && text.size() >= 2) return Span{value.begin + 1, value.end - 1};
    Report(Severity::kError, value, Code::kUnbalancedQuote,
           line_.find('#') != std::string_view::npos
               ? "a quote is open at one end: '#' begins a comment even inside quotes"
               : "a quote is open at one end");
    return std::nullopt;
}

void Reader::ReadLine(std::string_view line) {
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line_ = line;
    if (!IsPlain()) return;
    const std::optional<Span> body = WithoutComment();
    if (!body) return;
    const Span all = Trim(*body);
    if (all.begin == all.end) return;
    std::size_t name_end = all.begin;
    while (name_end < all.end && !IsBlank(line_[name_end])) {
        ++name_end;
    }
    Span name{all.begin, name_end};
    Span value = Trim({name_end, all.end});
    PassOverMark(name, value);
    ReadSetting(name, value);
}

/// Files of other programs have '=' or ':' between a key and its value: the meaning is plain.
void Reader::PassOverMark(Span& name, Span& value) {
    const std::size_t in_word = Text(name).find_first_of("=:");
    const bool is_behind = in_word == std::string_view::npos;
    const bool has_key = FindKey(Text(name).substr(0, in_word)).has_value();
    const std::string_view rest = Text(value);
    const bool begins_so =
        rest == "=" || rest.starts_with("= ") || rest == ":" || rest.starts_with(": ");
    if (!has_key || (is_behind && !begins_so)) return;
    const std::size_t mark = is_behind ? value.begin : name.begin + in_word;
    value = Trim({mark + 1, std::max(value.end, name.end)});
    if (!is_behind) name.end = mark;
    if (value.begin == value.end) return;  // ReadSetting() reports a missing value.
    Report(Severity::kWarning, {mark, mark + 1},
           line_[mark] == '=' ? Code::kEqualsSign : Code::kStrayMark,
           fmt::format("between '{}' and its value stands a blank, not '{}', which is passed over",
                       Text(name), line_[mark]));
}

/// No number, word or list ends with a comma or semicolon.
Reader::Span Reader::WithoutLastMark(std::size_t key, Span value) {
    const bool has_mark = Text(value).ends_with(',') || Text(value).ends_with(';');
    if (Keys()[key].kind == FieldKind::kText || !has_mark) return value;
    Report(Severity::kWarning, {value.end - 1, value.end}, Code::kStrayMark,
           fmt::format("nothing follows this '{}', which is passed over", line_[value.end - 1]));
    return Trim({value.begin, value.end - 1});
}

/// The key that is meant, in the end of a sentence.
std::string DidYouMean(std::string_view word) {
    word = word.substr(0, word.find_first_of("=:"));
    std::string_view nearest = KeyByMeaning(word);
    if (nearest.empty()) nearest = NearestKey(word);
    if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
    const std::string_view foreign = NearestForeignKey(word);
    if (foreign.empty()) return {};
    return fmt::format("; '{}' is a key of NVIDIA's subnet manager ({})", foreign,
                       FeatureOfForeignKey(foreign));
}

void Reader::ReportUnknown(Span name, std::string_view value) {
    const std::string_view word = Text(name);
    const std::string_view feature = FeatureOfForeignKey(word);
    if (!feature.empty() && AsksForNothing(word, value)) return KeepForeign(name);
    if (!feature.empty()) return ReportForeign(name, feature);
    Report(Severity::kError, name, Code::kUnknownKey,
           fmt::format("there is no key '{}'{}", word, DidYouMean(word)));
}

/// NVIDIA's subnet manager writes all its keys into its file, most as they were. These are told in
/// one line, at the first of them.
void Reader::KeepForeign(Span name) {
    if (idle_foreign_++ == 0) first_foreign_ = {number_, name.begin + 1, name.end - name.begin};
}

void Reader::ReportIdleForeign() {
    if (idle_foreign_ == 0) return;
    diagnostics_.Add(
        {.severity = Severity::kNote,
         .place = first_foreign_,
         .code = Code::kForeignKey,
         .text = fmt::format("{} of NVIDIA's subnet manager ask{} for nothing as {} here, from "
                             "this line on: left out",
                             idle_foreign_ == 1 ? "a key" : fmt::format("{} keys", idle_foreign_),
                             idle_foreign_ == 1 ? "s" : "",
                             idle_foreign_ == 1 ? "it stands" : "they stand"),
         .source = {}});
}

/// A key that another subnet manager has is no slip of the pen, and its loss may be accepted.
void Reader::ReportForeign(Span name, std::string_view feature) {
    const std::string_view word = Text(name);
    const bool is_allowed = allowances_.Has(word) || allowances_.Has(WordOf(Code::kForeignKey));
    Report(is_allowed ? Severity::kNote : Severity::kError, name, Code::kForeignKey,
           fmt::format(
               "'{}' is a key of NVIDIA's subnet manager ({}); EmberSM has no such key{}", word,
               feature,
               is_allowed ? ", and --allow leaves the line out"
                          : fmt::format(": delete the line, or leave it out by --allow {}", word)));
}

void Reader::ReportRepetition(std::size_t key, Span name) {
    const Setting& setting = settings_[key];
    if (!setting.written || Keys()[key].kind == FieldKind::kPerSl) return;
    Report(Severity::kWarning, name, Code::kDuplicateKey,
           fmt::format("'{}' is set again; it was set in line {} before, and the last one counts",
                       Keys()[key].name, setting.place.line));
}

void Reader::ReadSetting(Span name, Span value) {
    const std::optional<std::size_t> key = FindKey(Text(name));
    if (!key) return ReportUnknown(name, Text(value));
    if (Text(name) != Keys()[*key].name) {
        Report(Severity::kNote, name, Code::kOldName,
               fmt::format("'{}' is the old name of '{}'", Text(name), Keys()[*key].name));
    }
    ReportRepetition(*key, name);
    if (value.begin == value.end) {
        Report(Severity::kError, name, Code::kMissingValue,
               fmt::format("'{}' has no value", Text(name)));
        return;
    }
    if (const std::optional<Span> bare = WithoutQuotes(WithoutLastMark(*key, value))) {
        Set(*key, name, *bare);
    }
}

void Reader::Set(std::size_t key, Span name, Span value) {
    Setting& setting = settings_[key];
    Value parsed = setting.value;  // A text that cannot be read leaves the value as it was.
    const std::optional<Remark> remark = ParseValue(Keys()[key], Text(value), parsed);
    if (!remark || remark->severity != Severity::kError) setting.value = std::move(parsed);
    setting.written = true;
    setting.place = {number_, name.begin + 1, name.end - name.begin};
    setting.value_place = {number_, value.begin + 1, value.end - value.begin};
    setting.source = line_;
    if (!remark) return;
    const std::size_t begin = value.begin + remark->offset;
    const std::size_t end = remark->length > 0 ? begin + remark->length : value.end;
    Report(remark->severity, {begin, end}, remark->code, remark->text);
}

}  // namespace

Conf ReadKeys(std::string_view file, Diagnostics& diagnostics, const Allowances& allowances) {
    Conf settings = DefaultConf();
    Reader reader(settings, diagnostics, allowances);
    const std::string straight = Straightened(file, diagnostics);
    std::string_view text = straight;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        reader.ReadLine(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    reader.ReportIdleForeign();
    return settings;
}

Conf ParseOpensmConf(std::string_view text, Diagnostics& diagnostics,
                     const Allowances& allowances) {
    Conf settings = ReadKeys(text, diagnostics, allowances);
    CheckKeysWithoutEffect(settings, allowances, diagnostics);
    CheckTogether(settings, diagnostics);
    CheckRouting(settings, diagnostics);
    CheckLanes(settings, diagnostics);
    diagnostics.Sort();
    return settings;
}

}  // namespace ember::emberc
