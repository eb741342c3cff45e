// SPDX-License-Identifier: Apache-2.0
// EmberSM: files that are read whole before the start.

#include "platform/linux/files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ember {

namespace {

/// A netlist of the largest fabric has some tens of MiB.
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20U;

}  // namespace

FileReading ReadInto(const char* path, std::span<std::byte> room) {
    FileReading reading;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        reading.error = errno;
        return reading;
    }
    ssize_t got = 1;
    while (got > 0 && reading.octets < room.size()) {  // Ends: every turn but the last reads.
        got = read(file, room.data() + reading.octets, room.size() - reading.octets);
        if (got > 0) reading.octets += static_cast<std::size_t>(got);
        if (got < 0 && errno == EINTR) got = 1;
    }
    if (got < 0) reading.error = errno;
    std::byte beyond{};
    reading.too_large = got > 0 && read(file, &beyond, 1) > 0;
    close(file);
    return reading;
}

std::string ReadWhole(const std::string& path,
                      const std::string& what,
                      std::span<std::byte> room,
                      std::size_t& octets) {
    const std::string name = what + " " + path;
    const FileReading reading = ReadInto(path.c_str(), room);
    octets = reading.octets;
    if (reading.error != 0) return "cannot read " + name + ": " + std::strerror(reading.error);
    if (reading.too_large) {
        return name + " is larger than the " + std::to_string(room.size()) +
               " octets that are set aside for it";
    }
    return {};
}

bool LooksLikeFile(const std::string& path) {
    return access(path.c_str(), F_OK) == 0 || path.find_first_of("/.") != std::string::npos;
}

std::string ReadText(const std::string& path, const std::string& what, std::string& text) {
    text.resize(kMaxTextBytes);
    std::size_t octets = 0;
    std::string wrong = ReadWhole(path, what, std::as_writable_bytes(std::span(text)), octets);
    text.resize(octets);
    text.shrink_to_fit();
    return wrong;
}

std::string Configure(const ConfigurationFiles& files,
                      Store& store,
                      const ConfigurationRoom& room,
                      Settings& settings,
                      ConfigurationReport& report) {
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
