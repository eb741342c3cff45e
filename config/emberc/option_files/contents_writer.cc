// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, into FlatBuffers, and back for people to look at.
#include "config/emberc/option_files/contents_writer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <vector>

#include "config/blob/fields.h"
#include "config/blob/option_files.h"
#include "config/emberc/option_files/contents_layout.h"
#include "config/schema/settings_generated.h"

namespace ember::emberc {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::uoffset_t;
using option_files::ForEachColumnOf;
using option_files::kColumnCount;

/// The contents of a file, as OptionContents keeps them.
template <typename Format>
using ContentsOf =
    typename std::remove_cvref_t<decltype(OptionContents{}.*Format::kContents)>::value_type;

template <typename Format>
using MainColumn = std::tuple_element_t<0, typename Format::File::Columns>;

/// Whether the contents of a file are the rows that the core has, one for one.
template <typename Format>
constexpr bool kIsFlat =
    std::is_same_v<ContentsOf<Format>, std::vector<typename MainColumn<Format>::Row>>;

Layout LaidOut(const OptionContents& contents) {
    Layout layout;
    ForEachFileFormat([&]<typename Format>(const Format& /*format*/) {
        const auto& of_file = contents.*Format::kContents;
        if (!of_file) return;
        if constexpr (kIsFlat<Format>) {
            MainColumn<Format>::Put(layout.tables, *of_file);
        } else {
            LayOut(*of_file, layout);
        }
    });
    return layout;
}

template <typename Column>
uoffset_t WriteColumn(FlatBufferBuilder& builder, const OptionTables& tables) {
    using Row = typename Column::Row;
    using Element = typename Column::Element;
    const std::span<const Row> rows = Column::Of(tables);
    if constexpr (std::is_pointer_v<Element>) {
        using Struct = std::remove_cv_t<std::remove_pointer_t<Element>>;
        std::vector<Struct> structs;
        structs.reserve(rows.size());
        std::transform(rows.begin(), rows.end(), std::back_inserter(structs),
                       [](const Row& row) { return option_files::WireRow(row); });
        return builder.CreateVectorOfStructs(structs).o;
    } else {
        std::vector<Element> numbers;
        numbers.reserve(rows.size());
        std::transform(rows.begin(), rows.end(), std::back_inserter(numbers),
                       [](Row row) { return static_cast<Element>(row); });
        return builder.CreateVector(numbers).o;
    }
}

/// Where the vectors of the files that are named were written, by their place in the schema.
using Written = std::array<uoffset_t, kColumnCount>;

/// Everything is written before the table that points to it.
Written WriteColumns(FlatBufferBuilder& builder, const OptionContents& contents) {
    const Layout layout = LaidOut(contents);
    Written written{};
    for (std::size_t turn = 0; turn < kColumnCount; ++turn) {
        ForEachFileFormat([&]<typename Format>(const Format& /*format*/) {
            if (!(contents.*Format::kContents)) return;
            ForEachColumnOf<typename Format::File>([&]<typename Column>(Column /*column*/) {
                if (Column::Turn() != turn) return;
                written.at(Column::Index()) = WriteColumn<Column>(builder, layout.tables);
            });
        });
    }
    return written;
}

/// Memory that begins at a multiple of Arena::kGrain.
struct alignas(kOptionGrain) Grain {
    std::array<std::byte, kOptionGrain> octets;
};

/// The contents of the files that are named, out of their tables.
OptionContents Gathered(const OptionTables& tables, const schema::OptionFiles& files) {
    OptionContents contents;
    ForEachFileFormat([&]<typename Format>(const Format& /*format*/) {
        if (!option_files::IsNamed<typename Format::File>(files)) return;
        ContentsOf<Format>& of_file = (contents.*Format::kContents).emplace();
        if constexpr (kIsFlat<Format>) {
            const auto rows = MainColumn<Format>::Of(tables);
            of_file.assign(rows.begin(), rows.end());
        } else {
            Gather(tables, of_file);
        }
    });
    return contents;
}

}  // namespace

Offset<schema::OptionFiles> WriteContents(FlatBufferBuilder& builder,
                                          const OptionContents& contents) {
    if (contents == OptionContents{}) return 0;
    const Written written = WriteColumns(builder, contents);
    const uoffset_t start = builder.StartTable();
    for (std::size_t i = written.size(); i-- > 0;) {  // From the last, as flatc's own code does.
        if (written[i] != 0) builder.AddOffset(FieldOffset(i), Offset<void>(written[i]));
    }
    return {builder.EndTable(start)};
}

Offset<flatbuffers::Vector<Offset<schema::OptionFiles>>> WriteStepFiles(
    FlatBufferBuilder& builder, const OptionContents& contents) {
    if (contents.step_files.empty()) return 0;
    std::vector<Offset<schema::OptionFiles>> files;
    for (const OptionContents& of_step : contents.step_files) {
        files.push_back(WriteContents(builder, of_step));
    }
    return builder.CreateVector(files);
}

std::optional<OptionContents> ReadContents(std::span<const std::byte> payload) {
    std::vector<std::uint64_t> words(payload.size() / 8 + 1);  // Aligned as FlatBuffers asks.
    std::copy(payload.begin(), payload.end(), std::as_writable_bytes(std::span(words)).begin());
    const auto* const octets = static_cast<const std::uint8_t*>(static_cast<void*>(words.data()));
    if (payload.size() < 8 || !schema::ConfigurationBufferHasIdentifier(octets)) {
        return std::nullopt;
    }
    flatbuffers::Verifier verifier(octets, payload.size());
    if (!schema::VerifyConfigurationBuffer(verifier)) return std::nullopt;
    const schema::Configuration& root = *schema::GetConfiguration(octets);
    const OptionFilesReport report = CheckOptionFiles(root);
    if (!report.well_formed || !report.out_of_range.empty()) return std::nullopt;

    std::vector<Grain> room(report.room_bytes / sizeof(Grain) + 1);
    OptionTables tables;
    CopyOptionFiles(root, {std::as_writable_bytes(std::span(room))}, {tables, tables});
    OptionContents contents;
    if (root.option_files() != nullptr) contents = Gathered(tables, *root.option_files());
    for (std::size_t i = 0; i < tables.step_tables.size(); ++i) {
        OptionTables of_step;
        static_cast<EngineTables&>(of_step) = tables.step_tables[i];
        const auto& files = *root.step_files()->Get(static_cast<uoffset_t>(i));
        contents.step_files.push_back(Gathered(of_step, files));
    }
    return contents;
}

}  // namespace ember::emberc
