// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of option files. They are signed, and still nothing in them is believed.
#include "config/blob/option_files.h"

#include <array>
#include <type_traits>

#include "config/blob/option_tables.h"
#include "core/base/arena.h"

namespace ember {
namespace {

using option_files::Elements;
using option_files::ForEachColumn;
using option_files::ForEachFile;
using option_files::kColumnCount;
using option_files::kStepColumnCount;
using option_files::SizeOf;
using option_files::WireVector;

static_assert(
    [] {
        std::array<bool, kColumnCount> is_taken{};
        bool is_right = true;
        ForEachColumn([&]<typename Column>(Column /*column*/) {
            is_right = is_right && Column::Turn() < kColumnCount && !is_taken[Column::Turn()];
            if (is_right) is_taken[Column::Turn()] = true;
        });
        return is_right;
    }(),
    "columns are built one after the other: 0, 1, 2 ...");

/// As a blob has an element: a number, or a struct that FlatBuffers tells by its address.
template <typename Element>
using Stored = std::remove_cv_t<std::remove_pointer_t<Element>>;

template <typename Element>
constexpr bool kIsOctet = std::is_same_v<Element, std::uint8_t>;

/// FlatBuffers' verifier holds elements to lie inside, not to lie where the machine can read them.
template <typename Element>
bool IsAligned(const WireVector<Element>* from) {
    if (SizeOf(from) == 0) return true;  // An empty one is aligned to 4 only.
    if constexpr (kIsOctet<Element>) {
        return true;
    } else {
        return ember::IsAligned(from->Data(), alignof(Stored<Element>));
    }
}

bool AreAligned(const schema::OptionFiles& from) {
    bool are_aligned = true;
    ForEachColumn([&]<typename Column>(Column /*column*/) {
        are_aligned = are_aligned && IsAligned(Column::Of(from));
    });
    return are_aligned;
}

std::string_view FirstOutOfRange(const schema::OptionFiles& from) {
    std::string_view option;
    ForEachFile([&]<typename File>(File /*file*/) {
        if (option.empty() && !File::Fits(from)) option = File::kOption;
    });
    return option;
}

/// The octets that a vector takes of a room: no more than 3/2 of those that it takes of a blob,
/// grains apart.
template <typename Row, typename Element>
std::size_t ViewBytes(const WireVector<Element>* from) {
    static_assert(2 * sizeof(Row) <= 3 * sizeof(Stored<Element>), "OptionRoomBytesFor() counts so");
    return Arena::BytesFor<Row>(SizeOf(from));
}

std::size_t RoomBytes(const schema::OptionFiles& from) {
    std::size_t bytes = 0;
    ForEachColumn([&]<typename Column>(Column /*column*/) {
        bytes += ViewBytes<typename Column::Row>(Column::Of(from));
    });
    return bytes;
}

static_assert(Arena::kGrain == kOptionGrain);
constexpr std::size_t kMostColumns = kColumnCount + kMostChainSteps * kStepColumnCount;
// A vector loses less than a grain in a room, and takes a length and an offset of a blob that no
// room needs: 8 octets, which count one and a half times. The views of steps take none of a blob.
static_assert(kMostColumns * (kOptionGrain - 1) + Arena::BytesFor<EngineTables>(kMostChainSteps) <=
                  kOptionGrains * kOptionGrain + kMostColumns * 12,
              "a blob may have more vectors than OptionRoomBytesFor() has grains for");

using StepFiles = flatbuffers::Vector<flatbuffers::Offset<schema::OptionFiles>>;

[[nodiscard]] std::size_t CountOf(const StepFiles* steps) {
    return steps == nullptr ? 0 : steps->size();
}
[[nodiscard]] const schema::OptionFiles& RowOf(const StepFiles& steps, std::size_t row) {
    return *steps.Get(static_cast<flatbuffers::uoffset_t>(row));
}

/// A step has no other files than those that its routes are made from.
[[nodiscard]] bool IsOfStep(const schema::OptionFiles& from) {
    std::array<bool, kColumnCount> may_be{};
    option_files::ForEachFileOfSteps([&]<typename File>(File /*file*/, std::uint16_t /*bit*/) {
        option_files::ForEachColumnOf<File>(
            [&]<typename Column>(Column /*column*/) { may_be[Column::Index()] = true; });
    });
    bool is_of_step = true;
    ForEachColumn([&]<typename Column>(Column /*column*/) {
        is_of_step = is_of_step && (may_be[Column::Index()] || Column::Of(from) == nullptr);
    });
    return is_of_step;
}

/// Rows of the chain name rows of `steps`.
[[nodiscard]] bool HaveFiles(const schema::OptionFiles* from, const StepFiles* steps) {
    const auto* const rows = from == nullptr ? nullptr : from->chain_steps();
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(rows); ++i) {
        if (rows->Get(i)->files() > CountOf(steps)) return false;
    }
    return true;
}

/// Adds what is found in the files of steps.
void CheckStepFiles(const schema::Configuration& from, OptionFilesReport& report) {
    const StepFiles* const steps = from.step_files();
    const std::size_t count = CountOf(steps);
    if (count > kMostChainSteps || !HaveFiles(from.option_files(), steps)) {
        report.out_of_range = option_files::RchPolicyFile::kOption;
        return;
    }
    report.room_bytes += Arena::BytesFor<EngineTables>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const schema::OptionFiles& files = RowOf(*steps, i);
        report.well_formed = report.well_formed && AreAligned(files);
        if (!report.well_formed) return;
        if (report.out_of_range.empty()) report.out_of_range = FirstOutOfRange(files);
        if (report.out_of_range.empty() && !IsOfStep(files)) {
            report.out_of_range = option_files::RchPolicyFile::kOption;
        }
        report.room_bytes += RoomBytes(files);
    }
}

/// A view of fresh rows, each made from the element at its place.
template <Plain Row, typename Element>
std::span<const Row> Copy(const WireVector<Element>* from, Arena& arena) {
    const std::span<Row> to = arena.Take<Row>(SizeOf(from));
    [[maybe_unused]] std::uint32_t next = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
        const Element element = from->Get(static_cast<flatbuffers::uoffset_t>(i));
        if constexpr (std::is_pointer_v<Element>) {
            to[i] = option_files::CoreRow(*element);
        } else {
            to[i] = Row{element};
        }
        if constexpr (option_files::OwnsElements<Row>) {
            to[i].first = next;
            next += Elements(to[i]);
        }
    }
    return to;
}

void CopyOfStep(const schema::OptionFiles& from, Arena& arena, EngineTables& to) {
    option_files::ForEachFileOfSteps([&]<typename File>(File /*file*/, std::uint16_t /*bit*/) {
        option_files::ForEachColumnOf<File>([&]<typename Column>(Column /*column*/) {
            to.*Column::Where() = Copy<typename Column::Row>(Column::Of(from), arena);
        });
        if constexpr (File::kNamed != nullptr) to.*File::kNamed = option_files::IsNamed<File>(from);
    });
}

void CopyStepFiles(const StepFiles& steps, Arena& arena, ManagerTables& to) {
    static constexpr EngineTables kNone;
    const auto tables = arena.Take<EngineTables>(steps.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
        tables[i] = kNone;
        CopyOfStep(RowOf(steps, i), arena, tables[i]);
    }
    to.step_tables = tables;
}

}  // namespace

OptionFilesReport CheckOptionFiles(const schema::Configuration& from) {
    OptionFilesReport report{.well_formed = true, .out_of_range = {}};
    if (const schema::OptionFiles* const files = from.option_files(); files != nullptr) {
        if (!AreAligned(*files)) return {};
        report.out_of_range = FirstOutOfRange(*files);
        report.room_bytes = RoomBytes(*files);
        report.has_bandwidth = option_files::IsNamed<option_files::EnhancedQosPolicyFile>(*files);
    }
    CheckStepFiles(from, report);
    return report;
}

void CopyOptionFiles(const schema::Configuration& from, OptionRoom room, TablePlaces to) {
    static constexpr EngineTables kNoEngineTables;  // Too large to be made on the stack.
    static constexpr ManagerTables kNoManagerTables;
    to.engine_tables = kNoEngineTables;
    to.manager_tables = kNoManagerTables;
    EMBER_ASSERT(IsAligned(room.octets.data(), Arena::kGrain));
    Arena arena(room.octets);
    if (const schema::OptionFiles* const files = from.option_files(); files != nullptr) {
        ForEachColumn([&]<typename Column>(Column /*column*/) {
            to.At(Column::Where()) = Copy<typename Column::Row>(Column::Of(*files), arena);
        });
        ForEachFile([&]<typename File>(File /*file*/) {
            if constexpr (File::kNamed != nullptr)
                to.At(File::kNamed) = option_files::IsNamed<File>(*files);
        });
    }
    if (from.step_files() != nullptr) CopyStepFiles(*from.step_files(), arena, to.manager_tables);
}

}  // namespace ember
