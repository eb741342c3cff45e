// SPDX-License-Identifier: Apache-2.0
// EmberSM: which node and port a word means, and which words mean several.
#include "config/explain/resolver.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ember::explain {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Entry {
    std::uint64_t guid;
    std::vector<std::string> names;
    std::vector<std::uint64_t> port_guids;  ///< From port 1 on; none: a switch.
    std::uint64_t first_lid;                ///< Of port 1, or of the switch.
};

class Listed final : public Directory {
public:
    explicit Listed(std::vector<Entry> entries) : entries_(std::move(entries)) {}

    [[nodiscard]] std::size_t bound() const override { return entries_.size(); }
    [[nodiscard]] Guid GuidOf(std::size_t node) const override { return Guid{entries_[node].guid}; }
    [[nodiscard]] std::string_view NameOf(std::size_t node, std::size_t number,
                                          std::span<char> /*room*/) const override {
        const auto& names = entries_[node].names;
        return number < names.size() ? std::string_view(names[number]) : std::string_view();
    }
    [[nodiscard]] Spot FindNode(Guid guid) const override {
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (entries_[i].guid == Raw(guid)) return {i};
        }
        return {};
    }
    [[nodiscard]] Spot FindPort(Guid guid) const override {
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const auto& ports = entries_[i].port_guids;
            if (ports.empty() && entries_[i].guid == Raw(guid)) return {i};
            for (std::uint32_t p = 0; p < ports.size(); ++p) {
                if (ports[p] == Raw(guid)) return {i, p + 1};
            }
        }
        return {};
    }
    [[nodiscard]] Spot FindLid(Lid lid) const override {
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const std::size_t ports = entries_[i].port_guids.size();
            const std::uint64_t first = entries_[i].first_lid;
            if (ports == 0 && first == Raw(lid)) return {i};
            if (ports != 0 && Raw(lid) >= first && Raw(lid) < first + ports) {
                return {i, static_cast<std::uint32_t>(Raw(lid) - first + 1)};
            }
        }
        return {};
    }

private:
    std::vector<Entry> entries_;
};

/// "node" or "node/port" by place; else the sentence.
std::string Meant(const Directory& directory, std::string_view word) {
    std::array<char, 768> room{};
    FixedText why(room);
    const Spot spot = Resolve(directory, word, why);
    if (!spot.exists()) return std::string(why.text());
    EXPECT_EQ(why.text(), "") << word;
    return std::to_string(spot.node) +
           (spot.port == Spot::kAnyPort ? std::string() : "/" + std::to_string(spot.port));
}

/// 0 and 1 are switches, 2 has two ports, the NodeGUID of 3 is that of its port as well.
const Listed kSome({{0x200000, {"leaf 1", "S-1"}, {}, 1},
                    {0x200001, {"Zürich Süd", "leaf/2"}, {}, 2},
                    {0x100000, {"host-1", "host-1 HCA-1"}, {0x100001, 0x100002}, 16},
                    {0x100008, {"host-2"}, {0x100008}, 0x20}});

TEST(Resolver, TakesNamesGuidsAndLids) {
    struct Row {
        const char* word;
        const char* meant;
    };
    for (const Row& row : std::vector<Row>{
             {"leaf 1", "0"},
             {"S-1", "0"},
             {"0x200000", "0"},
             {"0x0000000000200000", "0"},
             {"1", "0"},
             {"0x1", "0"},
             {"0x0001", "0"},
             {"leaf 1/3", "0/3"},
             {"leaf 1 port 3", "0/3"},
             {"0x200000/3", "0/3"},
             {"1/3", "0/3"},
             {"0x1 port 3", "0/3"},
             {"Zürich Süd", "1"},
             {"Zürich", "1"},
             {"Zürich Süd/12", "1/12"},
             {"leaf/2", "1"},
             {"leaf/2/4", "1/4"},
             {"host-1", "2"},
             {"host-1 HCA-1", "2"},
             {"host-1/2", "2/2"},
             {"0x100000", "2"},
             {"0x100002", "2/2"},
             {"0x100002/2", "2/2"},
             {"17", "2/2"},
             {"0x11", "2/2"},
             {"0x100008", "3/1"},
             {"0x100008/1", "3/1"},
             {"0x0020", "3/1"},
             {"32", "3/1"},
         }) {
        EXPECT_EQ(Meant(kSome, row.word), row.meant) << row.word;
    }
}

TEST(Resolver, SaysWhatAWordIsNot) {
    EXPECT_EQ(Meant(kSome, "nobody"), "\"nobody\" is the name of no node here");
    EXPECT_EQ(Meant(kSome, ""), "\"\" is the name of no node here");
    EXPECT_EQ(Meant(kSome, "0x100009"), "\"0x100009\" is the GUID of no port and no node here");
    EXPECT_EQ(Meant(kSome, "0x99"), "\"0x99\" is the GUID of no port and no node here, and no LID");
    EXPECT_EQ(Meant(kSome, "99"), "\"99\" is the LID of no port here");
    EXPECT_EQ(Meant(kSome, "0x0"), "\"0x0\" is the GUID of no port and no node here, and no LID");
    EXPECT_EQ(Meant(kSome, "0x0000000000000001"),
              "\"0x0000000000000001\" is the GUID of no port and no node here")
        << "no LID has so many digits";
    EXPECT_EQ(Meant(kSome, "0x100002/1"), "\"0x100002\" is port 2 of its node, not 1");
    EXPECT_EQ(Meant(kSome, "host-1/255"), "\"host-1/255\" is the name of no node here");
    EXPECT_EQ(Meant(kSome, "/1"), "\"/1\" is the name of no node here");
    EXPECT_EQ(Meant(kSome, std::string(500, 'x')),
              "a node or port is named in 128 octets at most, not 500");
}

TEST(Resolver, ListsTheFirstNodesThatAWordMayMean) {
    std::vector<Entry> entries;
    for (std::uint64_t i = 1; i <= 6; ++i) {
        entries.push_back({0x10000 * i, {"rack " + std::to_string(i), "twin"}, {}, 100 + i});
    }
    const Listed racks(entries);
    EXPECT_EQ(
        Meant(racks, "rack"),
        "\"rack\" may be 6 nodes: 0x0000000000010000 (rack 1), 0x0000000000020000 (rack 2), "
        "0x0000000000030000 (rack 3), 0x0000000000040000 (rack 4) and 2 more; say a GUID with "
        "all 16 digits");
    EXPECT_THAT(Meant(racks, "twin/3"), HasSubstr("\"twin\" may be 6 nodes"));
}

TEST(Resolver, TakesAPrintedNameFirstAndGuessesAtNothing) {
    // 0 prints what 1 is called elsewhere; 2 has a name that reads as a GUID and as a LID of
    // others.
    const Listed odd({{0x5000000, {"gamma"}, {}, 7},
                      {0x5000001, {"delta", "gamma"}, {}, 8},
                      {0x5000002, {"0x8"}, {}, 9},
                      {0x8, {"eight"}, {}, 10},
                      {0x5000003, {"7"}, {}, 11}});
    EXPECT_EQ(Meant(odd, "gamma"), "0");
    EXPECT_THAT(Meant(odd, "0x8"), AllOf(HasSubstr("may be 3 nodes"), HasSubstr("(0x8)"),
                                         HasSubstr("(eight)"), HasSubstr("(delta)")));
    EXPECT_EQ(Meant(odd, "0x0000000000000008"), "3");
    EXPECT_EQ(Meant(odd, "8"), "1");
    EXPECT_THAT(Meant(odd, "7"), AllOf(HasSubstr("may be 2 nodes"), Not(HasSubstr("delta"))));
    EXPECT_EQ(Meant(odd, "0x0007"), "0");
}

}  // namespace
}  // namespace ember::explain
