// SPDX-License-Identifier: Apache-2.0
// EmberSM: reads a page of metrics by the letter of its format.

#include "tests/platform/linux/views/metrics_reader.h"

#include <gtest/gtest.h>
#include <re2/re2.h>
#include <sstream>

namespace ember::testing {

MetricsReader::MetricsReader(const std::string& page, MetricsFormat format)
    : is_open_(format == MetricsFormat::kOpenMetrics) {
    // The end of the answer at the control socket; in the classic format that is a comment.
    EXPECT_TRUE(page.ends_with("\n# EOF\n"));
    std::istringstream lines(page.substr(0, page.size() - std::string("# EOF\n").size()));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# ")) {
            Declare(line);
        } else {
            Take(line);
        }
    }
    Close();
}

std::string MetricsReader::Text(const std::string& name, const Labels& labels) const {
    const auto found = samples_.find({name, labels});
    if (found == samples_.end()) ADD_FAILURE() << "there is no " << name;
    return found == samples_.end() ? "" : found->second;
}

std::uint64_t MetricsReader::Number(const std::string& name, const Labels& labels) const {
    const std::string text = Text(name, labels);
    EXPECT_EQ(text.find('.'), std::string::npos) << name;
    return text.empty() ? 0 : std::stoull(text);
}

std::uint64_t MetricsReader::Microseconds(const std::string& name, const Labels& labels) const {
    std::string text = Text(name, labels);
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos || text.size() - dot != 7) {
        ADD_FAILURE() << name << " has no six decimals: " << text;
        return 0;
    }
    return std::stoull(text.erase(dot, 1));
}

std::vector<MetricsReader::Labels> MetricsReader::LabelsOf(const std::string& name) const {
    std::vector<Labels> all;
    for (const auto& [key, value] : samples_) {
        if (key.first == name) all.push_back(key.second);
    }
    return all;
}

void MetricsReader::DeclareType(const std::string& name, const std::string& type) {
    Close();
    family_ = name;
    type_ = type;
    EXPECT_TRUE(families_.insert(family_).second) << family_ << " is declared twice";
    const bool is_plain = type == "gauge" || type == "counter";
    EXPECT_TRUE(is_plain || (is_open_ && (type == "info" || type == "stateset"))) << type;
    const bool counts = type == "counter";
    // The suffix of a counter is of its sample in the one format, and of its name in the other.
    EXPECT_EQ(family_.ends_with("_total"), counts && !is_open_) << family_;
}

void MetricsReader::Declare(const std::string& line) {
    static const RE2 kMeta(R"(# (TYPE|UNIT|HELP) ([a-z_]+) (.+))");
    std::string keyword;
    std::string name;
    std::string rest;
    ASSERT_TRUE(RE2::FullMatch(line, kMeta, &keyword, &name, &rest)) << line;
    if (keyword == "TYPE") return DeclareType(name, rest);
    EXPECT_EQ(name, family_) << line;
    if (keyword == "UNIT") {
        EXPECT_TRUE(is_open_ && family_.ends_with("_" + rest)) << line;
    }
    if (keyword == "HELP") {
        static const RE2 kEscaped(R"((?:[^\\"]|\\n|\\\\|\\")+)");
        static const RE2 kClassic(R"((?:[^\\]|\\n|\\\\)+)");  // A quote is a letter like others.
        EXPECT_TRUE(RE2::FullMatch(rest, is_open_ ? kEscaped : kClassic)) << line;
        EXPECT_FALSE(has_help_) << line;
        has_help_ = true;
    }
}

void MetricsReader::Take(const std::string& line) {
    static const RE2 kSample(
        R"(([a-z_]+)(?:\{((?:[a-z_]+="(?:[^\\"\n]|\\[\\"n])*",?)+)\})? ([0-9]+(?:\.[0-9]+)?))");
    std::string name;
    std::string inside;
    std::string value;
    ASSERT_TRUE(RE2::FullMatch(line, kSample, &name, &inside, &value)) << line;
    const bool counts = type_ == "counter" && is_open_;
    EXPECT_EQ(name, family_ + (counts ? "_total" : type_ == "info" ? "_info" : "")) << line;
    const Labels labels = Split(inside);
    if (type_ == "info") {
        EXPECT_EQ(value, "1") << line;
    }
    if (type_ == "stateset") {
        EXPECT_TRUE(labels.contains(family_)) << line;
        EXPECT_TRUE(value == "0" || value == "1") << line;
        holding_ += value == "1" ? 1U : 0U;
    }
    EXPECT_TRUE(samples_.emplace(std::pair(name, labels), value).second)
        << line << " is there twice";
}

MetricsReader::Labels MetricsReader::Split(const std::string& text) {
    Labels labels;
    static const RE2 kLabel(R"re(([a-z_]+)="((?:[^\\"]|\\.)*)"(?:,|$))re");
    re2::StringPiece left(text);
    std::string name;
    std::string value;
    while (RE2::Consume(&left, kLabel, &name, &value)) {
        EXPECT_TRUE(labels.emplace(name, value).second) << text;
    }
    EXPECT_TRUE(left.empty()) << text;
    EXPECT_FALSE(text.ends_with(",")) << text;
    return labels;
}

/// The family that ends here had a sentence, and its states exclude each other.
void MetricsReader::Close() {
    if (family_.empty()) return;
    EXPECT_TRUE(has_help_) << family_;
    if (type_ == "stateset") {
        EXPECT_EQ(holding_, 1U) << family_;
    }
    has_help_ = false;
    holding_ = 0;
}

}  // namespace ember::testing
