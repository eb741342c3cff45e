// SPDX-License-Identifier: Apache-2.0
// EmberSM: a QoS policy of a test, as it is read.
#pragma once

#include <string>
#include <string_view>

#include "config/emberc/files.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_report.h"
#include "tests/config/emberc_run.h"
#include "tests/config/support.h"

namespace ember::test::qos_policy_file {

using emberc::Diagnostics;
using emberc::LoadedQosPolicy;
using Ranges = LoadedQosPolicy::Ranges;

struct Parsed {
    LoadedQosPolicy policy;
    std::string said;  ///< "line:column word" of each diagnostic, apart by commas.
    std::size_t errors = 0;
};

inline Parsed Parse(std::string_view text, const emberc::SubnetFacts& subnet = {}) {
    Diagnostics diagnostics("qos-policy.conf");
    Parsed parsed;
    parsed.policy = emberc::ParseQosPolicyFile(text, diagnostics, subnet);
    parsed.errors = diagnostics.CountOf(emberc::Severity::kError);
    parsed.said = PlacesAndWords(diagnostics);
    return parsed;
}

inline constexpr std::string_view kDefaultLevel =
    "qos-levels\nqos-level\nname: DEFAULT\nsl: 0\n"
    "end-qos-level\nend-qos-levels\n";

/// A level DEFAULT in lines 1 to 6, and behind it `text`.
inline Parsed ParseBehindDefault(std::string_view text) {
    return Parse(std::string(kDefaultLevel) + std::string(text));
}

}  // namespace ember::test::qos_policy_file
