// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: the three files of a routing chain together, as emberc reads them, for a
// small tree. What is compiled the switch must accept, and find the parts of.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/netlist/topologies.h"
#include "tests/support/chain_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ember;  // NOLINT: a fuzz target is a program of its own.
    static const net::Netlist kTree = net::FatTree2(4);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ember::testing::ChainFiles files = ember::testing::ReadChainFiles(text, kTree);
    (void)RenderText(files.diagnostics);
    if (files.diagnostics.CountOf(emberc::Severity::kError) > 0) return 0;
    if (!ember::testing::IsTakenBySwitch(files.contents)) std::abort();
    const auto members = emberc::MembersOf(*files.contents.chain, *files.contents.port_groups,
                                           *files.contents.topologies, kTree);
    if (members.size() != files.contents.chain->steps.size()) std::abort();
    if (members.empty() || members[0].switches.empty()) std::abort();
    return 0;
}
