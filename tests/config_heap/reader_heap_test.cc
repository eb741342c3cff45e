// SPDX-License-Identifier: Apache-2.0
// EmberSM: proof that reading a configuration takes no heap. In a program of its own, because it
// puts itself in the place of malloc().
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "config/blob/load_configuration.h"
#include "config/blob/public_key.h"
#include "tests/config/support.h"

// The C library's own functions, behind the names that are replaced below.
// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier, cert-dcl37-c,
// cert-dcl51-cpp)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);
}

namespace {

bool counting = false;
unsigned long calls = 0;

void Count() {
    calls += counting ? 1U : 0U;
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) {
    Count();
    return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
    Count();
    return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
    Count();
    return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    Count();
    return __libc_memalign(alignment, bytes);
}
void free(void* memory) {
    if (memory != nullptr) Count();
    __libc_free(memory);
}
}
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier, cert-dcl37-c,
// cert-dcl51-cpp)

namespace ember::test {
namespace {

/// How often the heap was asked for something, or given something back, while `work` ran.
template <typename Work>
unsigned long HeapCallsOf(const Work& work) {
    calls = 0;
    counting = true;
    work();
    counting = false;
    return calls;
}

TEST(ReaderHeap, TheTrapCatchesWhatItShould) {
    EXPECT_GT(HeapCallsOf([] {
                  std::vector<int> list(100);
                  std::string text(list.size(), 'x');
                  EXPECT_EQ(text.size(), 100U);
              }),
              1U);
}

constexpr std::size_t kLargestBlob = std::size_t{32} * 1024;

/// A blob with an entry in every table.
Octets BlobWithTables(std::uint64_t counter) {
    emberc::OptionContents contents;
    contents.roots = {Guid{1}, Guid{2}};
    contents.ids = {{.guid = Guid{1}, .number = 7}};
    contents.compute_nodes = {Guid{3}};
    contents.io_nodes = {Guid{4}};
    contents.routing_order = {Guid{5}, Guid{4}};
    contents.hop_weights = {{.guid = Guid{1}, .port = PortNumber{2}, .hops = 3}};
    contents.ignored = {{.guid = Guid{1}, .port = PortNumber{2}}};
    contents.search = {{.guid = Guid{1}, .ports = {PortNumber{2}, PortNumber{1}}}};
    contents.lfts = {.switches = {{.guid = Guid{1}, .ports = {255, 0, 1}}},
                     .owners = {{.lid = Lid{1}, .port_guid = Guid{1}}}};
    contents.matrix = {.switches = {{.guid = Guid{1}, .port_count = 1, .hops = {0, 1, 1, 255}}},
                       .owners = {{.lid = Lid{1}, .port_guid = Guid{1}}}};
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    return emberc::PutTogether(payload, counter, &TrustedKey());
}

/// A store without a heap: one slot each, in an array.
class StaticStore final : public Store {
public:
    Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
        Slot& to = slots_.at(static_cast<std::size_t>(slot));
        std::copy(octets.begin(), octets.end(), to.octets.begin());
        to.bytes = octets.size();
        return Status::kOk;
    }
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
        const Slot& from = slots_.at(static_cast<std::size_t>(slot));
        if (from.bytes == 0) return Status::kAbsent;
        if (from.bytes > octets.size()) return Status::kFull;
        std::copy_n(from.octets.begin(), from.bytes, octets.begin());
        return from.bytes;
    }

private:
    struct Slot {
        std::array<std::byte, kLargestBlob> octets{};
        std::size_t bytes = 0;
    };
    std::array<Slot, 5> slots_;
};

TEST(ReaderHeap, ReadingABlobTakesNone) {
    const PublicKey key = TrustedKey().public_key();
    const std::string pem = emberc::PublicPem(key);
    const Aligned good(BlobOf("lmc 2\nsm_priority 3\n", 6));
    Octets changed = BlobOf("lmc 4\n", 7);
    changed.at(300) ^= std::byte{1};
    const Aligned forged(changed);
    const Aligned stale(BlobOf("lmc 5\n", 5));
    const Aligned full(BlobWithTables(6));
    const auto store = std::make_unique<StaticStore>();
    std::vector<std::uint64_t> words(kLargestBlob / 8);
    RoomForTables memory(OptionRoomBytesFor(kLargestBlob));
    const LoadingRoom room{std::as_writable_bytes(std::span(words)), memory.room()};
    Settings settings;
    ConfigurationSource first{};
    ConfigurationSource second{};
    ConfigurationSource tables{};
    Settings with_tables;
    ConfigurationOutcome third;
    Status confirmed = Status::kBusy;
    bool same_key = false;

    const unsigned long heap_calls = HeapCallsOf([&] {
        const Result<PublicKey> read = ParsePublicKey(std::as_bytes(std::span(pem)));
        same_key = read.ok() && read.value() == key;
        first = LoadConfiguration({good.octets()}, key, *store, room, settings).source;
        second = LoadConfiguration({forged.octets()}, key, *store, room, settings).source;
        tables = LoadConfiguration({full.octets()}, key, *store, room, with_tables).source;
        confirmed = ConfirmConfiguration(6, *store);
        third = LoadConfiguration({stale.octets()}, key, *store, room, settings);
    });

    EXPECT_EQ(heap_calls, 0U);
    EXPECT_TRUE(same_key);
    EXPECT_EQ(first, ConfigurationSource::kSupplied);
    EXPECT_EQ(second, ConfigurationSource::kTrial);
    EXPECT_EQ(confirmed, Status::kOk);
    EXPECT_EQ(third.supplied.verdict, BlobVerdict::kStale);
    EXPECT_EQ(tables, ConfigurationSource::kSupplied);
    EXPECT_EQ(settings.tables.matrix_hops.size(), 4U) << "the last good one has them too";
    EXPECT_EQ(settings.tables.lfts.size(), 1U);
    EXPECT_EQ(with_tables.tables.roots.size(), 2U);
}

}  // namespace
}  // namespace ember::test
