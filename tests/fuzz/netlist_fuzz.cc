// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: netlists. What the parser takes is written so that it reads the same again,
// and can be planned.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/emberc/plan/page.h"
#include "config/emberc/plan/planner.h"
#include "config/emberc/plan/report.h"
#include "config/netlist/cuts.h"
#include "config/netlist/netlist.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ember;  // NOLINT: a fuzz target is a program of its own.
    const std::string text(data, data + size);
    net::NetErrors errors;
    const net::Netlist netlist = net::ParseNetlist(text, "fuzz", errors);
    if (netlist.nodes.empty() != !errors.empty()) std::abort();
    if (netlist.nodes.empty() || netlist.nodes.size() > 64) return 0;

    const net::Netlist again = net::ParseNetlist(net::WriteNetlist(netlist), "again", errors);
    if (again.link_count() != netlist.link_count()) std::abort();
    if (again.nodes.size() != netlist.nodes.size()) std::abort();

    const Settings settings;
    net::Part part = net::Reachable(netlist, net::FirstSeat(netlist));
    try {
        plan::Planned planned(std::move(part.netlist), part.from, settings);
        plan::Effort effort;
        effort.bisections = 2;
        effort.is_quiet = true;
        const plan::Report report = plan::Measure(planned, effort);
        (void)plan::RenderPage(planned, report, 1);
    } catch (const std::runtime_error&) {
        return 0;  // GUIDs that occur twice, for one.
    }
    return 0;
}
