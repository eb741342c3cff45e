// SPDX-License-Identifier: Apache-2.0
// EmberSM: properties: what a partition file says arrives in Settings and can be printed, and a
// mistake in one never lets more ports communicate.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/blob/payload.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_writer.h"
#include "tests/config/emberc_run.h"
#include "tests/config/partition_net.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::PartitionConf;

/// A definition to a line. Some overrule what stands before them.
std::vector<std::string> AnyLines() {
    std::vector<std::string> lines = {"Default=0x7fff: SELF=full;"};
    const std::vector<std::string> words = {"ALL",         "ALL_CAS", "ALL_SWITCHES",
                                            "ALL_ROUTERS", "SELF",    "NONE"};
    const std::vector<std::string> forms = {"", "=full", "=limited", "=both"};
    const std::vector<std::string> flags = {"", ",indx0", ",defmember=full", ",ipoib"};
    for (int i = *rc::gen::inRange(1, 8); i > 0; --i) {
        const int p_key = *rc::gen::inRange(1, 4);
        std::string line = fmt::format("P{}={:#x}{}: ", p_key, p_key, *rc::gen::elementOf(flags));
        for (int member = *rc::gen::inRange(1, 4); member > 0; --member) {
            const bool is_word = *rc::gen::inRange(0, 3) == 0;
            line += is_word ? *rc::gen::elementOf(words)
                            : fmt::format("{:#x}", Raw(*rc::gen::elementOf(PartitionNet::Ports())));
            line += *rc::gen::elementOf(forms) + (member > 1 ? ", " : ";");
        }
        lines.push_back(line);
    }
    return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text;
}

struct ReadFile {
    PartitionConf conf;
    bool is_good = false;
};

ReadFile Read(const std::string& text) {
    Diagnostics diagnostics("file");
    ReadFile file;
    file.conf = emberc::ParsePartitionsFile(text, diagnostics, {.both_p_keys = true});
    file.is_good = diagnostics.CountOf(emberc::Severity::kError) == 0;
    return file;
}

/// Lines are numbered anew when a file is printed.
PartitionConf WithoutLines(PartitionConf conf) {
    for (auto& row : conf.partitions) {
        row.line = 0;
    }
    for (auto& row : conf.ports) {
        row.line = 0;
    }
    for (auto& row : conf.classes) {
        row.line = 0;
    }
    for (auto& row : conf.groups) {
        row.line = 0;
    }
    return conf;
}

/// The text without the line that has its octet `at`.
std::string WithoutLineAt(const std::string& text, std::size_t at) {
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    return text.substr(0, first) + text.substr(text.find('\n', at) + 1);
}

RC_GTEST_PROP(PartitionsRoundTrip, ArriveInSettingsRowForRow, ()) {
    const ReadFile file = Read(Joined(AnyLines()));
    RC_PRE(file.is_good);
    const emberc::OptionContents contents{.partitions = file.conf};
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    RC_ASSERT(ReadPayload(copy.octets(), room.room(), settings).accepted());
    const ManagerTables& tables = settings.manager_tables;
    RC_ASSERT(std::ranges::equal(tables.partition_ports, file.conf.ports));
    RC_ASSERT(std::ranges::equal(tables.partition_classes, file.conf.classes));
    RC_ASSERT(std::ranges::equal(tables.partition_groups, file.conf.groups));
    RC_ASSERT(tables.partitions.size() == file.conf.partitions.size());
    RC_ASSERT(emberc::ReadContents(payload) == contents);
}

RC_GTEST_PROP(PartitionsRoundTrip, AreThoseOfTheFileThatTheyArePrintedAs, ()) {
    const ReadFile file = Read(Joined(AnyLines()));
    RC_PRE(file.is_good);
    std::string printed;
    for (const emberc::PartitionLine& line : EntriesOf(file.conf)) {
        printed += AsLine(line) + "\n";
    }
    const ReadFile again = Read(printed);
    RC_ASSERT(again.is_good);
    RC_ASSERT(WithoutLines(again.conf) == WithoutLines(file.conf));
}

/// `mistaken` is refused, or lets no two ports communicate that may not in the file without it.
void RequireNoMore(const std::string& mistaken, const ReadFile& without) {
    const ReadFile file = Read(mistaken);
    if (!file.is_good) return;
    const PartitionNet::Pairs pairs = PartitionNet(file.conf).MayCommunicate();
    const PartitionNet::Pairs before = PartitionNet(without.conf).MayCommunicate();
    if (!std::ranges::includes(before, pairs)) RC_FAIL(mistaken);
}

RC_GTEST_PROP(PartitionMistakes, OfALineNeverLetMorePortsCommunicate, ()) {
    std::vector<std::string> lines = AnyLines();
    const ReadFile without = Read(Joined(lines));
    RC_PRE(without.is_good);
    const std::vector<std::string> mistakes = {"P1=1: 0x100003=FULL;",
                                               "P1=1: 0x100003=;",
                                               "P1=1: all;",
                                               "P1=1: ALL_HOSTS=full;",
                                               "P1=1 0x100003=full;",
                                               "P1=1: 0x100003=full",
                                               "P1=0x10001: ALL=full;",
                                               "P1=0x8000: ALL=full;",
                                               "P1=1,defmember=Full: ALL;",
                                               "P1=1,ful: ALL;",
                                               "P1=1: NONE,;;",
                                               "P1=1: NONE",
                                               ":;",
                                               ";",
                                               "P1=1: ALL=full: 0x100003;",
                                               "P1=: ALL=full;",
                                               "2x: ALL=full;",
                                               "P1=1\n: ALL=full;",
                                               "P1=1: mgid=ff12::1,0x100003=full;",
                                               "P1=1: 0x100003=full 0x100005=full;",
                                               "Default=0x7fff: ALL=limited;",
                                               "P1=1: 04000003=full, 4000008=fool;"};
    const auto at = *rc::gen::inRange<std::size_t>(0, lines.size());
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), *rc::gen::elementOf(mistakes));
    RequireNoMore(Joined(lines), without);
}

/// A letter of a word that is lost, doubled, or of the other case. Names have letters too, but
/// those of this file all have a P_Key.
RC_GTEST_PROP(PartitionMistakes, OfALetterNeverLetMorePortsCommunicate, ()) {
    const std::string text = Joined(AnyLines());
    const ReadFile without = Read(text);
    RC_PRE(without.is_good);
    const auto at =
        *rc::gen::suchThat(rc::gen::inRange<std::size_t>(0, text.size()), [&](std::size_t i) {
            const bool is_letter = std::isalpha(static_cast<unsigned char>(text[i])) != 0;
            return is_letter &&
                   (i == 0 || std::isdigit(static_cast<unsigned char>(text[i - 1])) == 0);
        });
    std::string mistaken = text;
    switch (*rc::gen::inRange(0, 3)) {
        case 0:
            mistaken.erase(at, 1);
            break;
        case 1:
            mistaken.insert(at, 1, text[at]);
            break;
        default:
            mistaken[at] = static_cast<char>(mistaken[at] ^ 0x20);
    }
    RequireNoMore(mistaken, without);
}

/// Which ports may communicate, in whichever partition.
std::set<std::pair<Guid, Guid>> PairsOf(const ReadFile& file) {
    std::set<std::pair<Guid, Guid>> pairs;
    for (const auto& [one, other, p_key] : PartitionNet(file.conf).MayCommunicate()) {
        pairs.insert({one, other});
    }
    return pairs;
}

/// A place that is not within a number: another number is no mistake that shows.
std::size_t AnyPlace(const std::string& text) {
    return *rc::gen::suchThat(rc::gen::inRange<std::size_t>(0, text.size()), [&](std::size_t i) {
        return std::isxdigit(static_cast<unsigned char>(text[i])) == 0 && text[i] != 'x';
    });
}

/// A sign that is lost, doubled, misplaced or of another kind; not '#', behind which anything may
/// stand. A file with a mistake is refused, or lets no ports communicate that may not as it is
/// meant, and may not without the line of the mistake.
RC_GTEST_PROP(PartitionMistakes, OfASignNeverLetMorePortsCommunicate, ()) {
    static constexpr std::string_view kSigns = ",;:= \n\t_-\"!";
    const std::string text = Joined(AnyLines());
    const ReadFile meant = Read(text);
    RC_PRE(meant.is_good);
    const std::size_t at = AnyPlace(text);
    const char sign = *rc::gen::elementOf(std::string(kSigns));
    std::string mistaken = text;
    switch (*rc::gen::inRange(0, 5)) {
        case 0:
            mistaken.erase(at, 1);
            break;
        case 1:
            mistaken.insert(at, 1, text[at]);
            break;
        case 2:
            mistaken.insert(at, 1, sign);
            break;
        case 3:
            mistaken[at] = sign;
            break;
        default:
            std::swap(mistaken[at], mistaken[at == 0 ? 1 : at - 1]);
    }
    const ReadFile file = Read(mistaken);
    if (!file.is_good) return;
    auto allowed = PairsOf(meant);
    allowed.merge(PairsOf(Read(WithoutLineAt(text, at))));
    if (!std::ranges::includes(allowed, PairsOf(file))) RC_FAIL(mistaken);
}

/// A file that ends within a definition is refused: what is lost may have narrowed what is left.
RC_GTEST_PROP(PartitionMistakes, OfAFileThatWasCutOffAreSeen, ()) {
    const std::string text = Joined(AnyLines());
    RC_PRE(Read(text).is_good);
    const auto octets = *rc::gen::inRange<std::size_t>(1, text.size());
    RC_PRE(text[octets - 1] != ';' && text[octets - 1] != '\n');
    const ReadFile file = Read(text.substr(0, octets));
    RC_ASSERT_FALSE(file.is_good);
}

/// emberc writes no blob of a file in which it sees an error, and leaves alone what it wrote last.
TEST(PartitionMistakes, LeaveTheBlobOfTheLastGoodFileAlone) {
    const Folder folder;
    const std::string conf =
        folder.Write("opensm.conf", "partition_config_file " + folder.File("partitions") + "\n");
    const auto compile = [&](const std::string& text) {
        folder.Write("partitions", text);
        return Emberc({"compile", conf, "-o", folder.File("blob")}).status;
    };
    ASSERT_EQ(compile("P1=1: 0x100003=full, 0x100005;\n"), 0);
    const std::string good = folder.Read("blob");
    std::size_t refused = 0;
    for (const std::string text :
         {"P1=1: 0x100003=FULL, 0x100005;\n", "P1=1: 0x100003=full 0x100005;\n", "P1=1: all;\n",
          "P1=1 0x100003=full;\n", "P1=0x8000: ALL=full;\n", "P1=1: ALL=full: 0x100005;\n",
          "Default=0x7fff: ALL=limited;\n", "P1=1,ful: ALL;\n", "", "P1=1: 0x100003=full"}) {
        refused += compile(text) != 0 ? 1U : 0U;
        EXPECT_EQ(folder.Read("blob"), good) << text;
    }
    EXPECT_EQ(refused, 10U);
}

/// Two files that are alike and a mistake that is not seen would pass the properties above.
TEST(PartitionMistakes, AreComparedWithFilesInWhichPortsCommunicate) {
    const ReadFile few = Read("P=1: 0x100003, 0x100005=full;");
    const ReadFile more = Read("P=1: ALL, 0x100003, 0x100005=full;");
    ASSERT_TRUE(few.is_good && more.is_good);
    const PartitionNet::Pairs pairs = PartitionNet(few.conf).MayCommunicate();
    EXPECT_EQ(pairs.count({Guid{0x100003}, Guid{0x100005}, 1}), 1U);
    EXPECT_EQ(pairs.count({Guid{0x100003}, Guid{0x100007}, 1}), 0U);
    EXPECT_FALSE(std::ranges::includes(pairs, PartitionNet(more.conf).MayCommunicate()));
}

}  // namespace
}  // namespace ember::test
