// SPDX-License-Identifier: Apache-2.0
// EmberSM: settings into FlatBuffers, and back for people to look at.
#include "config/emberc/payload_writer.h"

#include <algorithm>

#include "config/blob/container.h"
#include "config/blob/fields.h"
#include "config/blob/payload.h"
#include "config/emberc/conf.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/schema/settings_generated.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::uoffset_t;
using Octets = flatbuffers::Vector<std::uint8_t>;
using Words = flatbuffers::Vector<std::uint16_t>;
using Guids = flatbuffers::Vector<std::uint64_t>;
using VlWeights = flatbuffers::Vector<const schema::VlWeight*>;

std::vector<std::uint8_t> AsOctets(const std::vector<std::uint16_t>& list) {
    std::vector<std::uint8_t> octets(list.size());
    std::transform(list.begin(), list.end(), octets.begin(),
                   [](std::uint16_t element) { return static_cast<std::uint8_t>(element); });
    return octets;
}

uoffset_t WriteVlWeights(FlatBufferBuilder& builder, const std::vector<std::uint16_t>& list) {
    std::vector<schema::VlWeight> entries;
    entries.reserve(list.size());
    for (const std::uint16_t element : list) {
        entries.emplace_back(static_cast<std::uint8_t>(element >> 8U),
                             static_cast<std::uint8_t>(element & 0xFFU));
    }
    return builder.CreateVectorOfStructs(entries).o;
}

/// Texts and lists come before the table that points to them; 0 for what is neither.
uoffset_t WriteOutOfLine(FlatBufferBuilder& builder, const SettingField& field,
                         const Value& value) {
    using enum FieldKind;
    if (NumberBytes(field.kind) != 0) return 0;
    if (field.kind == kText) return builder.CreateString(value.text).o;
    if (field.kind == kGuids) return builder.CreateVector(value.guids).o;
    if (field.kind == kVlWeights) return WriteVlWeights(builder, value.list);
    const bool is_of_words = field.kind == kPerSl || field.kind == kShiftMultipliers;
    return is_of_words ? builder.CreateVector(value.list).o
                       : builder.CreateVector(AsOctets(value.list)).o;
}

template <typename Number>
void WriteNumber(FlatBufferBuilder& builder, std::uint16_t offset, std::uint64_t number) {
    // The builder keeps defaults (ForceDefaults), so that it asks for one does not matter.
    builder.AddElement(offset, static_cast<Number>(number), Number{0});
}

void WriteInLine(FlatBufferBuilder& builder, const SettingField& field, std::uint16_t offset,
                 std::uint64_t number) {
    switch (NumberBytes(field.kind)) {
        case 1:
            return WriteNumber<std::uint8_t>(builder, offset, number);
        case 2:
            return WriteNumber<std::uint16_t>(builder, offset, number);
        case 4:
            return WriteNumber<std::uint32_t>(builder, offset, number);
        case 8:
            return WriteNumber<std::uint64_t>(builder, offset, number);
        default:
            return;
    }
}

template <typename Vector>
void ReadList(const flatbuffers::Table& table, std::uint16_t offset, Value& value) {
    const auto* const list = table.GetPointer<const Vector*>(offset);
    value.list.assign(list->begin(), list->end());
}

void ReadVlWeights(const flatbuffers::Table& table, std::uint16_t offset, Value& value) {
    value.list.clear();
    for (const schema::VlWeight* const entry : *table.GetPointer<const VlWeights*>(offset)) {
        value.list.push_back(static_cast<std::uint16_t>(entry->vl() << 8U | entry->weight()));
    }
}

Value ReadPresent(const flatbuffers::Table& table, const SettingField& field,
                  std::uint16_t offset) {
    using enum FieldKind;
    Value value;
    if (NumberBytes(field.kind) != 0) {
        value.number = NumberAt(table, field.kind, offset);
    } else if (field.kind == kText) {
        value.text = table.GetPointer<const flatbuffers::String*>(offset)->str();
    } else if (field.kind == kGuids) {
        const auto* const guids = table.GetPointer<const Guids*>(offset);
        value.guids.assign(guids->begin(), guids->end());
    } else if (field.kind == kVlWeights) {
        ReadVlWeights(table, offset, value);
    } else if (field.kind == kPerSl || field.kind == kShiftMultipliers) {
        ReadList<Words>(table, offset, value);
    } else {
        ReadList<Octets>(table, offset, value);
    }
    return value;
}

}  // namespace

std::vector<std::byte> WritePayload(std::span<const Value> values, const OptionContents& contents) {
    const std::span<const SettingField> fields = SettingsFields();
    EMBER_ASSERT(values.size() == fields.size());
    FlatBufferBuilder builder(8192);
    builder.ForceDefaults(true);
    const flatbuffers::Offset<schema::OptionFiles> files = WriteContents(builder, contents);
    const auto step_files = WriteStepFiles(builder, contents);
    std::vector<uoffset_t> places(values.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].set) places[i] = WriteOutOfLine(builder, fields[i], values[i]);
    }

    const uoffset_t start = builder.StartTable();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i].set) continue;
        if (places[i] != 0) {
            builder.AddOffset(FieldOffset(i), flatbuffers::Offset<void>(places[i]));
        } else {
            WriteInLine(builder, fields[i], FieldOffset(i), values[i].number);
        }
    }
    const flatbuffers::Offset<schema::Settings> settings(builder.EndTable(start));
    schema::FinishConfigurationBuffer(
        builder, schema::CreateConfiguration(builder, kSchemaVersion, settings, files, step_files));
    const auto octets = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {octets.begin(), octets.end()};
}

std::optional<std::vector<Value>> ReadPayloadValues(std::span<const std::byte> payload) {
    std::vector<std::uint8_t> octets(payload.size());  // From the heap: aligned to 16.
    std::transform(payload.begin(), payload.end(), octets.begin(),
                   [](std::byte octet) { return std::to_integer<std::uint8_t>(octet); });
    if (octets.size() < 8 || !schema::ConfigurationBufferHasIdentifier(octets.data())) {
        return std::nullopt;
    }
    flatbuffers::Verifier verifier(octets.data(), octets.size());
    if (!schema::VerifyConfigurationBuffer(verifier)) return std::nullopt;

    const std::span<const SettingField> fields = SettingsFields();
    const Conf& defaults = DefaultConf();
    const void* const settings = schema::GetConfiguration(octets.data())->settings();
    const auto& table = *static_cast<const flatbuffers::Table*>(settings);
    std::vector<Value> values;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::uint16_t offset = FieldOffset(i);
        if (table.CheckField(offset)) {
            values.push_back(ReadPresent(table, fields[i], offset));
        } else if (MayBeUnset(fields[i].kind)) {  // The key was unset when the blob was made.
            values.push_back(Value{.set = false, .text = {}, .list = {}});
        } else {
            values.push_back(defaults[i].value);
        }
    }
    return values;
}

}  // namespace ember::emberc
