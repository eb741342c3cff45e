// SPDX-License-Identifier: Apache-2.0
// EmberSM: the text files that options name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/file_places.h"

namespace ember::emberc {

/// Reads every file that `conf` names and that EmberSM acts on. `reports` begins with what was said
/// of opensm.conf, where a file that cannot be read is reported, and one that was found at its
/// default place. A member is added for each file read. With a `fabric` port groups, chains and
/// tori are compared with it.
[[nodiscard]] OptionContents ReadOptionFiles(const Conf& conf, const FilePlaces& places,
                                             std::vector<Diagnostics>& reports,
                                             const net::Netlist* fabric = nullptr);

/// The option files that a step of a chain has for itself.
struct StepContents {
    OptionContents contents;
    std::uint16_t own_files = 0;  ///< step_file: those that its keys speak of.
};

/// Reads the files that the `conf` of a step names, but for those that it says of what `main` says.
/// `report` is the row of `reports` for what is said of that conf. A file of a key that a step
/// cannot have for itself is left alone.
[[nodiscard]] StepContents ReadOptionFilesOfStep(const Conf& conf, const Conf& main,
                                                 const OptionContents& main_contents,
                                                 const FilePlaces& places, std::size_t report,
                                                 std::vector<Diagnostics>& reports,
                                                 const net::Netlist* fabric = nullptr);

}  // namespace ember::emberc
