// SPDX-License-Identifier: Apache-2.0
// EmberSM: the three kinds of answers.
#pragma once

#include "config/explain/explain.h"

namespace ember::explain {

// Each adds its members to the object that is open.

void AnswerPartition(JsonWriter& json, const Scene& scene, PortIndex one, PortIndex other);
void AnswerPath(JsonWriter& json, const Scene& scene, const PathQuestion& question);
void AnswerJoin(JsonWriter& json, const Scene& scene, const JoinQuestion& question);

}  // namespace ember::explain
