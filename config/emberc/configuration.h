// SPDX-License-Identifier: Apache-2.0
// EmberSM: an opensm.conf and the files that it names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/allowances.h"
#include "config/emberc/check_board.h"
#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/contents.h"

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
/// is
/// "-" for standard input.
[[nodiscard]] Configuration ReadConfiguration(const std::string& name, std::string_view text,
                                              const ReadingTerms& terms);

}  // namespace ember::emberc
