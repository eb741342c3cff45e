// SPDX-License-Identifier: Apache-2.0
// EmberSM: the inside of a blob. It is signed, and still nothing in it is believed.
#include "config/blob/payload.h"

#include <algorithm>
#include <array>
#include <bit>

#include "config/blob/engine_words.h"
#include "config/blob/fields.h"
#include "config/blob/lane_keys.h"
#include "config/blob/signature.h"
#include "config/schema/settings_generated.h"
#include "core/base/arena.h"
#include "core/base/assert.h"

namespace ember {
namespace {

using Octets = flatbuffers::Vector<std::uint8_t>;
using Words = flatbuffers::Vector<std::uint16_t>;
using Guids = flatbuffers::Vector<std::uint64_t>;
using VlWeights = flatbuffers::Vector<const schema::VlWeight*>;

constexpr std::uint32_t kMaxDepth = 8;
constexpr std::uint32_t kMaxTables = 64;
constexpr std::size_t kMostEngineWords = 16;

/// Every element at most field.range.max; at most `count` of them.
template <typename Element>
bool FitsList(const flatbuffers::Vector<Element>* list, const SettingField& field,
              std::size_t count) {
    return list->size() <= count && std::all_of(list->begin(), list->end(), [&](Element element) {
               return element <= field.range.max;
           });
}

bool FitsVlWeights(const VlWeights* entries, const SettingField& field) {
    if (entries == nullptr) return true;
    if (entries->size() > kMaxVlWeights) return false;
    for (flatbuffers::uoffset_t i = 0; i < entries->size(); ++i) {
        if (entries->Get(i)->vl() > field.range.max) return false;
    }
    return true;
}

/// The Verifier looks at where a vector begins, which is its length, not at its elements.
bool FitsGuids(const Guids* guids, const SettingField& field) {
    if (guids->size() > field.range.max) return false;
    if (guids->size() > 0 && !IsAligned(guids->Data(), alignof(std::uint64_t))) return false;
    for (flatbuffers::uoffset_t i = 0; i < guids->size(); ++i) {
        if (guids->Get(i) == 0) return false;
        for (flatbuffers::uoffset_t k = 0; k < i; ++k) {
            if (guids->Get(k) == guids->Get(i)) return false;
        }
    }
    return true;
}

/// An absent field has its default, and defaults fit.
bool Fits(const flatbuffers::Table& table, const SettingField& field, std::uint16_t offset) {
    using enum FieldKind;
    if (!table.CheckField(offset)) return true;
    if (NumberBytes(field.kind) != 0) {
        const std::uint64_t number = NumberAt(table, field.kind, offset);
        return field.kind == kI32 ? field.range.FitsSigned(static_cast<std::int64_t>(number))
                                  : field.range.Fits(number);
    }
    if (field.kind == kText) {
        return field.range.Fits(table.GetPointer<const flatbuffers::String*>(offset)->size());
    }
    if (field.kind == kGuids) return FitsGuids(table.GetPointer<const Guids*>(offset), field);
    if (field.kind == kVlWeights) {
        return FitsVlWeights(table.GetPointer<const VlWeights*>(offset), field);
    }
    if (field.kind == kPerSl || field.kind == kShiftMultipliers) {
        const auto* const words = table.GetPointer<const Words*>(offset);
        if (field.kind == kShiftMultipliers) return FitsList(words, field, kMaxShiftMultipliers);
        return words->size() == kServiceLevels && FitsList(words, field, kServiceLevels);
    }
    const auto* const octets = table.GetPointer<const Octets*>(offset);
    if (field.kind == kMask256) return octets->size() == kMaskOctets;
    if (field.kind == kEngines) return FitsList(octets, field, kMostEngineWords);
    return octets->size() == kServiceLevels && FitsList(octets, field, kServiceLevels);
}

const flatbuffers::Table& AsTable(const schema::Settings& from) {
    return *std::bit_cast<const flatbuffers::Table*>(&from);
}

/// Copies the list. False: an engine that this release does not have, or one that is there twice.
bool ReadEngines(const schema::Settings& from, EngineList& to, bool& no_fallback) {
    to.clear();
    no_fallback = false;
    const auto* const engines = from.routing_engine();
    if (engines == nullptr) return true;
    std::uint32_t seen = 0;
    for (flatbuffers::uoffset_t i = 0; i < engines->size(); ++i) {
        const std::uint32_t number = static_cast<std::uint8_t>(engines->Get(i));
        if ((seen >> number & 1U) != 0) return false;
        seen |= 1U << number;
        const EngineWord& word = EngineWords()[number];
        if (word.use == EngineWordUse::kMissing) return false;
        if (word.use == EngineWordUse::kNoFallback) {
            no_fallback = true;
        } else if (word.use == EngineWordUse::kEngine && to.TryPush(word.kind) != Status::kOk) {
            return false;
        }
    }
    return true;
}

std::string_view FirstOutOfRange(const schema::Settings& from) {
    const std::span<const SettingField> fields = SettingsFields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!Fits(AsTable(from), fields[i], FieldOffset(i))) return fields[i].name;
    }
    EngineList engines;
    bool no_fallback = false;
    return ReadEngines(from, engines, no_fallback) ? std::string_view{} : "routing_engine";
}

/// FirstOutOfRange() has seen that they fit.
void CopyPeers(const Guids* from, Settings& to) {
    to.sm_peers.clear();
    if (from == nullptr) return;
    for (flatbuffers::uoffset_t i = 0; i < from->size(); ++i) {
        const Status pushed = to.sm_peers.TryPush(Guid{from->Get(i)});
        EMBER_ASSERT(pushed == Status::kOk);
    }
}

/// Likewise.
void CopyReplicationKey(const flatbuffers::String* from, Settings& to) {
    to.replication_key.clear();
    if (from == nullptr) return;
    for (const char octet : *from) {
        const Status pushed = to.replication_key.TryPush(static_cast<std::uint8_t>(octet));
        EMBER_ASSERT(pushed == Status::kOk);
    }
}

/// Keys that differ from one subnet manager of a subnet to the next.
constexpr std::array kKeysOfOneManager = {
    schema::Settings::VT_GUID, schema::Settings::VT_SM_PRIORITY, schema::Settings::VT_SM_INACTIVE};

/// The digest of a payload in which the numbers of these keys are 0. emberc writes all numbers, so
/// payloads that differ in them alone have them at the same places. Zeros where the crypto library
/// fails: without it no message tells the digest.
Digest DigestOf(std::span<const std::byte> payload, const schema::Settings& settings) {
    static constexpr std::array<std::byte, 8> kZero{};
    std::array<std::span<const std::byte>, kKeysOfOneManager.size() * 2 + 1> pieces;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < payload.size();) {  // Ends: at most a turn for each key.
        std::size_t hole = payload.size();
        std::size_t hole_bytes = 0;
        for (const auto key : kKeysOfOneManager) {
            const std::uint8_t* const place = AsTable(settings).GetAddressOf(key);
            if (place == nullptr) continue;
            const auto at =
                static_cast<std::size_t>(std::bit_cast<const std::byte*>(place) - payload.data());
            if (at < begin || at >= hole) continue;
            hole = at;
            const SettingField& field = SettingsFields()[(key - FieldOffset(0)) / 2U];
            hole_bytes = NumberBytes(field.kind);
        }
        pieces[count++] = payload.subspan(begin, hole - begin);
        if (hole_bytes != 0) pieces[count++] = std::span(kZero).first(hole_bytes);
        begin = hole + hole_bytes;
    }
    const Result<Digest> digest = Sha256(std::span(pieces).first(count));
    return digest.ok() ? digest.value() : Digest{};
}

/// A field that is absent leaves its setting at the default, which Settings itself says. The tables
/// of option files are left out.
void CopySettings(const schema::Settings& from, Settings& to) {
    static constexpr Settings kDefaults{};
    to = kDefaults;
    const std::span<const SettingField> fields = SettingsFields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const SettingField& field = fields[i];
        const std::uint16_t offset = FieldOffset(i);
        if (!field.member.is_there() || !AsTable(from).CheckField(offset)) continue;
        field.member.Set(to, NumberAt(AsTable(from), field.kind, offset));
    }
    (void)ReadEngines(from, to.routing_engine, to.no_fallback);  // FirstOutOfRange() has tried it.
    CopyPeers(from.sm_peers(), to);
    CopyReplicationKey(from.replication_key(), to);
    CopyLanes(from, to.lanes);
}

}  // namespace

std::uint64_t NumberAt(const flatbuffers::Table& table, FieldKind kind, std::uint16_t offset) {
    if (kind == FieldKind::kI32) {
        return static_cast<std::uint64_t>(std::int64_t{table.GetField<std::int32_t>(offset, 0)});
    }
    switch (NumberBytes(kind)) {
        case 1:
            return table.GetField<std::uint8_t>(offset, 0);
        case 2:
            return table.GetField<std::uint16_t>(offset, 0);
        case 4:
            return table.GetField<std::uint32_t>(offset, 0);
        default:
            return table.GetField<std::uint64_t>(offset, 0);
    }
}

PayloadReport ReadPayload(std::span<const std::byte> payload, OptionRoom room, Settings* settings) {
    PayloadReport report;
    // The Verifier checks alignment relative to the base, not the base itself.
    EMBER_ASSERT(IsAligned(payload.data(), alignof(std::uint64_t)));
    const auto* const octets = std::bit_cast<const std::uint8_t*>(payload.data());
    if (payload.size() < 8) return report;  // Shorter than its root offset and identifier.
    if (!schema::ConfigurationBufferHasIdentifier(octets)) return report;
    flatbuffers::Verifier verifier(octets, payload.size(), kMaxDepth, kMaxTables);
    if (!schema::VerifyConfigurationBuffer(verifier)) return report;
    const schema::Configuration& root = *schema::GetConfiguration(octets);
    const OptionFilesReport tables = CheckOptionFiles(root);
    if (!tables.well_formed) return report;

    report.well_formed = true;
    report.schema_version = root.schema_version();
    report.room_bytes = tables.room_bytes;
    report.room_suffices = tables.room_bytes <= room.octets.size();
    report.is_enforceable = room.takes_bandwidth || !tables.has_bandwidth;
    report.field_out_of_range = FirstOutOfRange(*root.settings());
    if (report.field_out_of_range.empty()) report.field_out_of_range = tables.out_of_range;
    if (settings != nullptr && report.accepted()) {
        CopySettings(*root.settings(), *settings);
        settings->configuration.digest = DigestOf(payload, *root.settings());
        CopyOptionFiles(root, room, {settings->tables, settings->manager_tables});
    }
    return report;
}

}  // namespace ember
