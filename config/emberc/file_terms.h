// SPDX-License-Identifier: Apache-2.0
// EmberSM: on which terms a command reads an opensm.conf and the files that it names.
#pragma once

#include "config/emberc/configuration.h"

namespace CLI {
class App;
}

namespace ember::emberc {

/// Adds --strict, --allow, --deny, --verbose, --without-partitions and --no-default-files to a
/// command that reads an opensm.conf: the same for check, compile, plan, diff and explain, so that
/// they agree about it.
void AddFileTerms(CLI::App& command, ReadingTerms& terms);

}  // namespace ember::emberc
