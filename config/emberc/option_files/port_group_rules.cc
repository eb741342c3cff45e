// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rules of a port-group of pgrp_policy_file.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "config/emberc/option_files/name_expression_parser.h"
#include "config/emberc/option_files/port_group_draft.h"
#include "core/settings/settings.h"

namespace ember::emberc {
namespace {

constexpr std::uint64_t kLastPort = 254;

struct Ports {
    std::uint8_t first = 0;
    std::uint8_t last = kLastPortOfAll;
};

std::optional<std::uint8_t> ReadPort(QosText& text, const Word& word) {
    if (word.text.empty()) {
        text.Error(word, Code::kMissingValue, "the number of a port is missing");
        return std::nullopt;
    }
    const auto port = text.ReadNumber(word, "port", 1, kLastPort);
    if (!port) return std::nullopt;
    return static_cast<std::uint8_t>(*port);
}

/// "3" or "2-5".
std::optional<Ports> ReadPorts(QosText& text, const Word& word) {
    const std::vector<Word> ends = Split(word, '-');
    if (ends.size() > 2) {
        text.Error(word, Code::kBadNumber, "a range of ports has two ends");
        return std::nullopt;
    }
    const auto first = ReadPort(text, ends.front());
    const auto last = ends.size() == 1 ? first : ReadPort(text, ends.back());
    if (!first || !last) return std::nullopt;
    if (*last < *first) {
        text.Error(word, Code::kTurnedRange, "the range ends before it begins");
        return std::nullopt;
    }
    return Ports{.first = *first, .last = *last};
}

/// "0x289@2-5/7". An example of the documents has a '/' in the place of the '@'.
void ReadPortGuid(QosText& text, const Word& item, LoadedPortGroups::Group& group) {
    const std::size_t end = item.text.find_first_of("@/");
    const Word guid_word = Trimmed({item.text.substr(0, end), item.begin});
    const auto guid = text.ReadGuid(guid_word);
    if (!guid) return;
    const PortGroupRule all{
        .from = Raw(*guid), .to = Raw(*guid), .first_port = 0, .last_port = kLastPortOfAll};
    if (end == std::string_view::npos) {
        group.guids.push_back(all);
        return;
    }
    if (item.text[end] == '/') {
        text.Report(Severity::kWarning, {item.text.substr(end, 1), item.begin + end},
                    Code::kBadValue, "ports stand behind '@'; what follows is read as such");
    }
    const Word list{item.text.substr(end + 1), item.begin + end + 1};
    for (const Word& part : Split(list, '/')) {
        const auto ports = ReadPorts(text, part);
        if (!ports) continue;
        PortGroupRule rule = all;
        rule.first_port = ports->first;
        rule.last_port = ports->last;
        group.guids.push_back(rule);
    }
}

/// "hostname=kuku": a name and a value.
struct Field {
    Word name;
    Word value;
};

/// The fields of a host, apart by ';' or, as in an example of the documents, by blanks.
std::optional<std::vector<Field>> FieldsOf(QosText& text, const Word& item) {
    std::vector<Field> fields;
    for (const Word& part : Split(item, ';')) {
        for (Word rest = part; !rest.text.empty();) {
            const std::size_t equals = rest.text.find('=');
            if (equals == std::string_view::npos) {
                text.Error(rest, Code::kUnknownLine,
                           "a host is hostname=NAME, and if need be port=N and hca_idx=N");
                return std::nullopt;
            }
            Field field{.name = Trimmed({rest.text.substr(0, equals), rest.begin}), .value = {}};
            rest = Trimmed({rest.text.substr(equals + 1), rest.begin + equals + 1});
            const std::size_t blank = std::min(rest.text.find_first_of(" \t"), rest.text.size());
            field.value = {rest.text.substr(0, blank), rest.begin};
            rest = Trimmed({rest.text.substr(blank), rest.begin + blank});
            fields.push_back(field);
        }
    }
    return fields;
}

/// Reads a field of a host; `seen` has the names of those before.
bool ReadField(QosText& text, const Field& field, std::vector<std::string_view>& seen,
               LoadedPortGroups::Host& host) {
    if (std::find(seen.begin(), seen.end(), field.name.text) != seen.end()) {
        text.Error(field.name, Code::kDuplicateKey,
                   fmt::format("'{}' stands here twice", field.name.text));
        return false;
    }
    seen.push_back(field.name.text);
    if (field.name.text == "hostname") {
        const auto name = text.ReadName(field.value);
        if (!name) return false;
        if (name->text.size() > kMostNameOctets) {
            text.Error(field.value, Code::kTooLong,
                       fmt::format("a name has {} characters at most", kMostNameOctets));
            return false;
        }
        host.name = name->text;
        return true;
    }
    if (field.name.text == "port") {
        const auto port = ReadPort(text, field.value);
        host.port = port.value_or(kAnyHostPort);
        return port.has_value();
    }
    if (field.name.text == "hca_idx") {
        const auto index = text.ReadNumber(field.value, "hca_idx", 0, kAnyHcaIndex - 1);
        host.hca_index = static_cast<std::uint16_t>(index.value_or(0));
        return index.has_value();
    }
    text.Error(field.name, Code::kUnknownLine, "a host has: hostname, port, hca_idx");
    return false;
}

void ReadHost(QosText& text, const Word& item, LoadedPortGroups::Group& group) {
    const auto fields = FieldsOf(text, item);
    if (!fields) return;
    LoadedPortGroups::Host host;
    std::vector<std::string_view> seen;
    bool is_good = true;
    for (const Field& field : *fields) {
        is_good = ReadField(text, field, seen, host) && is_good;
    }
    if (is_good && host.name.empty()) {
        text.Error(item, Code::kMissingEntry, "a host must have its hostname");
        return;
    }
    const auto at = std::lower_bound(group.hosts.begin(), group.hosts.end(), host);
    if (is_good && (at == group.hosts.end() || *at != host)) group.hosts.insert(at, host);
}

bool IsNumber(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// An expression without quotation marks around it.
Word Unquoted(Word word) {
    const bool is_quoted =
        word.text.size() >= 2 && word.text.front() == '"' && word.text.back() == '"';
    return is_quoted ? Word{word.text.substr(1, word.text.size() - 2), word.begin + 1} : word;
}

/// The row of an expression, which is compiled when it is new.
std::optional<std::size_t> PatternRow(QosText& text, const Word& word,
                                      std::vector<LoadedPattern>& patterns) {
    const auto known =
        std::find_if(patterns.begin(), patterns.end(),
                     [&word](const LoadedPattern& one) { return one.text == word.text; });
    if (known != patterns.end()) return static_cast<std::size_t>(known - patterns.begin());
    try {
        patterns.push_back(BuildPattern(word.text));
        return patterns.size() - 1;
    } catch (const ExpressionError& error) {
        const std::size_t begin = std::min(error.begin(), word.text.size());
        text.Error({word.text.substr(begin, error.length()), word.begin + begin},
                   Code::kBadExpression, error.what());
        return std::nullopt;
    }
}

}  // namespace

void ReadPortGuids(QosText& text, LoadedPortGroups::Group& group) {
    static_cast<void>(
        text.TakeList(false, [&](const Word& item) { ReadPortGuid(text, item, group); }));
}

void ReadPortGuidRange(QosText& text, LoadedPortGroups::Group& group) {
    const Word whole = text.rest();
    if (whole.text.find(',') != std::string_view::npos) {
        return text.Error(whole, Code::kTrailingText,
                          "one range stands here: further ones have lines of their own");
    }
    const std::vector<Word> ends = Split(whole, '-');
    if (ends.size() != 2 || ends.front().text.empty() || ends.back().text.empty()) {
        return text.Error(whole, Code::kMissingValue, "a range is two GUIDs with '-' between");
    }
    const auto from = text.ReadGuid(ends.front());
    const auto to = text.ReadGuid(ends.back());
    if (!from || !to) return;
    if (Raw(*to) < Raw(*from)) {
        return text.Error(whole, Code::kTurnedRange, "the range ends before it begins");
    }
    group.guids.push_back(
        {.from = Raw(*from), .to = Raw(*to), .first_port = 0, .last_port = kLastPortOfAll});
}

void ReadHosts(QosText& text, LoadedPortGroups::Group& group) {
    static_cast<void>(text.TakeList(false, [&](const Word& item) { ReadHost(text, item, group); }));
}

void ReadPattern(QosText& text, LoadedPortGroups::Group& group,
                 std::vector<LoadedPattern>& patterns) {
    const Word whole = text.rest();
    PortGroupRule rule{.from = 0, .to = 0, .first_port = 0, .last_port = kLastPortOfAll};
    Word expression = whole;
    const std::size_t colon = whole.text.rfind(':');
    const bool has_colon = colon != std::string_view::npos;
    if (has_colon) {
        const Word port_word = Trimmed({whole.text.substr(colon + 1), whole.begin + colon + 1});
        if (IsNumber(port_word.text)) {
            expression = Trimmed({whole.text.substr(0, colon), whole.begin});
            const auto port = ReadPort(text, port_word);
            if (!port) return;
            rule.first_port = *port;
            rule.last_port = *port;
        }
    }
    expression = Unquoted(expression);
    const std::size_t odd = expression.text.find(':');
    if (odd != std::string_view::npos) {
        return text.Error(
            {expression.text.substr(odd, 1), expression.begin + odd}, Code::kBadValue,
            "a colon stands before the number of a port only; \\x3a is one in a name");
    }
    if (expression.text.empty()) {
        return text.Error(whole, Code::kMissingValue, "the expression is missing");
    }
    const auto row = PatternRow(text, expression, patterns);
    if (!row) return;
    rule.from = rule.to = *row;
    group.patterns.push_back(rule);
}

void PutGuidsInOrder(std::vector<PortGroupRule>& guids) {
    LoadedQosPolicy::Ranges whole;
    for (const PortGroupRule& rule : guids) {
        if (rule.first_port == 0) AddRange(whole, {.from = rule.from, .to = rule.to});
    }
    std::vector<PortGroupRule> ordered;
    for (const QosRange& range : whole) {
        ordered.push_back(
            {.from = range.from, .to = range.to, .first_port = 0, .last_port = kLastPortOfAll});
    }
    std::vector<PortGroupRule> parts;
    for (const PortGroupRule& rule : guids) {
        const bool is_whole =
            rule.first_port == 0 || Covers(whole, {{.from = rule.from, .to = rule.to}});
        if (!is_whole) parts.push_back(rule);
    }
    const auto key = [](const PortGroupRule& rule) {
        return std::tuple(rule.from, rule.first_port);
    };
    const auto is_less = [&key](const auto& one, const auto& other) {
        return key(one) < key(other);
    };
    std::sort(parts.begin(), parts.end(), is_less);
    for (const PortGroupRule& rule : parts) {
        PortGroupRule& before = ordered.empty() ? ordered.emplace_back(rule) : ordered.back();
        const bool joins = before.first_port != 0 && before.from == rule.from &&
                           rule.first_port <= before.last_port + 1;
        if (joins) {
            before.last_port = std::max(before.last_port, rule.last_port);
        } else {
            ordered.push_back(rule);
        }
    }
    std::sort(ordered.begin(), ordered.end(), is_less);
    guids = std::move(ordered);
}

}  // namespace ember::emberc
