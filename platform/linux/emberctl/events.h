// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lines of the log by their codes, for people.
#pragma once

#include <string>
#include <string_view>

namespace ember::ctl {

/// The page docs/events.md: every event with its severity, text and meaning.
[[nodiscard]] std::string EventsAsMarkdown();
/// The output of `emberctl events`: all, a line each, or of one code all that there is to say.
/// Empty: there is no such code.
[[nodiscard]] std::string EventsPage(std::string_view code);

}  // namespace ember::ctl
