// SPDX-License-Identifier: Apache-2.0
// EmberSM: the smallest board outside of its tree: storage of a size of its own, and every engine.
#include <cstdio>
#include <cstdlib>

#include "core/manager/storage.h"
#include "engines/catalogue.h"

namespace ember {

void Panic(const char* file, int line, const char* claim) {
    static_cast<void>(std::fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, claim));
    std::abort();
}

namespace {

constexpr Limits kTiny = {.max_nodes = 64,
                          .max_switches = 8,
                          .max_ports = 512,
                          .max_switch_ports = 40,
                          .max_lid = 127,
                          .max_smps = 16,
                          .max_other_sms = 2,
                          .journal_notes = 64,
                          .scratch_bytes = 256U << 10U};
static_assert(kTiny.scratch_bytes >= LeastScratchBytes(kTiny, LeastEngineScratchBytes(kTiny)));

Storage<kTiny> storage;
Engines engines;

}  // namespace
}  // namespace ember

int main() {
    const ember::SubnetManager::Memory memory = ember::storage.memory();
    std::printf("%zu bytes, %zu engines, %zu nodes\n", sizeof(ember::storage),
                ember::engines.All().size(), memory.fabric.nodes.size());
    return memory.fabric.nodes.size() == 64 && ember::engines.Find("ftree") != nullptr ? 0 : 1;
}
