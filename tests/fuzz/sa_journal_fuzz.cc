// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzzes the journal of registrations, as a disk may hand it over.
//
// The first octet says what the rest is: a journal as it stands, or entries that are put into a
// frame with the right checksum, behind which the reader has to judge them itself; or entries that
// a master has packed. Whatever it was, reading ends, and what was restored can be written down and
// restored again, the same; a frame that is packed is unpacked again, octet for octet.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/administration/registrations/sa_journal.h"
#include "core/administration/registrations/sa_packing.h"
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

/// A frame with the right checksum, and an entry that says that it is complete.
std::vector<std::byte> Closed(std::vector<std::byte> frame) {
    frame.push_back(static_cast<std::byte>(SaEntryKind::kComplete));
    frame.push_back(std::byte{0});
    CloseFrame(frame, {});
    return frame;
}

void PackAgain(std::span<const std::byte> frame) {
    std::vector<std::byte> packed(frame.size());
    const Result<std::size_t> octets = PackFrame(frame, packed);
    if (!octets.ok()) return;  // The frame gets no shorter, or has entries that are none.
    std::vector<std::byte> again(frame.size());
    const Result<std::size_t> bytes = UnpackFrame(std::span(packed).first(octets.value()), again);
    Demand(bytes.ok() && bytes.value() == frame.size(), "what was packed is unpacked");
    Demand(std::equal(frame.begin(), frame.end(), again.begin()), "and is what it was");
}

void TryFramed(std::span<const std::byte> entries) {
    std::vector<std::byte> frame(sizeof(SaFrameHead));
    frame.insert(frame.end(), entries.begin(), entries.end());
    frame = Closed(std::move(frame));
    PackAgain(frame);
    Try(std::move(frame));
}

void TryPacked(std::span<const std::byte> entries) {
    std::vector<std::byte> packed(sizeof(SaFrameHead));
    const Be<std::uint32_t> magic = kPackedMagic;
    std::memcpy(packed.data(), &magic, sizeof(magic));
    packed.insert(packed.end(), entries.begin(), entries.end());
    std::vector<std::byte> frame(kBufferBytes);
    const Result<std::size_t> octets = UnpackFrame(packed, frame);
    if (!octets.ok()) return;
    Demand(octets.value() <= frame.size(), "it is unpacked where there is room");
    frame.resize(octets.value());
    if (frame.size() + 2 > kBufferBytes) return;
    frame = Closed(std::move(frame));
    PackAgain(frame);
    Try(std::move(frame));
}

}  // namespace
}  // namespace ember::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0 || size > ember::testing::kBufferBytes / 2) return 0;
    const std::span<const std::byte> rest = std::as_bytes(std::span(data, size)).subspan(1);
    switch (data[0] & 3U) {
        case 1:
            ember::testing::TryFramed(rest);
            break;
        case 2:
            ember::testing::TryPacked(rest);
            break;
        default:
            ember::testing::Try({rest.begin(), rest.end()});
            break;
    }
    return 0;
}
