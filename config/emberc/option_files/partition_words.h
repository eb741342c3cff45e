// SPDX-License-Identifier: Apache-2.0
// EmberSM: the words and flags of partition_config_file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/emberc/option_files/line_reader.h"
#include "core/settings/partition_rows.h"

namespace ember::emberc {

/// The end of remarks on mistakes that OpenSM does not survive.
inline constexpr std::string_view kOpensmGivesUp =
    "OpenSM would drop all partitions of the file and make every port a full member of the default "
    "one";

/// Without the blanks at its ends.
[[nodiscard]] Word Trimmed(const Word& word);

/// `word` up to the first `mark`, without blanks at its ends; `word` becomes what stands behind the
/// mark, and nothing where there is none.
[[nodiscard]] Word TakeUpTo(Word& word, char mark);
[[nodiscard]] bool Has(const Word& word, char mark);

/// "name = value"; without a '=' there is no value.
struct Assignment {
    Word name;
    std::optional<Word> value;
};
[[nodiscard]] Assignment AsAssignment(const Word& word);

/// `full`, `limited` or `both`, or as much of one as makes it known. Any other word is reported.
[[nodiscard]] std::optional<Membership> ReadMembership(LineReader& reader, const Word& word);

/// A keyword for members; NONE is a class of its own.
struct ClassWord {
    bool is_none = false;
    PortClass ports{};
};
/// A word that is no keyword, nor short for one alone, is reported.
[[nodiscard]] std::optional<ClassWord> ReadClass(LineReader& reader, const Word& word);

/// Whether `text` may be a member: a number, or a keyword or the beginning of one.
[[nodiscard]] bool MayBeMember(std::string_view text);

/// Flags of a definition; kMtu and what follows are those of a group too.
enum class PartitionFlag : std::uint8_t {
    kIndex0,
    kIp,
    kUsualMembership,
    kMtu,
    kRate,
    kSl,
    kScope,
    kQKey,
    kTClass,
    kFlowLabel,
};
/// `of_group`: only flags of a group are looked for.
[[nodiscard]] std::optional<PartitionFlag> ReadFlag(LineReader& reader, const Word& word,
                                                    bool of_group);

[[nodiscard]] std::string_view WordOf(Membership membership);
[[nodiscard]] std::string_view WordOf(PortClass ports);

/// "0x7fff".
[[nodiscard]] std::string PKeyText(std::uint16_t p_key);

/// Flags of a definition or a group that are for groups.
struct GroupFlags {
    std::optional<std::uint8_t> mtu, rate, sl, tclass;
    std::optional<std::uint32_t> q_key, flow_label;
    std::uint16_t scopes = 0;  ///< Bit n: scope n.
};

/// Reads the value of a flag that groups have. A mistake in it is reported.
void ReadGroupFlag(LineReader& reader, PartitionFlag flag, const Assignment& said,
                   GroupFlags& flags);

}  // namespace ember::emberc
