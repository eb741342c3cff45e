// SPDX-License-Identifier: Apache-2.0
// EmberSM: the files that an opensm.conf and the steps of a chain name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/files.h"
#include "config/emberc/option_files/contents.h"

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

/// Whether a torus_config says what torus there is, which torus-2QoS cannot do without.
[[nodiscard]] inline bool HasShape(const LoadedTorus& torus) {
    return torus.shape.radix.front() != 0;
}

/// Reads the file that each step names, which is written as opensm.conf is, into the options of
/// that step, and the option files that it names, by names that count from the folder of `main`.
/// Keys that it leaves out are as `main` has them. Keys that hold for the whole subnet (qos and all
/// that begin so, lmc, routing_engine) are errors. So are keys of routes that a step cannot have
/// for itself, where they say something else than `main`; any other key that does draws a warning.
/// `reports` gets one for each file. A file that cannot be read is reported where its name stands,
/// a step by torus-2QoS without a torus where it begins. A `fabric` is for the option files.
/// Asserted: there is a chain.
void ReadStepFiles(const Conf& main, const FilePlaces& places, OptionContents& contents,
                   std::vector<Diagnostics>& reports, const net::Netlist* fabric = nullptr);

}  // namespace ember::emberc
