// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an engine took a fabric for, as text.
#pragma once

#include "core/log/fixed_text.h"
#include "core/routing/engine.h"

namespace ember {

/// "torus, damaged: dimension order; no tree: links join switches of one level". Nothing where the
/// engine did not look.
void AddChoice(FixedText& text, const EngineChoice& choice);

}  // namespace ember
