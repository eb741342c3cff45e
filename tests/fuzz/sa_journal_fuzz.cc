// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzzes the journal of registrations, as a disk may hand it over.
//
// The first octet says what the rest is: a journal as it stands, or entries that are put into a
// frame with the right checksum, behind which the reader has to judge them itself. Whatever it was,
// reading ends, and what was restored can be written down and restored again, the same.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/administration/registrations/sa_journal.h"
#include "core/administration/registrations/sa_replica.h"
#include "core/administration/registrations/sa_restorer.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/sa_tables_store.h"
#include "tests/support/sim_state_log.h"
#include "tests/support/subnet_side.h"

namespace ember::testing {
namespace {

constexpr std::size_t kBufferBytes = 4096;

void Demand(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

const Fabric& SomeFabric() {
    static const BuiltFabric built(net::FatTree2(4));
    return built.fabric();
}

void Restore(SimStateLog& log, SaTablesStore& store) {
    std::vector<std::byte> buffer(kBufferBytes);
    SaRestorer restorer(buffer, {&log, SomeFabric(), store.tables()});
    restorer.Begin({});
    for (std::size_t steps = 0; restorer.Step(0); ++steps) {
        Demand(steps < 2 * log.octets().size() + 16, "reading a journal ends");
    }
}

/// The same octets as a master might send them, a frame at a time. Following ends too.
void Follow(std::span<const std::byte> octets) {
    SaTablesStore store;
    SubnetSide side(1);
    SaTables tables = store.tables();
    tables.subnet = &side.state;
    std::vector<std::vector<std::uint64_t>> words(5, std::vector<std::uint64_t>(4));
    SaReplica replica({words[0], words[1], words[2], words[3], words[4]}, {SomeFabric(), tables});
    for (;;) {  // Ends: each turn takes a frame off, or leaves.
        const Result<SaFrame> frame = ReadFrame(octets);
        if (!frame.ok()) return;
        if (replica.Take(octets.first(frame.value().bytes())) == Status::kOk) {
            for (std::size_t steps = 0; replica.Step(0); ++steps) {
                Demand(steps < octets.size() + 16, "following a frame ends");
            }
        }
        octets = octets.subspan(frame.value().bytes());
        std::vector<std::uint64_t> kept_words(side.marks.size());
        const BitSet lids(kept_words);
        for (const KeptLids& kept : side.map().entries()) {
            for (std::uint32_t lid = Raw(kept.least); lid <= Raw(kept.most); ++lid) {
                Demand(lid != 0 && lid <= SubnetSide::kMaxLid, "a LID is one of the board");
                Demand(!lids.Has(lid), "no LID is kept for two ports");
                lids.Add(lid);
            }
        }
    }
}

void Try(std::vector<std::byte> octets) {
    Follow(octets);
    SimStateLog log;
    log.Put(std::move(octets));
    SaTablesStore store;
    Restore(log, store);

    std::vector<LogRecord> rows(64);
    Log notes(rows);
    std::vector<std::byte> buffer(kBufferBytes);
    SaJournal journal(buffer, {&log, notes, store.tables()});
    journal.Begin(0);
    while (journal.Step(0)) {  // Ends: the log is never busy.
    }
    Demand(journal.status().is_kept, "what was restored can be written down");
    SaTablesStore again;
    Restore(log, again);
    Demand(again.Describe() == store.Describe(), "and is the same when it is restored again");
}

}  // namespace
}  // namespace ember::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0 || size > ember::testing::kBufferBytes / 2) return 0;
    const bool is_framed = (data[0] & 1U) != 0;
    std::vector<std::byte> octets(is_framed ? sizeof(ember::SaFrameHead) : 0);
    for (std::size_t i = 1; i < size; ++i) {
        octets.push_back(std::byte{data[i]});
    }
    if (is_framed) {
        octets.push_back(static_cast<std::byte>(ember::SaEntryKind::kComplete));
        octets.push_back(std::byte{0});
        ember::CloseFrame(octets, {});
    }
    ember::testing::Try(std::move(octets));
    return 0;
}
