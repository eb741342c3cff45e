// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams recorded from other programs, with what those programs said they mean.
#include "tests/core/wire/golden.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace ember {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(EMBER_SOURCE_DIR) / "tests/golden/wire";

using Octets = std::array<std::uint8_t, kMadOctets>;

/// Appends the octets of one row of hexadecimal digits.
void AppendRow(const std::string& digits, std::vector<std::uint8_t>& octets) {
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        octets.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
}

}  // namespace

std::optional<std::string> Golden::Saying(const std::string& label) const {
    for (const auto& [said, value] : says) {
        if (said == label) return value;
    }
    return std::nullopt;
}

Golden ReadGolden(const std::string& name) {
    Golden golden;
    std::ifstream in(kFolder / (name + ".hex"));
    std::vector<std::uint8_t> octets;
    bool received = false;
    for (std::string line; std::getline(in, line);) {
        if (line == "send" || line == "recv") received = line == "recv";
        if (line.starts_with("  ")) AppendRow(line.substr(2), octets);
        if (octets.size() == kMadOctets) {
            Octets whole{};
            std::copy(octets.begin(), octets.end(), whole.begin());
            golden.datagrams.push_back({received, std::bit_cast<Mad>(whole)});
            octets.clear();
        }
        if (line.starts_with("says ")) {
            const std::size_t equals = line.find(" = ");
            golden.says.emplace_back(line.substr(5, equals - 5), line.substr(equals + 3));
        }
    }
    return golden;
}

std::vector<std::string> GoldenNames() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
        if (entry.path().extension() == ".hex") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace ember
