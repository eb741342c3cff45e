// SPDX-License-Identifier: Apache-2.0
// EmberSM: the configuration files of the steps of a chain.
#pragma once

#include <vector>

#include "config/emberc/conf.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/file_places.h"

namespace ember::emberc {

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
