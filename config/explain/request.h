// SPDX-License-Identifier: Apache-2.0
// EmberSM: the options of a question.
#pragma once

#include <string_view>

#include "config/explain/words.h"
#include "core/administration/explain/explainer.h"
#include "core/log/fixed_text.h"

namespace ember::explain {

/// Takes what is left of a line, `option=value` each, into a question. False: `why` has a sentence.
[[nodiscard]] bool ReadOptions(Words& words, PathQuestion& question, FixedText& why);
[[nodiscard]] bool ReadOptions(Words& words, JoinQuestion& question, FixedText& why);

}  // namespace ember::explain
