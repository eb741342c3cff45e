// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the tests of config/ share: keys, blobs, and a store in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/blob/blob_reader.h"
#include "config/blob/container.h"
#include "config/emberc/blob_file.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/key_pair.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/payload_writer.h"
#include "core/platform.h"
#include "core/settings/settings.h"

namespace ember::test {

using Octets = std::vector<std::byte>;

/// The key pair of all tests, and another one that is trusted nowhere.
inline const emberc::KeyPair& TrustedKey() {
    static const emberc::KeyPair kKey = emberc::KeyPair::Generate();
    return kKey;
}
inline const emberc::KeyPair& StrangersKey() {
    static const emberc::KeyPair kKey = emberc::KeyPair::Generate();
    return kKey;
}

inline std::vector<emberc::Value> ValuesOf(const emberc::Conf& conf) {
    std::vector<emberc::Value> values;
    for (const emberc::Setting& setting : conf) {
        values.push_back(setting.value);
    }
    return values;
}

/// The payload that emberc makes of a text, keys without effect and all; empty on an error.
inline Octets PayloadOf(std::string_view text) {
    emberc::Diagnostics diagnostics("test.conf");
    const emberc::Conf conf =
        emberc::ParseOpensmConf(text, diagnostics, {.keys = {}, .refuses = false});
    if (diagnostics.CountOf(emberc::Severity::kError) > 0) return {};
    return emberc::WritePayload(ValuesOf(conf));
}

inline Octets BlobOf(std::string_view text, std::uint64_t counter = 1,
                     const emberc::KeyPair& key = TrustedKey()) {
    return emberc::PutTogether(PayloadOf(text), counter, &key);
}

/// Signs anew whatever is between header and signature: the work of somebody who has the key.
inline void SignAnew(Octets& blob, const emberc::KeyPair& key = TrustedKey()) {
    const std::size_t signed_bytes = blob.size() - kSignatureBytes;
    const emberc::Signature signature =
        key.Sign(std::span<const std::byte>(blob).first(signed_bytes));
    std::copy(signature.begin(), signature.end(),
              blob.begin() + static_cast<std::ptrdiff_t>(signed_bytes));
}

/// Memory for tables, as a board would set it aside.
class RoomForTables {
public:
    explicit RoomForTables(std::size_t bytes) : grains_((bytes + 63) / 64), bytes_(bytes) {}
    bool takes_bandwidth = true;  ///< As on a board with a BandwidthCodec.
    [[nodiscard]] OptionRoom room() {
        return {std::as_writable_bytes(std::span(grains_)).first(bytes_), takes_bandwidth};
    }

private:
    struct alignas(64) Grain {
        std::array<std::byte, 64> octets;
    };
    std::vector<Grain> grains_;
    std::size_t bytes_;
};

/// Room that every test may use until it reads the next blob.
inline OptionRoom SharedRoom() {
    static RoomForTables room(std::size_t{1} << 20U);
    return room.room();
}

/// The diagnostics of a single file.
inline std::span<const emberc::Diagnostics> Only(const emberc::Diagnostics& file) {
    return {&file, 1};
}

/// "line:column word" of each diagnostic in the order of the file, apart by commas. Each has a
/// text.
inline std::string PlacesAndWords(emberc::Diagnostics& diagnostics) {
    diagnostics.Sort();
    std::string said;
    for (const emberc::Diagnostic& one : diagnostics.all()) {
        if (!said.empty()) said += ", ";
        said += fmt::format("{}:{} {}", one.place.line, one.place.column, emberc::WordOf(one.code));
        EXPECT_FALSE(one.text.empty());
    }
    return said;
}

/// A copy with the alignment that the reader asks for.
class Aligned {
public:
    explicit Aligned(std::span<const std::byte> octets)
        : words_((octets.size() + 7) / 8), size_(octets.size()) {
        if (!octets.empty()) std::memcpy(words_.data(), octets.data(), octets.size());
    }
    [[nodiscard]] std::span<const std::byte> octets() const {
        return std::as_bytes(std::span(words_)).first(size_);
    }

private:
    std::vector<std::uint64_t> words_;
    std::size_t size_;
};

inline BlobReport Read(std::span<const std::byte> blob, Settings& settings,
                       std::uint64_t oldest_counter = 0) {
    const Aligned copy(blob);
    return ReadBlob(copy.octets(), TrustedKey().public_key(), oldest_counter, SharedRoom(),
                    settings);
}

inline BlobVerdict Judge(std::span<const std::byte> blob, std::uint64_t oldest_counter = 0) {
    Settings settings;
    return Read(blob, settings, oldest_counter).verdict;
}

/// A store in memory that can be damaged and can fail.
class MemoryStore final : public Store {
public:
    Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
        ++saves_;
        if (fails_) return Status::kDevice;
        At(slot) = {true, false, Octets(octets.begin(), octets.end())};
        return Status::kOk;
    }
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
        const Slot& from = At(slot);
        if (!from.written) return Status::kAbsent;
        if (from.damaged) return Status::kMalformed;
        if (from.octets.size() > octets.size()) return Status::kFull;
        std::copy(from.octets.begin(), from.octets.end(), octets.begin());
        return from.octets.size();
    }

    void Damage(StoreSlot slot) { At(slot).damaged = true; }
    void Lose(StoreSlot slot) { At(slot) = {}; }
    void FailToSave() { fails_ = true; }
    [[nodiscard]] Octets& OctetsOf(StoreSlot slot) { return At(slot).octets; }
    [[nodiscard]] int saves() const { return saves_; }

private:
    struct Slot {
        bool written = false;
        bool damaged = false;
        Octets octets;
    };
    Slot& At(StoreSlot slot) { return slots_.at(static_cast<std::size_t>(slot)); }

    std::array<Slot, 8> slots_;
    int saves_ = 0;
    bool fails_ = false;
};

}  // namespace ember::test
