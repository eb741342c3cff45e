// SPDX-License-Identifier: Apache-2.0
// EmberSM: on which terms a command reads an opensm.conf and the files that it names.
#include "config/emberc/file_terms.h"

#include <CLI/CLI.hpp>

#include "config/emberc/keys_without_effect.h"

namespace ember::emberc {

void AddFileTerms(CLI::App& command, ReadingTerms& terms) {
    command.add_flag("--strict", terms.strict, "Warnings in the configuration are errors");
    command
        .add_option("--allow", terms.allowances.keys,
                    "A key without effect that may be lost, or a code whose warnings are known; "
                    "more of them apart by commas")
        ->type_name("KEY|CODE")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(WhyNotAllowed);
    command
        .add_option("--deny", terms.allowances.denied,
                    "A code whose warnings and notes are errors; more of them apart by commas")
        ->type_name("CODE")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(WhyNotDenied);
    command.add_flag_callback(
        "-v,--verbose", [&terms] { terms.showing = Showing::kAll; },
        "Show notes, and warnings that are allowed, too");
    command.add_flag_callback(
        "--without-partitions", [&terms] { terms.allowances.keys.emplace_back(kPartitionsKey); },
        "Leave the partitions out: every host may talk with every other");
    command.add_flag("!--no-default-files", terms.default_files,
                     "Leave alone what this host has in /etc/opensm, unless a line of the "
                     "configuration names it");
}

}  // namespace ember::emberc
