// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a diagnostic can be about.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ember::emberc {

/// The kind of a diagnostic. Its word is stable, for scripts, and the list of words in emberc(1) is
/// made from the table below: a diagnostic without a row does not compile.
enum class Code : std::uint8_t {
    kAbbreviation,
    kBadBoolean,
    kBadExpression,
    kBadGroup,
    kBadMask,
    kBadNumber,
    kBadRow,
    kBadText,
    kBadValue,
    kBlanksKept,
    kBooleanSpelling,
    kBothKinds,
    kByteOrderMark,
    kCommentInWord,
    kConflict,
    kContradiction,
    kControlCharacter,
    kDecimalGuid,
    kDefaultFile,
    kDroppedLevel,
    kDuplicateEngine,
    kDuplicateEntry,
    kDuplicateKey,
    kDuplicatePort,
    kDuplicateSwitch,
    kEmptyFile,
    kEmptySection,
    kEmptyStatement,
    kEngineNotAvailable,
    kEngineNotListed,
    kEqualsSign,
    kFoldedLane,
    kForeignKey,
    kGeneratedKey,
    kLineTooLong,
    kLookalike,
    kMembershipBit,
    kMissingColon,
    kMissingEntry,
    kMissingSemicolon,
    kMissingValue,
    kMuchWork,
    kMulticastSkipped,
    kNeverMatches,
    kNeverReached,
    kNoDefaultLevel,
    kNoEffect,
    kNoGroup,
    kNoSwitch,
    kNotAMember,
    kNotAMembership,
    kNotAName,
    kNotAPartition,
    kNotAPrefixRoute,
    kNotActedOn,
    kNotInFabric,
    kNotTaken,
    kNotText,
    kOctal,
    kOldName,
    kOpenElection,
    kOpenSection,
    kOtherPartition,
    kOtherSubnet,
    kOutOfRange,
    kOverruled,
    kPartitionSizes,
    kPinnedDefault,
    kSameNumber,
    kSelfLimited,
    kStarvedLane,
    kStrayMark,
    kTooLarge,
    kTooLong,
    kTooManyPKeys,
    kTrailingText,
    kTurnedRange,
    kUnbalancedQuote,
    kUndefinedName,
    kUnfairLanes,
    kUnfitLids,
    kUnknownCode,
    kUnknownEngine,
    kUnknownFlag,
    kUnknownKey,
    kUnknownLine,
    kUnreadableFile,
    kUnusedEntry,
    kWellKnownKey,
};

/// A code, for people.
struct CodeRow {
    Code code;
    std::string_view word;     ///< Behind each diagnostic, in brackets.
    std::string_view meaning;  ///< Half a sentence, without a full stop.
};

// clang-format off
/// In the order of the codes, which is that of the words.
inline constexpr std::array kCodes = {
    CodeRow{Code::kAbbreviation, "abbreviation", "a word that is cut short"},
    CodeRow{Code::kBadBoolean, "bad-boolean", "a word that is neither true nor false"},
    CodeRow{Code::kBadExpression, "bad-expression", "a regular expression that is none, or too large for a switch"},
    CodeRow{Code::kBadGroup, "bad-group", "a multicast group that cannot be"},
    CodeRow{Code::kBadMask, "bad-mask", "no mask of 256 bits in hexadecimal digits"},
    CodeRow{Code::kBadNumber, "bad-number", "a number, GUID or LID that cannot be read as one"},
    CodeRow{Code::kBadRow, "bad-row", "a row of a hop matrix that is shorter, longer or other than it should be"},
    CodeRow{Code::kBadText, "bad-text", "a text of a record without its quotes"},
    CodeRow{Code::kBadValue, "bad-value", "a value that the key does not take"},
    CodeRow{Code::kBlanksKept, "blanks-kept", "blanks in a name, which OpenSM drops"},
    CodeRow{Code::kBooleanSpelling, "boolean-spelling", "read as TRUE, where OpenSM would read FALSE"},
    CodeRow{Code::kBothKinds, "both-kinds", "a port that two files put on different lists"},
    CodeRow{Code::kByteOrderMark, "byte-order-mark", "the file begins with one"},
    CodeRow{Code::kCommentInWord, "comment-in-word", "a # within a word begins a comment all the same"},
    CodeRow{Code::kConflict, "conflict", "keys that contradict each other"},
    CodeRow{Code::kContradiction, "contradiction", "an entry that says otherwise than one before it"},
    CodeRow{Code::kControlCharacter, "control-character", "one in a text"},
    CodeRow{Code::kDecimalGuid, "decimal-guid", "a long GUID without 0x, which is read as decimal"},
    CodeRow{Code::kDefaultFile, "default-file", "a file at its default place that no line names, and that is read"},
    CodeRow{Code::kDroppedLevel, "dropped-level", "a service level whose packets are dropped"},
    CodeRow{Code::kDuplicateEngine, "duplicate-engine", "a routing engine that is listed twice"},
    CodeRow{Code::kDuplicateEntry, "duplicate-entry", "an entry that is there already"},
    CodeRow{Code::kDuplicateKey, "duplicate-key", "a key that is set twice"},
    CodeRow{Code::kDuplicatePort, "duplicate-port", "a port that a line names twice"},
    CodeRow{Code::kDuplicateSwitch, "duplicate-switch", "a switch that has its part of the file already"},
    CodeRow{Code::kEmptyFile, "empty-file", "a file without any entry"},
    CodeRow{Code::kEmptySection, "empty-section", "a section with nothing in it"},
    CodeRow{Code::kEmptyStatement, "empty-statement", "a ; that ends nothing"},
    CodeRow{Code::kEngineNotAvailable, "engine-not-available", "a routing engine that this release does not have"},
    CodeRow{Code::kEngineNotListed, "engine-not-listed", "a key for an engine that is not in routing_engine"},
    CodeRow{Code::kEqualsSign, "equals-sign", "a = between a key and its value"},
    CodeRow{Code::kFoldedLane, "folded-lane", "a VL that links do not have, so that another one stands for it"},
    CodeRow{Code::kForeignKey, "foreign-key", "a key of NVIDIA's subnet manager that EmberSM does not have"},
    CodeRow{Code::kGeneratedKey, "generated-key", "a P_Key that follows from the order of the file"},
    CodeRow{Code::kLineTooLong, "line-too-long", "a line that OpenSM would cut in two"},
    CodeRow{Code::kLookalike, "lookalike", "a character that looks like a blank, quote or dash and is none"},
    CodeRow{Code::kMembershipBit, "membership-bit", "a P_Key with the bit of full members, which says nothing here"},
    CodeRow{Code::kMissingColon, "missing-colon", "a blank or = where a colon stands between a word and its value"},
    CodeRow{Code::kMissingEntry, "missing-entry", "a section without an entry that it must have"},
    CodeRow{Code::kMissingSemicolon, "missing-semicolon", "a definition without the ; at its end"},
    CodeRow{Code::kMissingValue, "missing-value", "a key without a value, or a line without all its words"},
    CodeRow{Code::kMuchWork, "much-work", "a value that makes routing take long"},
    CodeRow{Code::kMulticastSkipped, "multicast-skipped", "multicast entries in a file of unicast routes"},
    CodeRow{Code::kNeverMatches, "never-matches", "a rule that fits no question"},
    CodeRow{Code::kNeverReached, "never-reached", "a line that one before it hides"},
    CodeRow{Code::kNoDefaultLevel, "no-default-level", "a QoS policy without a level for questions that no rule fits"},
    CodeRow{Code::kNoEffect, "no-effect", "a value that changes nothing beside another"},
    CodeRow{Code::kNoGroup, "no-group", "a member before the first multicast group"},
    CodeRow{Code::kNoSwitch, "no-switch", "an entry before the first switch"},
    CodeRow{Code::kNotAMember, "not-a-member", "neither a GUID nor a keyword where a member stands"},
    CodeRow{Code::kNotAMembership, "not-a-membership", "neither full nor limited nor both"},
    CodeRow{Code::kNotAName, "not-a-name", "a name of a node without its quotes, or one with characters that it cannot have"},
    CodeRow{Code::kNotAPartition, "not-a-partition", "no definition of a partition"},
    CodeRow{Code::kNotAPrefixRoute, "not-a-prefix-route", "neither a prefix or GUID in hexadecimal digits nor *"},
    CodeRow{Code::kNotActedOn, "not-acted-on", "a key that has no effect in this release"},
    CodeRow{Code::kNotInFabric, "not-in-fabric", "what an option file names and the fabric of --fabric has not"},
    CodeRow{Code::kNotTaken, "not-taken", "what a board or its port does not take or has no room for"},
    CodeRow{Code::kNotText, "not-text", "a NUL: the file is no text"},
    CodeRow{Code::kOctal, "octal", "a number that begins with 0"},
    CodeRow{Code::kOldName, "old-name", "a key by its old name"},
    CodeRow{Code::kOpenElection, "open-election", "any subnet manager may take part, as sm_peers lists none"},
    CodeRow{Code::kOpenSection, "open-section", "a section that is not ended, or the end of one that is not open"},
    CodeRow{Code::kOtherPartition, "other-partition", "a group of a partition that is not managed"},
    CodeRow{Code::kOtherSubnet, "other-subnet", "a GID with another prefix than subnet_prefix"},
    CodeRow{Code::kOutOfRange, "out-of-range", "a number outside its range"},
    CodeRow{Code::kOverruled, "overruled", "a member that a later one overrules"},
    CodeRow{Code::kPartitionSizes, "partition-sizes", "what the partitions of a file take"},
    CodeRow{Code::kPinnedDefault, "pinned-default", "a value for OpenSM written down where EmberSM's own does better"},
    CodeRow{Code::kSameNumber, "same-number", "two switches with one number"},
    CodeRow{Code::kSelfLimited, "self-limited", "the port of the subnet manager is a limited member of the default partition"},
    CodeRow{Code::kStarvedLane, "starved-lane", "a VL in use that VL arbitration never serves"},
    CodeRow{Code::kStrayMark, "stray-mark", "a colon or comma that nothing follows or that does not belong there"},
    CodeRow{Code::kTooLarge, "too-large", "more entries than there is room for"},
    CodeRow{Code::kTooLong, "too-long", "a text or list that is longer than it can be"},
    CodeRow{Code::kTooManyPKeys, "too-many-p-keys", "a port in more partitions than it can hold P_Keys of"},
    CodeRow{Code::kTrailingText, "trailing-text", "words behind the end of an entry"},
    CodeRow{Code::kTurnedRange, "turned-range", "a range that ends before it begins"},
    CodeRow{Code::kUnbalancedQuote, "unbalanced-quote", "a quote that is open at one end"},
    CodeRow{Code::kUndefinedName, "undefined-name", "a name that is not defined"},
    CodeRow{Code::kUnfairLanes, "unfair-lanes", "VLs of one level of service, of which VL arbitration serves one more than another"},
    CodeRow{Code::kUnfitLids, "unfit-lids", "a range of LIDs that does not fit lmc"},
    CodeRow{Code::kUnknownCode, "unknown-code", "an emberc: comment without a code that diagnostics have"},
    CodeRow{Code::kUnknownEngine, "unknown-engine", "no routing engine has this name"},
    CodeRow{Code::kUnknownFlag, "unknown-flag", "no flag of a partition or group has this name"},
    CodeRow{Code::kUnknownKey, "unknown-key", "no key has this name"},
    CodeRow{Code::kUnknownLine, "unknown-line", "a line that is none of those the file is made of"},
    CodeRow{Code::kUnreadableFile, "unreadable-file", "a file that cannot be read"},
    CodeRow{Code::kUnusedEntry, "unused-entry", "an entry that nothing refers to"},
    CodeRow{Code::kWellKnownKey, "well-known-key", "a key that is left at 1, which every host knows"},
};
// clang-format on

[[nodiscard]] consteval bool CodesAreInOrder() {
    for (std::size_t i = 0; i < kCodes.size(); ++i) {
        if (kCodes[i].code != static_cast<Code>(i)) return false;
        if (i > 0 && kCodes[i - 1].word >= kCodes[i].word) return false;
    }
    return true;
}
static_assert(CodesAreInOrder());

[[nodiscard]] constexpr std::string_view WordOf(Code code) {
    return kCodes[static_cast<std::size_t>(code)].word;
}

/// The code with that word, or nothing.
[[nodiscard]] std::optional<Code> FindCode(std::string_view word);

/// The nearest word of a code, or one that begins with `word`, or nothing.
[[nodiscard]] std::string_view NearestCode(std::string_view word);

/// The codes, one a line.
[[nodiscard]] std::string CodesAsText();

/// The list in emberc(1).
[[nodiscard]] std::string CodesAsMdoc();

}  // namespace ember::emberc
