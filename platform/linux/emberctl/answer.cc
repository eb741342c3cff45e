// SPDX-License-Identifier: Apache-2.0
// EmberSM: a line of JSON that somebody answers.

#include "platform/linux/emberctl/answer.h"

#include "platform/linux/emberctl/client.h"

namespace ember::ctl {

namespace {

/// Fractions up to here fit into any integer that pages read.
constexpr double kMostOfFraction = 2147483647.0;

}  // namespace

nlohmann::ordered_json ParseAnswer(const std::string& line) {
    using Json = nlohmann::ordered_json;
    bool fits = true;
    const auto look = [&fits](int /*depth*/, Json::parse_event_t /*event*/, Json& value) {
        if (value.is_number_float()) {
            const double number = value.get<double>();
            fits = fits && number >= 0 && number <= kMostOfFraction;
        }
        return true;
    };
    Json answer = Json::parse(line, look, false);
    if (!fits || !answer.is_object()) {
        throw Trouble(kUnreachable, "what answers there is no subnet manager");
    }
    return answer;
}

}  // namespace ember::ctl
