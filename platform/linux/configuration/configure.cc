// SPDX-License-Identifier: Apache-2.0
// EmberSM: the configuration that a process starts with.

#include "platform/linux/configuration/configure.h"

#include "platform/linux/system/files.h"

namespace ember {

std::string Configure(const ConfigurationFiles& files, Store& store, const ConfigurationRoom& room,
                      Settings& settings, ConfigurationReport& report) {
    report = {};
    const std::string& blob = files.blob;
    const std::string& public_key = files.public_key;
    if (public_key.empty()) return {};  // Without a key nothing can be checked, so nothing is used.
    report.given = true;
    std::array<std::byte, 4096> key_file{};
    std::size_t key_bytes = 0;
    std::string wrong = ReadWhole(public_key, "the public key", key_file, key_bytes);
    if (!wrong.empty()) return wrong;
    const Result<PublicKey> key = ParsePublicKey(std::span(key_file).first(key_bytes));
    if (!key.ok()) return "the public key " + public_key + " is no P-256 key in PEM or raw form";

    report.key = key.value();
    std::size_t blob_bytes = 0;
    if (!blob.empty()) {
        wrong = ReadWhole(blob, "the configuration", room.supplied, blob_bytes);
        if (!wrong.empty()) return wrong;
    }
    report.octets = blob_bytes;
    const std::span<const std::byte> supplied = room.supplied.first(blob_bytes);
    report.outcome =
        LoadConfiguration({supplied}, key.value(), store, {room.work, room.tables}, settings);
    const bool unused = report.outcome.source == ConfigurationSource::kUnchanged;
    if (blob.empty() || !unused) return {};
    std::array<char, 320> text{};
    FixedText sentence(text);
    AddVerdict(sentence, report.outcome.supplied, room.tables.octets.size());
    return "the configuration " + blob + " is refused: " + std::string(sentence.text()) +
           "; and no earlier one is kept";
}

}  // namespace ember
