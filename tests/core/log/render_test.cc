// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of notes as text.
#include "core/log/render.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>

#include "core/log/words.h"

namespace ember {
namespace {

constexpr std::array<std::string_view, 2> kEngines = {"minhop", "updn"};

/// Calls node 0x2C9 "leaf-2", and all others by the longest name there can be if asked to.
class Names final : public NameSource {
public:
    explicit Names(bool all = false) : all_(all) {}
    std::size_t NameOf(Guid guid, std::span<char> room) const override {
        const std::string name = guid == Guid{0x2C9} ? "leaf-2"
                                 : all_              ? std::string(kMaxNameOctets, 'x')
                                                     : "";
        std::copy(name.begin(), name.end(), room.begin());
        return name.size();
    }

private:
    bool all_;
};

std::string Text(Note note, std::array<std::uint64_t, kMaxValues> values,
                 const NameSource* names = nullptr) {
    std::array<char, kMaxRenderedOctets> text{};
    return std::string(Render({0, values, note}, {kEngines, names}, text));
}

TEST(Render, FillsEveryKindOfBlank) {
    EXPECT_EQ(Text(Note::kLinkLost, {0x2C9, 7, 0xABCDEF0123456789, 254}),
              "lost the cable between 0x00000000000002c9 port 7 and 0xabcdef0123456789 port 254");
    EXPECT_EQ(Text(Note::kHeavySweepStarted, {3, 3}), "heavy sweep 3 started: trap");
    EXPECT_EQ(Text(Note::kLimitExhausted, {1, 4, 5}),
              "the fabric exceeds max_switches = 4: it needs at least 5; what does not fit is left "
              "alone");
    EXPECT_EQ(Text(Note::kRoleChanged, {1, 3, 0}),
              "role DISCOVERING -> MASTER: nobody ranks higher");
    EXPECT_EQ(Text(Note::kEngineFailed, {1, 6}), "routing by updn failed: limit reached");
    EXPECT_EQ(Text(Note::kEngineAbsent, {7}),
              "routing_engine names torus-2QoS, which this board has not");
    EXPECT_EQ(Text(Note::kEngineFault, {1, 1}),
              "updn cannot route this fabric: no root switch was given or found");
    EXPECT_EQ(Text(Note::kNodeFound, {1, 2, 36}),
              "found 0x0000000000000001, a switch with 36 ports");
    EXPECT_EQ(Text(Note::kPortStateFailed, {1, 2, 3, 5, 4}),
              "0x0000000000000001 port 2, cabled to 0x0000000000000003 port 5, did not go to state "
              "ACTIVE");
    EXPECT_EQ(Text(Note::kLidMoved, {1, 5, 0xBFFF}),
              "moved 0x0000000000000001 from LID 5 to LID 49151");
    EXPECT_EQ(Text(Note::kLinkWidthReduced, {1, 2, 3, 4, 0, 1}),
              "the cable between 0x0000000000000001 port 2 and 0x0000000000000003 port 4 runs at "
              "width 1X, both ends can do 4X");
    EXPECT_EQ(Text(Note::kLinkSpeedReduced, {1, 2, 3, 4, 4, 6}),
              "the cable between 0x0000000000000001 port 2 and 0x0000000000000003 port 4 runs at "
              "speed EDR, both ends can do NDR");
    EXPECT_EQ(Text(Note::kTrapPortErrors, {130, 1, 2, 3, 4, 1}),
              "trap 130: 0x0000000000000001 port 2, cabled to 0x0000000000000003 port 4, complains "
              "of buffer overruns");
    EXPECT_EQ(Text(Note::kTrapLocalChanges, {1, 1}),
              "trap 144: 0x0000000000000001 changed its NodeDescription");
    EXPECT_EQ(Text(Note::kOptionGuidsUnknown, {1, 2, 3}),
              "ids_guid_file: 2 GUIDs are not in the subnet, the first is 0x0000000000000003; they "
              "are passed over");
    EXPECT_EQ(Text(Note::kLogLevelChanged, {2, 3}),
              "from now on notes of severity warning and above are kept, and 3 kinds by levels of "
              "their own");
    EXPECT_EQ(Text(Note::kSetRefused, {1, 2, 0x15, 0x1C}),
              "0x0000000000000001 port 2 refused Set of attribute 0x15 with status 0x1c");
}

TEST(Render, ANameStandsBehindItsGuid) {
    const Names names;
    EXPECT_EQ(Text(Note::kLinkLost, {0x2C9, 7, 0xAB, 254}, &names),
              "lost the cable between 0x00000000000002c9 \"leaf-2\" port 7 and "
              "0x00000000000000ab port 254");
}

TEST(Render, ANumberWithoutAWordIsShownAsANumber) {
    EXPECT_EQ(Text(Note::kEngineFailed, {2, 99}), "routing by #2 failed: #99");
}

TEST(Render, ATextThatDoesNotFitIsCutOff) {
    std::array<char, 8> text{};
    EXPECT_EQ(Render({0, {}, Note::kStopped}, {kEngines}, text), "subnet m");
    EXPECT_EQ(Render({0, {}, Note::kStopped}, {kEngines}, std::span<char>()), "");
}

TEST(Render, EverySentenceFitsWithTheLargestValuesAndLeavesNoBlank) {
    constexpr std::uint64_t kLargest = ~std::uint64_t{0};
    const Names names(true);
    for (std::size_t i = 0; i < kNotes; ++i) {
        std::array<std::uint64_t, kMaxValues> values{};
        values.fill(kLargest);
        const std::string text = Text(static_cast<Note>(i), values, &names);
        EXPECT_LT(text.size(), kMaxRenderedOctets) << text;
        EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << text;
    }
}

TEST(Render, AValueAloneReadsAsInItsSentence) {
    std::array<char, 64> text{};
    EXPECT_EQ(RenderValue(BlankKind::kGuid, 0x2C9, {kEngines}, text), "0x00000000000002c9");
    EXPECT_EQ(RenderValue(BlankKind::kEngine, 1, {kEngines}, text), "updn");
    EXPECT_EQ(RenderValue(BlankKind::kStatus, 0, {kEngines}, text), "ok");
    EXPECT_EQ(RenderValue(BlankKind::kDecimal, 42, {kEngines}, text), "42");
}

TEST(Catalogue, ACodeThatTwoRowsHaveIsRefused) {
    constexpr auto kTwice = [] {
        std::array<Sentence, kNotes> rows = kSentences;
        rows[3].code = rows[7].code;
        return rows;
    }();
    static_assert(!IsSound(kTwice));
    static_assert(IsSound(kSentences));
}

TEST(Catalogue, BadBlanksAreRefused) {
    static_assert(HasSoundBlanks("lost {guid} port {port}"));
    static_assert(!HasSoundBlanks("lost {gudi}"));
    static_assert(!HasSoundBlanks("lost {guid"));
    static_assert(!HasSoundBlanks("{} nodes"), "a value without a name");
    static_assert(!HasSoundBlanks("{guid} and {guid}"), "two values of one name");
    static_assert(!HasSoundBlanks("{:a} {:b} {:c} {:d} {:e} {:f} {:g}"));
}

TEST(Render, SeveritiesHaveWordsAndWordsSeverities) {
    for (const Severity severity :
         {Severity::kDebug, Severity::kInfo, Severity::kWarning, Severity::kError}) {
        const Result<Severity> found = SeverityOf(WordOf(severity));
        ASSERT_TRUE(found.ok());
        EXPECT_EQ(found.value(), severity);
    }
    EXPECT_EQ(SeverityOf("loud").status(), Status::kAbsent);
    EXPECT_EQ(SeverityOf("").status(), Status::kAbsent);
}

}  // namespace
}  // namespace ember
