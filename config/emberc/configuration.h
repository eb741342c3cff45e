// SPDX-License-Identifier: Apache-2.0
// EmberSM: an opensm.conf and the files that it names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/checks.h"
#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/contents.h"

namespace CLI {
class App;
}

namespace ember::emberc {

/// Options of the command line on how a configuration is to be read.
struct ReadingTerms {
    Allowances allowances;
    bool strict = false;                   ///< Warnings count as errors.
    Showing showing = Showing::kUrgent;    ///< Of what people are told.
    bool default_files = true;             ///< See FilePlaces.
    std::filesystem::path default_folder;  ///< See FilePlaces.
    BoardTerms board{};                    ///< The board that takes the blob.
    const net::Netlist* fabric = nullptr;  ///< The fabric to compare with; nullptr: none.
};

/// Everything that an opensm.conf says, and everything there is to say about it.
struct Configuration {
    std::vector<Diagnostics> reports;  ///< Of opensm.conf first, then of the files it names.
    Conf conf;
    OptionContents contents;
    bool is_good = false;  ///< No errors, nor warnings where they count as such.

    [[nodiscard]] std::vector<Value> values() const;
};

/// Reads the opensm.conf called `name`, whose text is `text`, and the files that it names. `name`
/// is "-" for standard input.
[[nodiscard]] Configuration ReadConfiguration(const std::string& name, std::string_view text,
                                              const ReadingTerms& terms);

/// The offers of `emberc check`: a sentence for each key that makes a subnet safer, but only by
/// knowledge of the fabric, and that the configuration does not set.
[[nodiscard]] std::vector<std::string> OffersFor(const Configuration& read);

/// Adds --strict, --allow, --deny, --verbose, --without-partitions and --no-default-files to a
/// command that reads an opensm.conf: the same for check, compile, plan, diff and explain, so that
/// they agree about it.
void AddFileTerms(CLI::App& command, ReadingTerms& terms);

}  // namespace ember::emberc
