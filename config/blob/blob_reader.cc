// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a configuration blob to Settings.
#include "config/blob/blob_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "config/blob/container.h"
#include "config/blob/payload.h"
#include "config/blob/signature.h"
#include "core/base/assert.h"

namespace ember {
namespace {

// clang-format off
constexpr std::array kExplanations = {
    std::string_view{"accepted"},
    std::string_view{"there is no configuration blob"},
    std::string_view{"truncated: it ends before its header says"},
    std::string_view{"this is no configuration blob"},
    std::string_view{"made for a newer blob layout than this program knows"},
    std::string_view{"not signed"},
    std::string_view{"signed by another key than the one trusted here"},
    std::string_view{"tampered with: the signature does not fit"},
    std::string_view{"the trusted public key is no point of the curve P-256"},
    std::string_view{"made for a newer schema than this program knows"},
    std::string_view{"older than the configuration that was accepted last"},
    std::string_view{"another configuration with the same counter was confirmed: raise the counter"},
    std::string_view{"malformed inside, although the signature fits"},
    std::string_view{"holds a value out of range, although the signature fits"},
    std::string_view{"its option files take more memory than this board has set aside"},
    std::string_view{"it was on trial before and was rolled back; a reload tries it once more"},
    std::string_view{"it limits bandwidths (enhanced_qos_policy_file), and no device here takes limits"},
    std::string_view{"the crypto library could not check the signature"},
};
// clang-format on
static_assert(kExplanations.size() == static_cast<std::size_t>(BlobVerdict::kNoCrypto) + 1);

/// A blob cut at its seams.
struct Parts {
    BlobHeader header;
    std::span<const std::byte> signed_octets;  ///< Header and payload.
    std::span<const std::byte> payload;
    std::span<const std::byte> signature;  ///< Empty when unsigned.
};

/// Finds the seams. kAccepted means: they are where the header says, and nothing more is known.
BlobVerdict Cut(std::span<const std::byte> blob, Parts& parts) {
    if (blob.empty()) return BlobVerdict::kAbsent;
    const std::size_t magic_bytes = std::min(blob.size(), kBlobMagic.size());
    if (std::memcmp(blob.data(), kBlobMagic.data(), magic_bytes) != 0) return BlobVerdict::kNoBlob;
    if (blob.size() < sizeof(BlobHeader)) return BlobVerdict::kTruncated;

    std::array<std::byte, sizeof(BlobHeader)> front{};
    std::copy_n(blob.begin(), front.size(), front.begin());
    parts.header = std::bit_cast<BlobHeader>(front);
    const auto algorithm = std::uint16_t{parts.header.algorithm};
    const bool is_signed =
        algorithm == static_cast<std::uint16_t>(SignatureAlgorithm::kEcdsaP256Sha256);
    if (parts.header.container_version != kContainerVersion ||
        parts.header.header_bytes != sizeof(BlobHeader)) {
        return BlobVerdict::kUnknownContainer;
    }
    if (!is_signed && algorithm != static_cast<std::uint16_t>(SignatureAlgorithm::kUnsigned)) {
        return BlobVerdict::kUnknownContainer;
    }

    const std::size_t signature_bytes = is_signed ? kSignatureBytes : 0;
    // In 64 bits: a sum that wraps, where std::size_t has 32, could make a huge length fit.
    const std::uint64_t stated_bytes =
        sizeof(BlobHeader) + std::uint64_t{parts.header.payload_bytes} + signature_bytes;
    if (blob.size() < stated_bytes) return BlobVerdict::kTruncated;
    if (blob.size() > stated_bytes) return BlobVerdict::kNoBlob;
    parts.signed_octets = blob.first(blob.size() - signature_bytes);
    parts.payload = parts.signed_octets.subspan(sizeof(BlobHeader));
    parts.signature = blob.subspan(blob.size() - signature_bytes);
    return BlobVerdict::kAccepted;
}

/// True when the blob is signed with the trusted key.
BlobVerdict Authenticate(const Parts& parts, const PublicKey& key) {
    if (parts.signature.empty()) return BlobVerdict::kUnsigned;
    const Result<KeyId> key_id = KeyIdOf(key);
    if (!key_id.ok()) return BlobVerdict::kNoCrypto;
    if (key_id.value() != parts.header.key_id) return BlobVerdict::kOtherKey;
    const Status status = CheckSignature(parts.signed_octets, parts.signature, key);
    if (status == Status::kOk) return BlobVerdict::kAccepted;
    if (status == Status::kForged) return BlobVerdict::kForged;
    return status == Status::kMalformed ? BlobVerdict::kBadKey : BlobVerdict::kNoCrypto;
}

}  // namespace

std::string_view Explain(BlobVerdict verdict) {
    const auto index = static_cast<std::size_t>(verdict);
    EMBER_ASSERT(index < kExplanations.size());
    return kExplanations[index];
}

BlobReport ReadBlob(std::span<const std::byte> blob, const PublicKey& key,
                    std::uint64_t oldest_counter, OptionRoom room, Settings* settings) {
    BlobReport report;
    Parts parts;
    report.verdict = Cut(blob, parts);
    if (!report.accepted()) return report;
    report.counter = parts.header.counter;
    report.schema_version = parts.header.schema_version;
    report.key_id = parts.header.key_id;

    report.verdict = Authenticate(parts, key);
    if (!report.accepted()) return report;
    if (report.schema_version == 0 || report.schema_version > kSchemaVersion) {
        report.verdict = BlobVerdict::kUnknownSchema;
        return report;
    }
    if (report.counter < oldest_counter) {
        report.verdict = BlobVerdict::kStale;
        return report;
    }

    const PayloadReport inside = ReadPayload(parts.payload, room, settings);
    report.field = inside.field_out_of_range;
    report.room_bytes = inside.room_bytes;
    if (!inside.well_formed || inside.schema_version != report.schema_version) {
        report.verdict = BlobVerdict::kMalformed;
    } else if (!inside.field_out_of_range.empty()) {
        report.verdict = BlobVerdict::kOutOfRange;
    } else if (!inside.room_suffices) {
        report.verdict = BlobVerdict::kTooLarge;
    } else if (!inside.is_enforceable) {
        report.verdict = BlobVerdict::kNotEnforceable;
    } else if (settings != nullptr) {
        settings->configuration.counter = report.counter;
    }
    return report;
}

void TakeJudgedBlob(std::span<const std::byte> blob, OptionRoom room, Settings& settings) {
    Parts parts;
    const BlobVerdict verdict = Cut(blob, parts);
    EMBER_ASSERT(verdict == BlobVerdict::kAccepted);
    const PayloadReport inside = ReadPayload(parts.payload, room, settings);
    EMBER_ASSERT(inside.accepted());
    settings.configuration.counter = parts.header.counter;
}

}  // namespace ember
