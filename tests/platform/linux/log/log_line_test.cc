// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes as lines, for people and for programs.
#include "platform/linux/log/log_line.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace ember {
namespace {

using Json = nlohmann::ordered_json;

/// Every node has this name.
class Named final : public NameSource {
public:
    explicit Named(std::string name) : name_(std::move(name)) {}
    std::size_t NameOf(Guid /*guid*/, std::span<char> room) const override {
        const std::size_t length = std::min({name_.size(), room.size(), kMaxNameOctets});
        std::copy_n(name_.begin(), length, room.begin());
        return length;
    }

private:
    std::string name_;
};

std::string JsonOf(const LogRecord& record, const Vocabulary& vocabulary,
                   std::string_view prefix = {}) {
    std::array<char, kMaxJsonLine> room{};
    FixedText line(room);
    AddJsonLine(line, {"2026-03-01T12:34:56.123456Z", prefix}, record, vocabulary);
    EXPECT_FALSE(line.full());
    return std::string(line.text());
}

TEST(LogLine, EndsInItsCode) {
    std::array<char, kMaxTextLine> room{};
    FixedText line(room);
    AddTextLine(line, {}, {0, {0x2C9, 2, 36}, Note::kNodeLost}, {});
    EXPECT_EQ(line.text(), "warning: lost 0x00000000000002c9, a switch with 36 ports [node-lost]");
}

TEST(LogLine, BeginsWithItsPrefix) {
    std::array<char, kMaxTextLine> room{};
    FixedText line(room);
    const LogRecord record{0, {0x2C9, 2, 36}, Note::kNodeLost};
    AddTextLine(line, "rail 2", record, {});
    EXPECT_EQ(line.text(),
              "rail 2 warning: lost 0x00000000000002c9, a switch with 36 ports [node-lost]");
    EXPECT_EQ(Json::parse(JsonOf(record, {}, "rail \\2"))["prefix"], "rail \\2");
    EXPECT_FALSE(Json::parse(JsonOf(record, {})).contains("prefix"));
}

TEST(LogLine, InJsonHasLettersBeyondAscii) {
    const Named named("Zürich 東京");
    const Json json = Json::parse(JsonOf({0, {0x2C9, 2, 36}, Note::kNodeLost}, {{}, &named}));
    EXPECT_EQ(json["values"]["guid_name"], "Zürich 東京");
    EXPECT_NE(json["text"].get<std::string>().find("\"Zürich 東京\""), std::string::npos);
}

TEST(LogLine, InJsonHasItsValuesByTheirNames) {
    const Named named("leaf-2");
    const LogRecord record{0, {0x2C9, 7, 0xAB, 254}, Note::kLinkLost};
    EXPECT_EQ(
        JsonOf(record, {{}, &named}),
        "{\"time\":\"2026-03-01T12:34:56.123456Z\",\"severity\":\"warning\",\"code\":\"link-lost\","
        "\"text\":\"lost the cable between 0x00000000000002c9 \\\"leaf-2\\\" port 7 and "
        "0x00000000000000ab \\\"leaf-2\\\" port 254\",\"values\":{"
        "\"guid\":\"0x00000000000002c9\",\"guid_name\":\"leaf-2\",\"port\":7,"
        "\"peer\":\"0x00000000000000ab\",\"peer_name\":\"leaf-2\",\"peer_port\":254}}");
}

TEST(LogLine, InJsonIsValidForEveryNoteAndEveryName) {
    std::string all;
    for (int octet = 1; octet < 256; ++octet) {
        all += static_cast<char>(octet);
    }
    std::array<std::uint64_t, kMaxValues> largest{};
    largest.fill(~std::uint64_t{0});
    for (const std::string& name :
         {std::string(kMaxNameOctets, '\\'), std::string(kMaxNameOctets, '"'),
          std::string("\",\"code\":\"subnet-up"), all.substr(0, 64), all.substr(64, 64),
          all.substr(128, 64), all.substr(191, 64)}) {
        const Named named(name);
        for (std::size_t i = 0; i < kNotes; ++i) {
            for (const auto& values : {largest, std::array<std::uint64_t, kMaxValues>{}}) {
                const auto note = static_cast<Note>(i);
                const std::string line = JsonOf({0, values, note}, {{}, &named},
                                                std::string(LineHead::kMostPrefixOctets, '\\'));
                const Json json = Json::parse(line, nullptr, false);
                ASSERT_TRUE(json.is_object()) << line;
                EXPECT_EQ(json["code"], std::string(SentenceOf(note).code));
                EXPECT_EQ(line.find('\n'), std::string::npos);
                std::size_t blanks = 0;
                for (Blank blank = NextBlank(SentenceOf(note).text, 0); blank.end != 0;
                     blank = NextBlank(SentenceOf(note).text, blank.end)) {
                    EXPECT_TRUE(json["values"].contains(blank.name)) << line;
                    ++blanks;
                }
                EXPECT_GE(json["values"].size(), blanks);
            }
        }
    }
}

}  // namespace
}  // namespace ember
