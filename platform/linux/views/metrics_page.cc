// SPDX-License-Identifier: Apache-2.0
// EmberSM: writes metrics in one of the two formats that Prometheus reads.

#include "platform/linux/views/metrics_page.h"

#include "core/base/assert.h"

namespace ember {

MetricsPage& MetricsPage::Begin(std::string_view name) {
    EMBER_ASSERT(next_ < rows_.size() && rows_[next_].name == name);
    const MetricRow& row = rows_[next_++];
    const bool is_open = format_ == MetricsFormat::kOpenMetrics;
    text_.Add("# TYPE ");
    AddFamilyName();
    text_.Add(' ').Add(ember::WordOf(row.type, format_)).Add('\n');
    if (is_open && !row.unit.empty()) {
        text_.Add("# UNIT ").Add(name).Add(' ').Add(row.unit).Add('\n');
    }
    text_.Add("# HELP ");
    AddFamilyName();
    text_.Add(' ');
    // A quote is escaped in the help of OpenMetrics, and an escaped one is an error in the classic.
    AddEscaped(row.help, is_open);
    text_.Add('\n');
    return *this;
}

MetricsPage& MetricsPage::Sample(std::uint64_t value, Labels labels) {
    AddName(labels);
    text_.AddNumber(value).Add('\n');
    return *this;
}

MetricsPage& MetricsPage::Seconds(std::uint64_t us, Labels labels) {
    AddName(labels);
    text_.AddNumber(us / 1'000'000).Add('.').AddNumber(us % 1'000'000, 6).Add('\n');
    return *this;
}

MetricsPage& MetricsPage::Thousandths(std::uint64_t milli) {
    AddName({});
    text_.AddNumber(milli / 1000).Add('.').AddNumber(milli % 1000, 3).Add('\n');
    return *this;
}

MetricsPage& MetricsPage::States(std::span<const std::string_view> words, std::size_t present) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        Sample(i == present ? 1U : 0U, {{rows_[next_ - 1].name, words[i]}});
    }
    return *this;
}

void MetricsPage::End() {
    EMBER_ASSERT(next_ == rows_.size());
    text_.Add("# EOF\n");
}

/// The classic format declares a family by the name that its samples have.
void MetricsPage::AddFamilyName() {
    const MetricRow& row = rows_[next_ - 1];
    text_.Add(row.name);
    if (format_ == MetricsFormat::kClassic) text_.Add(ember::SuffixOf(row.type));
}

void MetricsPage::AddName(Labels labels) {
    const MetricRow& row = rows_[next_ - 1];
    text_.Add(row.name).Add(ember::SuffixOf(row.type));
    char before = '{';
    for (const Label& label : labels) {
        text_.Add(before).Add(label.name).Add("=\"");
        AddEscaped(label.value, true);
        text_.Add('"');
        before = ',';
    }
    if (before == ',') text_.Add('}');
    text_.Add(' ');
}

/// Whatever a name of an engine, an option or a table may be, it ends where it shall.
void MetricsPage::AddEscaped(std::string_view value, bool escapes_quotes) {
    for (const char letter : value) {
        if (letter == '\\' || (letter == '"' && escapes_quotes)) text_.Add('\\');
        if (letter == '\n') {
            text_.Add("\\n");
        } else {
            text_.Add(letter);
        }
    }
}

}  // namespace ember
