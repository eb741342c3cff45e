// SPDX-License-Identifier: Apache-2.0
// EmberSM: reads a page of metrics by the letter of its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/linux/views/metrics_table.h"

namespace ember::testing {

/// Samples by name and labels. Takes nothing but what the format has for the types that are used:
/// OpenMetrics 1.0, section 5, or the text format 0.0.4. Every other line is a failure of the test.
class MetricsReader {
public:
    using Labels = std::map<std::string, std::string>;
    using Samples = std::map<std::pair<std::string, Labels>, std::string>;

    explicit MetricsReader(const std::string& page,
                           MetricsFormat format = MetricsFormat::kOpenMetrics);

    /// The number as it stands there; no such sample is a failure.
    [[nodiscard]] std::string Text(const std::string& name, const Labels& labels = {}) const;
    [[nodiscard]] std::uint64_t Number(const std::string& name, const Labels& labels = {}) const;
    /// Seconds, as whole microseconds.
    [[nodiscard]] std::uint64_t Microseconds(const std::string& name,
                                             const Labels& labels = {}) const;
    /// The labels of all samples of this name.
    [[nodiscard]] std::vector<Labels> LabelsOf(const std::string& name) const;
    [[nodiscard]] const Samples& samples() const { return samples_; }
    [[nodiscard]] std::size_t families() const { return families_.size(); }

private:
    void Declare(const std::string& line);
    void DeclareType(const std::string& name, const std::string& type);
    void Take(const std::string& line);
    static Labels Split(const std::string& text);
    void Close();

    bool is_open_;
    std::string family_;
    std::string type_;
    bool has_help_ = false;
    std::size_t holding_ = 0;  ///< States of this family with the value 1.
    std::set<std::string> families_;
    Samples samples_;
};

}  // namespace ember::testing
