// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports get the P_Keys that OpenSM gave them for the same partition file, as
// tests/golden/partitions/record.py recorded it.
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "core/partitions/p_key_placement.h"
#include "tests/config/partition_net.h"

namespace ember::test {
namespace {

struct Recording {
    std::string file;
    bool both = false;
    std::map<Guid, std::vector<std::uint16_t>> p_keys;  ///< By index.
};

Recording Read(const std::filesystem::path& path) {
    Recording recording;
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "option") {
            EXPECT_EQ(line, "option allow_both_pkeys TRUE");
            recording.both = true;
        } else if (kind == "file") {
            recording.file += line.size() > 5 ? line.substr(5) + "\n" : "\n";
        } else {
            EXPECT_EQ(kind, "port");
            std::uint64_t guid = 0;
            words >> std::hex >> guid;
            std::vector<std::uint16_t>& p_keys = recording.p_keys[Guid{guid}];
            for (std::uint16_t p_key = 0; words >> p_key;) {
                p_keys.push_back(p_key);
            }
        }
    }
    return recording;
}

TEST(PartitionsGolden, PortsHoldThePKeysThatOpensmGivesThem) {
    std::size_t files = 0;
    const std::filesystem::path folder = std::string(EMBER_SOURCE_DIR) + "/tests/golden/partitions";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".txt") continue;
        ++files;
        const Recording recording = Read(entry.path());
        EXPECT_EQ(recording.p_keys.size(), PartitionNet::kHosts + 1) << entry.path();
        emberc::Diagnostics diagnostics("partitions.conf");
        const emberc::PartitionConf conf = emberc::ParsePartitionsFile(
            recording.file, diagnostics, {.both_p_keys = recording.both});
        EXPECT_EQ(diagnostics.CountOf(emberc::Severity::kError), 0U) << RenderText(diagnostics);
        PartitionNet net(conf);
        for (const auto& [guid, p_keys] : recording.p_keys) {
            std::set<std::uint16_t> expected(p_keys.begin(), p_keys.end());
            expected.erase(kNoPKey);
            EXPECT_EQ(net.PKeys(guid), expected) << entry.path() << fmt::format(" {:x}", Raw(guid));
            // A port of ibsim begins as a full member of the default partition.
            std::vector<std::uint16_t> table(32, kNoPKey);
            table[0] = kDefaultPKey;
            std::vector<std::uint16_t> fresh(32);
            const PKeysLeftOut left_out =
                PlacePKeys(net.partitions(), net.At(guid),
                           {.allows_both = recording.both, .only_full_first = true}, table, fresh);
            EXPECT_EQ(left_out.count, 0U);
            while (table.back() == kNoPKey) {
                table.pop_back();
            }
            EXPECT_EQ(table, p_keys) << entry.path() << fmt::format(" {:x}", Raw(guid));
        }
    }
    EXPECT_EQ(files, 7U);
}

}  // namespace
}  // namespace ember::test
