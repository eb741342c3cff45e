// SPDX-License-Identifier: Apache-2.0
// EmberSM: settings into FlatBuffers, and back for people to look at.
#include "config/emberc/payload_writer.h"

#include <algorithm>

#include "config/blob/container.h"
#include "config/emberc/conf.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/schema/settings_generated.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::uoffset_t;
using Octets = flatbuffers::Vector<std::uint8_t>;
using Words = flatbuffers::Vector<std::uint16_t>;
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
uoffset_t WriteOutOfLine(FlatBufferBuilder& builder,
                         const SettingField& field,
                         const Value& value) {
    switch (field.kind) {
        case FieldKind::kText:
            return builder.CreateString(value.text).o;
        case FieldKind::kEngines:
        case FieldKind::kMask256:
        case FieldKind::kSlToVl:
            return builder.CreateVector(AsOctets(value.list)).o;
        case FieldKind::kPerSl:
        case FieldKind::kShiftMultipliers:
            return builder.CreateVector(value.list).o;
        case FieldKind::kVlWeights:
            return WriteVlWeights(builder, value.list);
        case FieldKind::kGuids:
            return builder.CreateVector(value.guids).o;
        case FieldKind::kBool:
        case FieldKind::kU8:
        case FieldKind::kU16:
        case FieldKind::kU32:
        case FieldKind::kU64:
        case FieldKind::kI32:
        case FieldKind::kChoice:
        case FieldKind::kShiftMultiplier:
            break;
    }
    return 0;
}

/// The builder keeps defaults (ForceDefaults), so the default that it asks for does not matter.
void WriteInLine(FlatBufferBuilder& builder,
                 const SettingField& field,
                 std::uint16_t offset,
                 std::uint64_t number) {
    switch (field.kind) {
        case FieldKind::kBool:
        case FieldKind::kU8:
        case FieldKind::kChoice:
            return builder.AddElement(offset, static_cast<std::uint8_t>(number), std::uint8_t{0});
        case FieldKind::kU16:
        case FieldKind::kShiftMultiplier:
            return builder.AddElement(offset, static_cast<std::uint16_t>(number), std::uint16_t{0});
        case FieldKind::kU32:
            return builder.AddElement(offset, static_cast<std::uint32_t>(number), std::uint32_t{0});
        case FieldKind::kU64:
            return builder.AddElement(offset, number, std::uint64_t{0});
        case FieldKind::kI32:
            return builder.AddElement(offset, static_cast<std::int32_t>(number), std::int32_t{0});
        case FieldKind::kText:
        case FieldKind::kEngines:
        case FieldKind::kMask256:
        case FieldKind::kPerSl:
        case FieldKind::kShiftMultipliers:
        case FieldKind::kVlWeights:
        case FieldKind::kSlToVl:
        case FieldKind::kGuids:
            break;
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

Value ReadPresent(const flatbuffers::Table& table,
                  const SettingField& field,
                  std::uint16_t offset) {
    Value value;
    switch (field.kind) {
        case FieldKind::kBool:
        case FieldKind::kU8:
        case FieldKind::kChoice:
            value.number = table.GetField<std::uint8_t>(offset, 0);
            break;
        case FieldKind::kU16:
        case FieldKind::kShiftMultiplier:
            value.number = table.GetField<std::uint16_t>(offset, 0);
            break;
        case FieldKind::kU32:
            value.number = table.GetField<std::uint32_t>(offset, 0);
            break;
        case FieldKind::kU64:
            value.number = table.GetField<std::uint64_t>(offset, 0);
            break;
        case FieldKind::kI32:
            value.number =
                static_cast<std::uint64_t>(std::int64_t{table.GetField<std::int32_t>(offset, 0)});
            break;
        case FieldKind::kText:
            value.text = table.GetPointer<const flatbuffers::String*>(offset)->str();
            break;
        case FieldKind::kEngines:
        case FieldKind::kMask256:
        case FieldKind::kSlToVl:
            ReadList<Octets>(table, offset, value);
            break;
        case FieldKind::kPerSl:
        case FieldKind::kShiftMultipliers:
            ReadList<Words>(table, offset, value);
            break;
        case FieldKind::kVlWeights:
            ReadVlWeights(table, offset, value);
            break;
        case FieldKind::kGuids: {
            const auto* const guids =
                table.GetPointer<const flatbuffers::Vector<std::uint64_t>*>(offset);
            value.guids.assign(guids->begin(), guids->end());
            break;
        }
    }
    return value;
}

/// An absent text or list was unset when the blob was made; an absent number has its default.
bool AbsentMeansUnset(FieldKind kind) {
    return kind == FieldKind::kText || kind == FieldKind::kEngines ||
           kind == FieldKind::kVlWeights || kind == FieldKind::kSlToVl ||
           kind == FieldKind::kShiftMultipliers || kind == FieldKind::kGuids;
}

}  // namespace

std::vector<std::byte> WritePayload(std::span<const Value> values, const OptionContents& contents) {
    const std::span<const SettingField> fields = SettingsFields();
    EMBER_ASSERT(values.size() == fields.size());
    FlatBufferBuilder builder(8192);
    builder.ForceDefaults(true);
    const flatbuffers::Offset<schema::OptionFiles> files = WriteContents(builder, contents);
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
        builder, schema::CreateConfiguration(builder, kSchemaVersion, settings, files));
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
        } else if (AbsentMeansUnset(fields[i].kind)) {
            values.push_back(Value{.set = false, .text = {}, .list = {}});
        } else {
            values.push_back(defaults[i].value);
        }
    }
    return values;
}

}  // namespace ember::emberc
