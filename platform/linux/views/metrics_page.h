// SPDX-License-Identifier: Apache-2.0
// EmberSM: writes metrics in one of the two formats that Prometheus reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/base/ids.h"
#include "core/log/fixed_text.h"
#include "platform/linux/views/metrics_table.h"

namespace ember {

/// Writes families in the order of Metrics(): what is declared and what is listed are the same.
class MetricsPage {
public:
    struct Label {
        std::string_view name;
        std::string_view value;
    };
    using Labels = std::initializer_list<Label>;

    MetricsPage(FixedText& text, MetricsFormat format) : text_(text), format_(format) {}
    MetricsPage(const MetricsPage&) = delete;
    MetricsPage& operator=(const MetricsPage&) = delete;

    /// Declares the next family. Its samples follow.
    MetricsPage& Begin(std::string_view name);

    MetricsPage& Sample(std::uint64_t value, Labels labels = {});
    MetricsPage& Seconds(std::uint64_t us, Labels labels = {});
    MetricsPage& Thousandths(std::uint64_t milli);
    /// The states of a stateset; the label's name is the family's.
    MetricsPage& States(std::span<const std::string_view> words, std::size_t present);

    /// All families have been declared. Writes the last line, "# EOF\n".
    void End();

private:
    void AddFamilyName();
    void AddName(Labels labels);
    void AddEscaped(std::string_view value, bool escapes_quotes);

    FixedText& text_;
    MetricsFormat format_;
    std::span<const MetricRow> rows_ = Metrics();
    std::size_t next_ = 0;
};

/// A GUID or number as the value of a label; empty: there is none.
class Digits {
public:
    explicit Digits(std::uint64_t number) { text_.AddNumber(number); }
    explicit Digits(Guid guid) {
        if (guid != kNoGuid) text_.Add("0x").AddHex(Raw(guid), 16);
    }
    explicit Digits(PortNumber port) {
        if (port != kNoPort) text_.AddNumber(Raw(port));
    }
    explicit Digits(Lid lid) {
        if (lid != kNoLid) text_.AddNumber(Raw(lid));
    }
    Digits(const Digits&) = delete;
    Digits& operator=(const Digits&) = delete;
    [[nodiscard]] std::string_view text() const { return text_.text(); }

private:
    std::array<char, 24> room_{};
    FixedText text_{room_};
};

}  // namespace ember
